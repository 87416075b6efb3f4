/* Tests of the event heap: order, ties and the ceiling, compared with a plain sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "sim/event_heap.h"
#include "sim/rng.h"
#include "support/fail_alloc.h"

#define MANY 20000

static void events_come_out_in_order(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_event_heap heap;
    rc_sim_event_heap_init(&heap, &alloc, MANY);
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 3, 1);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(rc_sim_event_heap_push(&heap, rc_sim_rng_below(&rng, 500), i), RC_OK);
    rc_sim_event before = {.at_ms = 0};
    rc_sim_event event;
    uint32_t count = 0;
    while (rc_sim_event_heap_pop(&heap, &event)) {
        assert_true(event.at_ms >= before.at_ms);
        if (count > 0 && event.at_ms == before.at_ms)
            assert_true(event.tag > before.tag);
        before = event;
        count++;
    }
    assert_int_equal(count, MANY);
    rc_sim_event_heap_done(&heap);
}

/* Pushes and pops are mixed, as in a run; each pop must be the minimum of a plain array. */
static void pops_agree_with_a_plain_search(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_event_heap heap;
    rc_sim_event_heap_init(&heap, &alloc, MANY);
    static uint64_t plain[MANY];
    size_t count = 0;
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 5, 1);
    for (int step = 0; step < 5000; step++) {
        if (count == 0 || rc_sim_rng_below(&rng, 100) < 55) {
            plain[count] = rc_sim_rng_below(&rng, 1000);
            assert_int_equal(rc_sim_event_heap_push(&heap, plain[count++], 0), RC_OK);
            continue;
        }
        size_t least = 0;
        for (size_t i = 1; i < count; i++)
            if (plain[i] < plain[least])
                least = i;
        rc_sim_event event;
        assert_true(rc_sim_event_heap_pop(&heap, &event));
        assert_true(event.at_ms == plain[least]);
        plain[least] = plain[--count];
    }
    rc_sim_event_heap_done(&heap);
}

static void the_ceiling_holds(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_event_heap heap;
    rc_sim_event_heap_init(&heap, &alloc, 2);
    assert_int_equal(rc_sim_event_heap_push(&heap, 1, 1), RC_OK);
    assert_int_equal(rc_sim_event_heap_push(&heap, 2, 2), RC_OK);
    assert_int_equal(rc_sim_event_heap_push(&heap, 3, 3), RC_E_TOO_LARGE);
    rc_sim_event event;
    assert_true(rc_sim_event_heap_pop(&heap, &event));
    assert_int_equal(event.tag, 1);
    assert_int_equal(rc_sim_event_heap_push(&heap, 3, 3), RC_OK);
    rc_sim_event_heap_done(&heap);
    rc_sim_event_heap_done(&heap);
}

static void a_failed_push_loses_no_events(void **state)
{
    (void)state;
    fail_alloc counting = {.fail_at = 2};
    rc_alloc alloc = fail_alloc_of(&counting);
    rc_sim_event_heap heap;
    rc_sim_event_heap_init(&heap, &alloc, MANY);
    uint32_t pushed = 0;
    while (rc_sim_event_heap_push(&heap, pushed, pushed) == RC_OK)
        pushed++;
    rc_sim_event event;
    for (uint32_t i = 0; i < pushed; i++) {
        assert_true(rc_sim_event_heap_pop(&heap, &event));
        assert_int_equal(event.tag, i);
    }
    assert_false(rc_sim_event_heap_pop(&heap, &event));
    rc_sim_event_heap_done(&heap);
    assert_int_equal(counting.live, 0);
    assert_false(counting.is_broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_out_in_order),
        cmocka_unit_test(pops_agree_with_a_plain_search),
        cmocka_unit_test(the_ceiling_holds),
        cmocka_unit_test(a_failed_push_loses_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
