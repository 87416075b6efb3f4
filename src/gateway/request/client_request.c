/* rc_client_request: parses the head of a client's request. Called by exchange_request.c and
 * loop/health_endpoints.c; attempt.c and body.c call its other functions. */
#include "gateway/request/client_request.h"

#include "base/str.h"
#include "gateway/request/query.h"
#include "scrub/scrub.h"

/* Whether an escape such as "%2f" stands for a byte that ends a path segment, a line or a
 * string. */
static bool is_unsafe_escape(rc_str escape)
{
    static const char *const unsafe[] = {"%00", "%0a", "%0d", "%2f", "%5c"};
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
        if (rc_str_eq_nocase(escape, rc_str_c(unsafe[i])))
            return true;
    return false;
}

/* Whether a path segment consists only of dots, as "." or "%2e" do. Such a segment could lead out
 * of the provider's base path. */
static bool is_dots(rc_str segment)
{
    size_t dots = 0;
    for (size_t i = 0; i < segment.len; dots++) {
        rc_str left = rc_str_slice(segment, i, segment.len);
        if (left.ptr[0] == '.')
            i++;
        else if (rc_str_starts_with_nocase(left, RC_STR("%2e")))
            i += 3;
        else
            return false;
    }
    return dots > 0;
}

static bool is_safe_segment(rc_str segment)
{
    for (size_t i = 0; i < segment.len; i++)
        if (segment.ptr[i] == '\\' ||
            (segment.ptr[i] == '%' && is_unsafe_escape(rc_str_slice(segment, i, i + 3))))
            return false;
    return !is_dots(segment);
}

static bool is_safe_path(rc_str path)
{
    for (size_t at = 0; at < path.len;) {
        size_t end = rc_str_find_byte(path, '/', at);
        end = end == RC_STR_NPOS ? path.len : end;
        if (!is_safe_segment(rc_str_slice(path, at, end)))
            return false;
        at = end + 1;
    }
    return true;
}

void rc_client_request_set_model(rc_client_request *request, rc_str requested)
{
    request->requested_model = request->model = requested;
    if (requested.len <= RC_MODEL_NAME_MAX && rc_scrub_is_clean(requested))
        return;
    rc_buf shown;
    rc_buf_init_fixed(&shown, request->shown_model_storage, sizeof request->shown_model_storage);
    request->model = rc_scrub(requested, sizeof request->shown_model_storage, &shown) == RC_OK
                         ? rc_buf_get(&shown)
                         : RC_STR(RC_SCRUB_REDACTED);
}

static rc_request_fault read_model_of_path(rc_client_request *request, rc_str written)
{
    rc_buf storage;
    rc_buf_init_fixed(&storage, request->model_storage, sizeof request->model_storage);
    bool is_whole = rc_percent_decode(written, &storage) && rc_buf_status(&storage) == RC_OK;
    if (!is_whole || !rc_model_name_is_valid(rc_buf_get(&storage)))
        return rc_request_fault_make(RC_REQUEST_FAULT_MODEL_INVALID, "", "");
    rc_client_request_set_model(request, rc_buf_get(&storage));
    return rc_request_fault_none();
}

static rc_request_fault read_query(rc_client_request *request,
                                   char token_scratch[RC_CLIENT_TOKEN_MAX])
{
    rc_str value;
    rc_buf storage;
    if (rc_query_find(request->query, RC_STR("alt"), &value) ||
        rc_query_find(request->query, RC_STR("$alt"), &value))
        request->is_sse = rc_str_eq(value, RC_STR("sse"));
    if (request->token.len > 0 || !rc_query_find(request->query, RC_STR("key"), &value))
        return rc_request_fault_none();
    rc_buf_init_fixed(&storage, token_scratch, RC_CLIENT_TOKEN_MAX);
    if (!rc_percent_decode(value, &storage) || rc_buf_status(&storage) != RC_OK)
        return rc_request_fault_make(RC_REQUEST_FAULT_QUERY, "key", "");
    request->token = rc_secret_make(rc_buf_get(&storage));
    return rc_request_fault_none();
}

/* Whether the method is safe (RFC 9110, section 9.2.1). Safe methods have no side effects, so such
 * requests may always be sent again. */
static bool is_safe_method(rc_str method)
{
    return rc_str_eq(method, RC_STR("GET")) || rc_str_eq(method, RC_STR("HEAD")) ||
           rc_str_eq(method, RC_STR("OPTIONS"));
}

/* Whether requests to the passthrough path only count tokens. Paths with a semicolon, an escape or
 * two verbs do not count as such, because servers differ in how they read them. */
static bool is_count(const rc_client_request *request)
{
    const rc_str path = request->passthrough_path;
    const size_t colon = rc_str_find_byte(path, ':', 0);
    if (rc_str_find_byte(path, ';', 0) != RC_STR_NPOS ||
        rc_str_find_byte(path, '%', 0) != RC_STR_NPOS)
        return false;
    return rc_str_ends_with(path, RC_STR("/messages/count_tokens")) ||
           (colon != RC_STR_NPOS &&
            rc_str_eq(rc_str_slice(path, colon, path.len), RC_STR(":countTokens")));
}

/* Providers charge nothing for token counts and for GET requests. */
static bool is_free(const rc_client_request *request)
{
    const rc_endpoint_id id = request->endpoint->id;
    return id == RC_ENDPOINT_COUNT_TOKENS || id == RC_ENDPOINT_TOKENS ||
           (request->endpoint->wire == RC_WIRE_NATIVE && is_count(request)) ||
           id == RC_ENDPOINT_TOKENS_V1 ||
           rc_str_eq(rc_http1_method(request->reader), RC_STR("GET"));
}

/* Checks method and path against the endpoint and reads the model in the path. */
static rc_request_fault read_target(rc_client_request *request, const rc_endpoint_match *match)
{
    const rc_endpoint *endpoint = match->endpoint;
    request->endpoint = endpoint;
    request->provider = match->provider;
    request->passthrough_path = match->passthrough_path;
    request->is_free = is_free(request);
    const rc_str method = rc_http1_method(request->reader);
    if (!request->is_replay_explicit)
        request->replay = is_safe_method(method) ? RC_REPLAY_YES : endpoint->replay;
    const bool is_taken = rc_endpoint_accepts(endpoint, method);
    /* The model in GET /v1/models/NAME may have any form, so a path with an unknown verb behind the
     * name matches, too. */
    if (!is_taken && endpoint->wire == RC_WIRE_LOCAL && endpoint->model == RC_MODEL_PATH)
        return rc_request_fault_make(RC_REQUEST_FAULT_NOT_FOUND, "", "");
    if (!is_taken)
        return rc_request_fault_make(RC_REQUEST_FAULT_METHOD, "",
                                     endpoint->method == RC_METHOD_GET ? "GET" : "POST");
    request->is_stream = endpoint->streams == RC_STREAMS_ALWAYS;
    if (request->is_compressed && endpoint->wire != RC_WIRE_NATIVE)
        return rc_request_fault_make(RC_REQUEST_FAULT_CODING, "content-encoding", "identity");
    if (!is_safe_path(match->passthrough_path))
        return rc_request_fault_make(RC_REQUEST_FAULT_PATH, "", "");
    if (endpoint->model == RC_MODEL_PATH)
        return read_model_of_path(request, match->model);
    return rc_request_fault_none();
}

rc_request_fault rc_client_request_read_head(rc_client_request *request, const rc_http1 *reader,
                                             const char *head,
                                             char token_scratch[RC_CLIENT_TOKEN_MAX])
{
    rc_endpoint_match match = {0};
    memset(request, 0, offsetof(rc_client_request, fields));
    request->trace.is_valid = false;
    request->trace.state = rc_str_make(NULL, 0);
    request->hops.count = 0;
    request->hops.is_overflown = false;
    request->reader = reader;
    request->head = head;
    rc_field_list_read(&request->fields, reader, head);
    rc_str target = rc_http1_target(reader, head);
    size_t mark = rc_str_find_byte(target, '?', 0);
    bool is_found = rc_endpoint_find(rc_str_slice(target, 0, mark), &match);
    if (mark != RC_STR_NPOS)
        request->query = rc_str_slice(target, mark + 1, target.len);
    rc_request_fault of_fields = rc_client_request_read_fields(request);
    rc_request_fault of_query = read_query(request, token_scratch);
    if (!is_found)
        return rc_request_fault_make(RC_REQUEST_FAULT_NOT_FOUND, "", "");
    rc_request_fault of_target = read_target(request, &match);
    if (of_target.kind != RC_REQUEST_FAULT_NONE)
        return of_target;
    return of_fields.kind != RC_REQUEST_FAULT_NONE ? of_fields : of_query;
}

uint64_t rc_client_request_first_byte_ms(const rc_client_request *request,
                                         const rc_config_timeouts *timeouts)
{
    if (timeouts->first_byte_ms > 0)
        return timeouts->first_byte_ms;
    return request->is_stream ? RC_CONFIG_STREAM_FIRST_BYTE_MS : 0;
}
