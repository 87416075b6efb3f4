/* rc_facts: the facts of one failure as a set of bits. The classifier sets facts while it reads the
 * failure; the conditions of rules test them. */
#ifndef RC_CLASSIFY_FACTS_H
#define RC_CLASSIFY_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

typedef uint16_t rc_fact;

/* The facts listed in spec/facts.def have the lowest numbers. Facts about concepts, providers,
 * statuses and literals are not listed in that file; each of these kinds has a range of numbers. */
enum {
    RC_FACT_NONE = 0,
#define RC_FACT(GROUP, ID, name, text) RC_FACT_##ID,
#include "spec/facts.def"
    RC_FACT_LISTED_END,

    RC_FACT_SAYS_BASE = 128,     /* facts says:NAME; a fact's number is this base plus the number of
                                    the concept */
    RC_FACT_CODE_BASE = 256,     /* facts code:NAME; base plus the number of the concept */
    RC_FACT_PROVIDER_BASE = 384, /* facts provider:NAME; base plus the index of the provider */
    RC_FACT_STATUS_BASE = 448,   /* facts status:N; base plus the status minus 100 */
    RC_FACT_INNER_BASE = 960,    /* facts inner:N; base plus the status minus 100 */
    RC_FACT_LITERAL_BASE = 1472, /* facts of literals (quoted texts in a user's rules file); base
                                    plus the index of the literal */
    RC_FACT_END = 1728
};

#define RC_CONCEPTS_MAX 128u
#define RC_PROVIDERS_MAX 64u
#define RC_LITERALS_MAX 256u
#define RC_STATUS_FACT_MIN 100
#define RC_STATUS_FACT_MAX 611

_Static_assert(RC_FACT_LISTED_END <= RC_FACT_SAYS_BASE,
               "the listed facts have outgrown their range");

typedef struct rc_facts {
    uint64_t bits[RC_FACT_END / 64];
} rc_facts;

static inline void rc_facts_set(rc_facts *facts, unsigned fact)
{
    facts->bits[fact / 64] |= UINT64_C(1) << (fact % 64);
}

static inline void rc_facts_clear(rc_facts *facts, unsigned fact)
{
    facts->bits[fact / 64] &= ~(UINT64_C(1) << (fact % 64));
}

static inline bool rc_facts_has(const rc_facts *facts, unsigned fact)
{
    return facts->bits[fact / 64] >> (fact % 64) & 1;
}

/* Returns the fact with this name ("says:quota", "status:429", "window:long"); RC_FACT_NONE if no
 * fact has this name. */
rc_fact rc_fact_parse(rc_str name);

/* Appends the fact's name. A literal is written as "literal:N". */
void rc_fact_push_name(rc_buf *buf, rc_fact fact);

/* Returns the fact's meaning as a clause for people, as static text. The text is empty if the
 * fact's name needs no explanation. */
rc_str rc_fact_text(rc_fact fact);

/* Returns the fact at this index of the list of named facts; RC_FACT_NONE if the index is too
 * large. The list is used for help texts and for suggestions of the nearest name. The list contains
 * no single statuses and no literals. */
rc_fact rc_fact_at(size_t index);

/* Returns whether `a` and `b` cannot both be true: two facts of one exclusive group, two statuses,
 * or a status and a class that does not contain it. A fact does not exclude itself. */
bool rc_fact_excludes(rc_fact a, rc_fact b);

/* Returns whether `b` is true whenever `a` is true: status:429 implies status:4xx. Every fact
 * implies itself. */
bool rc_fact_implies(rc_fact a, rc_fact b);

/* Adds every fact that implies a fact of the set. For example, status:4xx adds status:400 to
 * status:499. */
void rc_facts_add_implying(rc_facts *facts);

/* Sets the fact of an HTTP status and the fact of its class, so that a rule with status:4xx matches
 * status:429. Status 0 sets status:none. A status below RC_STATUS_FACT_MIN or above
 * RC_STATUS_FACT_MAX sets only the fact of its class, if it has a class. */
void rc_facts_set_status(rc_facts *facts, int status);

/* Sets the facts inner:STATUS and inner:CLASS for the status of the innermost error. A status of 0
 * sets no fact. */
void rc_facts_set_inner(rc_facts *facts, int status);

#endif
