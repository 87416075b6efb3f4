/* Tests of events: every type as one line of JSON, every field under its key, no secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/event.h>
#include <recourse/suppressed.h>

#include "support/fail_alloc.h"
#include "support/json_query.h"
#include "support/render_cases.h"

#define SECRET "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"

static const rc_event_type types[] = {
#define RC_EVENT(number, ID, EVENT, name, text) RC_EVENT_TYPE_##ID,
#include "spec/events.def"
};
#define TYPE_COUNT (sizeof types / sizeof *types)

static json_object *encoded(const rc_event *event)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4u << 20);
    assert_int_equal(rc_event_encode(event, &buf), RC_OK);
    rc_str text = rc_buf_get(&buf);
    assert_int_equal(rc_str_find_byte(text, '\n', 0), text.len - 1);
    assert_null(check_json(rc_str_slice(text, 0, text.len - 1)));
    json_object *root = query_parse(text);
    rc_buf_done(&buf);
    return root;
}

static void expect_line(const rc_event *event, const char *want)
{
    static char memory[65536];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_event_encode(event, &buf), RC_OK);
    rc_buf_push_byte(&buf, '\0');
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    assert_string_equal(memory, want);
}

static rc_event event_of(rc_event_type type)
{
    return (rc_event){.type = type,
                      .seq = 7,
                      .time_unix_ms = CASE_NOW_UNIX_MS,
                      .correlation_id = RC_STR("call_1")};
}

/* ---- one value for each kind of field ---- */

static void fill_NAME(rc_str *field, rc_str value)
{
    *field = value;
}

static void fill_TEXT(rc_str *field, rc_str value)
{
    *field = value;
}

static void fill_COUNT(uint64_t *field, rc_str value)
{
    *field = value.len;
}

static void fill_FLAG(bool *field, rc_str value)
{
    *field = value.len > 0;
}

static void fill_MONEY(uint64_t *field, rc_str value)
{
    *field = value.len;
}

static void fill_CODE(rc_run_event *field, rc_str value)
{
    *field = value.len > 0 ? RC_EVENT_INTERNAL : RC_EVENT_NONE;
}

static void fill_REPORT(const rc_report **field, rc_str value)
{
    *field = value.len > 0 ? rc_report_static(RC_CODE_INTERNAL) : NULL;
}

/* Returns an event in which every string is the value and every number is the length of the
 * value. */
static rc_event filled(rc_event_type type, rc_str value)
{
    rc_event event = event_of(type);
    event.correlation_id = value;
#define RC_EVENT_FIELD(ID, EVENT, member, KIND, key, presence, text) \
    if (type == RC_EVENT_TYPE_##ID)                                  \
        fill_##KIND(&event.as.EVENT.member, value);
#include "spec/events.def"
    return event;
}

/* ---- tests ---- */

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(TYPE_COUNT, 17);
    for (size_t i = 0; i < TYPE_COUNT; i++)
        assert_int_equal(rc_event_type_parse(rc_str_c(rc_event_type_name(types[i]))), types[i]);
    assert_string_equal(rc_event_type_name(RC_EVENT_TYPE_NODE_FAILED), "node:failed");
    assert_string_equal(rc_event_type_name(RC_EVENT_TYPE_NONE), "");
    assert_string_equal(rc_event_type_name((rc_event_type)999), "unknown");
    assert_int_equal(rc_event_type_parse(RC_STR("")), RC_EVENT_TYPE_NONE);
    assert_int_equal(rc_event_type_parse(RC_STR("unknown")), RC_EVENT_TYPE_NONE);
    assert_int_equal(rc_event_type_parse(RC_STR("Node:failed")), RC_EVENT_TYPE_NONE);
}

/* Each field of the table is present under its key. Besides these and the four common members, the
 * line has no members. */
static void test_every_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        const rc_event event = filled(types[i], RC_STR("value"));
        json_object *root = encoded(&event);
        int count = 4;
        query_string(root, "/type", rc_event_type_name(types[i]));
        query_int(root, "/seq", 7);
        query_string(root, "/time", "2026-11-16T01:02:03.456Z");
        assert_true(query_has(root, "/correlation_id"));
#define RC_EVENT_FIELD(ID, EVENT, member, KIND, key, presence, text) \
    if (types[i] == RC_EVENT_TYPE_##ID) {                            \
        if (!query_has(root, "/" key))                               \
            fail_msg("%s has no %s", #ID, key);                      \
        count++;                                                     \
    }
#include "spec/events.def"
        assert_int_equal(json_object_object_length(root), count);
        json_object_put(root);
    }
}

/* Absent fields are left out, except those that are always present; no field is null. */
static void test_empty_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        const rc_event event = filled(types[i], RC_STR(""));
        json_object *root = encoded(&event);
#define ALWAYS true
#define MAYBE false
#define RC_EVENT_FIELD(ID, EVENT, member, KIND, key, presence, text) \
    if (types[i] == RC_EVENT_TYPE_##ID)                              \
        assert_int_equal(query_has(root, "/" key), presence);
#include "spec/events.def"
        assert_null(strstr(json_object_to_json_string(root), "null"));
        json_object_put(root);
    }
}

static void test_lines(void **state)
{
    (void)state;
    rc_event start = event_of(RC_EVENT_TYPE_AUTO_RETRY_START);
    start.as.auto_retry_start =
        (rc_event_auto_retry_start){2, 4, 2000, RC_STR("openai is \"busy\".\n"), RC_STR("rep_1")};
    expect_line(&start, "{\"type\":\"auto_retry_start\",\"seq\":7,"
                        "\"time\":\"2026-11-16T01:02:03.456Z\",\"correlation_id\":\"call_1\","
                        "\"attempt\":2,\"max_attempts\":4,\"delay_ms\":2000,"
                        "\"error_message\":\"openai is \\\"busy\\\".\\n\",\"report_id\":\"rep_1\"}"
                        "\n");
    rc_event end = event_of(RC_EVENT_TYPE_AUTO_RETRY_END);
    end.as.auto_retry_end = (rc_event_auto_retry_end){true, 3, RC_STR("")};
    expect_line(&end, "{\"type\":\"auto_retry_end\",\"seq\":7,"
                      "\"time\":\"2026-11-16T01:02:03.456Z\",\"correlation_id\":\"call_1\","
                      "\"success\":true,\"attempt\":3}\n");
    rc_event warning = event_of(RC_EVENT_TYPE_BUDGET_WARNING);
    warning.as.budget_warning = (rc_event_budget_warning){RC_STR("app"), 40000001, UINT64_MAX};
    expect_line(&warning, "{\"type\":\"budget:warning\",\"seq\":7,"
                          "\"time\":\"2026-11-16T01:02:03.456Z\",\"correlation_id\":\"call_1\","
                          "\"scope\":\"app\",\"spent_usd\":40.000001,"
                          "\"limit_usd\":18446744073709.551615}\n");
}

/* The report in the event is in the user's view: it has no detail and no raw body. */
static void test_report(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_event event = event_of(RC_EVENT_TYPE_NODE_FAILED);
    event.as.node_failed = (rc_event_node_failed){RC_STR("run_1"), RC_STR("draft"), 2,
                                                  rc_report_run_event(report), report};
    json_object *root = encoded(&event);
    query_string(root, "/code", "provider_rate_limit");
    query_string(root, "/error/report_id", "rep_1");
    assert_true(query_has(root, "/error/message"));
    assert_false(query_has(root, "/error/detail"));
    assert_null(strstr(json_object_to_json_string(root), "RAW"));
    json_object_put(root);
    rc_report_free(report);
}

static void test_suppressed(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    static char memory[65536];
    rc_buf want;
    rc_buf_init_fixed(&want, memory, sizeof memory - 1);
    assert_int_equal(
        rc_suppressed_encode(report, RC_STR("only a help"), 7, CASE_NOW_UNIX_MS, &want), RC_OK);
    memory[rc_buf_get(&want).len] = '\0';
    rc_event event = event_of(RC_EVENT_TYPE_SUPPRESSED_ERROR);
    event.as.suppressed_error = (rc_event_suppressed_error){RC_STR("only a help"), report};
    expect_line(&event, memory);
    rc_report_free(report);
}

static void test_no_type(void **state)
{
    (void)state;
    char memory[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_event event = event_of(RC_EVENT_TYPE_NONE);
    assert_int_equal(rc_event_encode(&event, &buf), RC_E_ARGUMENT);
    event.type = (rc_event_type)12345;
    assert_int_equal(rc_event_encode(&event, &buf), RC_E_ARGUMENT);
    assert_int_equal(rc_buf_get(&buf).len, 0);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
}

/* A secret key that was passed as an id, or that is part of a message, is not written. */
static void test_secrets_are_scrubbed(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        const rc_event event = filled(types[i], RC_STR("the key " SECRET " was refused"));
        json_object *root = encoded(&event);
        const char *text = json_object_to_json_string(root);
        if (strstr(text, "abcdefghijklmnop") != NULL)
            fail_msg("%s: %s", rc_event_type_name(types[i]), text);
        assert_non_null(strstr(text, "[redacted]"));
        json_object_put(root);
    }
}

static void test_long_texts_are_cut(void **state)
{
    (void)state;
    static char text[20000];
    memset(text, 't', sizeof text);
    rc_event event = filled(RC_EVENT_TYPE_AUTO_RETRY_START, rc_str_make(text, sizeof text));
    json_object *root = encoded(&event);
    json_object *found = NULL;
    assert_int_equal(json_pointer_get(root, "/error_message", &found), 0);
    assert_in_range(json_object_get_string_len(found), 8000, RC_REPORT_MESSAGE_MAX);
    assert_int_equal(json_pointer_get(root, "/report_id", &found), 0);
    assert_in_range(json_object_get_string_len(found), 400, RC_REPORT_NAME_MAX);
    json_object_put(root);
}

static void test_bad_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        const rc_event event =
            filled(types[i], rc_str_make("a\0b\xff\xc3\x28\xed\xa0\x80\x1b[31m", 14));
        json_object_put(encoded(&event));
    }
}

static void test_failures(void **state)
{
    (void)state;
    const rc_event event = filled(RC_EVENT_TYPE_RUN_FAILED, RC_STR("value"));
    for (size_t fail_at = 1; fail_at < 100; fail_at++) {
        fail_alloc failing = {.fail_at = fail_at};
        rc_alloc alloc = fail_alloc_of(&failing);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 1u << 20);
        const rc_status status = rc_event_encode(&event, &buf);
        rc_buf_done(&buf);
        assert_int_equal(failing.live, 0);
        if (failing.calls < fail_at) {
            assert_int_equal(status, RC_OK);
            return;
        }
        assert_int_equal(status, RC_E_NOMEM);
    }
    fail_msg("it never ended");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_empty_fields),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_suppressed),
        cmocka_unit_test(test_no_type),
        cmocka_unit_test(test_secrets_are_scrubbed),
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
