/* one-api and new-api relays: docs/providers/one_api.md. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/unwrap/unwrap.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("insufficient_user_quota"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("pre_consume_token_quota_failed"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("do_request_failed"), RC_CONCEPT_CONNECT_FAILED},
    {RC_STR_INIT("get_channel_failed"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("model_price_error"), RC_CONCEPT_UNSUPPORTED},
    {RC_STR_INIT("token_expired"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("channel:no_available_key"), RC_CONCEPT_OVERLOADED},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("one_api_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("new_api_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("insufficient_user_quota")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("bad_response_status_code")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-oneapi-")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-new-api-")},
};

/* The upstream's status stands in `param` of a bad_response_status_code. */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        if (!rc_str_eq(layer->code, RC_STR("bad_response_status_code")))
            continue;
        int status = rc_http_status_parse(layer->param);
        if (status >= 400)
            layer->status = status;
    }
}

const rc_provider rc_provider_one_api = {
    .name = RC_STR_INIT("one_api"),
    .title = RC_STR_INIT("one-api and new-api relays"),
    .rank = RC_PROVIDER_RELAY,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
