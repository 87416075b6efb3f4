/* Tests of the audit over the admin interface: lists, single operations, statistics. */
#include "support/dashboard_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOW INT64_C(1700000000000)
#define RANGE "since=2023-11-14T12:13:20Z&until=2023-11-14T22:13:20Z" /* the ten hours before NOW */

static int start(void **state)
{
    (void)state;
    dashboard_make_folder();
    dashboard_fill(400, 10, NOW);
    dashboard_start("");
    return 0;
}

static int end(void **state)
{
    (void)state;
    dashboard_end();
    dashboard_remove_folder();
    return 0;
}

static void a_list_is_paged(void **state)
{
    (void)state;
    char path[256] = "/admin/v1/operations?limit=150";
    size_t seen = 0;
    char before[64] = "~";
    for (int page = 0; page < 4; page++) {
        assert_int_equal(get_json(path), 200);
        const size_t length = length_at("operations");
        for (size_t i = 0; i < length; i++) {
            char member_path[64];
            snprintf(member_path, sizeof(member_path), "operations/%zu/id", i);
            assert_true(strcmp(text_at(member_path), before) < 0); /* operations are listed newest
                                                                      first, and none is listed
                                                                      twice */
            snprintf(before, sizeof(before), "%s", text_at(member_path));
        }
        seen += length;
        if (member("next") == NULL)
            break;
        snprintf(path, sizeof(path), "/admin/v1/operations?limit=150&after=%s", text_at("next"));
    }
    assert_int_equal(seen, 400);
    assert_null(member("next"));
    /* A full page has a link to the next page only if more operations exist. */
    assert_int_equal(get_json("/admin/v1/operations?limit=400"), 200);
    assert_int_equal(length_at("operations"), 400);
    assert_null(member("next"));
}

/* The results of all values of a filter add up to the unfiltered result. */
static void filters_partition_the_operations(void **state)
{
    (void)state;
    static const char *const outcomes[] = {"succeeded", "failed", "cancelled", "open"};
    size_t sum = 0;
    for (size_t i = 0; i < COUNT(outcomes); i++) {
        char path[128];
        snprintf(path, sizeof(path), "/admin/v1/operations?limit=500&outcome=%s", outcomes[i]);
        assert_int_equal(get_json(path), 200);
        for (size_t k = 0; k < length_at("operations"); k++) {
            char member_path[64];
            snprintf(member_path, sizeof(member_path), "operations/%zu/outcome", k);
            assert_string_equal(text_at(member_path), outcomes[i]);
        }
        sum += length_at("operations");
    }
    assert_int_equal(sum, 400);
    assert_int_equal(get_json("/admin/v1/operations?outcome=recovered&client=web&limit=500"), 200);
    assert_true(length_at("operations") > 0);
    for (size_t k = 0; k < length_at("operations"); k++) {
        char member_path[64];
        snprintf(member_path, sizeof(member_path), "operations/%zu/recovered", k);
        assert_true(json_object_get_boolean(member(member_path)));
        snprintf(member_path, sizeof(member_path), "operations/%zu/client", k);
        assert_string_equal(text_at(member_path), "web");
    }
    assert_int_equal(get_json("/admin/v1/operations?target=nobody/nothing"), 200);
    assert_int_equal(length_at("operations"), 0);
    assert_int_equal(get_json("/admin/v1/operations?outcome=failed&limit=1"), 200);
    assert_true(strlen(text_at("operations/0/message")) > 10);
    assert_null(member("operations/0/report"));
}

static void invalid_queries_are_refused(void **state)
{
    (void)state;
    assert_int_equal(get_json("/admin/v1/operations?cleint=web"), 400);
    assert_string_equal(text_at("detail"),
                        "There is no parameter \"cleint\"; did you mean client?");
    assert_int_equal(get_json("/admin/v1/stats?by=colour"), 400);
    assert_int_equal(get_json("/admin/v1/operations/%FF"), 400);
}

static void an_operation_is_found_by_any_of_its_ids(void **state)
{
    (void)state;
    char id[64];
    char report[64];
    char path[160];
    assert_int_equal(get_json("/admin/v1/operations?outcome=failed&limit=1"), 200);
    snprintf(id, sizeof(id), "%s", text_at("operations/0/id"));
    snprintf(report, sizeof(report), "%s", text_at("operations/0/report_id"));
    static const char *const heads[] = {"rep_", "req_", "REQ_", ""};
    for (size_t i = 0; i < COUNT(heads); i++) {
        snprintf(path, sizeof(path), "/admin/v1/operations/%s%s", heads[i], id + 4);
        assert_int_equal(get_json(path), 200);
        assert_string_equal(text_at("operation/id"), id);
    }
    snprintf(path, sizeof(path), "/admin/v1/operations/%s", report);
    assert_int_equal(get_json(path), 200);
    assert_string_equal(text_at("operation/id"), id);
    /* the short id in a list */
    assert_int_equal(get_json("/admin/v1/operations?outcome=failed&limit=1"), 200);
    snprintf(path, sizeof(path), "/admin/v1/operations/%s", text_at("operations/0/key"));
    assert_int_equal(get_json(path), 200);
    assert_string_equal(text_at("operation/id"), id);
    /* the same operation, found by the filter of the list */
    snprintf(path, sizeof(path), "/admin/v1/operations?id=req_%s", id + 4);
    assert_int_equal(get_json(path), 200);
    assert_int_equal(length_at("operations"), 1);
    /* a prefix that several ids have */
    snprintf(path, sizeof(path), "/admin/v1/operations/%.8s", id);
    assert_int_equal(get_json(path), 409);
    assert_int_equal(get_json("/admin/v1/operations/req_00000000000000000000000000"), 404);
    assert_int_equal(get_json("/admin/v1/operations/nonsense"), 404);
}

static void an_operation_has_every_record_and_report(void **state)
{
    (void)state;
    dashboard_add_story("recovered", NOW + 1000);
    assert_int_equal(get_json("/admin/v1/operations?limit=1"), 200);
    char path[128];
    snprintf(path, sizeof(path), "/admin/v1/operations/%s", text_at("operations/0/id"));
    assert_int_equal(get_json(path), 200);
    assert_string_equal(text_at("operation/outcome"), "succeeded");
    assert_true(json_object_get_boolean(member("operation/recovered")));
    assert_string_equal(text_at("records/0/kind"), "begin");
    assert_string_equal(text_at("records/1/kind"), "attempt");
    assert_true(strlen(text_at("records/1/report/message")) > 5);
    assert_true(strlen(text_at("records/1/report/error_code")) > 5);
    size_t reasons = 0;
    for (size_t i = 0; i < length_at("records"); i++) {
        char member_path[64];
        snprintf(member_path, sizeof(member_path), "records/%zu/reason_text", i);
        reasons += member(member_path) != NULL ? 1 : 0;
        snprintf(member_path, sizeof(member_path), "records/%zu/kind", i);
        assert_string_not_equal(text_at(member_path), "outcome");
    }
    assert_true(reasons > 0);
}

static void a_notice_shows_the_action(void **state)
{
    (void)state;
    dashboard_add_story("notice", NOW + 1000);
    assert_int_equal(get_json("/admin/v1/operations?outcome=notice"), 200);
    assert_int_equal(length_at("operations"), 1);
    assert_string_equal(text_at("operations/0/text"), "taken out of service by the operator");
    assert_string_equal(text_at("operations/0/target"), "openai/gpt-4o");
}

static void hostile_text_is_valid_json(void **state)
{
    (void)state;
    dashboard_add_story("hostile", NOW + 1000);
    assert_int_equal(get_json("/admin/v1/operations?limit=1"), 200);
    assert_null(strstr(fixture.client.got, "\x1b"));
    char path[128];
    snprintf(path, sizeof(path), "/admin/v1/operations/%s", text_at("operations/0/id"));
    assert_int_equal(get_json(path), 200);
    assert_null(strstr(fixture.client.got, "\x1b"));
}

static int64_t sum_of(const char *list, const char *key)
{
    int64_t sum = 0;
    for (size_t i = 0; i < length_at(list); i++) {
        char member_path[128];
        snprintf(member_path, sizeof(member_path), "%s/%zu/%s", list, i, key);
        sum += member(member_path) != NULL ? number_at(member_path) : 0;
    }
    return sum;
}

static void sums_do_not_depend_on_the_grouping(void **state)
{
    (void)state;
    static const char *const kinds[] = {"time",   "class", "code", "target",
                                        "client", "model", "route"};
    assert_int_equal(
        get_json("/admin/v1/stats?by=time,class,code,target,client,model,route&" RANGE), 200);
    assert_int_equal(number_at("operations/total/count"), 400);
    assert_int_equal(number_at("step_ms"), 600000);
    const int64_t attempts = number_at("attempts/total/count");
    /* An operation that is still open has no number of attempts. */
    assert_int_equal(number_at("operations/total/attempts") + number_at("operations/total/open"),
                     attempts);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char member_path[64];
        snprintf(member_path, sizeof(member_path), "operations/%s", kinds[i]);
        assert_int_equal(sum_of(member_path, "count"), 400);
        assert_int_equal(sum_of(member_path, "failed"), number_at("operations/total/failed"));
        assert_int_equal(sum_of(member_path, "tokens_in"), number_at("operations/total/tokens_in"));
        snprintf(member_path, sizeof(member_path), "attempts/%s", kinds[i]);
        assert_int_equal(sum_of(member_path, "count"), attempts);
        assert_int_equal(sum_of(member_path, "classes/ProviderTransient"),
                         number_at("attempts/total/classes/ProviderTransient"));
    }
    assert_int_equal(length_at("operations/time"), 61); /* ten hours that begin within a step of the
                                                           time series */
    assert_true(number_at("operations/total/latency_ms/p99") >=
                number_at("operations/total/latency_ms/p50"));
    assert_true(json_object_get_double(member("operations/total/cost_usd")) > 0.1);
}

static void codes_come_with_advice(void **state)
{
    (void)state;
    assert_int_equal(get_json("/admin/v1/stats?by=code&outcome=failed&" RANGE), 200);
    assert_true(length_at("operations/code") > 1);
    for (size_t i = 0; i < length_at("operations/code"); i++) {
        char member_path[64];
        snprintf(member_path, sizeof(member_path), "operations/code/%zu/todo", i);
        assert_true(strlen(text_at(member_path)) > 10);
        snprintf(member_path, sizeof(member_path), "operations/code/%zu/domain", i);
        assert_true(strlen(text_at(member_path)) > 3);
    }
}

static void without_an_audit_queries_are_a_404(void **state)
{
    (void)state;
    dashboard.audit.url_len = 0;
    assert_int_equal(get_json("/admin/v1/operations"), 404);
    assert_string_equal(text_at("detail"), "This gateway stores no audit.");
    assert_int_equal(get_json("/admin/v1/stats"), 404);
    assert_int_equal(get_json("/admin/v1/operations/rep_1"), 404);
}

static void an_unreadable_store_is_reported(void **state)
{
    (void)state;
    assert_true(rc_admin_audit_init(&dashboard.audit, RC_STR("sqlite:/nowhere/at/all"),
                                    &dashboard.tasks, &rc_sys_real));
    assert_int_equal(get_json("/admin/v1/operations"), 503);
    assert_string_equal(text_at("error_code"), "StoreUnavailable");
    assert_string_equal(text_at("detail"), "there is no audit file");
    assert_null(strstr(fixture.client.got, "/nowhere"));
    assert_int_equal(get_json("/admin/v1/stats"), 503);
    assert_int_equal(get_json("/admin/v1/operations/rep_1"), 503);
}

static void a_slow_query_is_cancelled(void **state)
{
    (void)state;
    dashboard_fill(20000, 10, NOW);
    dashboard.tasks.max_ms = 0;
    assert_int_equal(get_json("/admin/v1/stats?by=time&" RANGE), 503);
    assert_string_equal(text_at("detail"), "The query took longer than 30 seconds.");
    assert_true(strstr(text_at("user_action/detail"), "shorter") != NULL);
}

static void a_store_url_may_be_too_long(void **state)
{
    (void)state;
    static char url[RC_ADMIN_STORE_URL_MAX + 2];
    memset(url, 'x', sizeof(url) - 1);
    assert_false(
        rc_admin_audit_init(&dashboard.audit, rc_str_c(url), &dashboard.tasks, &rc_sys_real));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_list_is_paged, start, end),
        cmocka_unit_test_setup_teardown(filters_partition_the_operations, start, end),
        cmocka_unit_test_setup_teardown(invalid_queries_are_refused, start, end),
        cmocka_unit_test_setup_teardown(an_operation_is_found_by_any_of_its_ids, start, end),
        cmocka_unit_test_setup_teardown(an_operation_has_every_record_and_report, start, end),
        cmocka_unit_test_setup_teardown(a_notice_shows_the_action, start, end),
        cmocka_unit_test_setup_teardown(hostile_text_is_valid_json, start, end),
        cmocka_unit_test_setup_teardown(sums_do_not_depend_on_the_grouping, start, end),
        cmocka_unit_test_setup_teardown(codes_come_with_advice, start, end),
        cmocka_unit_test_setup_teardown(without_an_audit_queries_are_a_404, start, end),
        cmocka_unit_test_setup_teardown(an_unreadable_store_is_reported, start, end),
        cmocka_unit_test_setup_teardown(a_slow_query_is_cancelled, start, end),
        cmocka_unit_test_setup_teardown(a_store_url_may_be_too_long, start, end),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
