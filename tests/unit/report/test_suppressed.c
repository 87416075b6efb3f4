/* Tests of SuppressedError: one line with the whole report, which always has a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/suppressed.h>

#include "support/fail_alloc.h"
#include "support/json_query.h"
#include "support/render_cases.h"

static json_object *encoded(const rc_report *report, rc_str reason, uint64_t seq, int64_t now)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4u << 20);
    assert_int_equal(rc_suppressed_encode(report, reason, seq, now, &buf), RC_OK);
    rc_str text = rc_buf_get(&buf);
    assert_int_equal(rc_str_find_byte(text, '\n', 0), text.len - 1);
    assert_null(check_json(rc_str_slice(text, 0, text.len - 1)));
    json_object *root = query_parse(text);
    rc_buf_done(&buf);
    return root;
}

static void test_event(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = encoded(report, RC_STR("the cache is only a help"), 7, CASE_NOW_UNIX_MS);
    query_string(root, "/type", "SuppressedError");
    query_int(root, "/seq", 7);
    query_string(root, "/time", "2026-11-16T01:02:03.456Z");
    query_string(root, "/correlation_id", "rep_1");
    query_string(root, "/reason", "the cache is only a help");
    query_string(root, "/error/error_code", "RateLimited");
    query_string(root, "/error/detail", "DETAIL");
    query_string(root, "/error/cause/detail", "CAUSE-DETAIL");
    assert_int_equal(json_object_object_length(root), 6);
    json_object_put(root);
    rc_report_free(report);
}

static void test_without_reason(void **state)
{
    (void)state;
    json_object *root = encoded(rc_report_static(RC_CODE_INTERNAL), RC_STR(""), UINT64_MAX, 0);
    query_string(root, "/reason", "no reason given");
    query_string(root, "/time", "1970-01-01T00:00:00.000Z");
    query_string(root, "/correlation_id", "");
    json_object_put(root);
    root = encoded(NULL, RC_STR("x"), 0, 0);
    assert_true(query_has(root, "/error"));
    json_object_put(root);
}

/* The reason is not part of the report, so the encoder removes secrets from it and cuts it. */
static void test_reason_is_scrubbed(void **state)
{
    (void)state;
    json_object *root =
        encoded(NULL, RC_STR("Authorization: Bearer abcdefghijklmnopqrstuvwx"), 1, 1);
    json_object *reason = NULL;
    assert_int_equal(json_pointer_get(root, "/reason", &reason), 0);
    assert_null(strstr(json_object_get_string(reason), "abcdefgh"));
    json_object_put(root);

    static char text[20000];
    memset(text, 'r', sizeof text);
    root = encoded(NULL, rc_str_make(text, sizeof text), 1, 1);
    assert_int_equal(json_pointer_get(root, "/reason", &reason), 0);
    assert_true(json_object_get_string_len(reason) <= RC_REPORT_MESSAGE_MAX);
    json_object_put(root);
}

static void test_failures(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    for (size_t fail_at = 1; fail_at < 100; fail_at++) {
        fail_alloc failing = {.fail_at = fail_at};
        rc_alloc alloc = fail_alloc_of(&failing);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 1u << 20);
        rc_status status = rc_suppressed_encode(report, RC_STR("reason"), 1, 1, &buf);
        rc_buf_done(&buf);
        assert_int_equal(failing.live, 0);
        if (failing.calls < fail_at) {
            assert_int_equal(status, RC_OK);
            rc_report_free(report);
            return;
        }
        assert_int_equal(status, RC_E_NOMEM);
    }
    fail_msg("it never ended");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event),
        cmocka_unit_test(test_without_reason),
        cmocka_unit_test(test_reason_is_scrubbed),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
