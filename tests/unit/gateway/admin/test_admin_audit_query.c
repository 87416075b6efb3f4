/* Tests of parsing audit queries, and of rejecting invalid ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/admin/audit_query.h"
#include "support/fail_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOW INT64_C(1700000000000)
#define HOUR INT64_C(3600000)

static rc_arena arena;
static rc_audit_query question;
static rc_admin_problem problem;

static int utc(time_t at)
{
    (void)at;
    return 0;
}

static const rc_audit_clock at_now = {NOW, utc};

static int start(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_arena_init(&arena, &alloc, (size_t)1 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    rc_arena_done(&arena);
    return 0;
}

static bool list(const char *text)
{
    return rc_admin_audit_query_parse(rc_str_c(text), RC_AUDIT_QUERY_LIST, &at_now, &arena,
                                      &question, &problem);
}

static bool stats(const char *text)
{
    return rc_admin_audit_query_parse(rc_str_c(text), RC_AUDIT_QUERY_STATS, &at_now, &arena,
                                      &question, &problem);
}

static void expect_text(rc_str text, const char *expected)
{
    if (!rc_str_eq(text, rc_str_c(expected)))
        fail_msg("%.*s is not %s", (int)text.len, text.ptr, expected);
}

static void a_list_has_every_filter(void **state)
{
    (void)state;
    assert_true(list("since=1h&until=2023-11-14T22:00:00Z&client=web&route=gpt%2A&model=gpt%204&"
                     "target=openai/gpt-4o&code=RateLimited&class=ProviderTransient&outcome=failed&"
                     "report=rep_1&id=req_01&limit=7&after=01KE8V3Q5W-8ST"));
    const rc_store_filter *filter = &question.select.filter;
    assert_int_equal(filter->from_unix_ms, NOW - HOUR);
    assert_int_equal(filter->until_unix_ms, INT64_C(1699999200000));
    expect_text(filter->client, "web");
    expect_text(filter->route, "gpt*");
    expect_text(filter->model, "gpt 4");
    expect_text(filter->target, "openai/gpt-4o");
    assert_int_equal(filter->code, RC_CODE_RATE_LIMITED);
    assert_int_equal(filter->error_class, RC_CLASS_PROVIDER_TRANSIENT);
    assert_true(filter->has_outcome);
    assert_int_equal(filter->outcome, RC_OUTCOME_FAILED);
    assert_false(filter->is_recovered);
    expect_text(filter->report_id, "rep_1");
    expect_text(question.id, "req_01");
    assert_int_equal(question.select.limit, 7);
    assert_true(question.select.beyond_key > 0);
}

static void without_a_query_there_are_defaults(void **state)
{
    (void)state;
    assert_true(list(""));
    assert_int_equal(question.select.limit, RC_ADMIN_LIST_DEFAULT);
    assert_int_equal(question.select.filter.from_unix_ms, 0);
    assert_false(question.select.filter.has_outcome);
    assert_true(stats(""));
    assert_int_equal(question.select.filter.from_unix_ms, NOW - HOUR);
    assert_int_equal(question.step_ms, 60000);
    assert_int_equal(question.by, 0);
    /* Empty form fields and extra ampersands are ignored. */
    assert_true(list("&&client=&outcome=&limit=&"));
    assert_int_equal(question.select.filter.client.len, 0);
    assert_true(list("client"));
}

static void recovered_is_an_outcome_of_its_own(void **state)
{
    (void)state;
    assert_true(list("outcome=recovered"));
    assert_true(question.select.filter.is_recovered);
    assert_false(question.select.filter.has_outcome);
}

static void times_are_written_as_on_the_command_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t unix_ms;
    } cases[] = {
        {"since=15m", NOW - 15 * 60000},
        {"since=7d", NOW - 7 * 24 * HOUR},
        {"since=90s", NOW - 90000},
        {"since=1699999200000", INT64_C(1699999200000)},
        {"since=1699999200", INT64_C(1699999200000)},
        {"since=0", 1}, /* a start before all operations, which is not the same as no start */
        {"since=1970-01-01T00:00:00Z", 1},
        {"since=yesterday", INT64_C(1699833600000)},
        {"since=2023-11-14", INT64_C(1699920000000)},
        {"since=2023-11-14T22:00:00Z", INT64_C(1699999200000)},
        {"since=2023-11-14T23:00:00%2B01:00", INT64_C(1699999200000)},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        rc_arena_done(&arena);
        if (!list(cases[i].text))
            fail_msg("%s: %.*s", cases[i].text, (int)problem.message.len, problem.message.ptr);
        assert_int_equal(question.select.filter.from_unix_ms, cases[i].unix_ms);
    }
}

static void statistics_since_0_begin_with_the_first_operation(void **state)
{
    (void)state;
    assert_true(stats("since=0"));
    assert_int_equal(question.select.filter.from_unix_ms, 1);
    assert_true(list("until=0"));
    assert_int_equal(question.select.filter.until_unix_ms, 1);
}

static void statistics_have_groups_and_steps(void **state)
{
    (void)state;
    assert_true(stats("by=time,class,code,target,model,client,route&since=6h&step=5m"));
    assert_int_equal(question.by, 127);
    assert_int_equal(question.step_ms, 300000);
    static const struct {
        const char *text;
        int64_t step_ms;
    } cases[] = {
        {"by=time&since=1m", 5000},
        {"by=time&since=15m", 15000},
        {"by=time&since=1h", 60000},
        {"by=time&since=24h", 1800000},
        {"by=time&since=7d", 3 * HOUR},
        {"by=time&since=90d", 2 * 24 * HOUR},
        {"by=time&since=1970-01-01T00:00:01Z", 7 * 24 * HOUR * 12},
        {"by=time&until=2023-11-14T22:00:00Z", 60000},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!stats(cases[i].text))
            fail_msg("%s: %.*s", cases[i].text, (int)problem.message.len, problem.message.ptr);
        if (question.step_ms != cases[i].step_ms)
            fail_msg("%s: %lld", cases[i].text, (long long)question.step_ms);
    }
    /* The step is ignored if the groups are not groups of time. */
    assert_true(stats("by=code&since=7d&step=1s"));
}

static void invalid_queries_are_refused_with_advice(void **state)
{
    (void)state;
    static const struct {
        bool is_list;
        const char *text;
        const char *message;
    } cases[] = {
        {true, "cleint=web", "There is no parameter \"cleint\"; did you mean client?"},
        {true, "by=time", "There is no parameter \"by\""},
        {true, "zzzzzz=1", "There is no parameter \"zzzzzz\"."},
        {true, "client=a&client=b", "The parameter client appears twice."},
        {true, "since=tomorrow", "The parameter since cannot be \"tomorrow\"."},
        {true, "since=2023", "The parameter since cannot be \"2023\"."},
        {true, "until=-1h", "cannot be \"-1h\""},
        {true, "code=Nope", "The parameter code cannot be \"Nope\"."},
        {true, "class=Nope", "The parameter class"},
        {true, "outcome=good", "The parameter outcome"},
        {true, "limit=0", "The parameter limit"},
        {true, "limit=501", "The parameter limit"},
        {true, "limit=99999999999999999999", "The parameter limit"},
        {true, "limit=ten", "The parameter limit"},
        {true, "after=rep_1", "The parameter after"},
        {true, "client=%zz", "an invalid escape"},
        {true, "client=%", "an invalid escape"},
        {true, "client=%00", "not UTF-8"},
        {true, "client=%ff", "not UTF-8"},
        {false, "by=colour", "The parameter by"},
        {false, "by=", NULL},
        {false, "by=time,", "The parameter by"},
        {false, "step=0s", "The parameter step"},
        {false, "step=1500ms", "The parameter step"},
        {false, "step=often", "The parameter step"},
        {false, "by=time&since=1h&step=10s", "too many time steps"},
        {false, "limit=3", "There is no parameter \"limit\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool is_good = cases[i].is_list ? list(cases[i].text) : stats(cases[i].text);
        if (is_good != (cases[i].message == NULL))
            fail_msg("%s: %d", cases[i].text, is_good);
        if (is_good)
            continue;
        assert_int_equal(problem.status, 400);
        assert_true(problem.next.len > 10);
        if (rc_str_find(problem.message, rc_str_c(cases[i].message), 0) == RC_STR_NPOS)
            fail_msg("%s: %.*s", cases[i].text, (int)problem.message.len, problem.message.ptr);
    }
}

static void the_length_of_a_query_is_bounded(void **state)
{
    (void)state;
    static char text[RC_ADMIN_QUERY_MAX + 2];
    memset(text, '&', sizeof(text) - 1);
    assert_false(list(text));
    assert_true(rc_str_find(problem.message, RC_STR("8 KiB"), 0) != RC_STR_NPOS);
    text[RC_ADMIN_QUERY_MAX] = '\0';
    assert_true(list(text));
}

static void the_advice_lists_the_parameters(void **state)
{
    (void)state;
    assert_false(stats("limit=3"));
    expect_text(problem.next, "There are since, until, client, route, model, target, code, class, "
                              "outcome, report, by and step.");
}

static void without_memory_parsing_fails(void **state)
{
    (void)state;
    size_t fail_at = 1;
    for (; fail_at < 40; fail_at++) {
        fail_alloc memory = {.fail_at = fail_at, .for_good = true};
        const rc_alloc alloc = fail_alloc_of(&memory);
        rc_arena small;
        /* Each allocation is a separate block. */
        rc_arena_init(&small, &alloc, (size_t)1 << 20);
        const bool is_good =
            rc_admin_audit_query_parse(RC_STR("since=1h&client=web&code=RateLimited&cleint=x"),
                                       RC_AUDIT_QUERY_LIST, &at_now, &small, &question, &problem);
        const bool is_hit = memory.calls >= fail_at;
        assert_false(is_good);
        assert_int_equal(rc_arena_status(&small) != RC_OK, is_hit);
        rc_arena_done(&small);
        assert_int_equal(memory.live, 0);
        if (!is_hit)
            break;
    }
    assert_true(fail_at > 1 && fail_at < 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_list_has_every_filter, start, end),
        cmocka_unit_test_setup_teardown(without_a_query_there_are_defaults, start, end),
        cmocka_unit_test_setup_teardown(recovered_is_an_outcome_of_its_own, start, end),
        cmocka_unit_test_setup_teardown(times_are_written_as_on_the_command_line, start, end),
        cmocka_unit_test_setup_teardown(statistics_since_0_begin_with_the_first_operation, start,
                                        end),
        cmocka_unit_test_setup_teardown(statistics_have_groups_and_steps, start, end),
        cmocka_unit_test_setup_teardown(invalid_queries_are_refused_with_advice, start, end),
        cmocka_unit_test_setup_teardown(the_length_of_a_query_is_bounded, start, end),
        cmocka_unit_test_setup_teardown(the_advice_lists_the_parameters, start, end),
        cmocka_unit_test(without_memory_parsing_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
