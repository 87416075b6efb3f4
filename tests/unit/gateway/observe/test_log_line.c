/* Tests of log lines: their fields; a line is valid and has at most 1 KiB whatever its values are;
 * no value can end its field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gateway/observe/log_line.h"
#include "support/json_query.h"
#include "support/often.h"
#include "support/render_checks.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOON INT64_C(1700049845123) /* 2023-11-15T12:04:05.123Z */

static const rc_log_style json = {.is_json = true};
static const rc_log_style plain = {0};
static const rc_log_style terminal = {.has_colour = true, .has_utf8 = true, .utc_offset_s = 3600};

static char buffer[4096];
static rc_buf out;

static rc_log_request good_request(void)
{
    return (rc_log_request){
        .unix_ms = NOON,
        .outcome = RC_LOG_SUCCEEDED,
        .request_id = RC_STR("req_1"),
        .client = RC_STR("app"),
        .route = RC_STR("gpt-4o*"),
        .model = RC_STR("gpt-4o"),
        .target = RC_STR("openai/gpt-4o"),
        .provider_request_id = RC_STR("chatcmpl-1"),
        .status = 200,
        .attempts = 2,
        .switches = 1,
        .wait_ms = 2100,
        .latency_ms = 3400,
        .first_byte_ms = 900,
        .tokens_in = 312,
        .tokens_out = 87,
        .cost_usd_micro = 2100,
        .bytes = 4096,
        .trace_id = RC_STR("4bf92f3577b34da6a3ce929d0e0e4736"),
        .is_committed = true,
        .client_retry = 2,
    };
}

static rc_str push(const rc_log_style *style, const rc_log_request *request)
{
    rc_buf_init_fixed(&out, buffer, sizeof(buffer) - 1);
    assert_int_equal(rc_log_push_request(&out, style, request), RC_OK);
    buffer[rc_buf_get(&out).len] = '\0';
    return rc_buf_get(&out);
}

static rc_str push_event(const rc_log_style *style, rc_log_event event, const rc_log_field *fields,
                         size_t count)
{
    rc_buf_init_fixed(&out, buffer, sizeof(buffer) - 1);
    assert_int_equal(rc_log_push_event(&out, style, NOON, event, fields, count), RC_OK);
    buffer[rc_buf_get(&out).len] = '\0';
    return rc_buf_get(&out);
}

static json_object *parse(rc_str line)
{
    const char *complaint = check_log(line);
    if (complaint != NULL)
        fail_msg("%s: %.*s", complaint, (int)line.len, line.ptr);
    return query_parse(line);
}

static void a_request_has_all_its_fields(void **state)
{
    (void)state;
    rc_log_request request = good_request();
    json_object *doc = parse(push(&json, &request));
    query_string(doc, "/time", "2023-11-15T12:04:05.123Z");
    query_string(doc, "/level", "info");
    query_string(doc, "/event", "request");
    query_string(doc, "/request_id", "req_1");
    query_string(doc, "/client", "app");
    query_string(doc, "/route", "gpt-4o*");
    query_string(doc, "/model", "gpt-4o");
    query_string(doc, "/target", "openai/gpt-4o");
    query_string(doc, "/provider_request_id", "chatcmpl-1");
    query_int(doc, "/status", 200);
    query_string(doc, "/outcome", "succeeded");
    query_int(doc, "/attempts", 2);
    query_int(doc, "/switches", 1);
    query_int(doc, "/wait_ms", 2100);
    query_int(doc, "/latency_ms", 3400);
    query_int(doc, "/first_byte_ms", 900);
    query_int(doc, "/tokens_in", 312);
    query_int(doc, "/tokens_out", 87);
    query_int(doc, "/bytes", 4096);
    query_string(doc, "/trace_id", "4bf92f3577b34da6a3ce929d0e0e4736");
    query_bool(doc, "/committed", true);
    query_int(doc, "/client_retry", 2);
    assert_false(query_has(doc, "/code"));
    assert_false(query_has(doc, "/report_id"));
    assert_false(query_has(doc, "/estimated"));
    assert_non_null(strstr(buffer, "\"cost_usd\":0.0021,"));
    json_object_put(doc);
}

static void unknown_values_are_left_out(void **state)
{
    (void)state;
    const rc_log_request request = {.outcome = RC_LOG_CANCELLED,
                                    .latency_ms = -1,
                                    .first_byte_ms = -1,
                                    .tokens_in = -1,
                                    .tokens_out = -1,
                                    .cost_usd_micro = -1,
                                    .is_estimated = true};
    assert_string_equal(push(&json, &request).ptr,
                        "{\"level\":\"info\",\"event\":\"request\",\"outcome\":\"cancelled\","
                        "\"attempts\":0,\"switches\":0,\"wait_ms\":0,\"bytes\":0,"
                        "\"committed\":false}\n");
    assert_string_equal(push(&plain, &request).ptr, "---  cancelled\n");
}

static void a_failure_has_its_reason(void **state)
{
    (void)state;
    const rc_log_request request = {
        .outcome = RC_LOG_FAILED,
        .status = 502,
        .code = RC_CODE_CONNECTION_FAILED,
        .rule = RC_STR("connect.tls.expired"),
        .message = RC_STR("exp's certificate has expired: it was valid until 2025-01-01."),
        .attempts = 1,
        .latency_ms = 7,
        .first_byte_ms = -1,
        .tokens_in = -1,
        .tokens_out = -1,
        .cost_usd_micro = -1,
    };
    json_object *doc = parse(push(&json, &request));
    query_string(doc, "/code", "ConnectionFailed");
    query_string(doc, "/rule", "connect.tls.expired");
    query_string(doc, "/message", "exp's certificate has expired: it was valid until 2025-01-01.");
    json_object_put(doc);
    assert_string_equal(push(&plain, &request).ptr,
                        "502  7ms  failed  ConnectionFailed  exp's certificate has expired: it was "
                        "valid until 2025-01-01.\n");
}

static void levels_follow_the_outcome(void **state)
{
    (void)state;
    static const struct {
        rc_log_outcome outcome;
        int status;
        const char *level;
    } cases[] = {
        {RC_LOG_SUCCEEDED, 200, "info"}, {RC_LOG_CANCELLED, 0, "info"},
        {RC_LOG_REFUSED, 401, "warn"},   {RC_LOG_FAILED, 400, "warn"},
        {RC_LOG_FAILED, 429, "warn"},    {RC_LOG_FAILED, 503, "error"},
        {RC_LOG_REFUSED, 503, "error"},  {RC_LOG_INTERRUPTED, 200, "error"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(rc_log_request_level(&(rc_log_request){.outcome = cases[i].outcome,
                                                                   .status = cases[i].status}),
                            cases[i].level);
}

static void human_lines_are_short(void **state)
{
    (void)state;
    rc_log_request request = good_request();
    assert_string_equal(push(&plain, &request).ptr,
                        "12:04:05  200  gpt-4o -> openai/gpt-4o  3.4s  2 tries  waited 2.1s  "
                        "312+87 tokens  $0.0021  client app  client's retry 2\n");
    request.client_retry = 0;
    request.outcome = RC_LOG_FAILED;
    request.status = 429;
    request.code = RC_CODE_RATE_LIMITED;
    request.report_id = RC_STR("rep_1");
    request.message = RC_STR("openai is limiting the rate of requests.");
    request.is_estimated = true;
    request.wait_ms = 0;
    request.client.len = 0;
    request.cost_usd_micro = 0;
    assert_string_equal(push(&plain, &request).ptr,
                        "12:04:05  429  gpt-4o -> openai/gpt-4o  3.4s  2 tries  ~312+87 tokens  "
                        "failed  RateLimited  openai is limiting the rate of requests.  rep_1\n");
    assert_string_equal(push(&terminal, &request).ptr,
                        "\x1b[2m13:04:05\x1b[0m  \x1b[33m429\x1b[0m  gpt-4o → openai/gpt-4o  3.4s  "
                        "2 tries  ~312+87 tokens  failed  \x1b[33mRateLimited\x1b[0m  "
                        "openai is limiting the rate of requests.  rep_1"
                        "\x1b[0m\n");
}

/* The path in the line shows which client has a wrong base URL. */
static void a_refused_request_has_its_path(void **state)
{
    (void)state;
    const rc_log_request request = {
        .unix_ms = NOON,
        .outcome = RC_LOG_REFUSED,
        .method = RC_STR("POST"),
        .path = RC_STR(
            "/chat/completions\x1b[31m/sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaahunter2"),
        .status = 404,
        .code = RC_CODE_ENDPOINT_NOT_FOUND,
        .latency_ms = -1,
        .first_byte_ms = -1,
        .tokens_in = -1,
        .tokens_out = -1,
        .cost_usd_micro = -1,
    };
    json_object *doc = parse(push(&json, &request));
    query_string(doc, "/method", "POST");
    assert_true(query_has(doc, "/path"));
    json_object_put(doc);
    assert_null(strstr(buffer, "hunter2"));
    assert_non_null(strstr(buffer, "/chat/completions"));
    push(&plain, &request);
    assert_non_null(strstr(buffer, "  404  POST /chat/completions"));
    assert_null(strstr(buffer, "hunter2"));
    assert_null(strchr(buffer, 0x1b));
}

static void the_longest_line_fits(void **state)
{
    (void)state;
    static char longest[3000];
    memset(longest, '"', sizeof(longest));
    const rc_str text = rc_str_make(longest, sizeof(longest));
    rc_log_request request = {
        .unix_ms = INT64_MAX,
        .outcome = RC_LOG_INTERRUPTED,
        .request_id = text,
        .report_id = text,
        .client = text,
        .route = text,
        .model = text,
        .target = text,
        .provider_request_id = text,
        .method = text,
        .path = text,
        .status = INT32_MAX,
        .code = RC_CODE_CONTEXT_MUTATION_FORBIDDEN,
        .rule = text,
        .message = text,
        .attempts = UINT32_MAX,
        .switches = UINT32_MAX,
        .wait_ms = UINT64_MAX,
        .latency_ms = INT64_MAX,
        .first_byte_ms = INT64_MAX,
        .tokens_in = INT64_MAX,
        .tokens_out = INT64_MAX,
        .is_estimated = true,
        .cost_usd_micro = INT64_MAX,
        .bytes = UINT64_MAX,
        .trace_id = text,
        .is_committed = true,
    };
    for (int fill = 1; fill < 256; fill++) {
        memset(longest, fill, sizeof(longest));
        json_object *doc = parse(push(&json, &request));
        assert_true(query_has(doc, "/committed") && query_has(doc, "/target"));
        json_object_put(doc);
        assert_true(push(&terminal, &request).len <= RC_LOG_LINE_MAX);
        assert_true(push(&plain, &request).len <= RC_LOG_LINE_MAX);
    }
    rc_log_field fields[RC_LOG_FIELDS_MAX + 1];
    for (size_t i = 0; i < COUNT(fields); i++)
        fields[i] = (rc_log_field){"a_key_of_twenty_4_letter", text, 0};
    fields[RC_LOG_FIELDS_MAX].key = "beyond";
    json_object *doc = parse(push_event(&json, RC_LOG_EVENT_CREDENTIAL_DEAD, fields, 9));
    assert_false(query_has(doc, "/beyond"));
    json_object_put(doc);
}

static uint64_t chance_state = 11;

static uint32_t random_below(uint32_t below)
{
    chance_state = chance_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(chance_state >> 33) % below;
}

static rc_str odd_text(char *memory, size_t max)
{
    static const char *const parts[] = {
        "\n",           "\r\n", "\x1b[31m", "\x00", "\xff",        "\xc3",     "\xe2\x80",
        "\xe2\x80\xa8", "\"",   "\\",       "abc",  "\x7f",        "\xc2\x85", "😀",
        "\xcc\x81",     "{}",   "\t",       "é",    "\x1b]0;x\x07"};
    size_t len = 0;
    const uint32_t count = random_below(120);
    for (uint32_t i = 0; i < count; i++) {
        const char *part = parts[random_below(COUNT(parts))];
        const size_t size = part[0] != '\0' ? strlen(part) : 1;
        if (len + size > max)
            break;
        memcpy(memory + len, part, size);
        len += size;
    }
    return rc_str_make(memory, len);
}

/* Asserts that the text is one line without control characters except the colours of the log. */
static void check_visible(rc_str line)
{
    assert_true(line.len <= RC_LOG_LINE_MAX && rc_utf8_is_valid(line));
    assert_int_equal(rc_str_find_byte(line, '\n', 0), line.len - 1);
    for (size_t i = 0; i + 1 < line.len; i++) {
        const unsigned char c = (unsigned char)line.ptr[i];
        const bool is_colour =
            c == 0x1b && line.ptr[i + 1] == '[' && strchr("023", line.ptr[i + 2]);
        if ((c < 0x20 && !is_colour) || c == 0x7F)
            fail_msg("a control character at %zu: %.*s", i, (int)line.len, line.ptr);
    }
}

static void random_values_give_valid_lines(void **state)
{
    (void)state;
    static char memory[11][600];
    for (int i = 0; i < OFTEN(20000); i++) {
        const rc_log_request request = {
            .unix_ms = (int64_t)random_below(UINT32_MAX) * 1000,
            .outcome = (rc_log_outcome)random_below(6),
            .request_id = odd_text(memory[0], 600),
            .report_id = odd_text(memory[1], 600),
            .client = odd_text(memory[2], 600),
            .route = odd_text(memory[3], 600),
            .model = odd_text(memory[4], 600),
            .target = odd_text(memory[5], 600),
            .provider_request_id = odd_text(memory[6], 600),
            .method = odd_text(memory[9], 600),
            .path = odd_text(memory[10], 600),
            .status = (int)random_below(700),
            .code = (rc_code)random_below(1300),
            .trace_id = odd_text(memory[7], 600),
        };
        json_object_put(parse(push(&json, &request)));
        check_visible(push(&plain, &request));
        check_visible(push(&terminal, &request));
        const rc_log_field fields[] = {
            {"message", odd_text(memory[8], 600), 0}, {"file", request.model, 0}, {"line", {0}, 7}};
        const rc_log_event event = (rc_log_event)random_below(RC_LOG_EVENT_COUNT);
        json_object_put(parse(push_event(&json, event, fields, 3)));
        check_visible(push_event(&terminal, event, fields, 3));
    }
}

static void secrets_are_removed(void **state)
{
    (void)state;
    static const char key[] = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaahunter2";
    rc_log_request request = good_request();
    request.model = rc_str_c(key);
    request.provider_request_id = rc_str_c(key);
    request.trace_id = rc_str_c(key);
    push(&json, &request);
    assert_null(strstr(buffer, "hunter2"));
    assert_non_null(strstr(buffer, "[redacted]"));
    push(&plain, &request);
    assert_null(strstr(buffer, "hunter2"));
    const rc_log_field field = {"message", RC_STR_INIT("Authorization: Bearer hunter2hunter2"), 0};
    push_event(&json, RC_LOG_EVENT_SUPPRESSED, &field, 1);
    assert_null(strstr(buffer, "hunter2"));
}

static void events_have_their_fields(void **state)
{
    (void)state;
    const rc_log_field refused[] = {
        {"file", RC_STR_INIT("recourse.yaml"), 0},
        {"line", {NULL, 0}, 12},
        {"column", {NULL, 0}, 7},
        {"key", RC_STR_INIT("routes[0].polcy"), 0},
        {"message", RC_STR_INIT("unknown key; did you mean policy?"), 0},
    };
    assert_string_equal(push_event(&json, RC_LOG_EVENT_RELOAD_REFUSED, refused, 5).ptr,
                        "{\"time\":\"2023-11-15T12:04:05.123Z\",\"level\":\"error\","
                        "\"event\":\"reload_refused\",\"file\":\"recourse.yaml\",\"line\":12,"
                        "\"column\":7,\"key\":\"routes[0].polcy\",\"message\":\"unknown key; did "
                        "you mean policy?\"}\n");
    assert_string_equal(push_event(&plain, RC_LOG_EVENT_RELOAD_REFUSED, refused, 5).ptr,
                        "12:04:05  reload refused  file recourse.yaml  line 12  column 7  key "
                        "routes[0].polcy  unknown key; did you mean policy?\n");
    rc_buf_init_fixed(&out, buffer, sizeof(buffer));
    assert_int_equal(
        rc_log_push_json(&out, NOON, RC_LOG_EVENT_STATE, "state", RC_STR("{\"keys\":[1,2]}")),
        RC_OK);
    assert_int_equal(rc_buf_push_byte(&out, '\0'), RC_OK);
    assert_string_equal(buffer, "{\"time\":\"2023-11-15T12:04:05.123Z\",\"level\":\"info\","
                                "\"event\":\"state\",\"state\":{\"keys\":[1,2]}}\n");
    rc_buf_init_fixed(&out, buffer, 40);
    assert_int_not_equal(rc_log_push_json(&out, NOON, RC_LOG_EVENT_STATE, "state", RC_STR("{}")),
                         RC_OK);
    /* Every event has a name and a level. */
    for (int i = 0; i < RC_LOG_EVENT_COUNT; i++) {
        const char *level = rc_log_event_level((rc_log_event)i);
        assert_true(strlen(rc_log_event_name((rc_log_event)i)) > 0);
        assert_true(strcmp(level, "info") == 0 || strcmp(level, "warn") == 0 ||
                    strcmp(level, "error") == 0);
    }
    const rc_log_field empty = {"message", RC_STR_INIT(""), 0};
    assert_string_equal(push_event(&plain, RC_LOG_EVENT_STOPPED, &empty, 1).ptr,
                        "12:04:05  stopped\n");
    rc_log_formatter formatter = {json, &rc_sys_real};
    char line[RC_LOG_LINE_MAX];
    const size_t len = rc_log_format_dropped(&formatter, 7, line, sizeof(line));
    json_object *doc = parse(rc_str_make(line, len));
    query_int(doc, "/lines", 7);
    query_string(doc, "/event", "log_dropped");
    assert_true(query_has(doc, "/time"));
    json_object_put(doc);
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    char small[64];
    rc_log_request request = good_request();
    rc_buf_init_fixed(&out, small, sizeof(small));
    assert_int_equal(rc_log_push_request(&out, &json, &request), RC_E_TOO_LARGE);
    /* either the whole line is written or nothing */
    assert_int_equal(rc_buf_get(&out).len, 0);
}

static void the_style_follows_the_configuration(void **state)
{
    (void)state;
    static const struct {
        rc_config_log_format format;
        bool is_tty, has_colour, is_file;
        bool is_on, wants_json, wants_colour;
    } cases[] = {
        {RC_LOG_AUTO, true, true, false, true, false, true},
        {RC_LOG_AUTO, true, false, false, true, false, false}, /* the variable NO_COLOR is set */
        {RC_LOG_AUTO, false, false, false, true, true, false},
        {RC_LOG_AUTO, true, true, true, true, true, false},
        {RC_LOG_JSON, true, true, false, true, true, true},
        {RC_LOG_HUMAN, false, false, false, true, false, false},
        {RC_LOG_HUMAN, true, true, true, true, false, false},
        {RC_LOG_OFF, true, true, false, false, false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const rc_terminal place = {.is_tty = cases[i].is_tty, .has_colour = cases[i].has_colour};
        rc_log_style style;
        const bool is_on = rc_log_style_choose(cases[i].format, &place, cases[i].is_file, &style);
        assert_int_equal(is_on, cases[i].is_on);
        if (!is_on)
            continue;
        assert_int_equal(style.is_json, cases[i].wants_json);
        assert_int_equal(style.has_colour, cases[i].wants_colour);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_all_its_fields),
        cmocka_unit_test(unknown_values_are_left_out),
        cmocka_unit_test(levels_follow_the_outcome),
        cmocka_unit_test(human_lines_are_short),
        cmocka_unit_test(a_failure_has_its_reason),
        cmocka_unit_test(a_refused_request_has_its_path),
        cmocka_unit_test(the_longest_line_fits),
        cmocka_unit_test(random_values_give_valid_lines),
        cmocka_unit_test(secrets_are_removed),
        cmocka_unit_test(events_have_their_fields),
        cmocka_unit_test(a_full_buffer_is_reported),
        cmocka_unit_test(the_style_follows_the_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
