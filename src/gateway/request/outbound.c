/* rc_outbound_request: writes the request to a provider. Called by attempt.c. */
#include "gateway/request/outbound.h"

#include "base/buf_add.h"
#include "base/str.h"
#include "base/vec16.h"
#include "gateway/request/credential_header.h"
#include "gateway/request/model_names.h"
#include "gateway/request/query.h"
#include "json/writer.h"

/* Bytes of the request line and of the gateway's own header lines, without the parts that
 * capacity_for counts one by one. */
#define OWN_LINES_MAX 512u

typedef struct writer {
    const rc_client_request *request;
    const rc_outbound_target *target;
    const rc_endpoint *endpoint; /* The endpoint of the provider. */
    rc_wire wire;                /* The API family of the request. */
    rc_str model;
    rc_str name; /* The new name of the model, in the form that the body needs. Empty if the body
                  * stays unchanged. */
    char *name_scratch;
    size_t renamed_len; /* Length of a body that names the model several times, after the
                           replacement of all names. 0 for any other body. */
} writer;

/* ---- the model ---- */

/* Returns the prefix of the model's name in the body. A Gemini body may repeat the model of the
 * path with the prefix "models/". */
static rc_str prefix_of(const rc_client_request *request)
{
    rc_str old = rc_str_slice(request->body, request->model_at + 1, request->model_end);
    return rc_model_name_is_resource(old) ? RC_STR("models/") : RC_STR("");
}

static void write_name(writer *w)
{
    char plain[RC_MODEL_NAME_MAX + 8];
    rc_buf text;
    rc_buf name;
    if (w->target->quoted.len > 0 && w->request->endpoint->model == RC_MODEL_BODY) {
        w->name = w->target->quoted;
        return;
    }
    rc_buf_init_fixed(&text, plain, sizeof plain);
    rc_buf_init_fixed(&name, w->name_scratch, RC_MODEL_QUOTED_MAX);
    if (w->request->endpoint->model == RC_MODEL_PATH)
        rc_buf_add(&text, prefix_of(w->request));
    rc_buf_add(&text, w->model);
    if (rc_client_request_is_form(w->request))
        rc_buf_add(&name, w->model);
    else
        rc_json_push_quoted(&name, rc_buf_get(&text));
    w->name = rc_buf_get(&name);
}

/* A translated body has its model already; only a path may need it. */
static rc_request_fault choose_translated_model(writer *w)
{
    w->model = w->target->model;
    if (w->endpoint->model == RC_MODEL_PATH && !rc_model_name_is_valid(w->model))
        return rc_request_fault_make(RC_REQUEST_FAULT_MODEL_INVALID, "model", "");
    return rc_request_fault_none();
}

static rc_request_fault choose_model(writer *w)
{
    const rc_client_request *request = w->request;
    rc_str requested = w->target->model;
    bool is_same = requested.len == 0 || rc_str_eq(requested, RC_STR("*")) ||
                   rc_str_eq(requested, request->requested_model) ||
                   request->endpoint->wire == RC_WIRE_NATIVE;
    w->model = is_same ? request->requested_model : requested;
    if (is_same)
        return rc_request_fault_none();
    if (w->target->quoted.len == 0 && !rc_model_name_is_valid(w->model))
        return rc_request_fault_make(RC_REQUEST_FAULT_MODEL_INVALID, "model", "");
    if (rc_model_names_are_many(request->endpoint))
        w->renamed_len = rc_model_names_measure(request->body, w->model);
    else if (request->is_model_in_body)
        write_name(w);
    return rc_request_fault_none();
}

static uint64_t body_bytes(const writer *w)
{
    const rc_client_request *request = w->request;
    if (w->target->endpoint != NULL)
        return w->target->body.len;
    if (w->renamed_len > 0)
        return w->renamed_len;
    if (w->name.len == 0)
        return request->body.len;
    return request->body.len - (request->model_end - request->model_at) + w->name.len;
}

/* Splits the body into pieces. written: the bytes that were written behind the head: the model's
 * new name or a whole body. */
static void cut_body(const writer *w, rc_str written, rc_outbound_request *up)
{
    const rc_client_request *request = w->request;
    up->pieces[0] = w->renamed_len > 0 ? written : request->body;
    up->pieces[1] = up->pieces[2] = rc_str_make(NULL, 0);
    if (w->target->endpoint != NULL)
        up->pieces[0] = w->target->body;
    if (w->name.len > 0) {
        up->pieces[0] = rc_str_slice(request->body, 0, request->model_at);
        up->pieces[1] = written;
        up->pieces[2] = rc_str_slice(request->body, request->model_end, request->body.len);
    }
    up->body_bytes = body_bytes(w);
}

/* ---- the head ---- */

/* Whether the text consists of visible ASCII characters. The host and base path of the provider
 * must pass this check, because they are written without escapes. */
static bool is_visible(rc_str text)
{
    if (rc_vec16_is_simple(text.ptr, text.len, '\0'))
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f)
            return false;
    return true;
}

static void push_line(const writer *w, rc_buf *buf)
{
    const rc_endpoint *endpoint = w->endpoint;
    rc_dialect dialect = w->target->kind->dialect;
    rc_buf_add(buf, rc_http1_method(w->request->reader));
    rc_buf_add_byte(buf, ' ');
    rc_buf_add(buf, rc_origin_prefix(w->target->origin));
    if (endpoint->wire == RC_WIRE_NATIVE)
        rc_buf_add(buf, w->request->passthrough_path);
    else
        rc_buf_add(buf, endpoint->upstream[rc_wire_of_dialect(dialect)]);
    if (endpoint->model == RC_MODEL_PATH) {
        rc_percent_encode(w->model, buf);
        rc_buf_add(buf, endpoint->verb);
    }
    if (w->target->endpoint == NULL)
        rc_query_push(buf, w->request->query);
    else if (endpoint->id == RC_ENDPOINT_GENERATE_STREAM)
        rc_buf_add(buf, RC_STR("?alt=sse"));
    rc_buf_add(buf, RC_STR(" HTTP/1.1\r\n"));
}

static void push_host(const rc_origin *origin, rc_buf *buf)
{
    rc_buf_add(buf, RC_STR("host: "));
    rc_buf_add(buf, rc_origin_authority(origin));
    rc_buf_add(buf, RC_STR("\r\n"));
}

/* Whether a JSON body has the content type of a URL-encoded form. `curl -d` sends this content type
 * with every body. */
static bool is_mistyped(const writer *w, uint32_t at)
{
    const rc_client_request *request = w->request;
    return request->endpoint->wire != RC_WIRE_NATIVE && !rc_client_request_is_form(request) &&
           rc_str_starts_with_nocase(rc_http1_value(request->reader, request->head, at),
                                     RC_STR("application/x-www-form-urlencoded"));
}

/* Whether a header describes the client's body or API, so that a translated request has its own
 * value instead. */
static bool is_replaced(const writer *w, rc_field_id field)
{
    return w->target->endpoint != NULL &&
           (field == RC_FIELD_CONTENT_TYPE || field == RC_FIELD_CONTENT_ENCODING ||
            field == RC_FIELD_ANTHROPIC_VERSION);
}

/* Appends the client's headers that the provider gets. Accept is replaced if it requests
 * problem+json, because only the gateway writes errors in this format. Accept-encoding is always
 * identity, because the gateway must read the response. */
static void push_passed(const writer *w, rc_buf *buf)
{
    const rc_client_request *request = w->request;
    uint32_t from = 0;
    bool has_type = false;
    for (uint32_t i = 0; i < request->fields.count; i++) {
        rc_field_id field = (rc_field_id)request->fields.ids[i];
        bool is_accept = field == RC_FIELD_ACCEPT && !request->wants_problem;
        bool is_json =
            field == RC_FIELD_CONTENT_TYPE && w->target->endpoint == NULL && is_mistyped(w, i);
        if (!is_json && !is_replaced(w, field) &&
            (is_accept || rc_field_is_sent(field, w->target->kind->dialect)))
            continue;
        rc_field_push_lines(buf, request->reader, request->head, from, i);
        from = i + 1;
        if (is_json && !has_type)
            rc_buf_add(buf, RC_STR("content-type: application/json\r\n"));
        has_type |= is_json;
    }
    rc_field_push_lines(buf, request->reader, request->head, from, request->fields.count);
    if (request->wants_problem)
        rc_buf_add(buf, RC_STR("accept: */*\r\n"));
    rc_buf_add(buf, RC_STR("accept-encoding: identity\r\n"));
    if (w->target->endpoint != NULL)
        rc_buf_add(buf, RC_STR("content-type: application/json\r\n"));
    if (w->wire == RC_WIRE_ANTHROPIC &&
        (!request->has_anthropic_version || w->target->endpoint != NULL))
        rc_buf_add(buf, RC_STR("anthropic-version: 2023-06-01\r\n"));
}

/* Appends content-length. A request whose method defines a body has this header even if the body is
 * empty (RFC 9110, section 8.6). */
static void push_length(const writer *w, uint64_t bytes, rc_buf *buf)
{
    rc_str method = rc_http1_method(w->request->reader);
    bool has_body = rc_str_starts_with(method, RC_STR("P"));
    if (!has_body && bytes == 0)
        return;
    rc_buf_add(buf, RC_STR("content-length: "));
    rc_buf_push_u64(buf, bytes);
    rc_buf_add(buf, RC_STR("\r\n"));
}

/* Returns a size that is enough for the whole head. If the buffer had to grow while the head is
 * written, a copy of the key would stay in the freed memory. */
static size_t capacity_for(const writer *w)
{
    const rc_origin *origin = w->target->origin;
    const size_t via_len = w->request->hops.count > 0 ? RC_HOPS_VIA_MAX : RC_HOPS_OWN_VIA_MAX;
    return w->request->reader->head_bytes + origin->authority_len + origin->prefix_len +
           w->target->key.len + 3 * w->model.len + w->name.len + w->renamed_len + via_len +
           OWN_LINES_MAX;
}

static rc_request_fault check_target(const rc_client_request *request,
                                     const rc_outbound_target *target)
{
    const rc_origin *origin = target->origin;
    const rc_str prefix = rc_origin_prefix(origin);
    if (!rc_endpoint_is_supported(target->endpoint != NULL ? target->endpoint : request->endpoint,
                                  target->kind->dialect))
        return rc_request_fault_make(RC_REQUEST_FAULT_WIRE, "", "");
    if (origin->authority_len == 0 || !is_visible(rc_origin_authority(origin)) ||
        !is_visible(prefix) || (prefix.len > 0 && prefix.ptr[0] != '/'))
        return rc_request_fault_make(RC_REQUEST_FAULT_ORIGIN, "base_url", "");
    return rc_request_fault_none();
}

rc_request_fault rc_outbound_request_write(const rc_client_request *request,
                                           const rc_outbound_target *target, rc_buf *buf,
                                           rc_outbound_request *ret_upstream)
{
    char name_scratch[RC_MODEL_QUOTED_MAX];
    const rc_endpoint *endpoint = target->endpoint != NULL ? target->endpoint : request->endpoint;
    writer w = {.request = request,
                .target = target,
                .endpoint = endpoint,
                .wire = endpoint->wire,
                .name_scratch = name_scratch};
    if (w.wire == RC_WIRE_NATIVE)
        w.wire = rc_wire_of_dialect(target->kind->dialect);
    rc_secret_wipe_buf(buf);
    rc_request_fault fault = check_target(request, target);
    if (fault.kind == RC_REQUEST_FAULT_NONE)
        fault = target->endpoint != NULL ? choose_translated_model(&w) : choose_model(&w);
    if (fault.kind != RC_REQUEST_FAULT_NONE)
        return fault;
    if (rc_buf_reserve(buf, capacity_for(&w)) != RC_OK)
        return rc_request_fault_make(RC_REQUEST_FAULT_MEMORY, "", "");

    rc_outbound_request up = {.is_bodiless =
                                  rc_str_eq(rc_http1_method(request->reader), RC_STR("HEAD"))};
    push_line(&w, buf);
    push_host(target->origin, buf);
    if (!rc_credential_header_push(buf, w.wire, target->auth, target->key))
        return rc_request_fault_make(RC_REQUEST_FAULT_KEY, "keys",
                                     "visible ASCII characters alone");
    push_passed(&w, buf);
    rc_hops_push(buf, &request->hops, target->hop);
    rc_trace_context_push(buf, &request->trace, target->span);
    push_length(&w, body_bytes(&w) + request->body_left, buf);
    rc_buf_add(buf, RC_STR("\r\n"));
    size_t head_len = rc_buf_get(buf).len;
    if (w.renamed_len > 0)
        (void)rc_model_names_push(buf, request->body, w.model);
    else
        rc_buf_add(buf, w.name);
    if (rc_buf_status(buf) != RC_OK)
        return rc_request_fault_make(RC_REQUEST_FAULT_MEMORY, "", "");
    up.head = rc_str_slice(rc_buf_get(buf), 0, head_len);
    cut_body(&w, rc_str_slice(rc_buf_get(buf), head_len, rc_buf_get(buf).len), &up);
    *ret_upstream = up;
    return fault;
}
