/* Cloudflare: docs/providers/cloudflare.md. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("1015"), RC_CONCEPT_RATE},
    {RC_STR_INIT("1027"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("1020"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("1010"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("1009"), RC_CONCEPT_REGION},
    {RC_STR_INIT("1006"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("1033"), RC_CONCEPT_UNAVAILABLE},
    {RC_STR_INIT("3036"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("3040"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("4006"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("5007"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("7000"), RC_CONCEPT_ENDPOINT_MISSING},
    {RC_STR_INIT("7003"), RC_CONCEPT_ENDPOINT_MISSING},
    {RC_STR_INIT("10000"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("9109"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("cf_gateway_timeout"), RC_CONCEPT_TIMEOUT},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_SERVER, RC_STR_INIT("cloudflare")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("cf-ray")},
    {RC_SIGNATURE_TITLE, RC_STR_INIT("cf-error-details")},
    {RC_SIGNATURE_TITLE, RC_STR_INIT("error code: 10")},
};

/* "error code: 1015" in plain text, and "Error 1020" in a page. */
static rc_str number_behind(rc_str text, rc_str words)
{
    size_t from;
    if (rc_text_find(text, words, &from) == RC_STR_NPOS)
        return (rc_str){NULL, 0};
    size_t to = from;
    while (to < text.len && rc_ascii_is_digit(text.ptr[to]))
        to++;
    return to - from == 4 ? rc_str_slice(text, from, to) : (rc_str){NULL, 0};
}

static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        rc_str number = number_behind(layer->message, RC_STR("error code: "));
        if (number.len == 0)
            number = number_behind(layer->message, RC_STR("error "));
        if (number.len > 0 && layer->code.len == 0)
            layer->code = number;
    }
}

const rc_provider rc_provider_cloudflare = {
    .name = RC_STR_INIT("cloudflare"),
    .title = RC_STR_INIT("Cloudflare"),
    .rank = RC_PROVIDER_EDGE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
