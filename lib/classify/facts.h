/* rc_facts: what is known of one failure, as a set of bits. Extractors set them, rules test them.
 */
#ifndef RC_CLASSIFY_FACTS_H
#define RC_CLASSIFY_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

typedef uint16_t rc_fact;

/* The listed facts come first; the others have a number range each, so that nothing has to list
 * every status. */
enum {
    RC_FACT_NONE = 0,
#define RC_FACT(GROUP, ID, name, text) RC_FACT_##ID,
#include "spec/facts.def"
    RC_FACT_LISTED_END,

    RC_FACT_SAYS_BASE = 128,     /* + concept */
    RC_FACT_CODE_BASE = 256,     /* + concept */
    RC_FACT_PROVIDER_BASE = 384, /* + provider index */
    RC_FACT_STATUS_BASE = 448,   /* + status - 100 */
    RC_FACT_INNER_BASE = 960,    /* + status - 100 */
    RC_FACT_LITERAL_BASE = 1472, /* + literal of a user's rules file */
    RC_FACT_END = 1728
};

#define RC_CONCEPTS_MAX 128u
#define RC_PROVIDERS_MAX 64u
#define RC_LITERALS_MAX 256u
#define RC_STATUS_FACT_MIN 100
#define RC_STATUS_FACT_MAX 611

_Static_assert(RC_FACT_LISTED_END <= RC_FACT_SAYS_BASE,
               "the listed facts have outgrown their room");

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

/* The fact of a name ("says:quota", "status:429", "window:long"); RC_FACT_NONE: there is none. */
rc_fact rc_fact_parse(rc_str name);

/* Appends the name. A literal is written as "literal:N". */
void rc_fact_push_name(rc_buf *buf, rc_fact fact);

/* What it says, for people; the empty view when the name says it all. */
rc_str rc_fact_text(rc_fact fact);

/* The facts that have a name of their own, in order, for help and for naming the nearest; a status
 * by its number is not among them. RC_FACT_NONE past the end. */
rc_fact rc_fact_at(size_t index);

/* Can a and b never be true together? Facts of one exclusive group; two statuses; a status and a
 * class that it is not of. A fact does not exclude itself. */
bool rc_fact_excludes(rc_fact a, rc_fact b);

/* Is b true whenever a is? status:429 implies status:4xx; every fact implies itself. */
bool rc_fact_implies(rc_fact a, rc_fact b);

/* Adds every fact that implies one of the set: with status:4xx each of status:400 to status:499. */
void rc_facts_add_implying(rc_facts *facts);

/* The HTTP status with its class: every status that is set goes through here, so that a rule may
 * count on status:429 meaning status:4xx. 0: status:none. One that has no fact sets its class at
 * most. */
void rc_facts_set_status(rc_facts *facts, int status);

/* The same for the status that the innermost error carries; 0 sets nothing. */
void rc_facts_set_inner(rc_facts *facts, int status);

#endif
