/* Any request: the parsed values stay within their limits, and the outbound request is one
 * HTTP/1.1 message with the client's body bytes except for the model's name. It contains no
 * credential of the client, no header of the connection, and no line that the client did not send.
 *
 * The input is a head, an empty line and a body. The first byte selects the provider. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/request/model_names.h"
#include "gateway/request/outbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static const struct {
    const char *kind;
    const char *base_url;
    const char *model;
} providers[] = {
    {"openai", "https://api.openai.com/v1", "gpt-4o"},
    {"anthropic", "https://api.anthropic.com", "claude \"x\"/y"},
    {"gemini", "https://generativelanguage.googleapis.com", "gemini:a/b"},
    {"openai_compatible", "http://127.0.0.1:8000", "*"},
};

static void check_inside(rc_str whole, rc_str part)
{
    if (part.len == 0)
        return;
    uintptr_t start = (uintptr_t)whole.ptr;
    uintptr_t at = (uintptr_t)part.ptr;
    check(at >= start && at - start <= whole.len && part.len <= whole.len - (at - start));
}

static void check_read(const rc_client_request *request)
{
    check(request->endpoint != NULL);
    check(request->requested_model.len <= RC_MODEL_NAME_MAX &&
          request->model.len <= RC_MODEL_NAME_MAX);
    check(request->requested_model.len == 0 || rc_model_name_is_valid(request->requested_model));
    check(request->deadline_ms <= RC_CLIENT_DEADLINE_MAX_MS);
    check(request->replay == RC_REPLAY_YES || request->replay == RC_REPLAY_NO);
    check(request->idempotency_key.len <= RC_IDEMPOTENCY_KEY_MAX);
    check(!request->trace.is_valid || request->trace.state.len <= RC_TRACE_STATE_MAX);
    check(request->model_at <= request->model_end && request->model_end <= request->body.len);
    check_inside(request->body, request->messages);
    uint32_t needs = rc_client_request_needs(request);
    check((needs & ~(uint32_t)RC_NEED_VISION) == request->needs);
    check(((needs & RC_NEED_STREAMING) != 0) == request->is_stream);
}

/* Checks that all names in the body are the new name: renaming again changes nothing. */
static void check_renamed(rc_str renamed, rc_str model)
{
    static char memory[1 << 18];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    check(rc_model_names_measure(renamed, model) == renamed.len);
    check(rc_model_names_push(&buf, renamed, model) == RC_OK);
    check(rc_str_eq(rc_buf_get(&buf), renamed));
}

/* Checks that the written body equals the client's body except for the model's name. */
static void check_body(const rc_client_request *request, rc_str model,
                       const rc_outbound_request *up)
{
    rc_str body = request->body;
    uint64_t bytes = 0;
    for (size_t i = 0; i < RC_OUTBOUND_PIECES; i++)
        bytes += up->pieces[i].len;
    check(bytes == up->body_bytes);
    if (rc_model_names_are_many(request->endpoint) && up->pieces[0].ptr != body.ptr) {
        check(up->pieces[1].len == 0 && up->pieces[2].len == 0);
        check_renamed(up->pieces[0], model);
        return;
    }
    if (up->pieces[1].len == 0) {
        check(up->pieces[0].ptr == body.ptr && up->pieces[0].len == body.len);
        check(up->pieces[2].len == 0);
        return;
    }
    check(rc_str_eq(up->pieces[0], rc_str_slice(body, 0, request->model_at)));
    check(rc_str_eq(up->pieces[2], rc_str_slice(body, request->model_end, body.len)));
    check(rc_field_is_value(up->pieces[1]));
}

static bool is_forbidden(rc_field_id field)
{
    return field == RC_FIELD_COOKIE || field == RC_FIELD_CONNECTION || field == RC_FIELD_TE ||
           field == RC_FIELD_EXPECT || field == RC_FIELD_TRANSFER_ENCODING ||
           field == RC_FIELD_FORWARDED || field == RC_FIELD_ANY_X_FORWARDED ||
           field == RC_FIELD_ANY_PROXY || field == RC_FIELD_ANY_RECOURSE ||
           field == RC_FIELD_POLICY || field == RC_FIELD_DEADLINE_MS;
}

/* Parses the written head with the request parser: the method is the same, and there is one host,
 * one length and one key. */
static void check_head(const rc_client_request *request, const rc_outbound_request *up)
{
    static rc_http1 reader;
    static rc_http1_table table;
    static const rc_http1_limits wide = {
        .head_bytes = 1 << 20, .target_bytes = 1 << 16, .field_count = RC_HTTP1_FIELDS_MAX};
    unsigned keys = 0;
    unsigned lines = 0;
    rc_http1_init(&reader, RC_HTTP1_REQUEST, &wide);
    rc_http1_restart(&reader, &table);
    check(rc_http1_read_head(&reader, up->head) == RC_HTTP1_HEAD);
    check(reader.head_bytes == up->head.len);
    check(rc_str_eq(rc_http1_method(&reader), rc_http1_method(request->reader)));
    check(reader.field_count <= request->fields.count + 7);
    uint64_t length = rc_http1_length(&reader);
    check(length == up->body_bytes || (length == UINT64_MAX && up->body_bytes == 0));
    for (uint32_t i = 0; i < reader.field_count; i++) {
        rc_field_id field = rc_field_find(rc_http1_name(&reader, up->head.ptr, i));
        check(!is_forbidden(field));
        if (field == RC_FIELD_AUTHORIZATION || field == RC_FIELD_X_API_KEY ||
            field == RC_FIELD_X_GOOG_API_KEY || field == RC_FIELD_API_KEY) {
            keys++;
            check(rc_str_ends_with(rc_http1_value(&reader, up->head.ptr, i), RC_STR("the-key")));
        }
    }
    for (size_t i = 0; i < up->head.len; i++)
        lines += up->head.ptr[i] == '\n';
    check(keys == 1 && lines == reader.field_count + 2);
}

static void write_one(const rc_client_request *request, unsigned index)
{
    static char memory[1 << 18];
    rc_origin origin;
    rc_outbound_request up = {0};
    rc_buf buf;
    check(rc_origin_parse(rc_str_c(providers[index].base_url), (rc_origin_options){0}, &origin) ==
          NULL);
    rc_outbound_target target = {.origin = &origin,
                                 .kind = rc_config_kind_find(rc_str_c(providers[index].kind)),
                                 .model = rc_str_c(providers[index].model),
                                 .key = rc_secret_make(RC_STR("the-key")),
                                 .span = {1}};
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_request_fault fault = rc_outbound_request_write(request, &target, &buf, &up);
    bool suits = rc_endpoint_is_supported(request->endpoint, target.kind->dialect);
    check(fault.kind == (suits ? RC_REQUEST_FAULT_NONE : RC_REQUEST_FAULT_WIRE));
    if (!suits)
        return;
    check_body(request, target.model, &up);
    check_head(request, &up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rc_http1 reader;
    static rc_http1_table table;
    static rc_client_request request;
    static char token[RC_CLIENT_TOKEN_MAX];
    if (size < 1)
        return 0;
    rc_str text = rc_str_make((const char *)data + 1, size - 1);
    rc_http1_init(&reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
    rc_http1_restart(&reader, &table);
    if (rc_http1_read_head(&reader, text) != RC_HTTP1_HEAD)
        return 0;
    rc_request_fault fault = rc_client_request_read_head(&request, &reader, text.ptr, token);
    check(fault.kind == RC_REQUEST_FAULT_NONE || rc_local_outcome_get(fault.outcome)->status > 0);
    if (fault.kind != RC_REQUEST_FAULT_NONE)
        return 0;
    /* The bytes after the head are used as the body, whatever framing the head declares. */
    fault = rc_client_request_read_body(&request, rc_str_slice(text, reader.head_bytes, text.len));
    if (fault.kind != RC_REQUEST_FAULT_NONE || request.endpoint->wire == RC_WIRE_LOCAL)
        return 0;
    check_read(&request);
    write_one(&request, data[0] % (sizeof providers / sizeof providers[0]));
    return 0;
}
