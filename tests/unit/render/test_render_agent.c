/* Tests of the agent JSON: its members in each view, the hint, the flat list of sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/view.h"
#include "support/json_query.h"
#include "support/render_cases.h"

static json_object *rendered(const rc_report *report, rc_view view)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4u << 20);
    assert_int_equal(rc_render_agent_json(report, view, 0, &buf), RC_OK);
    json_object *root = query_parse(rc_buf_get(&buf));
    rc_buf_done(&buf);
    return root;
}

static void check_common(json_object *root)
{
    query_bool(root, "/error", true);
    query_string(root, "/error_type", "LLMCompletionError");
    query_string(root, "/hint", "ADVICE Wait 4s before the next attempt.");
    query_bool(root, "/retryable", true);
    query_string(root, "/error_domain", "runtime");
    query_string(root, "/error_category", "transient");
    query_string(root, "/error_class", "ProviderTransient");
    query_string(root, "/error_code", "RateLimited");
    query_string(root, "/report_id", "rep_1");
    query_string(root, "/provider", "openai");
    query_string(root, "/model", "gpt-4o");
    query_int(root, "/retry_after_ms", 4000);
    query_int(root, "/http_status", 429);
    query_string(root, "/user_action/kind", "wait_and_retry");
    query_string(root, "/user_action/detail", "ADVICE");
    query_string(root, "/context/run_id", "RUN");
    query_int(root, "/context/attempt", 3);
}

static void test_internal(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_VIEW_INTERNAL);
    check_common(root);
    query_string(root, "/message", "MESSAGE in /srv/ada/x.py");
    query_string(root, "/detail", "DETAIL");
    query_string(root, "/rule", "RULE");
    query_int(root, "/provider_metadata/status", 429);
    query_string(root, "/provider_metadata/type", "TYPE");
    query_string(root, "/provider_metadata/code", "CODE");
    query_string(root, "/provider_metadata/param", "PARAM");
    query_string(root, "/provider_metadata/request_id", "REQUEST");
    query_string(root, "/provider_metadata/limit_kind", "tokens");
    query_string(root, "/provider_metadata/raw", "RAW");
    query_bool(root, "/context/is_last", true);
    query_int(root, "/attempts/0/attempt", 1);
    query_string(root, "/attempts/0/credential", "KEY-1");
    query_string(root, "/attempts/0/error_code", "Overloaded");
    query_int(root, "/attempts/0/duration_ms", 1200);
    query_int(root, "/attempts/0/wait_ms", 2000);
    query_string(root, "/attempts/0/reason", "REASON");
    query_string(root, "/causes/0/error_type", "CAUSE-TYPE");
    query_string(root, "/causes/0/error_code", "ConnectionReset");
    query_string(root, "/causes/0/message", "CAUSE-MESSAGE");
    query_string(root, "/causes/0/detail", "CAUSE-DETAIL");
    query_string(root, "/error_source/0", "SOURCE @ a.c:1 (in f)");
    query_string(root, "/error_source/1", "CAUSE-SOURCE @ b.c:2 (in g)");
    json_object_put(root);
    rc_report_free(report);
}

static void check_private_is_absent(json_object *root)
{
    static const char *const PRIVATE[] = {"/detail",
                                          "/rule",
                                          "/causes",
                                          "/error_source",
                                          "/attempts",
                                          "/provider_metadata/raw",
                                          "/provider_metadata/type",
                                          "/provider_metadata/code",
                                          "/provider_metadata/param"};
    for (size_t i = 0; i < sizeof PRIVATE / sizeof *PRIVATE; i++) {
        if (query_has(root, PRIVATE[i]))
            fail_msg("%s must not be there", PRIVATE[i]);
    }
}

static void test_user(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_view views[] = {RC_VIEW_USER, (rc_view)0, (rc_view)7};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        json_object *root = rendered(report, views[i]);
        check_common(root);
        check_private_is_absent(root);
        query_string(root, "/provider_metadata/request_id", "REQUEST");
        assert_false(query_has(root, "/context/region"));
        json_object_put(root);
    }
    rc_report_free(report);
}

static void test_model(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_VIEW_MODEL);
    check_common(root);
    check_private_is_absent(root);
    query_string(root, "/message", "MESSAGE in [path]");
    query_int(root, "/provider_metadata/status", 429);
    query_string(root, "/context/region", "REGION");
    assert_false(query_has(root, "/provider_metadata/request_id"));
    json_object_put(root);
    rc_report_free(report);
}

/* In the model's view, paths are masked in every text of every field. */
static void test_model_paths(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report =
        case_nasty_with(&alloc, RC_CODE_RATE_LIMITED, RC_STR("see /srv/ada/secret/notes.txt"));
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4u << 20);
    rc_render_agent_json(report, RC_VIEW_MODEL, 0, &buf);
    assert_int_equal(rc_str_find(rc_buf_get(&buf), RC_STR("/srv"), 0), RC_STR_NPOS);
    assert_int_not_equal(rc_str_find(rc_buf_get(&buf), RC_STR("[path]"), 0), RC_STR_NPOS);
    rc_buf_done(&buf);
    rc_report_free(report);
}

static void expect_hint(const char *json, const char *want)
{
    const rc_report *report = case_decode(rc_str_c(json));
    json_object *root = rendered(report, RC_VIEW_USER);
    if (want)
        query_string(root, "/hint", want);
    else
        assert_false(query_has(root, "/hint"));
    json_object_put(root);
    rc_report_free(report);
}

static void test_hints(void **state)
{
    (void)state;
    expect_hint("{}", NULL);
    expect_hint("{\"user_action\":{\"kind\":\"add_credit\"}}", "Add credit.");
    expect_hint("{\"user_action\":{\"kind\":\"none\"}}", "Nothing to do.");
    expect_hint("{\"user_action\":{\"kind\":\"add_credit\",\"detail\":\"Pay.\"}}", "Pay.");
    expect_hint("{\"provider_metadata\":{\"retry_after_ms\":1000}}",
                "The provider states a wait of 1s.");
    expect_hint("{\"provider_metadata\":{\"retry_after_ms\":1000},"
                "\"context\":{\"wait_by\":\"recourse\"}}",
                "Recourse retries after 1s.");
    expect_hint("{\"retryable\":true,\"provider_metadata\":{\"retry_after_ms\":1500}}",
                "Wait 2s before the next attempt.");
    expect_hint("{\"retryable\":true,\"provider_metadata\":{\"retry_after_ms\":0}}", NULL);
}

/* The output for a report without fields still states that an error occurred. */
static void test_empty_report(void **state)
{
    (void)state;
    const rc_report *bare = case_bare();
    const rc_report *reports[] = {NULL, bare};
    for (size_t i = 0; i < 2; i++) {
        json_object *root = rendered(reports[i], RC_VIEW_INTERNAL);
        query_bool(root, "/error", true);
        query_bool(root, "/retryable", false);
        query_string(root, "/message", "An unknown error occurred.");
        query_int(root, "/http_status", 500);
        assert_int_equal(json_object_object_length(root), 4);
        json_object_put(root);
    }
    rc_report_free(bare);
}

static void test_deep_chain(void **state)
{
    (void)state;
    const rc_report *report = case_deep();
    json_object *root = rendered(report, RC_VIEW_INTERNAL);
    json_object *list = NULL;
    assert_int_equal(json_pointer_get(root, "/causes", &list), 0);
    assert_int_equal(json_object_array_length(list), 64);
    assert_int_equal(json_pointer_get(root, "/error_source", &list), 0);
    assert_int_equal(json_object_array_length(list), 65);
    json_object_put(root);
    rc_report_free(report);
}

/* A text that does not fit after masking is left out. */
static void test_view_text(void **state)
{
    (void)state;
    static char text[2 * RC_REPORT_MESSAGE_MAX + 1];
    memset(text, 'x', sizeof text);
    rc_text_scratch scratch;
    rc_str whole = rc_str_make(text, sizeof text);
    assert_true(rc_str_eq(rc_view_text(RC_VIEW_MODEL, whole, &scratch), RC_STR("[path]")));
    assert_true(rc_str_eq(rc_view_text(RC_VIEW_INTERNAL, whole, &scratch), whole));
    rc_str masked = rc_view_text(RC_VIEW_MODEL, RC_STR("in /etc/passwd"), &scratch);
    assert_true(rc_str_eq(masked, RC_STR("in [path]")));
    assert_int_equal(rc_view_text(RC_VIEW_MODEL, RC_STR(""), &scratch).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_internal),   cmocka_unit_test(test_user),
        cmocka_unit_test(test_model),      cmocka_unit_test(test_model_paths),
        cmocka_unit_test(test_hints),      cmocka_unit_test(test_empty_report),
        cmocka_unit_test(test_deep_chain), cmocka_unit_test(test_view_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
