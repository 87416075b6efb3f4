/* Tests of the headers that the gateway passes on in both directions; of secrets and the trace
 * context. */
#include "support/client_request.h"

#include "gateway/request/credential_header.h"

/* ---- the table ---- */

typedef struct field_case {
    const char *name;
    bool to_openai;
    bool to_anthropic;
    bool to_gemini;
    bool to_client;
} field_case;

static const field_case field_cases[] = {
    {"user-agent", true, true, true, true},
    {"content-type", true, true, true, true},
    {"x-stainless-lang", true, true, true, true},
    {"x-request-id", true, true, true, true},
    {"idempotency-key", true, true, true, true},
    {"retry-after", true, true, true, true},
    {"x-ratelimit-remaining-requests", true, true, true, true},
    {"content-encoding", true, true, true, true},
    {"openai-beta", true, false, false, true},
    {"openai-organization", false, false, false, false},
    {"OpenAI-Project", false, false, false, false},
    {"anthropic-organization-id", false, false, false, false},
    {"anthropic-version", false, true, false, true},
    {"anthropic-beta", false, true, false, true},
    {"anthropic-ratelimit-requests-reset", false, true, false, true},
    {"x-goog-api-client", false, false, true, true},
    {"x-goog-user-project", false, false, false, false},
    {"Connection", false, false, false, false},
    {"keep-alive", false, false, false, false},
    {"TE", false, false, false, false},
    {"trailer", false, false, false, false},
    {"Transfer-Encoding", false, false, false, false},
    {"upgrade", false, false, false, false},
    {"HTTP2-Settings", false, false, false, false},
    {"content-length", false, false, false, false},
    {"host", false, false, false, false},
    {"expect", false, false, false, false},
    {"via", false, false, false, false},
    {"proxy-authorization", false, false, false, false},
    {"Proxy-Connection", false, false, false, false},
    {"Authorization", false, false, false, false},
    {"X-API-Key", false, false, false, false},
    {"x-goog-api-key", false, false, false, false},
    {"api-key", false, false, false, false},
    {"cookie", false, false, false, false},
    {"forwarded", false, false, false, false},
    {"x-forwarded-for", false, false, false, false},
    {"X-Forwarded-Host", false, false, false, false},
    {"x-real-ip", false, false, false, false},
    {"x-recourse-policy", false, false, false, false},
    {"x-recourse-anything", false, false, false, false},
    {"traceparent", false, false, false, false},
    {"accept-encoding", false, false, false, true},
    {"x-original-url", false, false, false, true},
    {"set-cookie", true, true, true, false},
    {"server", true, true, true, false},
    {"alt-svc", true, true, true, false},
    {"strict-transport-security", true, true, true, false},
    {"location", true, true, true, false},
    {"www-authenticate", true, true, true, false},
    {"access-control-allow-origin", true, true, true, false},
    {"connectio", true, true, true, true},
    {"connections", true, true, true, true},
    {"x-recourse", true, true, true, true},
    {"t", true, true, true, true},
};

static void headers_are_passed_on_as_the_table_defines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(field_cases); i++) {
        const field_case *row = &field_cases[i];
        rc_field_id field = rc_field_find(rc_str_c(row->name));
        print_message("%s\n", row->name);
        assert_int_equal(rc_field_is_sent(field, RC_DIALECT_OPENAI_CHAT), row->to_openai);
        assert_int_equal(rc_field_is_sent(field, RC_DIALECT_ANTHROPIC), row->to_anthropic);
        assert_int_equal(rc_field_is_sent(field, RC_DIALECT_GEMINI), row->to_gemini);
        assert_int_equal(rc_field_is_returned(field, false), row->to_client);
    }
}

/* Headers that describe the compressed bytes are passed on only if the body is unchanged. */
static void decoded_responses_lose_headers_of_the_compressed_bytes(void **state)
{
    (void)state;
    static const char *const compressed[] = {
        "Content-Encoding", "etag",        "accept-ranges", "content-md5",
        "Content-Digest",   "repr-digest", "digest"};
    for (size_t i = 0; i < COUNT(compressed); i++) {
        rc_field_id field = rc_field_find(rc_str_c(compressed[i]));
        assert_true(rc_field_is_returned(field, false));
        assert_false(rc_field_is_returned(field, true));
        assert_true(rc_field_is_sent(field, RC_DIALECT_GEMINI));
    }
    for (size_t i = 0; i < COUNT(field_cases); i++) {
        rc_field_id field = rc_field_find(rc_str_c(field_cases[i].name));
        if (field != RC_FIELD_CONTENT_ENCODING)
            assert_int_equal(rc_field_is_returned(field, true), field_cases[i].to_client);
    }
}

static void every_row_is_found(void **state)
{
    (void)state;
    for (int i = RC_FIELD_LISTED + 1; i < RC_FIELD_COUNT; i++) {
        rc_str name = rc_str_c(rc_field_name((rc_field_id)i));
        assert_true(name.len > 0);
        for (size_t k = 0; k < name.len; k++)
            assert_true(name.ptr[k] == rc_ascii_lower(name.ptr[k]));
        assert_int_equal(rc_field_find(name), i);
    }
    assert_int_equal(rc_field_find(RC_STR("")), RC_FIELD_OTHER);
}

/* The reference implementation: compares one row after the other. */
static rc_field_id slow_field_of(rc_str name)
{
    int longest = RC_FIELD_OTHER;
    for (int i = RC_FIELD_LISTED + 1; i < RC_FIELD_COUNT; i++) {
        rc_str row = rc_str_c(rc_field_name((rc_field_id)i));
        bool is_prefix = row.ptr[row.len - 1] == '-';
        if (rc_str_eq_nocase(name, row))
            return (rc_field_id)i;
        if (is_prefix && longest == RC_FIELD_OTHER && rc_str_starts_with_nocase(name, row))
            longest = i;
    }
    return (rc_field_id)longest;
}

static void similar_names_are_not_confused(void **state)
{
    (void)state;
    static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCXYZ0129-_.!~";
    for (int i = RC_FIELD_LISTED + 1; i < RC_FIELD_COUNT; i++) {
        char memory[64];
        rc_str row = rc_str_c(rc_field_name((rc_field_id)i));
        for (size_t at = 0; at <= row.len; at++)
            for (size_t c = 0; c < sizeof chars - 1; c++) {
                memcpy(memory, row.ptr, row.len);
                memory[at] = chars[c];
                for (size_t len = at + 1; len <= row.len + 1; len++) {
                    rc_str name =
                        rc_str_make(memory, len > row.len && at < row.len ? row.len : len);
                    if (rc_field_find(name) != slow_field_of(name))
                        fail_msg("%.*s", (int)name.len, name.ptr);
                }
            }
    }
}

/* ---- response heads ---- */

static rc_str head_of(rc_str response, const rc_reply_facts *facts, rc_buf *buf)
{
    static rc_http1 reader;
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&reader, response), RC_HTTP1_HEAD);
    assert_int_equal(rc_client_response_head_push(buf, &reader, response.ptr, false, facts), RC_OK);
    return rc_buf_get(buf);
}

static void responses_are_cleaned(void **state)
{
    (void)state;
    char memory[4096];
    rc_buf buf;
    char target_memory[RC_TARGET_TEXT_MAX];
    rc_buf target;
    rc_buf_init_fixed(&target, target_memory, sizeof target_memory);
    rc_target_text_push(&target, RC_STR("openai"), RC_STR("gpt-4o\r\nx: y"));
    rc_reply_facts facts = {.attempts = 2,
                            .target = rc_buf_get(&target),
                            .request_id = RC_STR("req-1"),
                            .report_id = RC_STR("rep\n2")};
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_str head_text = head_of(RC_STR("HTTP/1.1 200 Anything\r\n"
                                      "Content-Type: text/event-stream\r\n"
                                      "Transfer-Encoding: chunked\r\n"
                                      "Connection: close, X-Hop\r\n"
                                      "x-hop: 1\r\n"
                                      "Set-Cookie: a=b\r\n"
                                      "Server: cloudflare\r\n"
                                      "x-request-id: abc\r\n"
                                      "x-recourse-target: liar\r\n"
                                      "empty:\r\n"
                                      "openai-processing-ms:  12  \r\n"
                                      "\r\n"),
                               &facts, &buf);
    assert_text(head_text, "HTTP/1.1 200 OK\r\n"
                           "Content-Type: text/event-stream\r\n"
                           "x-request-id: abc\r\n"
                           "empty:\r\n"
                           "openai-processing-ms:  12\r\n"
                           "x-recourse-attempts: 2\r\n"
                           "x-recourse-target: openai/gpt-4o%0D%0Ax:%20y\r\n"
                           "x-recourse-request-id: req-1\r\n"
                           "x-recourse-report-id: rep%0A2\r\n");
}

/* Values that are not known are left out. A cost is always written with its basis. */
static void costs_and_times_are_written(void **state)
{
    (void)state;
    static const struct {
        rc_reply_facts facts;
        const char *lines;
    } rows[] = {
        {{.cost_usd_micro = 5}, ""},
        {{.basis = RC_COST_MEASURED, .cost_usd_micro = 1230004},
         "x-recourse-cost-usd: 1.230004\r\nx-recourse-cost-basis: measured\r\n"},
        {{.basis = RC_COST_MEASURED},
         "x-recourse-cost-usd: 0.00\r\nx-recourse-cost-basis: measured\r\n"},
        {{.basis = RC_COST_ESTIMATED, .cost_usd_micro = 20},
         "x-recourse-cost-usd: 0.00002\r\nx-recourse-cost-basis: estimated\r\n"},
        {{.basis = RC_COST_UNPRICED, .cost_usd_micro = 20}, "x-recourse-cost-basis: unpriced\r\n"},
        {{.has_target_ms = true, .target_ms = 7, .has_total_ms = true, .total_ms = 9},
         "x-recourse-target-ms: 7\r\nx-recourse-total-ms: 9\r\n"},
        {{.has_total_ms = true}, "x-recourse-total-ms: 0\r\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char memory[256];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        assert_int_equal(rc_reply_facts_push(&buf, &rows[i].facts), RC_OK);
        assert_text(rc_buf_get(&buf), rows[i].lines);
    }
}

static void targets_are_escaped_and_cut(void **state)
{
    (void)state;
    char memory[RC_TARGET_TEXT_MAX];
    char text[600];
    rc_buf buf;
    memset(text, '\n', sizeof text);
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_target_text_push(&buf, rc_str_make(text, sizeof text), rc_str_make(text, sizeof text));
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    assert_true(rc_str_starts_with(rc_buf_get(&buf), RC_STR("%0A%0A")));
    assert_true(rc_str_find(rc_buf_get(&buf), RC_STR("%0A/%0A"), 0) != RC_STR_NPOS);
    assert_int_equal(rc_str_find_byte(rc_buf_get(&buf), '\n', 0), RC_STR_NPOS);
    rc_buf_reset(&buf);
    rc_target_text_push(&buf, RC_STR("up"), RC_STR(""));
    assert_text(rc_buf_get(&buf), "up");
}

static void a_response_without_own_headers(void **state)
{
    (void)state;
    char memory[256];
    rc_buf buf;
    rc_reply_facts facts = {0};
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_str head_text =
        head_of(RC_STR("HTTP/1.1 207 Multi\r\nContent-Length: 3\r\nA: b\r\n\r\n"), &facts, &buf);
    assert_text(head_text, "HTTP/1.1 207 \r\nA: b\r\n");
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    char memory[20];
    rc_buf buf;
    rc_http1 reader;
    rc_str response = RC_STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: b\r\n\r\n");
    rc_reply_facts facts = {0};
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&reader, response), RC_HTTP1_HEAD);
    assert_int_equal(rc_client_response_head_push(&buf, &reader, response.ptr, false, &facts),
                     RC_E_TOO_LARGE);
}

/* ---- values ---- */

static void no_value_can_start_a_line(void **state)
{
    (void)state;
    char memory[256];
    rc_buf buf;
    for (int c = 0; c < 256; c++) {
        char value[3] = {'a', (char)(unsigned char)c, 'b'};
        bool is_allowed = (c >= 0x20 && c != 0x7f) || c == '\t';
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        rc_field_push(&buf, RC_STR("n"), rc_str_make(value, 3));
        assert_int_equal(rc_buf_get(&buf).len, is_allowed ? 8 : 0);
    }
}

/* ---- credentials ---- */

static rc_secret secret(const char *text)
{
    return rc_secret_make(rc_str_c(text));
}

static void tokens_are_compared_whole(void **state)
{
    (void)state;
    assert_true(rc_secret_eq(secret("abc"), secret("abc")));
    assert_false(rc_secret_eq(secret("abc"), secret("abd")));
    assert_false(rc_secret_eq(secret("xbc"), secret("abc")));
    assert_false(rc_secret_eq(secret("ab"), secret("abc")));
    assert_false(rc_secret_eq(secret("abc"), secret("")));
    assert_false(rc_secret_eq(secret(""), secret("")));
    assert_false(rc_secret_eq((rc_secret){NULL, 0}, (rc_secret){NULL, 0}));
    /* The names differ by one bit, at every position. */
    char a[64];
    char b[64];
    memset(a, 'k', sizeof a);
    for (size_t i = 0; i < sizeof a; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(b, a, sizeof a);
            b[i] = (char)(b[i] ^ (1 << bit));
            assert_false(rc_secret_eq(rc_secret_make(rc_str_make(a, sizeof a)),
                                      rc_secret_make(rc_str_make(b, sizeof b))));
        }
}

static void secrets_are_wiped(void **state)
{
    (void)state;
    char memory[32];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_secret_push(&buf, secret("sk-1234")), RC_OK);
    assert_memory_equal(memory, "sk-1234", 7);
    rc_secret_wipe_buf(&buf);
    assert_int_equal(rc_buf_get(&buf).len, 0);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(memory[i], 0);
    rc_secret_wipe(NULL, 0);
}

typedef struct credential_case {
    rc_wire wire;
    rc_config_auth auth;
    const char *key;
    const char *line; /* the header line; NULL: the value is refused */
} credential_case;

static const credential_case credential_cases[] = {
    {RC_WIRE_OPENAI, RC_AUTH_NATIVE, "sk-1", "authorization: Bearer sk-1\r\n"},
    {RC_WIRE_OPENAI, RC_AUTH_BEARER, "sk-1", "authorization: Bearer sk-1\r\n"},
    {RC_WIRE_ANTHROPIC, RC_AUTH_NATIVE, "sk-1", "x-api-key: sk-1\r\n"},
    {RC_WIRE_ANTHROPIC, RC_AUTH_BEARER, "sk-1", "authorization: Bearer sk-1\r\n"},
    {RC_WIRE_GEMINI, RC_AUTH_NATIVE, "AIza", "x-goog-api-key: AIza\r\n"},
    {RC_WIRE_GEMINI, RC_AUTH_BEARER, "ya29", "authorization: Bearer ya29\r\n"},
    {RC_WIRE_OPENAI, RC_AUTH_NATIVE, "", ""},
    {RC_WIRE_OPENAI, RC_AUTH_NATIVE, "sk-1\n", NULL},
    {RC_WIRE_OPENAI, RC_AUTH_NATIVE, "sk-1\r\nx-evil: 1", NULL},
    {RC_WIRE_ANTHROPIC, RC_AUTH_NATIVE, "sk 1", NULL},
    {RC_WIRE_GEMINI, RC_AUTH_NATIVE, "sk-\xc3\xa4", NULL},
    {RC_WIRE_GEMINI, RC_AUTH_NATIVE, "sk-\x7f", NULL},
};

static void credentials_use_the_providers_header(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(credential_cases); i++) {
        const credential_case *row = &credential_cases[i];
        char memory[128];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        bool is_good = rc_credential_header_push(&buf, row->wire, row->auth, secret(row->key));
        assert_int_equal(is_good, row->line != NULL);
        assert_text(rc_buf_get(&buf), row->line != NULL ? row->line : "");
    }
    assert_false(rc_secret_is_token(rc_secret_make(rc_str_make("a\0b", 3))));
}

static void bearer_tokens_are_found(void **state)
{
    (void)state;
    assert_true(rc_secret_eq(rc_bearer_token(RC_STR("Bearer abc")), secret("abc")));
    assert_true(rc_secret_eq(rc_bearer_token(RC_STR("bearer   abc")), secret("abc")));
    assert_int_equal(rc_bearer_token(RC_STR("Basic abc")).len, 0);
    assert_int_equal(rc_bearer_token(RC_STR("Bearer")).len, 0);
    assert_int_equal(rc_bearer_token(RC_STR("Bearer ")).len, 0);
}

/* ---- trace context ---- */

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

typedef struct trace_case {
    const char *text;
    int flags; /* the trace flags; -1: the value is not valid */
} trace_case;

static const trace_case trace_cases[] = {
    {"00-" TRACE "-" PARENT "-01", 1},
    {"00-" TRACE "-" PARENT "-00", 0},
    {"00-" TRACE "-" PARENT "-ff", 3},
    {"cc-" TRACE "-" PARENT "-01", 1},
    {"cc-" TRACE "-" PARENT "-01-more", 1},
    {"cc-" TRACE "-" PARENT "-01x", -1},
    {"00-" TRACE "-" PARENT "-01-more", -1},
    {"ff-" TRACE "-" PARENT "-01", -1},
    {"00-00000000000000000000000000000000-" PARENT "-01", -1},
    {"00-" TRACE "-0000000000000000-01", -1},
    {"00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01", -1},
    {"00-" TRACE "-" PARENT "-0", -1},
    {"00-" TRACE "-" PARENT "-0g", -1},
    {"00-" TRACE "_" PARENT "-01", -1},
    {"", -1},
};

static void traces_are_parsed_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(trace_cases); i++) {
        rc_trace_context trace = {0};
        print_message("%s\n", trace_cases[i].text);
        bool is_read = rc_trace_context_parse(rc_str_c(trace_cases[i].text), &trace);
        assert_int_equal(is_read ? trace.flags : -1, trace_cases[i].flags);
        assert_int_equal(trace.is_valid, is_read);
        if (is_read) {
            assert_memory_equal(trace.trace_id, TRACE, 32);
            assert_memory_equal(trace.parent_id, PARENT, 16);
        }
    }
}

static void traces_are_sent_with_a_new_span(void **state)
{
    (void)state;
    char memory[256];
    rc_buf buf;
    rc_trace_context trace = {0};
    const uint8_t span[RC_SPAN_BYTES] = {0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7};
    const uint8_t none[RC_SPAN_BYTES] = {0};
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_trace_context_push(&buf, &trace, span);
    assert_text(rc_buf_get(&buf), "");
    assert_true(rc_trace_context_parse(RC_STR("00-" TRACE "-" PARENT "-01"), &trace));
    rc_trace_context_push(&buf, &trace, none);
    assert_text(rc_buf_get(&buf), "");
    trace.state = RC_STR("a=b");
    rc_trace_context_push(&buf, &trace, span);
    assert_text(rc_buf_get(&buf),
                "traceparent: 00-" TRACE "-00f067aa0ba902b7-01\r\ntracestate: a=b\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_passed_on_as_the_table_defines),
        cmocka_unit_test(decoded_responses_lose_headers_of_the_compressed_bytes),
        cmocka_unit_test(every_row_is_found),
        cmocka_unit_test(similar_names_are_not_confused),
        cmocka_unit_test(responses_are_cleaned),
        cmocka_unit_test(costs_and_times_are_written),
        cmocka_unit_test(targets_are_escaped_and_cut),
        cmocka_unit_test(a_response_without_own_headers),
        cmocka_unit_test(a_full_buffer_is_reported),
        cmocka_unit_test(no_value_can_start_a_line),
        cmocka_unit_test(tokens_are_compared_whole),
        cmocka_unit_test(secrets_are_wiped),
        cmocka_unit_test(credentials_use_the_providers_header),
        cmocka_unit_test(bearer_tokens_are_found),
        cmocka_unit_test(traces_are_parsed_strictly),
        cmocka_unit_test(traces_are_sent_with_a_new_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
