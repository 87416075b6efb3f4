#include "core/provider.h"

#include "base/str.h"

static const rc_provider *const PROVIDERS[] = {
#define RC_PROVIDER(ID, name) &rc_provider_##ID,
#include "../../spec/providers.def"
};

#define PROVIDER_COUNT (sizeof(PROVIDERS) / sizeof(PROVIDERS[0]))
_Static_assert(PROVIDER_COUNT <= RC_PROVIDERS_MAX, "the facts have no room for one more provider");

const char *rc_provider_at(size_t index)
{
    return index < PROVIDER_COUNT ? PROVIDERS[index]->name.ptr : NULL;
}

const rc_provider *rc_provider_find(rc_str name)
{
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (rc_str_eq_nocase(name, PROVIDERS[i]->name))
            return PROVIDERS[i];
    }
    return NULL;
}

unsigned rc_provider_index(const rc_provider *provider)
{
    unsigned i = 0;
    while (i < PROVIDER_COUNT && PROVIDERS[i] != provider)
        i++;
    return i;
}

void rc_provider_type_status(rc_evidence *evidence, int status, rc_str code)
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

static bool has_mark(const rc_evidence *evidence, const rc_mark *mark)
{
    switch (mark->kind) {
    case RC_MARK_HEADER:
        return has_header(evidence, mark->text);
    case RC_MARK_SERVER:
        return rc_str_starts_with_nocase(evidence->server, mark->text);
    case RC_MARK_CODE:
        return has_code(evidence, mark->text);
    case RC_MARK_TITLE:
        return evidence->layer_count > 0 &&
               rc_str_find(evidence->layers[0].message, mark->text, 0) != RC_STR_NPOS;
    default:
        return false;
    }
}

static const rc_mark *first_mark(const rc_evidence *evidence, const rc_provider *provider)
{
    for (size_t i = 0; i < provider->mark_count; i++) {
        if (has_mark(evidence, &provider->marks[i]))
            return &provider->marks[i];
    }
    return NULL;
}

static void take(rc_evidence *evidence, const rc_provider *provider, rc_str because)
{
    evidence->provider = provider;
    evidence->recognised = because;
}

static bool is_before(const rc_provider *provider, const rc_provider *other)
{
    return other == NULL || provider->rank > other->rank;
}

bool rc_provider_by_marks(rc_evidence *evidence)
{
    evidence->provider_name = evidence->failure->provider;
    if (evidence->provider_name.len > 0) {
        evidence->provider = rc_provider_find(evidence->provider_name);
        return false;
    }
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (!is_before(PROVIDERS[i], evidence->provider))
            continue;
        const rc_mark *mark = first_mark(evidence, PROVIDERS[i]);
        if (mark != NULL)
            take(evidence, PROVIDERS[i], mark->text);
    }
    return evidence->provider == NULL || evidence->provider->rank == RC_PROVIDER_EDGE;
}

void rc_provider_by_words(rc_evidence *evidence, const rc_concept_set *words, rc_str because)
{
    for (unsigned m = RC_MARKER_BASE; m < RC_MARKER_END; m++) {
        if (!rc_concept_set_has(words, m))
            continue;
        const rc_provider *provider = rc_provider_find(rc_concept_name(m));
        if (provider != NULL && is_before(provider, evidence->provider))
            take(evidence, provider, because);
    }
}

void rc_provider_extract(rc_evidence *evidence)
{
    const rc_provider *provider = evidence->provider;
    if (provider == NULL)
        return;
    if (evidence->provider_name.len == 0) {
        evidence->provider_name = provider->name;
        rc_evidence_note(evidence, RC_STEP_PROVIDER, provider->name, evidence->recognised);
    }
    rc_facts_set(&evidence->facts, RC_FACT_PROVIDER_BASE + rc_provider_index(provider));
    if (provider->extract != NULL)
        provider->extract(evidence);
}
