/* rc_provider: everything that is specific to one provider. Nearly every error is read by code that
 * is the same for all providers. A provider's row in spec/providers.def and its extractor (a
 * function that corrects the evidence) add codes that are numbers or have a special meaning at this
 * provider, headers that identify the provider, and deviations from the usual formats. */
#ifndef RC_CLASSIFY_PROVIDERS_PROVIDER_H
#define RC_CLASSIFY_PROVIDERS_PROVIDER_H

#include "classify/evidence.h"
#include "classify/phrases/phrases.h"

/* A typed (machine-readable) code, type or reason that only this provider's documentation
 * explains. */
typedef struct rc_known_code {
    rc_str code;
    uint8_t concept;
} rc_known_code;

typedef enum rc_signature_kind {
    RC_SIGNATURE_HEADER = 1, /* A header's name begins with the text. */
    RC_SIGNATURE_SERVER = 2, /* The value of the header `server` begins with the text. */
    RC_SIGNATURE_CODE = 3,   /* A layer's type, code or reason equals the text. */
    RC_SIGNATURE_TITLE = 4   /* The outermost message contains the text. */
} rc_signature_kind;

/* A property of a response by which a provider is recognised. The signatures of the table (headers,
 * server names, typed codes, texts) are checked first, then names of providers in the text
 * (spec/phrases.txt). */
typedef struct rc_provider_signature {
    rc_signature_kind kind;
    rc_str text;
} rc_provider_signature;

/* Precedence if several providers are recognised. A relay has precedence over the service whose
 * error it relays. An edge server, which may be in front of any provider, comes last. */
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
    /* Extractor: handles failures that the tables cannot describe. An extractor may set facts,
     * change layers and drop hints. NULL: the provider has no extractor. */
    void (*extract)(rc_evidence *evidence);
} rc_provider;

/* Declares the extractor rc_extract_ID, defined in providers/ID.c, for each row of the table whose
 * column EXTRACT is OWN. */
#define RC_EXTRACT_NONE(ID)
#define RC_EXTRACT_OWN(ID) void rc_extract_##ID(rc_evidence *evidence);
#define RC_PROVIDER(ID, name, title, RANK, EXTRACT, codes, signatures) RC_EXTRACT_##EXTRACT(ID)
#include "spec/providers.def"
#undef RC_EXTRACT_NONE
#undef RC_EXTRACT_OWN

/* Returns the row of the provider with this name, in any letter case, as static data; NULL if the
 * table does not contain the name. */
const rc_provider *rc_provider_find(rc_str name);

/* Returns the provider's index in the table. */
unsigned rc_provider_index(const rc_provider *provider);

/* For extractors of providers that give an HTTP status a special meaning: if the failure's status
 * is `status`, sets `code` as the code of the outermost layer, unless that layer has a code. */
void rc_provider_set_status_code(rc_evidence *evidence, int status, rc_str code);

/* Recognises the provider from the failure's member `provider`, its headers and its codes. Returns
 * true if no provider or only an edge server was found. If the result is true, the caller should
 * also call rc_provider_find_by_name. */
bool rc_provider_find_by_signature(rc_evidence *evidence);

/* Recognises the provider from the markers (names of providers) in a text. words: borrows during
 * the call. recognised_by: the evidence views (points into) this static text. */
void rc_provider_find_by_name(rc_evidence *evidence, const rc_concept_set *words,
                              rc_str recognised_by);

/* Sets the fact of the recognised provider and runs the provider's extractor. Does nothing if no
 * provider was recognised. */
void rc_provider_extract(rc_evidence *evidence);

#endif
