/* Reads response headers as evidence. Called by classify.c before and after unwrapping. */
#include "classify/headers.h"

#include "base/str.h"

typedef enum header_use {
    USE_REQUEST_ID,      /* The value is the provider's id of the call. */
    USE_EDGE_REQUEST_ID, /* The value is an edge server's id of the call, used if the provider sends
                            no id. */
    USE_SERVER,
    USE_SHOULD_RETRY
} header_use;

static const struct {
    rc_str name;
    header_use use;
} HEADERS[] = {
    {RC_STR_INIT("x-request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("apim-request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("x-ms-request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("x-amzn-requestid"), USE_REQUEST_ID},
    {RC_STR_INIT("x-amz-request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("mistral-correlation-id"), USE_REQUEST_ID},
    {RC_STR_INIT("x-fal-request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("x-debug-trace-id"), USE_REQUEST_ID},
    {RC_STR_INIT("x-dashscope-request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("x-goog-request-id"), USE_REQUEST_ID},
    {RC_STR_INIT("x-correlation-id"), USE_EDGE_REQUEST_ID},
    {RC_STR_INIT("x-kong-request-id"), USE_EDGE_REQUEST_ID},
    {RC_STR_INIT("cf-ray"), USE_EDGE_REQUEST_ID},
    {RC_STR_INIT("server"), USE_SERVER},
    {RC_STR_INIT("x-should-retry"), USE_SHOULD_RETRY},
};

static void use_header(rc_evidence *evidence, header_use use, rc_str value, rc_str *edge_id)
{
    if (use == USE_REQUEST_ID && evidence->request_id.len == 0)
        evidence->request_id = value;
    else if (use == USE_EDGE_REQUEST_ID && edge_id->len == 0)
        *edge_id = value;
    else if (use == USE_SERVER)
        evidence->server = value;
    else if (use == USE_SHOULD_RETRY && rc_str_eq_nocase(value, RC_STR("false")))
        rc_evidence_set(evidence, RC_FACT_HINT_NO_RETRY);
    else if (use == USE_SHOULD_RETRY && rc_str_eq_nocase(value, RC_STR("true")))
        rc_evidence_set(evidence, RC_FACT_HINT_RETRY);
}

void rc_headers_read(rc_evidence *evidence)
{
    rc_str edge_id = {NULL, 0};
    for (size_t i = 0; i < evidence->header_count; i++) {
        const rc_header *header = &evidence->failure->headers[i];
        rc_str value = rc_str_trim(header->value);
        if (value.len == 0)
            continue;
        rc_hints_add_header(&evidence->hints, header->name, value);
        for (size_t k = 0; k < sizeof(HEADERS) / sizeof(HEADERS[0]); k++) {
            if (rc_str_eq_nocase(header->name, HEADERS[k].name))
                use_header(evidence, HEADERS[k].use, value, &edge_id);
        }
    }
    if (evidence->request_id.len == 0)
        evidence->request_id = edge_id;
}

/* Returns a header's value up to its first colon: "ThrottlingException" of
 * "ThrottlingException:http://internal.amazon.com/coral/...". */
static rc_str type_of(rc_str value)
{
    size_t to = rc_str_find_byte(value, ':', 0);
    rc_str type = to == RC_STR_NPOS ? value : rc_str_slice(value, 0, to);
    return rc_str_trim(type);
}

static bool is_type_header(rc_str name)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT("x-amzn-errortype"),
        RC_STR_INIT("x-ms-error-code"),
        RC_STR_INIT("x-fal-error-type"),
        RC_STR_INIT("x-error-code"),
    };
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (rc_str_eq_nocase(name, NAMES[i]))
            return true;
    }
    return false;
}

void rc_headers_add_type(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->header_count; i++) {
        const rc_header *header = &evidence->failure->headers[i];
        if (!is_type_header(header->name))
            continue;
        rc_str type = type_of(header->value);
        rc_layer *layer = evidence->layer_count > 0
                              ? &evidence->layers[0]
                              : rc_evidence_add_layer(evidence, 0, RC_STR("header"));
        if (layer == NULL || type.len == 0)
            continue;
        if (layer->code.len == 0)
            layer->code = type;
        else if (layer->reason.len == 0)
            layer->reason = type;
    }
}
