/* Tests of operations, records and sums as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "store/record_json.h"
#include "support/fail_alloc.h"
#include "support/store_fixture.h"

static rc_buf buf;
static rc_json_writer w;

static void begin(void)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf_init(&buf, &alloc, (size_t)1 << 20);
    rc_json_writer_init(&w, &buf, 0);
}

static void expect(const char *json)
{
    rc_buf_push_byte(&buf, '\0');
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    assert_string_equal(rc_buf_get(&buf).ptr, json);
    json_object *doc = json_tokener_parse(json);
    assert_non_null(doc);
    json_object_put(doc);
    rc_buf_done(&buf);
}

static rc_record failed(void)
{
    rc_record record;
    rc_record_init(&record, RC_RECORD_OUTCOME);
    record.operation_id = RC_STR("rep_01HF7YAT00041061050R3GG28A");
    record.key = (FIXTURE_TIME << 15) | 5;
    record.unix_ms = FIXTURE_TIME + 1500;
    record.outcome = RC_OUTCOME_FAILED;
    record.client = RC_STR("a\"b");
    record.model = RC_STR("gpt-4o");
    record.code = RC_CODE_RATE_LIMITED;
    record.error_class = RC_CLASS_PROVIDER_TRANSIENT;
    record.category = RC_CATEGORY_TRANSIENT;
    record.reason = RC_WHY_ATTEMPTS_SPENT;
    record.status = 429;
    record.attempt = 2;
    record.wait_ms = 1000;
    record.latency_ms = 1500;
    record.report_json =
        RC_STR("{\"error_code\":\"RateLimited\",\"message\":\"Too many.\",\"raw\":\"\"}");
    record.flags = RC_RECORD_STREAMING | RC_RECORD_ESTIMATED;
    return record;
}

static void unknown_members_are_left_out(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_record record = failed();
    begin();
    assert_true(rc_record_json_operation(
        &w, &record,
        &(rc_record_json_options){
            .report = RC_RECORD_REPORT_MESSAGE, .view = RC_VIEW_INTERNAL, .alloc = &alloc}));
    expect("{\"id\":\"rep_01HF7YAT00041061050R3GG28A\",\"key\":\"01HF7YAT00-005\","
           "\"began\":\"2023-11-14T22:13:20.000Z\",\"ended\":\"2023-11-14T22:13:21.500Z\","
           "\"client\":\"a\\\"b\",\"model\":\"gpt-4o\",\"outcome\":\"failed\","
           "\"code\":\"RateLimited\",\"class\":\"ProviderTransient\",\"category\":\"transient\","
           "\"status\":429,\"reason\":\"tries_spent\",\"reason_text\":\"the attempts are used up "
           "and there is no other target\",\"attempts\":2,\"wait_ms\":1000,\"latency_ms\":1500,"
           "\"tokens_are\":\"estimated\",\"streaming\":true,\"committed\":false,"
           "\"message\":\"Too many.\"}");
}

static void an_open_operation_has_no_end(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_record record;
    rc_record_init(&record, RC_RECORD_OUTCOME);
    record.operation_id = RC_STR("x");
    begin();
    assert_true(rc_record_json_operation(&w, &record,
                                         &(rc_record_json_options){.report = RC_RECORD_REPORT_WHOLE,
                                                                   .view = RC_VIEW_INTERNAL,
                                                                   .alloc = &alloc}));
    expect("{\"id\":\"x\",\"key\":\"0000000000-000\",\"began\":\"1970-01-01T00:00:00.000Z\","
           "\"outcome\":\"open\",\"attempts\":0,\"streaming\":false,\"committed\":false}");
}

static void a_client_retry_is_marked(void **state)
{
    (void)state;
    rc_record record = failed();
    for (unsigned turn = 0; turn < 2; turn++) {
        record.flags = turn == 0 ? RC_RECORD_STREAMING : RC_RECORD_CLIENT_RETRY;
        begin();
        assert_true(rc_record_json_operation(
            &w, &record, &(rc_record_json_options){.report = RC_RECORD_REPORT_NONE}));
        rc_buf_push_byte(&buf, '\0');
        assert_int_equal(strstr(rc_buf_get(&buf).ptr, "\"client_retry\":true") != NULL, turn == 1);
        rc_buf_done(&buf);
    }
}

static void a_record_has_its_report(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_record record = failed();
    record.kind = RC_RECORD_ATTEMPT;
    record.at_ms = 12;
    record.reason = RC_WHY_BACKOFF;
    record.step = 7;
    record.cost_usd_micro = 1200500;
    record.flags = RC_RECORD_COMMITTED | RC_RECORD_MEASURED;
    record.text = RC_STR("said");
    begin();
    assert_true(rc_record_json_record(&w, &record,
                                      &(rc_record_json_options){.report = RC_RECORD_REPORT_WHOLE,
                                                                .view = RC_VIEW_INTERNAL,
                                                                .alloc = &alloc}));
    rc_buf_push_byte(&buf, '\0');
    const char *json = rc_buf_get(&buf).ptr;
    assert_non_null(strstr(json,
                           "{\"kind\":\"attempt\",\"seq\":0,\"time\":\"2023-11-14T22:13:21.500Z"
                           "\",\"at_ms\":12,\"attempt\":2,"));
    assert_non_null(strstr(json, "\"reason\":\"backoff\""));
    assert_non_null(strstr(json, "\"step\":7"));
    assert_non_null(strstr(json, "\"tokens_are\":\"measured\",\"cost_usd\":1.2005,"));
    assert_non_null(strstr(json, "\"committed\":true"));
    assert_non_null(strstr(json, "\"translated\":\"said\",\"report\":{"));
    assert_non_null(strstr(json, "\"message\":\"Too many.\""));
    rc_buf_done(&buf);
}

/* The stored text of a report may be damaged, or may not be JSON. */
static void a_damaged_report_does_no_harm(void **state)
{
    (void)state;
    static const char *const damaged[] = {
        "", "nonsense", "[1,2", "{\"message\":", "{}}}", "{\"message\":\"\xff\"}"};
    const rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        rc_record record = failed();
        record.report_json = rc_str_c(damaged[i]);
        begin();
        assert_true(rc_record_json_record(
            &w, &record,
            &(rc_record_json_options){
                .report = RC_RECORD_REPORT_WHOLE, .view = RC_VIEW_INTERNAL, .alloc = &alloc}));
        rc_buf_push_byte(&buf, '\0');
        json_object *doc = json_tokener_parse(rc_buf_get(&buf).ptr);
        assert_non_null(doc);
        json_object_put(doc);
        rc_buf_done(&buf);
    }
}

static void out_of_memory_returns_false(void **state)
{
    (void)state;
    const rc_record record = failed();
    for (int how = RC_RECORD_REPORT_MESSAGE; how <= RC_RECORD_REPORT_WHOLE; how++) {
        size_t fail_at = 1;
        for (; fail_at < 50; fail_at++) {
            fail_alloc memory = {.fail_at = fail_at};
            const rc_alloc alloc = fail_alloc_of(&memory);
            begin();
            const bool has_memory = rc_record_json_record(
                &w, &record,
                &(rc_record_json_options){
                    .report = (rc_record_report)how, .view = RC_VIEW_INTERNAL, .alloc = &alloc});
            const bool is_hit = memory.calls >= fail_at;
            assert_int_equal(has_memory, !is_hit);
            assert_int_equal(rc_buf_status(&buf), RC_OK);
            assert_int_equal(memory.live, 0);
            rc_buf_done(&buf);
            if (!is_hit)
                break;
        }
        assert_true(fail_at > 1 && fail_at < 50);
    }
}

static void money_is_exact(void **state)
{
    (void)state;
    static const struct {
        uint64_t micro;
        const char *json;
    } cases[] = {
        {0, "{\"k\":0}"},         {1, "{\"k\":0.000001}"},
        {10, "{\"k\":0.00001}"},  {1000000, "{\"k\":1}"},
        {1500000, "{\"k\":1.5}"}, {UINT64_MAX, "{\"k\":18446744073709.551615}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin();
        rc_json_object_begin(&w);
        rc_record_json_usd(&w, RC_STR("k"), cases[i].micro);
        rc_json_object_end(&w);
        expect(cases[i].json);
    }
}

static void sums_have_times_and_classes(void **state)
{
    (void)state;
    static rc_stats_group group;
    group.count = 10;
    group.succeeded = 7;
    group.failed = 3;
    group.cost_usd_micro = 1500000;
    group.estimated_usd_micro = 250000;
    group.classes[rc_stats_class_index(RC_CLASS_PROVIDER_TRANSIENT)] = 2;
    group.classes[rc_stats_class_index(RC_CLASS_UNKNOWN)] = 1;
    for (uint64_t i = 1; i <= 100; i++)
        rc_histogram_add(&group.latency, i);
    begin();
    rc_json_object_begin(&w);
    rc_record_json_sums(&w, &group);
    rc_json_object_end(&w);
    expect("{\"count\":10,\"succeeded\":7,\"failed\":3,\"cost_usd\":1.5,\"estimated_usd\":0.25,"
           "\"latency_ms\":{\"p50\":50,\"p90\":90,\"p99\":99,\"max\":100},\"classes\":{"
           "\"ProviderTransient\":2,\"unknown\":1}}");
}

/* Every class has its own index. */
static void classes_have_indexes(void **state)
{
    (void)state;
    for (size_t i = 0; i < RC_STATS_CLASSES; i++)
        assert_int_equal(rc_stats_class_index(rc_stats_class_at(i)), i);
    assert_int_equal(rc_stats_class_index(RC_CLASS_UNKNOWN), RC_STATS_CLASSES - 1);
    assert_int_equal(rc_stats_class_index(-1), RC_STATS_CLASSES - 1);
    assert_int_equal(rc_stats_class_index(INT64_MAX), RC_STATS_CLASSES - 1);
    assert_int_equal(rc_stats_class_at(RC_CLASS_INTERNAL), RC_CLASS_INTERNAL);
}

static void the_token_basis_depends_on_the_flags(void **state)
{
    (void)state;
    static const struct {
        uint32_t flags;
        const char *name;
    } rows[] = {
        {0, ""},
        {RC_RECORD_STREAMING | RC_RECORD_COMMITTED, ""},
        {RC_RECORD_MEASURED, "measured"},
        {RC_RECORD_ESTIMATED | RC_RECORD_STREAMING, "estimated"},
        {RC_RECORD_ESTIMATED | RC_RECORD_MEASURED, "partly_estimated"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rc_record record;
        rc_record_init(&record, RC_RECORD_ATTEMPT);
        record.flags = rows[i].flags;
        assert_string_equal(rc_record_token_basis(&record), rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_token_basis_depends_on_the_flags),
        cmocka_unit_test(unknown_members_are_left_out),
        cmocka_unit_test(an_open_operation_has_no_end),
        cmocka_unit_test(a_client_retry_is_marked),
        cmocka_unit_test(a_record_has_its_report),
        cmocka_unit_test(a_damaged_report_does_no_harm),
        cmocka_unit_test(out_of_memory_returns_false),
        cmocka_unit_test(money_is_exact),
        cmocka_unit_test(sums_have_times_and_classes),
        cmocka_unit_test(classes_have_indexes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
