/* Tests of a gateway with a wall clock that the test sets: a paused request continues when its
 * budget renews, although no other request arrives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "config/prices/prices.h"
#include "gateway/loop/loop.h"
#include "gateway/observe/exchange_summary.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "policy/ledger.h"
#include "support/fail_alloc.h"
#include "support/http_client.h"
#include "sys/calls.h"

#define DAY_MS INT64_C(86400000)
/* the time 2026-11-17 23:59:59.5 */
#define BEFORE_MIDNIGHT_MS (INT64_C(20774) * DAY_MS + DAY_MS - 500)

/* One request costs more than half of the budget. If the budget does not renew, the pause ends at
 * the deadline. */
static const char config_text[] =
    "providers: {demo: {kind: demo}}\n"
    "budgets: [{name: all, per: day, limit_usd: 0.05, on_exceed: pause}]\n"
    "routes: [{model: \"*\", deadline_ms: 2000, hedge_ms: 40,\n"
    "          chain: [{target: demo/tokens-200}, {target: demo/ok}]}]\n";
static const char prices_text[] =
    "as_of: 2026-11-01\nprices:\n  - {kind: demo, model: '*', input: 100, output: 200}\n";

static int64_t wall_ms;

static int read_wall(struct timespec *ret_time)
{
    *ret_time = (struct timespec){.tv_sec = (time_t)(wall_ms / 1000),
                                  .tv_nsec = (long)(wall_ms % 1000) * 1000000};
    return 0;
}

typedef struct fixture {
    uv_loop_t loop;
    rc_loop *gateway_loop;
    http_client client;
    bool is_stopped;
    int64_t renewed_by_ms; /* when a request is paused, the clock is advanced by this time */
    unsigned pauses;
    unsigned records;
    rc_exchange_summary last;
    char response[65536];
} fixture;

/* ---- callbacks of the loop ---- */

static void on_stopped(void *ctx)
{
    ((fixture *)ctx)->is_stopped = true;
}

static void on_budget(void *ctx, const rc_ledger_notice *notice, rc_str scope)
{
    fixture *w = ctx;
    if (notice->kind != RC_LEDGER_PAUSED)
        return;
    assert_true(rc_str_eq(scope, RC_STR("budget all")));
    w->pauses++;
    wall_ms += w->renewed_by_ms;
}

static void on_record(void *ctx, const rc_exchange_summary *record)
{
    fixture *w = ctx;
    w->records++;
    w->last = *record;
}

/* Sends the same request twice, one after the other, and reads until the gateway closes the
 * connection. */
static void send_twice(fixture *w)
{
    static const char body[] = "{\"model\":\"m\",\"max_tokens\":200,\"messages\":[{\"role\":"
                               "\"user\",\"content\":\"fish\"}]}";
    char request[1024];
    rc_listening listening;
    int len = 0;
    for (int i = 0; i < 2; i++)
        len += snprintf(request + len, sizeof request - (size_t)len,
                        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: %s\r\n"
                        "Content-Length: %zu\r\n\r\n%s",
                        i == 0 ? "keep-alive" : "close", sizeof body - 1, body);
    assert_int_equal(rc_loop_listen(w->gateway_loop, "127.0.0.1", 0, RC_LISTEN_ALONE, &listening),
                     RC_LISTEN_OK);
    http_client_use(&w->client, http_client_dial(listening.port, 0));
    http_client_send(&w->client, rc_str_make(request, (size_t)len));
    http_client_read_all(&w->client, &w->loop);
    http_client_close(&w->client);
    rc_loop_close(w->gateway_loop);
}

/* ---- the loop ---- */

static rc_snapshot_input read_input(const rc_alloc *alloc)
{
    rc_config_faults faults;
    rc_snapshot_input input = {.config = alloc->get(alloc->ctx, sizeof *input.config),
                               .prices = alloc->get(alloc->ctx, sizeof *input.prices)};
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(input.config, rc_str_c(config_text), alloc, &faults), RC_OK);
    assert_int_equal(rc_prices_parse(input.prices, rc_str_c(prices_text), alloc, &faults), RC_OK);
    return input;
}

static void run(fixture *w, int64_t renewed_by_ms)
{
    rc_sys_calls calls = rc_sys_real;
    fail_alloc memory = {.fail_at = SIZE_MAX};
    const rc_alloc alloc = fail_alloc_of(&memory);
    rc_hub hub;
    rc_load_error error;
    calls.clock_realtime = read_wall;
    wall_ms = BEFORE_MIDNIGHT_MS;
    memset(w, 0, sizeof *w);
    http_client_init(&w->client, w->response, sizeof w->response);
    w->renewed_by_ms = renewed_by_ms;
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(rc_hub_init(&hub, &calls, &alloc, 1, uv_now(&w->loop)), RC_OK);
    rc_snapshot_input input = read_input(&alloc);
    assert_true(rc_hub_load(&hub, &input, uv_now(&w->loop), &error));
    const rc_loop_settings settings = {
        .hub = &hub,
        .calls = &calls,
        .alloc = alloc,
        .on_stopped = on_stopped,
        .ctx = w,
        .observer = {.ctx = w, .on_record = on_record, .on_budget = on_budget},
    };
    w->gateway_loop = rc_loop_new(&w->loop, &settings);
    assert_non_null(w->gateway_loop);
    send_twice(w);
    (void)uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    assert_true(w->is_stopped);
    rc_hub_done(&hub);
    assert_int_equal(memory.live, 0);
    assert_int_equal(w->records, 2);
    assert_int_equal(w->pauses, 1);
}

/* ---- tests ---- */

static void a_paused_request_continues_when_the_budget_renews(void **state)
{
    static fixture w;
    (void)state;
    run(&w, 500);
    assert_int_equal(w.last.status, 200);
    assert_int_equal(w.last.attempts, 1);
    assert_null(strstr(w.response, "HTTP/1.1 402"));
}

/* One millisecond before midnight is still the same day. */
static void a_paused_request_ends_at_the_deadline(void **state)
{
    static fixture w;
    (void)state;
    run(&w, 499);
    assert_int_equal(w.last.status, 402);
    assert_int_equal(w.last.attempts, 0);
    assert_non_null(strstr(w.response, "HTTP/1.1 402"));
    assert_non_null(strstr(w.response, "It renews on 2026-11-18 (UTC)."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paused_request_continues_when_the_budget_renews),
        cmocka_unit_test(a_paused_request_ends_at_the_deadline),
    };
    return cmocka_run_group_tests_name("gateway_pause", tests, NULL, NULL);
}
