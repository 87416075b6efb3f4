/* The admin interface when memory allocations fail, once or permanently: the client gets a
 * response or a closed connection, no action is half done, and nothing leaks. */
#include "support/admin_fixture.h"

#define FAILURES_MAX 400

/* Checks that the client gets a complete response with an expected status, or that its connection
 * has ended. */
static void expect_some_answer(const char *text)
{
    const int status = send_request(text);
    if (status == 0) {
        assert_true(fixture.client.is_at_end);
        return;
    }
    if (status != 200 && status != 503 && status != 404 && status != 401)
        fail_msg("%s: %s", text, fixture.client.got);
    assert_true(got("nosniff"));
    if (status == 200 && got("application/json"))
        assert_memory_equal(fixture.client.got + fixture.client.got_len - 2, "}\n", 2);
}

static bool run_all(void)
{
    if (!fixture_try_start("t"))
        return false;
    expect_some_answer("GET /healthz" OWN "\r\n");
    expect_some_answer("GET /metrics" OWN "Authorization: Bearer t\r\n\r\n");
    expect_some_answer("GET /admin/v1/state" OWN "Authorization: Bearer t\r\n\r\n");
    expect_some_answer("POST /admin/v1/targets/local/meta/llama%203/out" OWN MARK
                       "Authorization: Bearer t\r\nContent-Length: 14\r\n\r\n{\"reason\":\"x\"}");
    expect_some_answer("GET /nowhere" OWN "Authorization: Bearer t\r\n\r\n");
    expect_some_answer("GET /admin/v1/state" OWN "\r\n");
    return true;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int is_for_good = 0; is_for_good < 2; is_for_good++) {
        size_t fail_at = 1;
        for (; fail_at < FAILURES_MAX; fail_at++) {
            fixture.memory = (fail_alloc){.fail_at = fail_at, .for_good = is_for_good == 1};
            const bool has_run = run_all();
            const bool is_hit = fixture.memory.calls >= fail_at;
            fixture_end();
            if (!is_hit) {
                assert_true(has_run);
                assert_int_equal(fixture.fake.acts, 1);
                break;
            }
        }
        /* The request made more than 20 allocations, and a run in which none failed was reached. */
        assert_true(fail_at > 20 && fail_at < FAILURES_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
