/* A gateway with a wall clock that the test sets: a paused request continues when its budget
 * renews, although no other request arrives. */
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
#include "sys/calls.h"

#define DAY_MS INT64_C(86400000)
/* 2026-11-17 23:59:59.5 */
#define BEFORE_MIDNIGHT_MS (INT64_C(20774) * DAY_MS + DAY_MS - 500)

/* One request costs more than half of the budget. If the budget does not renew, the wait ends at
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
    uv_tcp_t client;
    uv_connect_t connect;
    uv_write_t write;
    bool is_stopped;
    int64_t renewed_by_ms; /* When a request is paused, the clock is advanced by this. */
    unsigned pauses;
    unsigned records;
    rc_exchange_summary last;
    size_t len;
    char request[1024];
    char piece[4096];
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

/* ---- a client ---- */

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *ret_buf)
{
    fixture *w = handle->data;
    (void)size;
    *ret_buf = uv_buf_init(w->piece, sizeof w->piece);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
    fixture *w = stream->data;
    if (count < 0) {
        uv_close((uv_handle_t *)&w->client, NULL);
        rc_loop_close(w->gateway_loop);
        return;
    }
    assert_true((size_t)count < sizeof w->response - w->len);
    memcpy(w->response + w->len, buf->base, (size_t)count);
    w->len += (size_t)count;
}

static void on_connect(uv_connect_t *request, int status)
{
    fixture *w = request->data;
    uv_buf_t buf = uv_buf_init(w->request, (unsigned)strlen(w->request));
    assert_int_equal(status, 0);
    assert_int_equal(uv_write(&w->write, (uv_stream_t *)&w->client, &buf, 1, NULL), 0);
    assert_int_equal(uv_read_start((uv_stream_t *)&w->client, on_alloc, on_read), 0);
}

/* Sends the same request twice, one after the other. */
static void send_twice(fixture *w)
{
    static const char body[] = "{\"model\":\"m\",\"max_tokens\":200,\"messages\":[{\"role\":"
                               "\"user\",\"content\":\"fish\"}]}";
    rc_listening listening;
    struct sockaddr_in address;
    size_t at = 0;
    for (int i = 0; i < 2; i++)
        at += (size_t)snprintf(w->request + at, sizeof w->request - at,
                               "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: %s\r\n"
                               "Content-Length: %zu\r\n\r\n%s",
                               i == 0 ? "keep-alive" : "close", sizeof body - 1, body);
    assert_int_equal(rc_loop_listen(w->gateway_loop, "127.0.0.1", 0, RC_LISTEN_ALONE, &listening),
                     RC_LISTEN_OK);
    assert_int_equal(uv_ip4_addr("127.0.0.1", listening.port, &address), 0);
    assert_int_equal(uv_tcp_init(&w->loop, &w->client), 0);
    w->client.data = w;
    w->connect.data = w;
    assert_int_equal(
        uv_tcp_connect(&w->connect, &w->client, (struct sockaddr *)&address, on_connect), 0);
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

/* A millisecond before midnight is not the next day. */
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
