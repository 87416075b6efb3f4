/* Tests of the report encoder: the members of each view and their order. */
#include <recourse/builder.h>
#include <recourse/json.h>
#include <recourse/stdlib.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const rc_report *sample(void)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_CONNECTION_RESET);
    rc_builder_set_detail(&b, RC_STR("INNER-DETAIL"));
    const rc_report *cause = rc_builder_finish(&b);

    rc_builder_init(&b, &alloc, RC_CODE_RATE_LIMITED);
    rc_builder_set_id_text(&b, RC_STR("rep_1"));
    rc_builder_set_family(&b, RC_FAMILY_LLM);
    rc_builder_set_message(&b, RC_STR("Slow down; see /srv/ada/notes.txt"));
    rc_builder_set_detail(&b, RC_STR("DETAIL"));
    rc_builder_set_provider(&b, RC_STR("openai"));
    rc_builder_set_model(&b, RC_STR("gpt-4o"));
    rc_builder_set_provider_status(&b, 429);
    rc_builder_set_provider_type(&b, RC_STR("requests"));
    rc_builder_set_provider_code(&b, RC_STR("rate_limit_exceeded"));
    rc_builder_set_request_id(&b, RC_STR("req_1"));
    rc_builder_set_retry_after_ms(&b, 0);
    rc_builder_set_limit_kind(&b, RC_LIMIT_KIND_REQUESTS);
    rc_builder_set_raw(&b, RC_STR("RAW"));
    rc_builder_set_context(&b, RC_STR("run_id"), RC_STR("run_7"));
    rc_builder_set_context(&b, RC_STR("tool"), RC_STR("fetch"));
    rc_builder_set_context(&b, RC_STR("cwd"), RC_STR("/srv/ada/work"));
    rc_builder_set_context_int(&b, RC_STR("attempt"), 2);
    rc_builder_set_context_bool(&b, RC_STR("is_last"), false);
    rc_report_attempt attempt = {.attempt = 1,
                                 .provider = RC_STR("openai"),
                                 .credential = RC_STR("key-2"),
                                 .code = RC_CODE_OVERLOADED,
                                 .status = 503,
                                 .started_unix_ms = 1700000000000,
                                 .duration_ms = 250,
                                 .wait_ms = 0,
                                 .reason = RC_STR("overloaded")};
    rc_builder_add_attempt(&b, &attempt);
    rc_builder_set_retry_exhausted(&b, false);
    rc_builder_set_rule(&b, RC_STR("openai.rate"));
    rc_builder_add_source_text(&b, RC_STR("SOURCE @ a.c:1 (in f)"));
    rc_builder_set_cause(&b, cause);
    rc_report_free(cause);
    return rc_builder_finish(&b);
}

static void assert_encodes(rc_view view, const char *expected)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *r = sample();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1u << 16);
    assert_int_equal(rc_report_encode(r, view, &buf), RC_OK);
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(rc_buf_get(&buf).ptr, expected);
    rc_buf_done(&buf);
    rc_report_free(r);
}

#define ACTION_JSON                                                                        \
    "\"user_action\":{\"kind\":\"wait_and_retry\",\"detail\":\"Wait for the stated time, " \
    "or send fewer requests.\"}"

static void test_internal_has_everything_in_order(void **unused)
{
    (void)unused;
    assert_encodes(
        RC_VIEW_INTERNAL,
        "{\"report_id\":\"rep_1\",\"error_type\":\"LLMCompletionError\",\"error_class\":"
        "\"ProviderTransient\","
        "\"error_code\":\"RateLimited\",\"error_category\":\"transient\",\"error_domain\":"
        "\"runtime\",\"retryable\":true,"
        "\"message\":\"Slow down; see /srv/ada/notes.txt\",\"detail\":\"DETAIL\"," ACTION_JSON
        ",\"provider\":\"openai\","
        "\"model\":\"gpt-4o\",\"provider_metadata\":{\"status\":429,\"type\":\"requests\",\"code\":"
        "\"rate_limit_exceeded\","
        "\"request_id\":\"req_1\",\"retry_after_ms\":0,\"limit_kind\":\"requests\",\"raw\":\"RAW\"}"
        ","
        "\"context\":{\"run_id\":\"run_7\",\"tool\":\"fetch\",\"cwd\":\"/srv/ada/"
        "work\",\"attempt\":2,\"is_last\":false},"
        "\"attempts\":[{\"attempt\":1,\"provider\":\"openai\",\"credential\":\"key-2\",\"error_"
        "code\":\"Overloaded\",\"status\":503,"
        "\"started_unix_ms\":1700000000000,\"duration_ms\":250,\"wait_ms\":0,\"reason\":"
        "\"overloaded\"}],"
        "\"retry_exhausted\":false,\"rule\":\"openai.rate\",\"error_source\":[\"SOURCE @ a.c:1 (in "
        "f)\"],\"http_status\":429,"
        "\"cause\":{\"error_type\":\"ProviderError\",\"error_class\":\"ProviderTransient\",\"error_"
        "code\":\"ConnectionReset\","
        "\"error_category\":\"transient\",\"error_domain\":\"runtime\",\"retryable\":true,"
        "\"message\":\"Connection lost: the provider closed the connection before it "
        "responded.\",\"detail\":\"INNER-DETAIL\","
        "\"user_action\":{\"kind\":\"wait_and_retry\",\"detail\":\"Try "
        "again.\"},\"http_status\":502}}");
}

static void test_user_has_message_action_and_ids(void **unused)
{
    (void)unused;
    assert_encodes(RC_VIEW_USER, "{\"report_id\":\"rep_1\",\"error_type\":\"LLMCompletionError\","
                                 "\"error_class\":\"ProviderTransient\","
                                 "\"error_code\":\"RateLimited\",\"retryable\":true,\"message\":"
                                 "\"Slow down; see /srv/ada/notes.txt\"," ACTION_JSON
                                 ",\"provider\":\"openai\",\"model\":\"gpt-4o\",\"provider_"
                                 "metadata\":{\"request_id\":\"req_1\",\"retry_after_ms\":0},"
                                 "\"context\":{\"run_id\":\"run_7\",\"attempt\":2},\"retry_"
                                 "exhausted\":false,\"http_status\":429}");
}

static void test_model_has_no_stack_no_payload_no_path(void **unused)
{
    (void)unused;
    assert_encodes(
        RC_VIEW_MODEL,
        "{\"report_id\":\"rep_1\",\"error_type\":\"LLMCompletionError\",\"error_class\":"
        "\"ProviderTransient\","
        "\"error_code\":\"RateLimited\",\"error_category\":\"transient\",\"error_domain\":"
        "\"runtime\",\"retryable\":true,"
        "\"message\":\"Slow down; see [path]\"," ACTION_JSON
        ",\"provider\":\"openai\",\"model\":\"gpt-4o\","
        "\"provider_metadata\":{\"status\":429,\"retry_after_ms\":0,\"limit_kind\":\"requests\"},"
        "\"context\":{\"run_id\":\"run_7\",\"tool\":\"fetch\",\"cwd\":\"[path]\",\"attempt\":2,"
        "\"is_last\":false},"
        "\"retry_exhausted\":false,\"http_status\":429}");
}

static void test_views_have_names(void **unused)
{
    (void)unused;
    assert_int_equal(rc_view_parse(RC_STR("user")), RC_VIEW_USER);
    assert_int_equal(rc_view_parse(RC_STR("model")), RC_VIEW_MODEL);
    assert_int_equal(rc_view_parse(RC_STR("internal")), RC_VIEW_INTERNAL);
    assert_int_equal(rc_view_parse(RC_STR("all")), 0);
    assert_string_equal(rc_view_name(RC_VIEW_MODEL), "model");
    assert_string_equal(rc_view_name((rc_view)0), "unknown");
}

static void test_buffer_limits_are_reported(void **unused)
{
    (void)unused;
    char memory[4096];
    const rc_report *r = sample();
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_report_encode(r, RC_VIEW_INTERNAL, &buf), RC_OK);
    size_t len = rc_buf_get(&buf).len;
    for (size_t size = 0; size < len; size++) {
        rc_buf_init_fixed(&buf, memory, size);
        assert_int_equal(rc_report_encode(r, RC_VIEW_INTERNAL, &buf), RC_E_TOO_LARGE);
    }
    rc_buf_init_fixed(&buf, memory, len);
    assert_int_equal(rc_report_encode(r, RC_VIEW_INTERNAL, &buf), RC_OK);
    rc_report_free(r);
}

static void test_null_is_an_empty_object(void **unused)
{
    (void)unused;
    char memory[8];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_report_encode(NULL, RC_VIEW_USER, &buf), RC_OK);
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("{}")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_internal_has_everything_in_order),
        cmocka_unit_test(test_user_has_message_action_and_ids),
        cmocka_unit_test(test_model_has_no_stack_no_payload_no_path),
        cmocka_unit_test(test_views_have_names),
        cmocka_unit_test(test_buffer_limits_are_reported),
        cmocka_unit_test(test_null_is_an_empty_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
