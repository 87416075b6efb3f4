/* Tests of restoring saved states after a restart, with a clock that may have been set back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/state/hub.h"
#include "store/fault.h"
#include "store/store.h"
#include "sys/calls.h"

#define NOW_MS 5000u
#define NOW_UNIX_MS INT64_C(1800000000000)
#define DAY_MS INT64_C(86400000)
#define WAIT_MS INT64_C(600000)

static rc_hub hub;
static rc_config_provider config = {.name = RC_STR_INIT("up"), .key_count = 1};
static rc_snapshot_provider provider = {.config = &config};

/* A store with one record and one saved state. */
typedef struct fake_store {
    rc_store store;
    int64_t newest_unix_ms; /* time of the newest record; 0: the store is empty */
    rc_saved_state saved;
    bool has_no_list;
} fake_store;

static bool list(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                 rc_store_fault *fault)
{
    const fake_store *fake = (fake_store *)store;
    rc_record record;
    if (fake->has_no_list)
        return rc_store_fault_set(fault, RC_STORE_IO, "read", "fake", NULL);
    assert_int_equal(query->limit, 1);
    assert_false(query->is_oldest_first);
    rc_record_init(&record, RC_RECORD_OUTCOME);
    record.unix_ms = fake->newest_unix_ms;
    if (fake->newest_unix_ms > 0)
        (void)each(ctx, &record);
    return true;
}

static bool saved_states(rc_store *store, rc_saved_state_each each, void *ctx,
                         rc_store_fault *fault)
{
    (void)fault;
    (void)each(ctx, &((fake_store *)store)->saved);
    return true;
}

static const rc_store_calls calls = {.list = list, .saved_states = saved_states};

static int set_up(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_key_fingerprint fingerprint = {.bytes = {'a'}};
    if (rc_hub_init(&hub, &rc_sys_real, &alloc, 1, NOW_MS) != RC_OK ||
        !rc_hub_add_pool(&hub, config.name, &fingerprint, 1, NOW_MS, &provider.first_key))
        return 1;
    rc_hub_set_pool(&hub, &provider, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_hub_done(&hub);
    return 0;
}

static fake_store store_of(rc_credential_state state, int64_t until_unix_ms, int64_t newest_unix_ms)
{
    return (fake_store){
        .store = {.calls = &calls},
        .newest_unix_ms = newest_unix_ms,
        .saved = {RC_SAVED_STATE_CREDENTIAL, RC_STR_INIT("up#6100000000000000"), state,
                  until_unix_ms},
    };
}

/* Returns the remaining cooldown of the key after a restart in milliseconds; 0: none. */
static int64_t left_ms(int64_t until_unix_ms, int64_t newest_unix_ms)
{
    fake_store fake = store_of(RC_CREDENTIAL_EXHAUSTED, until_unix_ms, newest_unix_ms);
    rc_store_fault fault;
    assert_int_equal(set_up(NULL), 0);
    assert_true(rc_hub_restore(&hub, &fake.store, NOW_MS, NOW_UNIX_MS, &fault));
    const rc_credential *row = &hub.shared.credentials[provider.first_key];
    const int64_t left = rc_credential_state_at(row, NOW_MS) == RC_CREDENTIAL_EXHAUSTED
                             ? (int64_t)(rc_cooldown_until_ms(&row->cooldown, false) - NOW_MS)
                             : 0;
    tear_down(NULL);
    return left;
}

static void a_restored_wait_decreases_with_the_clock(void **state)
{
    (void)state;
    assert_int_equal(left_ms(NOW_UNIX_MS + WAIT_MS, NOW_UNIX_MS), WAIT_MS);
    assert_int_equal(left_ms(NOW_UNIX_MS + WAIT_MS, 0), WAIT_MS);
    assert_int_equal(left_ms(NOW_UNIX_MS + 1, NOW_UNIX_MS - WAIT_MS), 1);
    assert_int_equal(left_ms(NOW_UNIX_MS, NOW_UNIX_MS - WAIT_MS), 0);
    assert_int_equal(left_ms(NOW_UNIX_MS - DAY_MS, NOW_UNIX_MS - DAY_MS - WAIT_MS), 0);
}

static void a_clock_that_was_set_back_does_not_extend_a_wait(void **state)
{
    (void)state;
    const int64_t then = NOW_UNIX_MS + DAY_MS;
    assert_int_equal(left_ms(then + WAIT_MS, then), WAIT_MS);
    /* The time that has passed since the state was saved is subtracted. */
    assert_int_equal(left_ms(then + WAIT_MS, then + WAIT_MS - 1), 1);
    assert_int_equal(left_ms(then + WAIT_MS, then + WAIT_MS), 0);
    assert_int_equal(left_ms(then + WAIT_MS, then + DAY_MS), 0);
}

static void a_rejected_key_stays_rejected(void **state)
{
    (void)state;
    fake_store fake = store_of(RC_CREDENTIAL_DEAD, 0, NOW_UNIX_MS + DAY_MS);
    rc_store_fault fault;
    assert_int_equal(set_up(NULL), 0);
    assert_true(rc_hub_restore(&hub, &fake.store, NOW_MS, NOW_UNIX_MS, &fault));
    assert_int_equal(
        rc_credential_state_at(&hub.shared.credentials[provider.first_key], NOW_MS + DAY_MS),
        RC_CREDENTIAL_DEAD);
    tear_down(NULL);
}

static void a_failing_store_is_reported(void **state)
{
    (void)state;
    fake_store fake = store_of(RC_CREDENTIAL_EXHAUSTED, NOW_UNIX_MS + WAIT_MS, 0);
    rc_store_fault fault;
    fake.has_no_list = true;
    assert_int_equal(set_up(NULL), 0);
    assert_false(rc_hub_restore(&hub, &fake.store, NOW_MS, NOW_UNIX_MS, &fault));
    assert_int_equal(fault.kind, RC_STORE_IO);
    tear_down(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_wait_decreases_with_the_clock),
        cmocka_unit_test(a_clock_that_was_set_back_does_not_extend_a_wait),
        cmocka_unit_test(a_rejected_key_stays_rejected),
        cmocka_unit_test(a_failing_store_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
