/* Parses the headers of a client's request that the gateway uses. Called by client_request.c. */
#include "base/str.h"
#include "gateway/request/client_request.h"
#include "gateway/request/credential_header.h"

/* Maximum margin that is subtracted from the timeout of the client's SDK, in milliseconds. The
 * margin is a tenth of the timeout. */
#define CLIENT_TIMEOUT_MARGIN_MS UINT64_C(2000)

static rc_request_fault bad_header(rc_field_id field, const char *expected)
{
    return rc_request_fault_make(RC_REQUEST_FAULT_HEADER, rc_field_name(field), expected);
}

/* ---- single values ---- */

static rc_request_fault read_deadline(rc_client_request *request, rc_str value)
{
    uint64_t ms = 0;
    bool is_number = value.len > 0 && value.len <= 9;
    for (size_t i = 0; i < value.len && is_number; i++) {
        is_number = rc_ascii_is_digit(value.ptr[i]);
        ms = ms * 10 + (uint64_t)(value.ptr[i] - '0');
    }
    if (!is_number || ms == 0 || ms > RC_CLIENT_DEADLINE_MAX_MS)
        return bad_header(RC_FIELD_DEADLINE_MS,
                          "a whole number of milliseconds from 1 to 86400000");
    request->deadline_ms = ms;
    return rc_request_fault_none();
}

static rc_request_fault read_policy(rc_client_request *request, rc_str value)
{
    bool is_name = value.len > 0 && value.len <= 63;
    for (size_t i = 0; i < value.len && is_name; i++) {
        char c = value.ptr[i];
        is_name = rc_ascii_is_alnum(c) || c == '_' || c == '-' || c == '.';
    }
    if (!is_name)
        return bad_header(RC_FIELD_POLICY, "the name of a policy");
    request->policy = value;
    return rc_request_fault_none();
}

static rc_request_fault read_replayable(rc_client_request *request, rc_str value)
{
    bool is_true = rc_str_eq_nocase(value, RC_STR("true"));
    if (!is_true && !rc_str_eq_nocase(value, RC_STR("false")))
        return bad_header(RC_FIELD_REPLAYABLE, "true or false");
    request->replay = is_true ? RC_REPLAY_YES : RC_REPLAY_NO;
    request->is_replay_explicit = true;
    return rc_request_fault_none();
}

static rc_request_fault read_events(rc_client_request *request, rc_str value)
{
    if (!rc_str_eq(value, RC_STR("1")) && !rc_str_eq(value, RC_STR("0")))
        return bad_header(RC_FIELD_EVENTS, "1 or 0");
    request->wants_events = value.ptr[0] == '1';
    return rc_request_fault_none();
}

/* Reads the idempotency key, which is a quoted string in the IETF draft and a bare value in the
 * requests of most clients. */
static rc_request_fault read_idempotency(rc_client_request *request, rc_str value)
{
    rc_str key = value;
    if (key.len >= 2 && key.ptr[0] == '"' && key.ptr[key.len - 1] == '"')
        key = rc_str_slice(key, 1, key.len - 1);
    bool is_key = key.len > 0 && key.len <= RC_IDEMPOTENCY_KEY_MAX;
    for (size_t i = 0; i < key.len && is_key; i++)
        is_key = key.ptr[i] > ' ' && key.ptr[i] < 0x7f && key.ptr[i] != '"' && key.ptr[i] != '\\';
    if (!is_key)
        return bad_header(RC_FIELD_IDEMPOTENCY_KEY, "1 to 255 visible characters, quoted or not");
    request->idempotency_key = key;
    if (!request->is_replay_explicit) {
        request->replay = RC_REPLAY_YES;
        request->is_replay_explicit = true;
    }
    return rc_request_fault_none();
}

static rc_request_fault read_session(rc_client_request *request, rc_str value)
{
    bool is_id = value.len > 0 && value.len <= RC_CLIENT_SESSION_MAX;
    for (size_t i = 0; i < value.len && is_id; i++)
        is_id = value.ptr[i] > ' ' && value.ptr[i] < 0x7f;
    if (!is_id)
        return bad_header(RC_FIELD_SESSION, "1 to 255 visible characters");
    request->session = value;
    return rc_request_fault_none();
}

static bool is_compressed(rc_str coding)
{
    return coding.len > 0 && !rc_str_eq_nocase(coding, RC_STR("identity"));
}

/* Whether the Accept value contains application/problem+json with a weight other than 0. */
static bool accepts_problem(rc_str value)
{
    const rc_str problem = RC_STR("application/problem+json");
    if (value.len < problem.len)
        return false;
    for (size_t at = 0; at < value.len;) {
        size_t end = rc_str_find_byte(value, ',', at);
        end = end == RC_STR_NPOS ? value.len : end;
        rc_str item = rc_str_slice(value, at, end);
        size_t type_end = rc_str_find_byte(item, ';', 0);
        rc_str type = rc_str_trim(rc_str_slice(item, 0, type_end));
        rc_str weight = type_end == RC_STR_NPOS
                            ? RC_STR("")
                            : rc_str_trim(rc_str_slice(item, type_end + 1, item.len));
        bool is_zero = rc_str_eq_nocase(weight, RC_STR("q=0")) ||
                       rc_str_starts_with_nocase(weight, RC_STR("q=0.0"));
        if (rc_str_eq_nocase(type, problem) && !is_zero)
            return true;
        at = end + 1;
    }
    return false;
}

/* ---- all headers ---- */

/* Position and number of each known header. If a header occurs several times, its last position
 * counts. */
typedef struct found {
    uint8_t counts[RC_FIELD_COUNT];
    uint8_t indexes[RC_FIELD_COUNT]; /* Valid if the header's count is not 0. */
    bool has_several;                /* At least one known header occurs more than once. */
} found;

static rc_str value_of(const rc_client_request *request, const found *f, rc_field_id field)
{
    return rc_http1_value(request->reader, request->head, f->indexes[field]);
}

/* Headers that may occur only once, because two values would be ambiguous. */
static const rc_field_id singles[] = {
    RC_FIELD_AUTHORIZATION, RC_FIELD_X_API_KEY,       RC_FIELD_X_GOOG_API_KEY,
    RC_FIELD_DEADLINE_MS,   RC_FIELD_POLICY,          RC_FIELD_REPLAYABLE,
    RC_FIELD_CONTENT_TYPE,  RC_FIELD_IDEMPOTENCY_KEY, RC_FIELD_CONTENT_ENCODING,
    RC_FIELD_EVENTS,        RC_FIELD_SESSION,
};

static void find_all(rc_client_request *request, found *f)
{
    memset(f->counts, 0, sizeof f->counts);
    f->has_several = false;
    for (uint32_t i = 0; i < request->fields.count; i++) {
        unsigned id = request->fields.ids[i];
        if (id == RC_FIELD_OTHER)
            continue;
        f->indexes[id] = (uint8_t)i;
        f->has_several |= f->counts[id]++ > 0;
        if (id == RC_FIELD_ACCEPT)
            request->wants_problem |= accepts_problem(value_of(request, f, RC_FIELD_ACCEPT));
        if (id == RC_FIELD_VIA)
            rc_hops_add(&request->hops, value_of(request, f, RC_FIELD_VIA));
    }
}

static void read_token(rc_client_request *request, const found *f)
{
    if (f->counts[RC_FIELD_AUTHORIZATION] == 1)
        request->token = rc_bearer_token(value_of(request, f, RC_FIELD_AUTHORIZATION));
    if (request->token.len == 0 && f->counts[RC_FIELD_X_API_KEY] == 1)
        request->token = rc_secret_make(value_of(request, f, RC_FIELD_X_API_KEY));
    if (request->token.len == 0 && f->counts[RC_FIELD_X_GOOG_API_KEY] == 1)
        request->token = rc_secret_make(value_of(request, f, RC_FIELD_X_GOOG_API_KEY));
}

static void read_trace(rc_client_request *request, const found *f)
{
    if (f->counts[RC_FIELD_TRACEPARENT] != 1 ||
        !rc_trace_context_parse(value_of(request, f, RC_FIELD_TRACEPARENT), &request->trace))
        return;
    if (f->counts[RC_FIELD_TRACESTATE] == 1 &&
        value_of(request, f, RC_FIELD_TRACESTATE).len <= RC_TRACE_STATE_MAX)
        request->trace.state = value_of(request, f, RC_FIELD_TRACESTATE);
}

/* Reads the retry number that official SDKs send. The number is used only in records, so an invalid
 * number is ignored. */
static void read_client_retry(rc_client_request *request, const found *f)
{
    uint32_t count = 0;
    if (f->counts[RC_FIELD_CLIENT_RETRY] != 1)
        return;
    const rc_str value = value_of(request, f, RC_FIELD_CLIENT_RETRY);
    for (size_t i = 0; i < value.len; i++) {
        if (!rc_ascii_is_digit(value.ptr[i]))
            return;
        count = count * 10 + (uint32_t)(value.ptr[i] - '0');
        if (count > RC_CLIENT_RETRY_MAX)
            count = RC_CLIENT_RETRY_MAX;
    }
    request->client_retry = count;
}

/* Converts seconds with an optional fraction to milliseconds. Returns 0 if the value is not a valid
 * number. */
static uint64_t read_seconds(rc_str value)
{
    uint64_t ms = 0;
    uint64_t unit_ms = 1000;
    bool is_fraction = false;
    for (size_t i = 0; i < value.len; i++) {
        const char c = value.ptr[i];
        if (c == '.' && !is_fraction) {
            is_fraction = true;
            continue;
        }
        if (!rc_ascii_is_digit(c) || ms > RC_CLIENT_DEADLINE_MAX_MS)
            return 0;
        if (is_fraction)
            unit_ms /= 10;
        ms = is_fraction ? ms + (uint64_t)(c - '0') * unit_ms
                         : ms * 10 + (uint64_t)(c - '0') * unit_ms;
    }
    return ms <= RC_CLIENT_DEADLINE_MAX_MS ? ms : 0;
}

/* Reads the timeout that the client's SDK sends, and subtracts a margin, so that the gateway's
 * error reaches the client before the client's own timeout. Invalid values are ignored;
 * x-recourse-deadline-ms has precedence. */
static void read_client_timeout(rc_client_request *request, const found *f)
{
    static const rc_field_id fields[] = {RC_FIELD_CLIENT_TIMEOUT, RC_FIELD_CLIENT_READ_TIMEOUT,
                                         RC_FIELD_SERVER_TIMEOUT};
    uint64_t least_ms = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const uint64_t ms =
            f->counts[fields[i]] == 1 ? read_seconds(value_of(request, f, fields[i])) : 0;
        if (ms == 0 || (least_ms > 0 && ms >= least_ms))
            continue;
        least_ms = ms;
        request->client_timeout_field = fields[i];
    }
    if (least_ms < 2 || request->deadline_ms > 0)
        return;
    const uint64_t part_ms = least_ms / 10;
    request->client_timeout_ms =
        least_ms - (part_ms < CLIENT_TIMEOUT_MARGIN_MS ? part_ms : CLIENT_TIMEOUT_MARGIN_MS);
}

static rc_request_fault read_own_fields(rc_client_request *request, const found *f)
{
    rc_request_fault fault = rc_request_fault_none();
    if (f->counts[RC_FIELD_DEADLINE_MS] > 0)
        fault = read_deadline(request, value_of(request, f, RC_FIELD_DEADLINE_MS));
    if (fault.kind == RC_REQUEST_FAULT_NONE && f->counts[RC_FIELD_POLICY] > 0)
        fault = read_policy(request, value_of(request, f, RC_FIELD_POLICY));
    if (fault.kind == RC_REQUEST_FAULT_NONE && f->counts[RC_FIELD_REPLAYABLE] > 0)
        fault = read_replayable(request, value_of(request, f, RC_FIELD_REPLAYABLE));
    if (fault.kind == RC_REQUEST_FAULT_NONE && f->counts[RC_FIELD_EVENTS] > 0)
        fault = read_events(request, value_of(request, f, RC_FIELD_EVENTS));
    if (fault.kind == RC_REQUEST_FAULT_NONE && f->counts[RC_FIELD_SESSION] > 0)
        fault = read_session(request, value_of(request, f, RC_FIELD_SESSION));
    if (fault.kind == RC_REQUEST_FAULT_NONE && f->counts[RC_FIELD_IDEMPOTENCY_KEY] > 0)
        fault = read_idempotency(request, value_of(request, f, RC_FIELD_IDEMPOTENCY_KEY));
    read_client_timeout(request, f);
    return fault;
}

rc_request_fault rc_client_request_read_fields(rc_client_request *request)
{
    found f;
    find_all(request, &f);
    read_token(request, &f);
    read_trace(request, &f);
    read_client_retry(request, &f);
    request->has_anthropic_version = f.counts[RC_FIELD_ANTHROPIC_VERSION] > 0;
    request->is_google_client =
        f.counts[RC_FIELD_X_GOOG_API_KEY] > 0 || f.counts[RC_FIELD_ANY_GOOGLE] > 0;
    if (f.counts[RC_FIELD_MARK] == 1)
        request->mark = value_of(request, &f, RC_FIELD_MARK);
    if (f.counts[RC_FIELD_CONTENT_ENCODING] == 1)
        request->is_compressed = is_compressed(value_of(request, &f, RC_FIELD_CONTENT_ENCODING));
    if (f.counts[RC_FIELD_CONTENT_TYPE] == 1)
        request->boundary = rc_form_boundary(value_of(request, &f, RC_FIELD_CONTENT_TYPE));
    for (size_t i = 0; f.has_several && i < sizeof singles / sizeof singles[0]; i++)
        if (f.counts[singles[i]] > 1)
            return rc_request_fault_make(RC_REQUEST_FAULT_REPEATED, rc_field_name(singles[i]), "");
    return read_own_fields(request, &f);
}
