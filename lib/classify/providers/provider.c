/* Providers: the table of spec/providers.def. Recognises the provider of a failure and calls the
 * extractor of that provider. Called by classify.c, the extractors of this folder, `recourse
 * explain` and src/config/kind.c. */
#include "classify/providers/provider.h"

#include "base/str.h"

/* The codes and signatures of each provider; the table below refers to them. */
#define RC_PROVIDER_CODE(text, CONCEPT) {RC_STR_INIT(text), RC_CONCEPT_##CONCEPT},
#define RC_PROVIDER_SIGNATURE(KIND, text) {RC_SIGNATURE_##KIND, RC_STR_INIT(text)},
#define RC_PROVIDER(ID, name, title, RANK, EXTRACT, codes, signatures) \
    static const rc_known_code ID##_codes[] = {codes};                 \
    static const rc_provider_signature ID##_signatures[] = {signatures};
#include "spec/providers.def"

#define EXTRACT_NONE(ID) NULL
#define EXTRACT_OWN(ID) rc_extract_##ID
#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const rc_provider PROVIDERS[] = {
#define RC_PROVIDER(ID, provider_name, provider_title, RANK, EXTRACT, c, s) \
    {                                                                       \
        .name = RC_STR_INIT(provider_name),                                 \
        .title = RC_STR_INIT(provider_title),                               \
        .rank = RC_PROVIDER_##RANK,                                         \
        .codes = ID##_codes,                                                \
        .code_count = COUNT_OF(ID##_codes),                                 \
        .signatures = ID##_signatures,                                      \
        .signature_count = COUNT_OF(ID##_signatures),                       \
        .extract = EXTRACT_##EXTRACT(ID),                                   \
    },
#include "spec/providers.def"
};

#define PROVIDER_COUNT COUNT_OF(PROVIDERS)
_Static_assert(PROVIDER_COUNT <= RC_PROVIDERS_MAX, "too many providers for the range of facts");

const char *rc_provider_at(size_t index)
{
    return index < PROVIDER_COUNT ? PROVIDERS[index].name.ptr : NULL;
}

const rc_provider *rc_provider_find(rc_str name)
{
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (rc_str_eq_nocase(name, PROVIDERS[i].name))
            return &PROVIDERS[i];
    }
    return NULL;
}

unsigned rc_provider_index(const rc_provider *provider)
{
    unsigned i = 0;
    while (i < PROVIDER_COUNT && &PROVIDERS[i] != provider)
        i++;
    return i;
}

void rc_provider_set_status_code(rc_evidence *evidence, int status, rc_str code)
{
    if (evidence->failure->status != status)
        return;
    rc_layer *layer = evidence->layer_count > 0
                          ? &evidence->layers[0]
                          : rc_evidence_add_layer(evidence, 0, RC_STR("status"));
    if (layer != NULL && layer->code.len == 0)
        layer->code = code;
}

static bool has_header(const rc_evidence *evidence, rc_str prefix)
{
    for (size_t i = 0; i < evidence->header_count; i++) {
        if (rc_str_starts_with_nocase(evidence->failure->headers[i].name, prefix))
            return true;
    }
    return false;
}

static bool has_code(const rc_evidence *evidence, rc_str code)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        const rc_layer *layer = &evidence->layers[i];
        if (rc_str_eq(layer->code, code) || rc_str_eq(layer->type, code) ||
            rc_str_eq(layer->reason, code))
            return true;
    }
    return false;
}

static bool has_signature(const rc_evidence *evidence, const rc_provider_signature *signature)
{
    switch (signature->kind) {
    case RC_SIGNATURE_HEADER:
        return has_header(evidence, signature->text);
    case RC_SIGNATURE_SERVER:
        return rc_str_starts_with_nocase(evidence->server, signature->text);
    case RC_SIGNATURE_CODE:
        return has_code(evidence, signature->text);
    case RC_SIGNATURE_TITLE:
        return evidence->layer_count > 0 &&
               rc_str_find(evidence->layers[0].message, signature->text, 0) != RC_STR_NPOS;
    default:
        return false;
    }
}

static const rc_provider_signature *first_signature(const rc_evidence *evidence,
                                                    const rc_provider *provider)
{
    for (size_t i = 0; i < provider->signature_count; i++) {
        if (has_signature(evidence, &provider->signatures[i]))
            return &provider->signatures[i];
    }
    return NULL;
}

static void set_provider(rc_evidence *evidence, const rc_provider *provider, rc_str recognised_by)
{
    evidence->provider = provider;
    evidence->recognised_by = recognised_by;
}

static bool has_precedence(const rc_provider *provider, const rc_provider *other)
{
    return other == NULL || provider->rank > other->rank;
}

bool rc_provider_find_by_signature(rc_evidence *evidence)
{
    evidence->provider_name = evidence->failure->provider;
    if (evidence->provider_name.len > 0) {
        evidence->provider = rc_provider_find(evidence->provider_name);
        return false;
    }
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (!has_precedence(&PROVIDERS[i], evidence->provider))
            continue;
        const rc_provider_signature *signature = first_signature(evidence, &PROVIDERS[i]);
        if (signature != NULL)
            set_provider(evidence, &PROVIDERS[i], signature->text);
    }
    return evidence->provider == NULL || evidence->provider->rank == RC_PROVIDER_EDGE;
}

void rc_provider_find_by_name(rc_evidence *evidence, const rc_concept_set *words,
                              rc_str recognised_by)
{
    for (unsigned m = RC_MARKER_BASE; m < RC_MARKER_END; m++) {
        if (!rc_concept_set_has(words, m))
            continue;
        const rc_provider *provider = rc_provider_find(rc_concept_name(m));
        if (provider != NULL && has_precedence(provider, evidence->provider))
            set_provider(evidence, provider, recognised_by);
    }
}

void rc_provider_extract(rc_evidence *evidence)
{
    const rc_provider *provider = evidence->provider;
    if (provider == NULL)
        return;
    if (evidence->provider_name.len == 0) {
        evidence->provider_name = provider->name;
        rc_evidence_note(evidence, RC_TRACE_PROVIDER, provider->name, evidence->recognised_by);
    }
    rc_facts_set(&evidence->facts, RC_FACT_PROVIDER_BASE + rc_provider_index(provider));
    if (provider->extract != NULL)
        provider->extract(evidence);
}
