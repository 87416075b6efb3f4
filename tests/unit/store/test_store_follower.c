/* Tests of the follower, which delivers each operation once, however long the operation took and
 * whenever it is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/follower.h"
#include "support/fail_alloc.h"
#include "support/store_fixture.h"

#define STEP_MS 500
#define SECOND INT64_C(1000)
#define MINUTE INT64_C(60000)
#define MANY 700

typedef struct follower_fixture {
    store_fixture store;
    rc_store *reader;
    rc_follower follow;
    int64_t now;
    size_t delivered;
    int64_t last_key;
    uint64_t made;
} follower_fixture;

static int set_up(void **state)
{
    follower_fixture *w = calloc(1, sizeof(*w));
    const rc_store_settings settings = {.mode = RC_STORE_READ};
    const rc_store_filter none = {.code = RC_CODE_NONE};
    fixture_init(&w->store);
    assert_true(fixture_open(&w->store, RC_STORE_WRITE));
    assert_true(rc_store_open(rc_str_c(w->store.url), &settings, &w->store.alloc, &w->reader,
                              &w->store.fault));
    w->now = FIXTURE_TIME;
    rc_follower_init(&w->follow, &none, true, w->now, &w->store.alloc);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    follower_fixture *w = *state;
    rc_follower_done(&w->follow);
    rc_store_close(w->reader);
    fixture_done(&w->store);
    free(w);
    return 0;
}

/* Returns an id of any time, which may be before that of the previous id. */
static rc_id next_id(follower_fixture *w, int64_t unix_ms)
{
    rc_id_maker maker = {0};
    uint8_t entropy[10] = {0};
    w->made++;
    memcpy(entropy, &w->made, sizeof(w->made));
    for (size_t i = 0; i < sizeof(w->made); i++) /* the last letters distinguish the ids */
        entropy[9 - i] = (uint8_t)(w->made >> (8 * i));
    return rc_id_make(&maker, unix_ms, entropy);
}

/* Adds operations that began at `began`, one millisecond apart, and all ended at `ended`. */
static void add_many(follower_fixture *w, int64_t began, int64_t ended, size_t number)
{
    static rc_id ids[MANY];
    static rc_record records[3 * MANY];
    assert_true(number <= MANY);
    for (size_t i = 0; i < number; i++) {
        const int64_t from = began + (int64_t)i;
        ids[i] = next_id(w, from);
        fixture_fill(&records[3 * i], &ids[i], from);
        records[3 * i + 2].unix_ms = ended > from ? ended : from;
    }
    assert_true(fixture_append(&w->store, records, 3 * number));
}

static void add(follower_fixture *w, int64_t began, int64_t ended)
{
    add_many(w, began, ended, 1);
}

static bool count(void *ctx, const rc_record *operation)
{
    follower_fixture *w = ctx;
    w->delivered++;
    w->last_key = operation->key;
    return true;
}

/* Runs a number of steps and returns the number of delivered operations. */
static size_t steps(follower_fixture *w, size_t number)
{
    w->delivered = 0;
    for (size_t i = 0; i < number; i++) {
        w->now += STEP_MS;
        assert_true(rc_follower_step(&w->follow, w->reader, w->now, count, w, &w->store.fault));
    }
    return w->delivered;
}

static void test_each_operation_is_delivered_once(void **state)
{
    follower_fixture *w = *state;
    assert_int_equal(steps(w, 3), 0);
    for (int i = 0; i < 10; i++)
        add(w, w->now - 200 - i, w->now - 100);
    assert_int_equal(steps(w, 1), 10);
    assert_int_equal(steps(w, 260), 0);
    add(w, w->now, w->now + 1);
    assert_int_equal(steps(w, 2), 1);
}

/* The clock is set back by a year. The times of new ids continue from the old time; the ends of the
 * operations have the new time. Each operation is delivered once, and operations that ended before
 * the change are not delivered again. */
static void test_a_clock_that_was_set_back(void **state)
{
    follower_fixture *w = *state;
    add_many(w, w->now - 5 * SECOND, w->now - 100, 20); /* before the follower started */
    add_many(w, w->now, w->now + 100, 10);
    assert_int_equal(steps(w, 2), 10);
    const int64_t ids_at = w->now;
    w->now -= INT64_C(365) * 86400000;
    assert_int_equal(steps(w, 2), 0);
    for (int i = 0; i < 5; i++) {
        rc_record records[3];
        const rc_id id = next_id(w, ids_at + i);
        fixture_fill(records, &id, w->now);
        assert_true(fixture_append(&w->store, records, 3));
    }
    assert_int_equal(steps(w, 1), 5);
    assert_int_equal(steps(w, 300), 0);
}

static void test_operations_that_ended_before_are_not_delivered(void **state)
{
    follower_fixture *w = *state;
    add(w, w->now - 5 * SECOND, w->now - 1);
    add(w, w->now - 5 * SECOND, w->now);
    assert_int_equal(steps(w, 260), 1);
}

/* Operations are delivered that began before thousands of others and ended after them. */
static void test_long_operations_are_delivered(void **state)
{
    follower_fixture *w = *state;
    assert_int_equal(steps(w, 5), 0);
    const int64_t soon = w->now;
    add(w, w->now - 10 * MINUTE, w->now);
    assert_int_equal(steps(w, 16), 1);
    add(w, w->now - 28 * MINUTE, w->now);
    assert_int_equal(steps(w, 16), 1);
    add(w, soon - 300 * MINUTE, w->now);
    assert_int_equal(steps(w, 16), 0);
    assert_int_equal(steps(w, 256), 1);
    assert_int_equal(steps(w, 260), 0);
}

/* The store was down for some time, so records arrive after their operations have ended. */
static void test_late_records_are_delivered(void **state)
{
    follower_fixture *w = *state;
    steps(w, 130);
    const int64_t ended = w->now - 40 * SECOND;
    add(w, ended - SECOND, ended);
    assert_int_equal(steps(w, 1), 1);
    assert_int_equal(steps(w, 260), 0);
}

static void test_a_running_operation_is_delivered_when_it_ends(void **state)
{
    follower_fixture *w = *state;
    rc_record records[3];
    const int64_t began = w->now;
    const rc_id id = next_id(w, began);
    fixture_fill(records, &id, began);
    assert_true(fixture_append(&w->store, records, 2));
    assert_int_equal(steps(w, 20), 0);
    records[2].unix_ms = w->now;
    assert_true(fixture_append(&w->store, &records[2], 1));
    assert_int_equal(steps(w, 2), 1);
    assert_int_equal(steps(w, 260), 0);
}

static void add_notice(follower_fixture *w)
{
    rc_record notice;
    const rc_id id = next_id(w, w->now);
    rc_record_init(&notice, RC_RECORD_SERVICE);
    notice.operation_id = rc_str_make(id.text, RC_ID_LEN);
    notice.unix_ms = w->now;
    notice.text = RC_STR("taken out of service");
    assert_true(fixture_append(&w->store, &notice, 1));
}

static void test_notices_are_delivered_on_request(void **state)
{
    follower_fixture *w = *state;
    add_notice(w);
    assert_int_equal(steps(w, 40), 1);
    const rc_store_filter failed = {.has_outcome = true, .outcome = RC_OUTCOME_FAILED};
    rc_follower_done(&w->follow);
    rc_follower_init(&w->follow, &failed, true, w->now, &w->store.alloc);
    add_notice(w);
    add(w, w->now, w->now + 1);
    assert_int_equal(steps(w, 40), 0);
}

static void test_skipped_operations_are_not_delivered(void **state)
{
    follower_fixture *w = *state;
    add(w, w->now, w->now + 1);
    assert_int_equal(steps(w, 1), 1);
    const rc_record known = {.key = w->last_key, .unix_ms = w->now};
    const rc_store_filter none = {.code = RC_CODE_NONE};
    rc_follower_done(&w->follow);
    rc_follower_init(&w->follow, &none, true, FIXTURE_TIME, &w->store.alloc);
    assert_int_equal(rc_follower_skip(&w->follow, &known), RC_OK);
    assert_int_equal(steps(w, 40), 0);
}

/* One step does not deliver all operations: the next steps continue, and remembered operations are
 * dropped in time. */
static void test_many_operations_take_several_steps(void **state)
{
    follower_fixture *w = *state;
    size_t delivered = 0;
    for (int round = 0; round < 6; round++) {
        add_many(w, w->now - MANY, w->now, MANY);
        delivered += steps(w, 1);
        assert_true(w->delivered <= RC_FOLLOWER_STEP_MAX);
    }
    delivered += steps(w, 10);
    assert_int_equal(delivered, 6 * MANY);
    steps(w, 520);
    add(w, w->now, w->now + 1);
    add_many(w, w->now, w->now, 600);
    assert_int_equal(steps(w, 4), 601);
    assert_true(w->follow.seen_slots <= 16384);
}

static void test_memory_is_limited(void **state)
{
    (void)state;
    rc_follower follow;
    const rc_store_filter none = {.code = RC_CODE_NONE};
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_follower_init(&follow, &none, false, FIXTURE_TIME, &alloc);
    for (int64_t i = 1; i <= INT64_C(1500000); i++) {
        const rc_record record = {.key = i, .unix_ms = FIXTURE_TIME + i / 100};
        assert_int_equal(rc_follower_skip(&follow, &record), RC_OK);
    }
    assert_true(follow.seen_slots <= 2 * RC_FOLLOWER_SEEN_MAX);
    assert_true(follow.seen_count <= RC_FOLLOWER_SEEN_MAX);
    /* Operations that were dropped from the table of remembered ones are not delivered again. */
    assert_true(follow.from_unix_ms > FIXTURE_TIME);
    rc_follower_done(&follow);
}

static void test_a_lack_of_memory_is_reported(void **state)
{
    follower_fixture *w = *state;
    fail_alloc failing = {.fail_at = 1, .for_good = true};
    const rc_alloc alloc = fail_alloc_of(&failing);
    const rc_store_filter none = {.code = RC_CODE_NONE};
    rc_follower follow;
    rc_follower_init(&follow, &none, false, w->now, &alloc);
    add(w, w->now, w->now + 1);
    assert_false(rc_follower_step(&follow, w->reader, w->now + SECOND, count, w, &w->store.fault));
    assert_int_equal(w->store.fault.kind, RC_STORE_NO_MEMORY);
    rc_follower_done(&follow);
    assert_int_equal(failing.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_operation_is_delivered_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_clock_that_was_set_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_operations_that_ended_before_are_not_delivered, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_long_operations_are_delivered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_late_records_are_delivered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_running_operation_is_delivered_when_it_ends, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_notices_are_delivered_on_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_skipped_operations_are_not_delivered, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_many_operations_take_several_steps, set_up, tear_down),
        cmocka_unit_test(test_memory_is_limited),
        cmocka_unit_test_setup_teardown(test_a_lack_of_memory_is_reported, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
