/* Tests of the waiting queue: order, fairness, ceilings, late entries, and a comparison with a
 * simple model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/queue.h>

#include "support/often.h"
#include "support/random_report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(sizeof(rc_queue_entry) + sizeof(rc_queue_flow) + sizeof(uint32_t) <= 160,
               "docs/internals/queue.md says so");

/* A queue with memory from the heap. The item of an entry is the address of its request's
 * number. */
typedef struct test_queue {
    rc_queue queue;
    void *memory;
    char items[1000];
} test_queue;

static void set_up(test_queue *t, uint32_t capacity, rc_queue_settings settings)
{
    t->memory = malloc(rc_queue_memory_bytes(capacity) + 1);
    assert_non_null(t->memory);
    rc_queue_init(&t->queue, &settings, t->memory, capacity);
}

static void tear_down(test_queue *t)
{
    free(t->memory);
}

static rc_queue_result push(test_queue *t, uint32_t item, uint64_t client, uint64_t start_by_ms,
                            uint32_t *ret_ticket, void **ret_refused)
{
    rc_queue_request request = {.item = &t->items[item],
                                .line = 1,
                                .client = client,
                                .start_by_ms = start_by_ms,
                                .leave_at_ms = start_by_ms + 100,
                                .bytes = 10};
    rc_queue_result result = rc_queue_push(&t->queue, &request, ret_ticket, ret_refused);
    assert_true(rc_queue_validate(&t->queue));
    return result;
}

static void push_ok(test_queue *t, uint32_t item, uint64_t client, uint64_t start_by_ms)
{
    uint32_t ticket;
    void *refused;
    assert_int_equal(push(t, item, client, start_by_ms, &ticket, &refused), RC_QUEUE_PUSHED);
}

/* Grants the next entry of the only line and returns the number of its request. */
static uint32_t grant(test_queue *t)
{
    uint32_t ticket = rc_queue_head(&t->queue, 0);
    assert_int_not_equal(ticket, RC_QUEUE_NONE);
    uint32_t item = (uint32_t)((char *)rc_queue_item(&t->queue, ticket) - t->items);
    rc_queue_grant(&t->queue, ticket);
    assert_true(rc_queue_validate(&t->queue));
    return item;
}

static void test_the_earliest_latest_start_goes_first(void **state)
{
    (void)state;
    static test_queue t;
    set_up(&t, 10, rc_queue_settings_default());
    push_ok(&t, 1, 7, 3000);
    push_ok(&t, 2, 7, 1000);
    push_ok(&t, 3, 8, 2000);
    assert_int_equal(grant(&t), 2);
    assert_int_equal(grant(&t), 3);
    assert_int_equal(grant(&t), 1);
    assert_int_equal(rc_queue_head(&t.queue, 0), RC_QUEUE_NONE);
    assert_int_equal(rc_queue_next_ms(&t.queue), UINT64_MAX);
    tear_down(&t);
}

/* A client with hundreds of urgent requests delays another client's only request by at most the
 * rest of a round and one quantum. */
static void test_a_greedy_client_does_not_delay_others(void **state)
{
    (void)state;
    static test_queue t;
    rc_queue_settings settings = rc_queue_settings_default();
    set_up(&t, 900, settings);
    for (uint32_t i = 0; i < 800; i++)
        push_ok(&t, i, 1, 1000 + i);
    push_ok(&t, 900, 2, 90000);
    uint32_t before = 0;
    while (grant(&t) != 900)
        before++;
    assert_true(before >= settings.quantum && before <= 2 * settings.quantum);
    tear_down(&t);
}

/* Clients that join continuously do not delay for ever a flow that has used its quantum. */
static void test_a_flow_does_not_starve_behind_newcomers(void **state)
{
    (void)state;
    static test_queue t;
    rc_queue_settings settings = rc_queue_settings_default();
    set_up(&t, 100, settings);
    for (uint32_t i = 0; i < settings.quantum + 1; i++)
        push_ok(&t, 1, 1, 90000);
    uint32_t grants = 0;
    for (uint32_t left = settings.quantum + 1; left > 0; grants++) {
        push_ok(&t, 2, 100 + grants, 5000);
        left -= grant(&t) == 1;
        assert_true(grants < 200);
    }
    /* at least one grant in each round of about as many grants as entries wait */
    assert_true(grants <= (settings.quantum + 1) * (settings.quantum + 3));
    tear_down(&t);
}

static void test_the_greediest_client_loses_its_newest_request(void **state)
{
    (void)state;
    static test_queue t;
    rc_queue_settings settings = rc_queue_settings_default();
    settings.max_waiting = 4;
    set_up(&t, 10, settings);
    uint32_t ticket;
    void *refused = NULL;
    push_ok(&t, 1, 1, 1000);
    push_ok(&t, 2, 1, 500);
    push_ok(&t, 3, 1, 400);
    push_ok(&t, 4, 2, 1000);
    assert_int_equal(push(&t, 5, 1, 100, &ticket, &refused), RC_QUEUE_FULL);
    assert_int_equal(push(&t, 6, 3, 9000, &ticket, &refused), RC_QUEUE_REPLACED);
    assert_ptr_equal(refused, &t.items[3]);
    assert_int_equal(push(&t, 7, 4, 9000, &ticket, &refused), RC_QUEUE_REPLACED);
    assert_ptr_equal(refused, &t.items[2]);
    assert_int_equal(push(&t, 8, 5, 9000, &ticket, &refused), RC_QUEUE_FULL);
    assert_int_equal(t.queue.count, 4);
    tear_down(&t);
}

static void test_bytes_have_a_ceiling(void **state)
{
    (void)state;
    static test_queue t;
    rc_queue_settings settings = rc_queue_settings_default();
    settings.max_bytes = 35;
    set_up(&t, 10, settings);
    uint32_t ticket;
    void *refused;
    for (uint32_t i = 0; i < 3; i++)
        push_ok(&t, i, 1, 1000);
    assert_int_equal(push(&t, 4, 1, 1000, &ticket, &refused), RC_QUEUE_FULL);
    assert_int_equal(push(&t, 5, 2, 1000, &ticket, &refused), RC_QUEUE_REPLACED);
    assert_int_equal(t.queue.bytes, 30);
    tear_down(&t);
}

static rc_queue_result push_to_line(test_queue *t, uint32_t item, uint64_t line, void **ret_refused)
{
    uint32_t ticket;
    rc_queue_request request = {.item = &t->items[item],
                                .line = line,
                                .client = 1,
                                .start_by_ms = 1000,
                                .leave_at_ms = 2000,
                                .bytes = 10};
    rc_queue_result result = rc_queue_push(&t->queue, &request, &ticket, ret_refused);
    assert_true(rc_queue_validate(&t->queue));
    return result;
}

/* A request that finds no free line takes no other request's place in a full queue. */
static void test_a_request_without_a_line_removes_no_other(void **state)
{
    (void)state;
    static test_queue t;
    set_up(&t, RC_QUEUE_LINES + 2, rc_queue_settings_default());
    void *refused = NULL;
    for (uint32_t i = 0; i < RC_QUEUE_LINES; i++)
        assert_int_equal(push_to_line(&t, i, i, &refused), RC_QUEUE_PUSHED);
    assert_int_equal(push_to_line(&t, 100, 1000, &refused), RC_QUEUE_FULL);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(push_to_line(&t, 101 + i, 0, &refused), RC_QUEUE_PUSHED);
    assert_int_equal(push_to_line(&t, 103, 1000, &refused), RC_QUEUE_FULL);
    assert_null(refused);
    assert_int_equal(t.queue.count, RC_QUEUE_LINES + 2);
    assert_int_equal(push_to_line(&t, 104, 1, &refused), RC_QUEUE_REPLACED);
    assert_ptr_equal(refused, &t.items[102]);
    tear_down(&t);
}

static void test_a_queue_without_capacity_is_always_full(void **state)
{
    (void)state;
    test_queue t = {0};
    const rc_queue_settings settings = rc_queue_settings_default();
    rc_queue_init(&t.queue, &settings, NULL, 0);
    uint32_t ticket;
    void *refused;
    assert_int_equal(push(&t, 1, 1, 50, &ticket, &refused), RC_QUEUE_FULL);
}

static void test_late_entries_go_last_and_become_overdue(void **state)
{
    (void)state;
    static test_queue t;
    set_up(&t, 10, rc_queue_settings_default());
    push_ok(&t, 1, 1, 1000);
    push_ok(&t, 2, 2, 5000);
    assert_int_equal(rc_queue_next_ms(&t.queue), 1000);
    assert_int_equal(rc_queue_overdue(&t.queue, 1050), RC_QUEUE_NONE);
    assert_true(rc_queue_validate(&t.queue));
    assert_int_equal(rc_queue_next_ms(&t.queue), 1100);
    uint32_t overdue = rc_queue_overdue(&t.queue, 1100);
    assert_int_not_equal(overdue, RC_QUEUE_NONE);
    assert_ptr_equal(rc_queue_item(&t.queue, overdue), &t.items[1]);
    assert_int_equal(grant(&t), 2);
    assert_int_equal(grant(&t), 1);
    tear_down(&t);
}

static void test_tickets_survive_growth(void **state)
{
    (void)state;
    static test_queue t;
    set_up(&t, 2, rc_queue_settings_default());
    uint32_t first;
    uint32_t second;
    void *refused;
    assert_int_equal(push(&t, 1, 1, 1000, &first, &refused), RC_QUEUE_PUSHED);
    assert_int_equal(push(&t, 2, 2, 2000, &second, &refused), RC_QUEUE_PUSHED);
    assert_int_equal(push(&t, 3, 3, 2000, &second, &refused), RC_QUEUE_FULL);
    void *larger = malloc(rc_queue_memory_bytes(50));
    assert_non_null(larger);
    rc_queue_grow(&t.queue, larger, 50);
    free(t.memory);
    t.memory = larger;
    assert_true(rc_queue_validate(&t.queue));
    push_ok(&t, 3, 1, 500);
    rc_queue_remove(&t.queue, first);
    assert_true(rc_queue_validate(&t.queue));
    assert_int_equal(grant(&t), 3);
    assert_int_equal(grant(&t), 2);
    tear_down(&t);
}

/* --- random operations --- */

#define MODEL_MAX 60

typedef struct model_row {
    bool is_in;
    uint32_t ticket;
} model_row;

static void step(test_queue *t, model_row *rows, uint64_t now_ms, uint64_t random)
{
    uint32_t item = (uint32_t)(random >> 8) % MODEL_MAX;
    void *refused = NULL;
    uint32_t overdue = rc_queue_overdue(&t->queue, now_ms);
    if (overdue != RC_QUEUE_NONE) {
        rows[(char *)rc_queue_item(&t->queue, overdue) - t->items].is_in = false;
        rc_queue_remove(&t->queue, overdue);
        return;
    }
    if (rows[item].is_in && random % 3 == 0) {
        rc_queue_remove(&t->queue, rows[item].ticket);
        rows[item].is_in = false;
    } else if (!rows[item].is_in && random % 3 != 0) {
        rc_queue_request request = {.item = &t->items[item],
                                    .line = random >> 20 & 3,
                                    .client = random >> 24 & 7,
                                    .start_by_ms = now_ms + (random >> 32 & 1023),
                                    .leave_at_ms = now_ms + (random >> 36 & 2047),
                                    .bytes = (uint32_t)(random >> 48 & 15)};
        rc_queue_result result = rc_queue_push(&t->queue, &request, &rows[item].ticket, &refused);
        rows[item].is_in = result != RC_QUEUE_FULL;
        if (result == RC_QUEUE_REPLACED)
            rows[(char *)refused - t->items].is_in = false;
    } else if (t->queue.line_count > 0) {
        uint32_t head = rc_queue_head(&t->queue, (uint32_t)(random >> 40) % t->queue.line_count);
        if (head == RC_QUEUE_NONE)
            return;
        rows[(char *)rc_queue_item(&t->queue, head) - t->items].is_in = false;
        rc_queue_grant(&t->queue, head);
    }
}

static void test_random_operations_keep_the_invariants(void **state)
{
    (void)state;
    static test_queue t;
    uint64_t seed = 1;
    for (uint32_t run = 0; run < OFTEN(200); run++) {
        model_row rows[MODEL_MAX] = {0};
        rc_queue_settings settings = {
            .max_waiting = 1 + run % 50, .quantum = run % 4, .max_bytes = 100 + run % 300};
        set_up(&t, 40, settings);
        uint64_t now_ms = 5;
        for (uint32_t i = 0; i < 500; i++) {
            uint64_t random = random_u64(&seed);
            now_ms += random >> 60;
            step(&t, rows, now_ms, random);
            uint32_t in = 0;
            for (uint32_t k = 0; k < MODEL_MAX; k++)
                in += rows[k].is_in;
            assert_int_equal(in, t.queue.count);
            assert_true(rc_queue_validate(&t.queue));
        }
        tear_down(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_earliest_latest_start_goes_first),
        cmocka_unit_test(test_a_greedy_client_does_not_delay_others),
        cmocka_unit_test(test_a_flow_does_not_starve_behind_newcomers),
        cmocka_unit_test(test_the_greediest_client_loses_its_newest_request),
        cmocka_unit_test(test_bytes_have_a_ceiling),
        cmocka_unit_test(test_a_request_without_a_line_removes_no_other),
        cmocka_unit_test(test_a_queue_without_capacity_is_always_full),
        cmocka_unit_test(test_late_entries_go_last_and_become_overdue),
        cmocka_unit_test(test_tickets_survive_growth),
        cmocka_unit_test(test_random_operations_keep_the_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
