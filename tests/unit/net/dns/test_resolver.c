/* Names whose answers hang: others do not wait for them, nor does whoever closes. */
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

static atomic_bool is_held; /* questions for "hang..." are answered no sooner */
static atomic_int asked;    /* begun, */
static atomic_int answered; /* and ended */
static uv_loop_t loop;
static rc_resolver resolver;
static fail_alloc memory;

typedef struct waiter {
    rc_lookup lookup; /* the first member: on_done finds us by it */
    int answers;
    size_t count;
    bool closes;
    const char *next_host; /* asked for from inside */
    struct waiter *next;
} waiter;

/* "none..." has no address, all others have one. */
static void ask(const char *host, rc_addresses *ret_addresses)
{
    asked++;
    for (int i = 0; i < PATIENCE && is_held && strncmp(host, "hang", 4) == 0; i++)
        usleep(1000);
    if (strncmp(host, "none", 4) != 0) {
        ret_addresses->list[0].v4.sin_family = AF_INET;
        ret_addresses->count = 1;
    }
    answered++;
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
    w->answers++;
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

static void begin(uint32_t asking_max)
{
    const rc_resolve_settings settings = {
        .cache_ms = 60000, .names_max = 8, .max_queries = asking_max, .query_fn = ask};
    is_held = true;
    asked = answered = closed = 0;
    memory = (fail_alloc){0};
    assert_int_equal(uv_loop_init(&loop), 0);
    rc_resolver_init(&resolver, &loop, &settings, fail_alloc_of(&memory));
}

static void await_queries(int count)
{
    for (int i = 0; i < PATIENCE && asked < count; i++)
        usleep(1000);
    assert_int_equal(asked, count);
}

/* All that was asked has ended, so that the next test counts its own. */
static void end(void)
{
    is_held = false;
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(closed, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_int_equal(memory.live, 0);
    for (int i = 0; i < PATIENCE && answered < asked; i++)
        usleep(1000);
    assert_int_equal(answered, asked);
}

#ifndef RC_TEST_SANITIZED
/* The first of all: no stack of a thread that has ended is left to be used again. */
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
    assert_int_equal(asked, 0);
    assert_int_equal(find(&w, "a.test"), RC_RESOLVE_PENDING);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(w.count, 1);
    rc_resolver_close(&resolver, on_closed, &closed);
    end();
}
#endif

static void a_name_that_hangs_keeps_no_other_waiting(void **state)
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
    while (healthy.answers + missing.answers < 2)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(healthy.count, 1);
    assert_int_equal(missing.count, 0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(hanging[i].answers, 0);
    assert_int_equal(find(&healthy, "healthy.test"), RC_RESOLVE_FOUND);
    is_held = false;
    uv_run(&loop, UV_RUN_DEFAULT);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(hanging[i].count, 1);
    assert_int_equal(again.count, 1);
    assert_int_equal(asked, 7); /* those who ask the same share one question */
    rc_resolver_close(&resolver, on_closed, &closed);
    end();
}

static void closing_does_not_wait_for_a_name_that_hangs(void **state)
{
    waiter hanging = {0};
    waiter late = {0};
    (void)state;
    begin(0);
    assert_int_equal(find(&hanging, "hang.test"), RC_RESOLVE_PENDING);
    await_queries(1);
    rc_resolver_close(&resolver, on_closed, &closed);
    assert_int_equal(closed, 0); /* from the loop */
    assert_int_equal(find(&late, "b.test"), RC_RESOLVE_FAILED);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(closed, 1);
    assert_int_equal(hanging.answers, 0);
    assert_null(hanging.lookup.name);
    assert_int_equal(answered, 0);
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
    assert_int_equal(asked, 2);
    is_held = false;
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(hanging[0].count + hanging[1].count + third.count, 3);
    assert_int_equal(fourth.answers, 1);
    assert_int_equal(fourth.count, 0);
    /* One that waits for its turn is forgotten like all others. */
    is_held = true;
    assert_int_equal(find(&hanging[0], "hang3.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&hanging[1], "hang4.test"), RC_RESOLVE_PENDING);
    assert_int_equal(find(&third, "b.test"), RC_RESOLVE_PENDING);
    await_queries(6);
    rc_resolver_close(&resolver, on_closed, &closed);
    end();
    assert_int_equal(third.answers, 1);
    assert_int_equal(asked, 6);
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
    assert_int_equal(beside.answers, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef RC_TEST_SANITIZED
        cmocka_unit_test(without_a_thread_a_name_is_not_found),
#endif
        cmocka_unit_test(a_name_that_hangs_keeps_no_other_waiting),
        cmocka_unit_test(closing_does_not_wait_for_a_name_that_hangs),
        cmocka_unit_test(closing_before_any_query_is_immediate),
        cmocka_unit_test(queries_over_the_limit_wait),
        cmocka_unit_test(a_callback_may_look_up_and_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
