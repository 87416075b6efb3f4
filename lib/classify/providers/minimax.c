/* MiniMax: docs/providers/minimax.md. */
#include "base/str.h"
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("1000"), RC_CONCEPT_SERVER_ERROR}, {RC_STR_INIT("1001"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("1002"), RC_CONCEPT_RATE},         {RC_STR_INIT("1004"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("1008"), RC_CONCEPT_BALANCE},      {RC_STR_INIT("1013"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("1024"), RC_CONCEPT_SERVER_ERROR}, {RC_STR_INIT("1026"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("1027"), RC_CONCEPT_FILTER},       {RC_STR_INIT("1033"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("1039"), RC_CONCEPT_RATE},         {RC_STR_INIT("1041"), RC_CONCEPT_CONCURRENCY},
    {RC_STR_INIT("2013"), RC_CONCEPT_INVALID},      {RC_STR_INIT("2049"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("2056"), RC_CONCEPT_PLAN},         {RC_STR_INIT("2061"), RC_CONCEPT_ENTITLEMENT},
    {RC_STR_INIT("2062"), RC_CONCEPT_RATE},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("minimax-")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-mm-")},
};

/* The number that decides: status_code of base_resp, or in brackets at the end of the text. */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        rc_str text = layer->message;
        bool is_numbered = text.len > 6 && text.ptr[text.len - 1] == ')' &&
                           text.ptr[text.len - 6] == '(' &&
                           rc_ascii_is_digit(text.ptr[text.len - 5]);
        if (is_numbered)
            layer->code = rc_str_slice(text, text.len - 5, text.len - 1);
    }
}

const rc_provider rc_provider_minimax = {
    .name = RC_STR_INIT("minimax"),
    .title = RC_STR_INIT("MiniMax"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
