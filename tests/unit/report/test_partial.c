/* Tests of partial results: the payload is unchanged, each failed item has a report, and nothing is
 * written if the payload or a report is invalid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/partial.h>

#include "support/fail_alloc.h"
#include "support/json_query.h"
#include "support/render_cases.h"

static json_object *encoded(rc_str payload, const rc_item_error *errors, size_t count, rc_view view)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4u << 20);
    assert_int_equal(rc_partial_encode(payload, errors, count, view, &buf), RC_OK);
    assert_null(check_json(rc_buf_get(&buf)));
    json_object *root = query_parse(rc_buf_get(&buf));
    rc_buf_done(&buf);
    return root;
}

static void test_payload_and_errors(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_item_error errors[] = {{RC_STR("https://a.example/1"), report},
                              {RC_STR(""), rc_report_static(RC_CODE_NOT_FOUND)}};
    json_object *root = encoded(RC_STR(" {\"pages\":[1,2]}\n"), errors, 2, RC_VIEW_INTERNAL);
    query_int(root, "/payload/pages/1", 2);
    query_string(root, "/errors/0/item", "https://a.example/1");
    query_string(root, "/errors/0/error/error_code", "RateLimited");
    query_string(root, "/errors/0/error/detail", "DETAIL");
    assert_false(query_has(root, "/errors/1/item"));
    query_string(root, "/errors/1/error/error_code", "NotFound");
    json_object_put(root);

    root = encoded(RC_STR("null"), NULL, 0, RC_VIEW_USER);
    query_null(root, "/payload");
    assert_false(query_has(root, "/errors/0"));
    assert_true(query_has(root, "/errors"));
    json_object_put(root);
    rc_report_free(report);
}

static void test_views(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_item_error error = {RC_STR("/srv/ada/page.html"), report};
    json_object *root = encoded(RC_STR("[]"), &error, 1, RC_VIEW_MODEL);
    query_string(root, "/errors/0/item", "[path]");
    query_string(root, "/errors/0/error/message", "MESSAGE in [path]");
    assert_false(query_has(root, "/errors/0/error/detail"));
    json_object_put(root);
    root = encoded(RC_STR("[]"), &error, 1, (rc_view)64);
    assert_false(query_has(root, "/errors/0/error/detail"));
    json_object_put(root);
    rc_report_free(report);
}

/* The name of an item may be a URL that contains a key. */
static void test_item_is_scrubbed(void **state)
{
    (void)state;
    rc_item_error error = {RC_STR("https://u:hunter2hunter2@h.example/?api_key=abcdefghijklmnop"),
                           rc_report_static(RC_CODE_NOT_FOUND)};
    json_object *root = encoded(RC_STR("1"), &error, 1, RC_VIEW_INTERNAL);
    json_object *item = NULL;
    assert_int_equal(json_pointer_get(root, "/errors/0/item", &item), 0);
    assert_null(strstr(json_object_get_string(item), "hunter2"));
    assert_null(strstr(json_object_get_string(item), "abcdefgh"));
    json_object_put(root);
}

static void expect_refused(rc_str payload, rc_status want)
{
    char memory[256];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_buf_push(&buf, RC_STR("before"));
    rc_status status = rc_partial_encode(payload, NULL, 0, RC_VIEW_USER, &buf);
    if (status != want)
        fail_msg("\"%.*s\": %s, want %s", (int)payload.len, payload.ptr, rc_status_name(status),
                 rc_status_name(want));
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("before")));
    assert_int_equal(rc_buf_status(&buf), RC_OK);
}

static void test_payload_must_be_json(void **state)
{
    (void)state;
    expect_refused(RC_STR(""), RC_E_TRUNCATED);
    expect_refused(RC_STR("  "), RC_E_TRUNCATED);
    expect_refused(RC_STR("{\"a\":"), RC_E_TRUNCATED);
    expect_refused(RC_STR("[1,2"), RC_E_TRUNCATED);
    expect_refused(RC_STR("{a:1}"), RC_E_SYNTAX);
    expect_refused(RC_STR("1 2"), RC_E_SYNTAX);
    expect_refused(RC_STR("{}}"), RC_E_SYNTAX);
    expect_refused(RC_STR("\"\xff\""), RC_E_SYNTAX);
    char deep[1200];
    memset(deep, '[', sizeof deep);
    expect_refused(rc_str_make(deep, sizeof deep), RC_E_TOO_DEEP);
}

static void test_report_must_be_there(void **state)
{
    (void)state;
    char memory[256];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_item_error errors[] = {{RC_STR("a"), rc_report_static(RC_CODE_NOT_FOUND)},
                              {RC_STR("b"), NULL}};
    assert_int_equal(rc_partial_encode(RC_STR("{}"), errors, 2, RC_VIEW_USER, &buf), RC_E_ARGUMENT);
    assert_int_equal(rc_buf_get(&buf).len, 0);
}

static void test_failures(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_item_error error = {RC_STR("a"), report};
    for (size_t fail_at = 1; fail_at < 100; fail_at++) {
        fail_alloc failing = {.fail_at = fail_at};
        rc_alloc alloc = fail_alloc_of(&failing);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 1u << 20);
        rc_status status = rc_partial_encode(RC_STR("{}"), &error, 1, RC_VIEW_INTERNAL, &buf);
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
        cmocka_unit_test(test_payload_and_errors),   cmocka_unit_test(test_views),
        cmocka_unit_test(test_item_is_scrubbed),     cmocka_unit_test(test_payload_must_be_json),
        cmocka_unit_test(test_report_must_be_there), cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
