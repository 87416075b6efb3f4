/* Tests of the report builder: filling, inheritance, size limits, reference counts, failing
 * allocations. */
#include <recourse/builder.h>
#include <recourse/json.h>
#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "report/fields.h"
#include "support/fail_alloc.h"

static void assert_text(rc_str actual, const char *expected)
{
    assert_int_equal(actual.len, strlen(expected));
    assert_memory_equal(actual.ptr, expected, actual.len + 1); /* the comparison includes the NUL */
}

static const rc_report *simple(rc_code code, const rc_report *cause)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, code);
    rc_builder_set_cause(&b, cause);
    return rc_builder_finish(&b);
}

static void test_every_code_fills_itself_from_its_row(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *row = rc_code_at(i);
        const rc_report *r = simple(row->code, NULL);
        assert_int_equal(rc_report_code(r), row->code);
        assert_int_equal(rc_report_class(r), row->error_class);
        assert_int_equal(rc_report_category(r), row->category);
        assert_int_equal(rc_report_domain(r), row->domain);
        assert_int_equal(rc_report_is_retryable(r), row->is_retryable);
        assert_int_equal(rc_report_action(r), row->action);
        assert_int_equal(rc_report_http_status(r), row->http_status);
        assert_int_equal(rc_report_exit_status(r), row->exit_status);
        assert_int_equal(rc_report_run_event(r), row->run_event);
        assert_text(rc_report_message(r), row->message);
        assert_text(rc_report_action_detail(r), row->action_detail);
        assert_true(rc_report_error_type(r).len > 0);
        rc_report_free(r);
    }
}

static void test_a_new_report_has_no_fields(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_NONE);
    assert_false(rc_fields_any_set(&rc_report_fields, b.report));
    rc_builder_done(&b);
}

static void test_message_names_provider_and_model(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_MODEL_NOT_FOUND);
    rc_builder_set_provider(&b, RC_STR("openai"));
    rc_builder_set_model(&b, RC_STR("gpt-9"));
    rc_builder_set_family(&b, RC_FAMILY_LLM);
    const rc_report *r = rc_builder_finish(&b);
    assert_text(rc_report_message(r), "openai does not have the model gpt-9.");
    assert_text(rc_report_error_type(r), "LLMModelNotFoundError");
    rc_report_free(r);
}

static const rc_report *rate_limited(void)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_RATE_LIMITED);
    rc_builder_set_family(&b, RC_FAMILY_LLM);
    rc_builder_set_provider(&b, RC_STR("anthropic"));
    rc_builder_set_model(&b, RC_STR("claude"));
    rc_builder_set_provider_status(&b, 429);
    rc_builder_set_provider_type(&b, RC_STR("rate_limit_error"));
    rc_builder_set_request_id(&b, RC_STR("req_1"));
    rc_builder_set_retry_after_ms(&b, 0);
    rc_builder_set_limit_kind(&b, RC_LIMIT_KIND_TOKENS);
    rc_builder_set_rule(&b, RC_STR("anthropic.rate"));
    rc_builder_set_raw(&b, RC_STR("{\"type\":\"error\"}"));
    rc_builder_set_retry_exhausted(&b, true);
    return rc_builder_finish(&b);
}

static void test_wrapper_keeps_type_and_message_and_inherits_the_rest(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *inner = rate_limited();
    const rc_report *middle = simple(RC_CODE_NONE, inner);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_NONE);
    rc_builder_set_error_type(&b, RC_STR("PipelineError"));
    rc_builder_set_message(&b, RC_STR("The summary step failed."));
    rc_builder_set_cause(&b, middle);
    const rc_report *outer = rc_builder_finish(&b);
    rc_report_free(inner);
    rc_report_free(middle);

    assert_text(rc_report_error_type(outer), "PipelineError");
    assert_text(rc_report_message(outer), "The summary step failed.");
    assert_int_equal(rc_report_code(outer), RC_CODE_RATE_LIMITED);
    assert_int_equal(rc_report_class(outer), RC_CLASS_PROVIDER_TRANSIENT);
    assert_int_equal(rc_report_category(outer), RC_CATEGORY_TRANSIENT);
    assert_true(rc_report_is_retryable(outer));
    assert_true(rc_report_is_retry_exhausted(outer));
    assert_text(rc_report_provider(outer), "anthropic");
    assert_text(rc_report_model(outer), "claude");
    assert_int_equal(rc_report_provider_status(outer), 429);
    assert_text(rc_report_request_id(outer), "req_1");
    assert_int_equal(rc_report_retry_after_ms(outer), 0);
    assert_int_equal(rc_report_limit_kind(outer), RC_LIMIT_KIND_TOKENS);
    assert_text(rc_report_rule(outer), "anthropic.rate");
    assert_int_equal(rc_report_http_status(outer), 429);
    assert_text(rc_report_raw(outer), "");
    assert_text(rc_report_raw(rc_report_root(outer)), "{\"type\":\"error\"}");
    rc_report_free(outer);
}

static void test_own_code_wins_over_the_cause(void **unused)
{
    (void)unused;
    const rc_report *inner = rate_limited();
    const rc_report *outer = simple(RC_CODE_RUN_TIMEOUT, inner);
    assert_int_equal(rc_report_code(outer), RC_CODE_RUN_TIMEOUT);
    assert_false(rc_report_is_retryable(outer));
    assert_int_equal(rc_report_category(outer), RC_CATEGORY_TRANSIENT); /* the code has no category,
                                                                           so it is inherited */
    assert_int_equal(rc_report_action(outer), RC_ACTION_RAISE_LIMIT);
    assert_text(rc_report_message(outer), "The run reached its time limit.");
    rc_report_free(outer);

    outer = simple(RC_CODE_TURN_CANCELLED, inner);
    assert_int_equal(rc_report_http_status(outer), 499); /* not 429, which the provider sent */
    rc_report_free(outer);
    rc_report_free(inner);
}

static void test_action_is_inherited_whole(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *inner = rate_limited();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_NONE);
    rc_builder_set_action(&b, RC_ACTION_CONTACT_SUPPORT, RC_STR(""));
    rc_builder_set_cause(&b, inner);
    const rc_report *outer = rc_builder_finish(&b);
    assert_int_equal(rc_report_action(outer), RC_ACTION_CONTACT_SUPPORT);
    assert_text(rc_report_action_detail(outer), "");
    rc_report_free(outer);
    rc_report_free(inner);
}

static void test_fields_can_be_set_any_number_of_times(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    static char text[16000];
    memset(text, 'd', sizeof text);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    for (int i = 0; i < 1000; i++) {
        text[0] = (char)('a' + i % 26);
        rc_builder_set_detail(&b, rc_str_make(text, sizeof text));
        rc_builder_set_context(&b, RC_STR("progress"), rc_str_make(text, 5000));
        rc_builder_set_action(&b, RC_ACTION_REPORT_BUG, rc_str_make(text, 5000));
        rc_builder_add_source_text(&b, RC_STR("S"));
        rc_report_attempt attempt = {.attempt = 1, .reason = rc_str_make(text, 500)};
        rc_builder_add_attempt(&b, &attempt);
    }
    char key[] = "k000000";
    for (int i = 0; i < 200000; i++) {
        for (int digit = 6, rest = i; digit > 0; digit--, rest /= 10)
            key[digit] = (char)('0' + rest % 10);
        rc_builder_set_context(&b, rc_str_c(key), RC_STR("a value that would fill the memory"));
    }
    rc_builder_set_detail(&b, RC_STR("short"));
    rc_builder_set_message(&b, RC_STR("at last"));
    const rc_report *r = rc_builder_finish(&b);
    assert_text(rc_report_detail(r), "short");
    assert_text(rc_report_message(r), "at last");
    assert_int_equal(rc_report_context_get(r, RC_STR("progress"))->text.len, 5000);
    assert_int_equal(rc_report_action_detail(r).len, 5000);
    assert_text(rc_report_context_get(r, RC_STR("incomplete"))->text, "too large");
    rc_report_free(r);
}

static void test_a_failed_setter_keeps_the_old_value(void **unused)
{
    (void)unused;
    fail_alloc memory = {.fail_at = 2, .for_good = true};
    rc_alloc alloc = fail_alloc_of(&memory);
    static char text[9000];
    memset(text, 'd', sizeof text);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    rc_builder_set_detail(&b, RC_STR("first"));
    rc_builder_set_detail(&b, rc_str_make(text, sizeof text));
    const rc_report *r = rc_builder_finish(&b);
    assert_text(rc_report_detail(r), "first");
    assert_text(rc_report_context_get(r, RC_STR("incomplete"))->text, "out of memory");
    rc_report_free(r);
}

static void test_family_follows_the_code_of_the_cause(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *inner = simple(RC_CODE_MODEL_NOT_FOUND, NULL);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_NONE);
    rc_builder_set_error_type(&b, RC_STR("Replaced"));
    rc_builder_set_family(&b, RC_FAMILY_LLM);
    rc_builder_set_cause(&b, inner);
    const rc_report *r = rc_builder_finish(&b);
    assert_text(rc_report_error_type(r), "LLMModelNotFoundError");
    rc_report_free(r);

    rc_builder_init(&b, &alloc, RC_CODE_RATE_LIMITED);
    rc_builder_set_family(&b, RC_FAMILY_IMAGE);
    rc_builder_set_error_type(&b, RC_STR("MyError"));
    r = rc_builder_finish(&b);
    assert_text(rc_report_error_type(r), "MyError");
    rc_report_free(r);
    rc_report_free(inner);
}

static void test_a_code_that_is_not_in_the_table(void **unused)
{
    (void)unused;
    const rc_report *r = simple(RC_CODE_UNKNOWN, NULL);
    assert_int_equal(rc_report_code(r), RC_CODE_UNCLASSIFIED);
    assert_false(rc_report_is_retryable(r));
    rc_report_free(r);
    r = simple((rc_code)12345, NULL);
    assert_int_equal(rc_report_code(r), RC_CODE_UNCLASSIFIED);
    rc_report_free(r);
}

static void test_finishing_twice_is_reported(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_OVERLOADED);
    rc_report_free(rc_builder_finish(&b));
    assert_int_equal(rc_report_code(rc_builder_finish(&b)), RC_CODE_INVARIANT_BROKEN);
    rc_builder_done(&b);
}

static void test_provider_429_passes_through(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_QUOTA_EXHAUSTED);
    rc_builder_set_provider_status(&b, 429);
    const rc_report *r = rc_builder_finish(&b);
    assert_int_equal(rc_report_http_status(r), 429);
    rc_report_free(r);

    rc_builder_init(&b, &alloc, RC_CODE_QUOTA_EXHAUSTED);
    rc_builder_set_provider_status(&b, 403);
    r = rc_builder_finish(&b);
    assert_int_equal(rc_report_http_status(r), 402);
    rc_report_free(r);
}

static void test_context_replaces_and_redacts(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    rc_builder_set_context(&b, RC_STR("run_id"), RC_STR("r1"));
    rc_builder_set_context_int(&b, RC_STR("attempt"), 2);
    rc_builder_set_context(&b, RC_STR("run_id"), RC_STR("r2"));
    rc_builder_set_context_bool(&b, RC_STR("is_last"), true);
    rc_builder_set_context(&b, RC_STR("api_key"), RC_STR("plain-looking"));
    rc_builder_set_context_int(&b, RC_STR("password"), 123456);
    rc_builder_set_context(&b, RC_STR("note"), RC_STR(""));
    const rc_report *r = rc_builder_finish(&b);
    assert_int_equal(rc_report_context_count(r), 6);
    assert_text(rc_report_context_get(r, RC_STR("run_id"))->text, "r2");
    assert_int_equal(rc_report_context_get(r, RC_STR("attempt"))->number, 2);
    assert_true(rc_report_context_get(r, RC_STR("is_last"))->flag);
    assert_text(rc_report_context_get(r, RC_STR("api_key"))->text, "[redacted]");
    assert_text(rc_report_context_get(r, RC_STR("password"))->text, "[redacted]");
    assert_text(rc_report_context_get(r, RC_STR("note"))->text, "");
    assert_null(rc_report_context_get(r, RC_STR("absent")));
    assert_null(rc_report_context_at(r, 6));
    rc_report_free(r);
}

static void test_size_limits_are_kept_and_noted(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    char key[] = "k00";
    for (int i = 0; i < 100; i++) {
        key[1] = (char)('0' + i / 10);
        key[2] = (char)('0' + i % 10);
        rc_builder_set_context_int(&b, rc_str_c(key), i);
        rc_builder_add_source(&b, RC_HERE("E"));
        rc_report_attempt attempt = {
            .attempt = i + 1, .started_unix_ms = -1, .duration_ms = -1, .wait_ms = -1};
        rc_builder_add_attempt(&b, &attempt);
    }
    const rc_report *r = rc_builder_finish(&b);
    assert_int_equal(rc_report_context_count(r), RC_REPORT_CONTEXT_MAX + 1);
    assert_text(rc_report_context_get(r, RC_STR("incomplete"))->text, "too large");
    assert_int_equal(rc_report_source_count(r), RC_REPORT_SOURCES_MAX);
    assert_int_equal(rc_report_attempt_count(r), RC_REPORT_ATTEMPTS_MAX);
    assert_null(rc_report_attempt_at(r, RC_REPORT_ATTEMPTS_MAX));
    rc_report_free(r);
}

static void test_values_out_of_range_are_ignored(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    rc_builder_set_provider_status(&b, -1);
    rc_builder_set_provider_status(&b, 1000);
    rc_builder_set_retry_after_ms(&b, -5);
    rc_builder_set_http_status(&b, 304);
    rc_builder_set_http_status(&b, 600);
    rc_report_attempt attempt = {
        .attempt = -1, .status = 5000, .started_unix_ms = -9, .duration_ms = -9, .wait_ms = -9};
    rc_builder_add_attempt(&b, &attempt); /* no field of this attempt is valid */
    const rc_report *r = rc_builder_finish(&b);
    assert_int_equal(rc_report_provider_status(r), 0);
    assert_int_equal(rc_report_retry_after_ms(r), -1);
    assert_int_equal(rc_report_http_status(r), 500);
    assert_int_equal(rc_report_attempt_count(r), 0);
    rc_report_free(r);
}

static void test_source_macro_names_the_line(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    rc_builder_add_source(&b, rc_source_make("OpenError", "src/store.c", 41, "store_open"));
    rc_builder_add_source(&b, rc_source_make(NULL, NULL, 0, NULL));
    const rc_report *r = rc_builder_finish(&b);
    assert_text(rc_report_source_at(r, 0), "OpenError @ src/store.c:41 (in store_open)");
    assert_text(rc_report_source_at(r, 1), "Error @ ?:0 (in ?)");
    assert_text(rc_report_source_at(r, 2), "");
    rc_report_free(r);
}

static void test_huge_and_damaged_texts(void **unused)
{
    (void)unused;
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    size_t size = 10u << 20;
    char *body = malloc(size);
    assert_non_null(body);
    memset(body, 'x', size);
    memcpy(body + size / 2, "\0\xff\xfe", 3);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_MALFORMED_RESPONSE);
    rc_builder_set_raw(&b, rc_str_make(body, size));
    rc_builder_set_message(&b, rc_str_make(body, size));
    rc_builder_set_detail(&b, rc_str_make("a\0b\xff", 4));
    const rc_report *r = rc_builder_finish(&b);
    assert_true(rc_report_raw(r).len <= RC_REPORT_RAW_MAX);
    assert_true(rc_report_message(r).len <= RC_REPORT_MESSAGE_MAX);
    assert_text(rc_report_detail(r), "a\xef\xbf\xbd"
                                     "b\xef\xbf\xbd");
    assert_true(memory.peak_bytes < 512u << 10); /* a large body does not need memory of its own
                                                    size */
    rc_report_free(r);
    free(body);
    assert_int_equal(memory.live, 0);
}

static void test_deep_chain_keeps_its_root(void **unused)
{
    (void)unused;
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    const rc_report *r = NULL;
    for (int i = 0; i < 200; i++) {
        rc_builder b;
        rc_builder_init(&b, &alloc, i ? RC_CODE_NONE : RC_CODE_AUTH_FAILED);
        if (i == 0)
            rc_builder_set_provider(&b, RC_STR("groq"));
        rc_builder_set_cause(&b, r);
        rc_report_free(r);
        r = rc_builder_finish(&b);
    }
    size_t depth = 0;
    for (const rc_report *at = r; rc_report_cause(at); at = rc_report_cause(at))
        depth++;
    assert_int_equal(depth, RC_REPORT_CAUSE_DEPTH_MAX);
    assert_int_equal(rc_report_context_get(r, RC_STR("causes_elided"))->number,
                     199 - RC_REPORT_CAUSE_DEPTH_MAX);
    assert_int_equal(rc_report_code(r), RC_CODE_AUTH_FAILED);
    assert_text(rc_report_provider(r), "groq");
    assert_text(rc_report_provider(rc_report_root(r)), "groq");
    rc_report_free(r);
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
}

static void test_reference_counts(void **unused)
{
    (void)unused;
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    const rc_report *r = rc_builder_finish(&b);
    const rc_report *second = rc_report_dup(r);
    assert_ptr_equal(r, second);
    rc_report_free(r);
    assert_int_equal(memory.live, 1);
    rc_report_free(second);
    assert_int_equal(memory.live, 0);

    rc_builder_init(&b, &alloc, RC_CODE_INTERNAL);
    rc_builder_done(&b);
    rc_builder_done(&b);
    rc_builder_done(NULL);
    assert_int_equal(memory.live, 0);
}

static void test_null_is_an_empty_report(void **unused)
{
    (void)unused;
    assert_text(rc_report_id(NULL), "");
    assert_int_equal(rc_report_code(NULL), RC_CODE_NONE);
    assert_int_equal(rc_report_retry_after_ms(NULL), -1);
    assert_false(rc_report_is_retryable(NULL));
    assert_false(rc_report_is_retry_exhausted(NULL));
    assert_null(rc_report_context_at(NULL, 0));
    assert_null(rc_report_context_get(NULL, RC_STR("a")));
    assert_null(rc_report_attempt_at(NULL, 0));
    assert_text(rc_report_source_at(NULL, 0), "");
    assert_null(rc_report_root(NULL));
    assert_int_equal(rc_report_exit_status(NULL), 70);
    assert_int_equal(rc_report_run_event(NULL), RC_EVENT_INTERNAL);
    assert_null(rc_report_dup(NULL));
    rc_report_free(NULL);
}

static void test_the_code_is_returned_even_without_memory(void **unused)
{
    (void)unused;
    fail_alloc memory = {.fail_at = 1, .for_good = true};
    rc_alloc alloc = fail_alloc_of(&memory);
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *row = rc_code_at(i);
        rc_builder b;
        rc_builder_init(&b, &alloc, row->code);
        rc_builder_set_message(&b, RC_STR("lost"));
        rc_builder_set_context_int(&b, RC_STR("lost"), 1);
        rc_builder_add_source(&b, RC_HERE("Lost"));
        const rc_report *r = rc_builder_finish(&b);
        assert_int_equal(rc_report_code(r), row->code);
        assert_int_equal(rc_report_is_retryable(r), row->is_retryable);
        assert_int_equal(rc_report_http_status(r), row->http_status);
        assert_text(rc_report_message(r), row->message);
        assert_text(rc_report_context_get(r, RC_STR("incomplete"))->text, "out of memory");
        rc_report_free(rc_report_dup(r));
        rc_report_free(r);
    }
    const rc_report *internal = rc_report_static(RC_CODE_NONE);
    assert_int_equal(rc_report_code(internal), RC_CODE_INTERNAL);
}

static void test_wrapper_without_memory_is_its_cause(void **unused)
{
    (void)unused;
    const rc_report *inner = rate_limited();
    fail_alloc memory = {.fail_at = 1, .for_good = true};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_NONE);
    rc_builder_set_cause(&b, inner);
    const rc_report *outer = rc_builder_finish(&b);
    assert_ptr_equal(outer, inner);
    rc_report_free(outer);

    rc_builder_init(&b, &alloc, RC_CODE_DEADLINE_EXCEEDED);
    rc_builder_set_cause(&b, inner);
    outer = rc_builder_finish(&b);
    assert_int_equal(rc_report_code(outer), RC_CODE_DEADLINE_EXCEEDED);
    rc_report_free(outer);
    rc_report_free(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_fills_itself_from_its_row),
        cmocka_unit_test(test_a_new_report_has_no_fields),
        cmocka_unit_test(test_message_names_provider_and_model),
        cmocka_unit_test(test_wrapper_keeps_type_and_message_and_inherits_the_rest),
        cmocka_unit_test(test_own_code_wins_over_the_cause),
        cmocka_unit_test(test_action_is_inherited_whole),
        cmocka_unit_test(test_fields_can_be_set_any_number_of_times),
        cmocka_unit_test(test_a_failed_setter_keeps_the_old_value),
        cmocka_unit_test(test_family_follows_the_code_of_the_cause),
        cmocka_unit_test(test_a_code_that_is_not_in_the_table),
        cmocka_unit_test(test_finishing_twice_is_reported),
        cmocka_unit_test(test_provider_429_passes_through),
        cmocka_unit_test(test_context_replaces_and_redacts),
        cmocka_unit_test(test_size_limits_are_kept_and_noted),
        cmocka_unit_test(test_values_out_of_range_are_ignored),
        cmocka_unit_test(test_source_macro_names_the_line),
        cmocka_unit_test(test_huge_and_damaged_texts),
        cmocka_unit_test(test_deep_chain_keeps_its_root),
        cmocka_unit_test(test_reference_counts),
        cmocka_unit_test(test_null_is_an_empty_report),
        cmocka_unit_test(test_the_code_is_returned_even_without_memory),
        cmocka_unit_test(test_wrapper_without_memory_is_its_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
