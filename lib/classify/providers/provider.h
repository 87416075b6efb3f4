/* rc_provider: what is particular to one provider. The common ways of unwrapping read nearly all of
 * what anybody sends; an extractor adds what only its provider's documentation can tell: codes that
 * are numbers or mean something else there, headers that give it away, and quirks. */
#ifndef RC_CLASSIFY_PROVIDERS_PROVIDER_H
#define RC_CLASSIFY_PROVIDERS_PROVIDER_H

#include "classify/evidence.h"
#include "classify/phrases/phrases.h"

/* A typed code (or type, or reason) that only this provider's documentation explains. */
typedef struct rc_known_code {
    rc_str code;
    uint8_t concept;
} rc_known_code;

typedef enum rc_signature_kind {
    RC_SIGNATURE_HEADER = 1, /* a header whose name begins so */
    RC_SIGNATURE_SERVER = 2, /* the server header begins so */
    RC_SIGNATURE_CODE = 3,   /* a layer's type, code or reason is exactly this */
    RC_SIGNATURE_TITLE = 4   /* the page's text has it */
} rc_signature_kind;

/* What gives a provider away. In the order of trust: headers, codes, then words
 * (spec/phrases.txt). */
typedef struct rc_provider_signature {
    rc_signature_kind kind;
    rc_str text;
} rc_provider_signature;

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
    const rc_known_code *codes;
    size_t code_count;
    const rc_provider_signature *signatures;
    size_t signature_count;
    /* What is particular beyond tables. May set facts, change layers, drop hints. NULL: nothing. */
    void (*extract)(rc_evidence *evidence);
} rc_provider;

/* The extractors: RC_EXTRACT_OWN rows have one, in the file of that name. */
#define RC_EXTRACT_NONE(ID)
#define RC_EXTRACT_OWN(ID) void rc_extract_##ID(rc_evidence *evidence);
#define RC_PROVIDER(ID, name, title, RANK, EXTRACT, codes, signatures) RC_EXTRACT_##EXTRACT(ID)
#include "spec/providers.def"
#undef RC_EXTRACT_NONE
#undef RC_EXTRACT_OWN

/* The provider of a name, in any case; NULL: it is not in the table. */
const rc_provider *rc_provider_find(rc_str name);

/* Its place in the table. */
unsigned rc_provider_index(const rc_provider *provider);

/* For extractors: a status that has a meaning of its own with this provider is as good as that
 * code. */
void rc_provider_set_status_code(rc_evidence *evidence, int status, rc_str code);

/* Finds out whose failure this is, from what was given, headers and codes. True: somebody may
 * still be named in the text, and rc_provider_find_by_name should be asked. */
bool rc_provider_find_by_signature(rc_evidence *evidence);

/* The same from the markers that were found in a text. words: borrows. because: static. */
void rc_provider_find_by_name(rc_evidence *evidence, const rc_concept_set *words,
                              rc_str recognised_by);

/* What is particular to the provider that was found, if one was. */
void rc_provider_extract(rc_evidence *evidence);

#endif
