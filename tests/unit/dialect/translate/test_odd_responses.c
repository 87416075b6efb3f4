/* Tests of responses that are valid JSON but not what their API promises: bodies without content,
 * lists of parts, arguments that are no object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "support/translate_run.h"

#define CHAT 0
#define MESSAGES 1
#define GEMINI 2
#define RESPONSES 3

typedef struct result {
    rc_status status;
    bool is_over;
    char text[8192];
} result;

static result translate(int from, const char *lines, int to, bool is_stream)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_output_facts facts = translate_facts(is_stream);
    result ret = {.status = RC_OK};
    rc_buf out;
    rc_buf_init(&out, &alloc, sizeof ret.text - 1);
    ret.status = translate_lines(&alloc, &translate_dialects[from], &translate_dialects[to], &facts,
                                 rc_str_c(lines), &out, &ret.is_over);
    if (out.len > 0)
        memcpy(ret.text, out.ptr, out.len);
    rc_buf_done(&out);
    return ret;
}

/* ---- bodies ---- */

static void a_body_without_content_is_malformed(void **state)
{
    (void)state;
    assert_int_equal(translate(RESPONSES, "{}", CHAT, false).status, RC_E_SYNTAX);
    assert_int_equal(translate(RESPONSES, "[]", CHAT, false).status, RC_E_SYNTAX);
    assert_int_equal(translate(RESPONSES, "{\"output\":null}", CHAT, false).status, RC_E_SYNTAX);
    assert_int_equal(translate(CHAT, "{\"choices\":[{}]}", MESSAGES, false).status, RC_E_SYNTAX);
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    result got = translate(RESPONSES,
                           "\xEF\xBB\xBF{\"output\":[{\"type\":\"message\",\"content\":[{\"type\":"
                           "\"output_text\",\"text\":\"hello\"}]}]}",
                           CHAT, false);
    assert_int_equal(got.status, RC_OK);
    assert_non_null(strstr(got.text, "\"content\":\"hello\""));
}

/* The gateway writes JSON, which is UTF-8, whatever the target sends. */
static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    (void)state;
    const char *const bodies[] = {
        "{\"choices\":[{\"message\":{\"content\":\"a\xFF\xC3\"},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"delta\":{\"content\":\"a\xFF\xC3\"},\"finish_reason\":\"stop\"}]}\n["
        "DONE]"};
    for (size_t i = 0; i < 2; i++) {
        result got = translate(CHAT, bodies[i], MESSAGES, i == 1);
        assert_int_equal(got.status, RC_OK);
        assert_non_null(strstr(got.text, "\"text\":\"a\xEF\xBF\xBD\xEF\xBF\xBD\""));
    }
}

#define PARTS                                                                                \
    "[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"hm\"}]},{\"type\":" \
    "\"text\",\"text\":\"hello\"}]"

/* Mistral's models that reason send the content as a list of parts. */
static void a_list_of_parts_is_content(void **state)
{
    (void)state;
    const char *const bodies[] = {
        "{\"choices\":[{\"message\":{\"content\":" PARTS "},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"delta\":{\"content\":" PARTS "},\"finish_reason\":\"stop\"}]}\n[DONE]"};
    for (size_t i = 0; i < 2; i++) {
        result got = translate(CHAT, bodies[i], MESSAGES, i == 1);
        assert_int_equal(got.status, RC_OK);
        assert_non_null(strstr(got.text, "\"thinking\":\"hm\""));
        assert_non_null(strstr(got.text, "\"text\":\"hello\""));
    }
    assert_int_equal(
        translate(CHAT, "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"image_url\"}]}}]}",
                  MESSAGES, false)
            .status,
        RC_E_TYPE);
}

/* Only a stream repeats its content at the end, so only a stream has a limit for it. */
static void a_whole_response_may_have_many_bytes(void **state)
{
    (void)state;
    size_t len = (size_t)5 << 20;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf body;
    rc_buf out;
    bool is_over = false;
    rc_output_facts facts = translate_facts(false);
    rc_buf_init(&body, &alloc, 2 * len);
    rc_buf_init(&out, &alloc, 2 * len);
    rc_buf_push(&body, RC_STR("{\"choices\":[{\"message\":{\"content\":\""));
    for (size_t i = 0; i < len; i += 8)
        rc_buf_push(&body, RC_STR("xxxxxxxx"));
    rc_buf_push(&body, RC_STR("\"},\"finish_reason\":\"stop\"}]}"));
    assert_int_equal(translate_lines(&alloc, &translate_dialects[CHAT],
                                     &translate_dialects[RESPONSES], &facts, rc_buf_get(&body),
                                     &out, &is_over),
                     RC_OK);
    assert_true(is_over && out.len > len);
    rc_buf_done(&body);
    rc_buf_done(&out);
}

/* ---- arguments ---- */

static result translate_arguments(const char *arguments, const char *finish, int to, bool is_stream)
{
    char body[512];
    (void)snprintf(body, sizeof body,
                   "{\"choices\":[{\"%s\":{\"content\":\"x\",\"tool_calls\":[{\"index\":0,\"id\":"
                   "\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"%s\"}}]},\"finish_reason\":"
                   "\"%s\"}]}\n%s",
                   is_stream ? "delta" : "message", arguments, finish, is_stream ? "[DONE]" : "");
    return translate(CHAT, body, to, is_stream);
}

/* A call with other arguments than the model's, or none of its calls, is worse than a failure. */
static void arguments_that_are_no_object_are_malformed(void **state)
{
    (void)state;
    const char *const odd[] = {"{\\\"a\\\":}",   "{a:1}",           "[1]", "5",
                               "{\\\"a\\\":1}}", "{\\\"a\\\":1} {}"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal(translate_arguments(odd[i], "stop", MESSAGES, false).status, RC_E_SYNTAX);
        assert_int_equal(translate_arguments(odd[i], "stop", GEMINI, false).status, RC_E_SYNTAX);
        assert_int_equal(translate_arguments(odd[i], "stop", GEMINI, true).status, RC_E_SYNTAX);
        assert_int_equal(translate_arguments(odd[i], "length", GEMINI, true).status, RC_OK);
    }
}

static void a_call_without_a_name_is_malformed(void **state)
{
    (void)state;
    const char *const chat =
        "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c\",\"function\":{"
        "\"name\":\"\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}";
    const char *const messages = "{\"content\":[{\"type\":\"tool_use\",\"id\":\"c\",\"input\":{}}],"
                                 "\"stop_reason\":\"tool_use\"}";
    assert_int_equal(translate(CHAT, chat, MESSAGES, false).status, RC_E_SYNTAX);
    assert_int_equal(translate(CHAT, chat, RESPONSES, false).status, RC_E_SYNTAX);
    assert_int_equal(translate(MESSAGES, messages, CHAT, false).status, RC_E_SYNTAX);
    assert_int_equal(translate(MESSAGES, messages, GEMINI, false).status, RC_E_SYNTAX);
}

#define CALL(id, name, arguments)                                                      \
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0," id "\"function\":{" name \
    "\"arguments\":\"" arguments "\"}}]}}]}\n"
#define FINISH "{\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n[DONE]"

/* Some servers send the index 0 for all calls, and some repeat the id and the name of a call. */
static void calls_of_one_index_are_told_apart_by_their_ids(void **state)
{
    (void)state;
    result two = translate(
        CHAT,
        CALL("\"id\":\"c1\",", "\"name\":\"f\",", "") CALL("", "", "{\\\"a\\\":1}")
            CALL("\"id\":\"c2\",", "\"name\":\"g\",", "{\\\"b\\\"") CALL("", "", ":2}") FINISH,
        GEMINI, true);
    assert_int_equal(two.status, RC_OK);
    assert_non_null(strstr(two.text, "\"id\":\"c1\",\"name\":\"f\",\"args\":{\"a\":1}"));
    assert_non_null(strstr(two.text, "\"id\":\"c2\",\"name\":\"g\",\"args\":{\"b\":2}"));
    result one = translate(CHAT,
                           CALL("\"id\":\"c1\",", "\"name\":\"f\",", "{\\\"a\\\"")
                               CALL("\"id\":\"c1\",", "\"name\":\"f\",", ":1}") FINISH,
                           GEMINI, true);
    assert_int_equal(one.status, RC_OK);
    assert_non_null(strstr(one.text, "\"args\":{\"a\":1}"));
}

static void no_arguments_are_an_empty_object(void **state)
{
    (void)state;
    const char *const none[] = {"", " ", "null"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        result got = translate_arguments(none[i], "stop", MESSAGES, false);
        assert_int_equal(got.status, RC_OK);
        assert_non_null(strstr(got.text, "\"input\":{}"));
        got = translate_arguments(none[i], "stop", GEMINI, true);
        assert_int_equal(got.status, RC_OK);
        assert_non_null(strstr(got.text, "\"args\":{}"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_without_content_is_malformed),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
        cmocka_unit_test(a_list_of_parts_is_content),
        cmocka_unit_test(a_whole_response_may_have_many_bytes),
        cmocka_unit_test(arguments_that_are_no_object_are_malformed),
        cmocka_unit_test(a_call_without_a_name_is_malformed),
        cmocka_unit_test(calls_of_one_index_are_told_apart_by_their_ids),
        cmocka_unit_test(no_arguments_are_an_empty_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
