/* Zhipu AI and Z.AI: docs/providers/zhipu.md. */
#include "base/str.h"
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("1000"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("1001"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("1002"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("1003"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("1004"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("1110"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("1112"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("1121"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("1113"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("1210"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("1213"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("1214"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("1215"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("1211"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("1212"), RC_CONCEPT_UNSUPPORTED},
    {RC_STR_INIT("1220"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("1222"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("1230"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("1231"), RC_CONCEPT_DUPLICATE},
    {RC_STR_INIT("1234"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("1261"), RC_CONCEPT_CONTEXT_OVERFLOW},
    {RC_STR_INIT("1301"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("1302"), RC_CONCEPT_RATE},
    {RC_STR_INIT("1303"), RC_CONCEPT_RATE},
    {RC_STR_INIT("1304"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("1305"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("1308"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("1309"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("1310"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("1311"), RC_CONCEPT_ENTITLEMENT},
    {RC_STR_INIT("1312"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("1313"), RC_CONCEPT_PLAN},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("1302")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("1113")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("1305")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("1308")},
};

/* The Anthropic route writes the number into the text: "[1305][...][request id]". */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        size_t to = rc_str_find_byte(layer->message, ']', 0);
        bool is_numbered = layer->message.len > 0 && layer->message.ptr[0] == '[' && to == 5;
        if (is_numbered && rc_ascii_is_digit(layer->message.ptr[1]))
            layer->code = rc_str_slice(layer->message, 1, 5);
    }
}

const rc_provider rc_provider_zhipu = {
    .name = RC_STR_INIT("zhipu"),
    .title = RC_STR_INIT("Zhipu AI and Z.AI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
