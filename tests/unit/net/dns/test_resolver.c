/* Tests of lookups that hang: they delay neither other lookups nor closing. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/dns/resolver.h"
#include "support/fail_alloc.h"

#define PATIENCE 20000

static atomic_bool is_held; /* while true, queries for "hang..." wait */
static atomic_int started;  /* number of queries that were started */
static atomic_int ended;    /* number of queries that have ended */
static uv_loop_t loop;
static rc_resolver resolver;
static fail_alloc memory;

typedef struct waiter {
    rc_lookup lookup; /* must be the first member, because on_done casts it to the waiter */
    int calls;
    size_t count;
    bool closes;
    const char *next_host; /* a name that the callback looks up; NULL: none */
    struct waiter *next;
} waiter;

/* Replaces the system's resolver: "none..." has no address, all others have one. */
static void resolve_stub(const char *host, rc_addresses *ret_addresses)
{
    started++;
    for (int i = 0; i < PATIENCE && is_held && strncmp(host, "hang", 4) == 0; i++)
        usleep(1000);
    if (strncmp(host, "none", 4) != 0) {
        ret_addresses->list[0].v4.sin_family = AF_INET;
        ret_addresses->count = 1;
    }
    ended++;
}

static void on_closed(void *ctx)
{
    ++*(int *)ctx;
}

static int closed;

static rc_resolve_result find(waiter *w, const char *host);

static void on_done(rc_lookup *lookup, const rc_addresses *addresses)
{
    waiter *w = (waiter *)lookup;
    w->calls++;
    w->count = addresses != NULL ? addresses->count : 0;
    if (w->closes)
        rc_resolver_close(&resolver, on_closed, &closed);
    if (w->next_host != NULL)
        (void)find(w->next, w->next_host);
}

static rc_resolve_result find(waiter *w, const char *host)
{
    rc_addresses found = {0};
    w->lookup.on_done = on_done;
    const rc_resolve_result result = rc_resolver_find(&resolver, host, &w->lookup, &found);
    if (result == RC_RESOLVE_FOUND)
        w->count = found.count;
    return result;
}

static void begin(uint32_t max_queries)
{
    const rc_resolve_settings settings = {
        .cache_ms = 60000, .names_max = 8, .max_queries = max_queries, .query_fn = resolve_stub};
    is_held = true;
    started = ended = closed = 0;
    memory = (fail_alloc){0};
    assert_int_equal(uv_loop_init(&loop), 0);
    rc_resolver_init(&resolver, &loop, &settings, fail_alloc_of(&memory));
}

static void await_queries(int count)
{
    for (int i = 0; i < PATIENCE && started < count; i++)
        usleep(1000);
    assert_int_equal(started, count);
}

/* Waits until all queries have ended, so that the next test counts only its own queries. */
static void end(void)
{
    is_held = false;
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(closed, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_int_equal(memory.live, 0);
    for (int i = 0; i < PATIENCE && ended < started; i++)
        usleep(1000);
    assert_int_equal(ended, started);
}

#ifndef RC_TEST_SANITIZED
/* This test runs first, because the stack of an ended thread could be reused by a new thread. */
static void without_a_thread_a_name_is_not_found(void **state)
{
    struct rlimit before;
    waiter w = {0};
    (void)state;
    begin(0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const struct rlimit none = {.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    const rc_resolve_result result = find(&w, "a.test");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(result, RC_RESOLVE_FAILED);
    assert_int_equal(started, 0);
    assert_int_equal(find(&w, "a.test"), RC_RESOLVE_PENDING);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(w.count, 1);
    rc_resolver_close(&resolver, on_closed, &closed);
    end();
}
#endif

static void a_hanging_name_does_not_delay_others(void **state)
{
    static const char *const hosts[] = {"hang1.test", "hang2.test", "hang3.test", "hang4.test",
                                        "hang5.test"};
    waiter hanging[5] = {0};
    waiter again = {0};
    waiter healthy = {0};
    waiter missing = {0};
    (void)state;
    begin(0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(find(&hanging[i], hosts[i]), RC_RESOLVE_PENDING);
    assert_int_equal(find(&again, hosts[0]), RC_RESOLVE_PENDING);
    assert_int_equal(find(&healthy, "healthy.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&missing, "none.test"), RC_RESOLVE_PENDING);
    while (healthy.calls + missing.calls < 2)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(healthy.count, 1);
    assert_int_equal(missing.count, 0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(hanging[i].calls, 0);
    assert_int_equal(find(&healthy, "healthy.test"), RC_RESOLVE_FOUND);
    is_held = false;
    uv_run(&loop, UV_RUN_DEFAULT);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(hanging[i].count, 1);
    assert_int_equal(again.count, 1);
    assert_int_equal(started, 7); /* lookups of the same name share one query */
    rc_resolver_close(&resolver, on_closed, &closed);
    end();
}

static void closing_does_not_wait_for_a_hanging_name(void **state)
{
    waiter hanging = {0};
    waiter late = {0};
    (void)state;
    begin(0);
    assert_int_equal(find(&hanging, "hang.test"), RC_RESOLVE_PENDING);
    await_queries(1);
    rc_resolver_close(&resolver, on_closed, &closed);
    assert_int_equal(closed, 0); /* on_closed is called by the loop, so not yet */
    assert_int_equal(find(&late, "b.test"), RC_RESOLVE_FAILED);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(closed, 1);
    assert_int_equal(hanging.calls, 0);
    assert_null(hanging.lookup.name);
    assert_int_equal(ended, 0);
    end();
}

static void closing_before_any_query_is_immediate(void **state)
{
    (void)state;
    begin(0);
    rc_resolver_close(&resolver, on_closed, &closed);
    assert_int_equal(closed, 1);
    end();
}

static void queries_over_the_limit_wait(void **state)
{
    waiter hanging[2] = {0};
    waiter third = {0};
    waiter fourth = {0};
    (void)state;
    begin(2);
    assert_int_equal(find(&hanging[0], "hang1.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&hanging[1], "hang2.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&third, "a.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&fourth, "none.test"), RC_RESOLVE_PENDING);
    await_queries(2);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(started, 2);
    is_held = false;
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(hanging[0].count + hanging[1].count + third.count, 3);
    assert_int_equal(fourth.calls, 1);
    assert_int_equal(fourth.count, 0);
    /* A lookup that waits for a thread is dropped like all others. */
    is_held = true;
    assert_int_equal(find(&hanging[0], "hang3.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&hanging[1], "hang4.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&third, "b.test"), RC_RESOLVE_PENDING);
    await_queries(6);
    rc_resolver_close(&resolver, on_closed, &closed);
    end();
    assert_int_equal(third.calls, 1);
    assert_int_equal(started, 6);
}

static void a_callback_may_look_up_and_close(void **state)
{
    waiter inner = {0};
    waiter outer = {.next_host = "b.test", .next = &inner};
    waiter beside = {0};
    waiter last = {.closes = true};
    (void)state;
    begin(0);
    assert_int_equal(find(&outer, "a.test"), RC_RESOLVE_PENDING);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(outer.count, 1);
    assert_int_equal(inner.count, 1);
    assert_int_equal(find(&beside, "c.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&last, "c.test"), RC_RESOLVE_PENDING);
    end();
    assert_int_equal(last.count, 1);
    assert_int_equal(beside.calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef RC_TEST_SANITIZED
        cmocka_unit_test(without_a_thread_a_name_is_not_found),
#endif
        cmocka_unit_test(a_hanging_name_does_not_delay_others),
        cmocka_unit_test(closing_does_not_wait_for_a_hanging_name),
        cmocka_unit_test(closing_before_any_query_is_immediate),
        cmocka_unit_test(queries_over_the_limit_wait),
        cmocka_unit_test(a_callback_may_look_up_and_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
