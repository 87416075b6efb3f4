/* The dashboard's paths when memory allocations fail, once or permanently: the client gets a
 * complete response, a refusal or a closed connection, and nothing leaks.
 *
 * While a worker thread runs, the loop's own thread waits and allocates nothing, so the counter
 * needs no lock. */
#include "support/dashboard_fixture.h"

#define NOW INT64_C(1700000000000)
#define FAILURES_MAX 2000

static void expect_some_answer(const char *text)
{
    const int status = send_request(text);
    if (status == 0) {
        assert_true(fixture.client.is_at_end);
        return;
    }
    if (status != 200 && status != 503)
        fail_msg("%s: %s", text, fixture.client.got);
    assert_true(got("nosniff"));
    if (!got("application/json") && !got("application/problem+json"))
        return;
    json_object *doc = json_tokener_parse(body_of());
    if (doc == NULL)
        fail_msg("%s: no JSON: %s", text, fixture.client.got);
    json_object_put(doc);
}

static void watch_a_while(void)
{
    static const char text[] = "GET /admin/v1/live" OWN "\r\n";
    const rc_exchange_summary record = {.request_id = RC_STR("req_1"),
                                        .outcome = RC_OUTCOME_FAILED};
    client_open();
    client_send(text, strlen(text));
    UNTIL(got("\r\n\r\n") || fixture.client.is_at_end);
    rc_admin_live_publish(dashboard.live, &record);
    if (got("HTTP/1.1 200"))
        UNTIL(got("req_1") || got("event: ") || fixture.client.is_at_end ||
              fixture.memory.for_good);
    client_close();
}

static char story_path[160];

static bool run_all(int part)
{
    static const char failure[] = "{\"error\":{\"message\":\"Rate limit reached\"}}";
    char text[1024];
    if (!dashboard_try_start("", dashboard.url))
        return false;
    switch (part) {
    case 0:
        expect_some_answer("GET /app/main.js" OWN "\r\n");
        snprintf(text, sizeof(text),
                 "POST /admin/v1/explain?status=429&provider=x" OWN MARK
                 "Content-Length: %zu\r\n\r\n%s",
                 strlen(failure), failure);
        expect_some_answer(text);
        break;
    case 1:
        expect_some_answer("GET /admin/v1/operations?limit=3&outcome=failed" OWN "\r\n");
        snprintf(text, sizeof(text), "GET %s" OWN "\r\n", story_path);
        expect_some_answer(text);
        break;
    case 2:
        expect_some_answer("GET /admin/v1/stats?by=time,code&since=2023-11-14T21:13:20Z&"
                           "until=2023-11-14T22:13:20Z&step=30m" OWN "\r\n");
        break;
    default:
        watch_a_while();
        break;
    }
    return true;
}

static void fail_each(int part, bool is_for_good)
{
    size_t fail_at = 1;
    for (; fail_at < FAILURES_MAX; fail_at++) {
        fixture.memory = (fail_alloc){.fail_at = fail_at, .for_good = is_for_good};
        const bool has_run = run_all(part);
        const bool is_hit = fixture.memory.calls >= fail_at;
        dashboard_end();
        if (!is_hit) {
            assert_true(has_run);
            break;
        }
    }
    /* Several allocations were made to fail, and the last run had no failure. */
    assert_true(fail_at > 10 && fail_at < FAILURES_MAX);
}

static int start(void **state)
{
    (void)state;
    dashboard_make_folder();
    dashboard_fill(200, 1, NOW);
    dashboard_start("");
    assert_int_equal(get_json("/admin/v1/operations?limit=1&outcome=failed"), 200);
    snprintf(story_path, sizeof(story_path), "/admin/v1/operations/%s", text_at("operations/0/id"));
    dashboard_end();
    return 0;
}

static int end(void **state)
{
    (void)state;
    dashboard_remove_folder();
    return 0;
}

static void each_allocation_may_fail_once(void **state)
{
    (void)state;
    for (int part = 0; part < 4; part++)
        fail_each(part, false);
}

static void each_allocation_may_fail_for_good(void **state)
{
    (void)state;
    for (int part = 0; part < 4; part++)
        fail_each(part, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail_once),
        cmocka_unit_test(each_allocation_may_fail_for_good),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, start, end);
}
