/* rc_provider: what is particular to one provider. The common ways of unwrapping read nearly all of
 * what anybody sends; an extractor adds what only its provider's documentation can tell: codes that
 * are numbers or mean something else there, headers that give it away, and quirks. */
#ifndef RC_CORE_PROVIDER_H
#define RC_CORE_PROVIDER_H

#include "core/evidence.h"
#include "core/phrases.h"

/* A typed code (or type, or reason) that only this provider's documentation explains. */
typedef struct rc_code_note {
    rc_str code;
    uint8_t concept;
} rc_code_note;

typedef enum rc_mark_kind {
    RC_MARK_HEADER = 1, /* a header whose name begins so */
    RC_MARK_SERVER = 2, /* the server header begins so */
    RC_MARK_CODE = 3,   /* a layer's type, code or reason is exactly this */
    RC_MARK_TITLE = 4   /* the page's text has it */
} rc_mark_kind;

/* What gives a provider away. In the order of trust: headers, codes, then words
 * (spec/phrases.txt). */
typedef struct rc_mark {
    rc_mark_kind kind;
    rc_str text;
} rc_mark;

/* Who answers when several are seen: a relay is what was called, and what it relays is inside; an
 * edge stands in front of everybody. */
typedef enum rc_provider_rank {
    RC_PROVIDER_EDGE = 1,
    RC_PROVIDER_SERVICE = 2,
    RC_PROVIDER_RELAY = 3
} rc_provider_rank;

typedef struct rc_provider {
    rc_str name;
    rc_str title;
    rc_provider_rank rank;
    const rc_code_note *codes;
    size_t code_count;
    const rc_mark *marks;
    size_t mark_count;
    /* What is particular beyond tables. May set facts, change layers, drop hints. NULL: nothing. */
    void (*extract)(rc_evidence *evidence);
} rc_provider;

#define RC_CODES(table) .codes = (table), .code_count = sizeof(table) / sizeof((table)[0])
#define RC_MARKS(table) .marks = (table), .mark_count = sizeof(table) / sizeof((table)[0])

#define RC_PROVIDER(ID, name) extern const rc_provider rc_provider_##ID;
#include "../../spec/providers.def"

/* The provider of a name, in any case; NULL: it is not in the table. */
const rc_provider *rc_provider_find(rc_str name);

/* Its place in the table. */
unsigned rc_provider_index(const rc_provider *provider);

/* For extractors: a status that has a meaning of its own with this provider is as good as that
 * code. */
void rc_provider_type_status(rc_evidence *evidence, int status, rc_str code);

/* Finds out whose failure this is, from what was given, headers and codes. True: somebody may
 * still be named in the text, and rc_provider_by_words should be asked. */
bool rc_provider_by_marks(rc_evidence *evidence);

/* The same from the markers that were found in a text. words: borrows. because: static. */
void rc_provider_by_words(rc_evidence *evidence, const rc_concept_set *words, rc_str because);

/* What is particular to the provider that was found, if one was. */
void rc_provider_extract(rc_evidence *evidence);

#endif
