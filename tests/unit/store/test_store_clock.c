/* Tests of the store with a clock that stands still or was set back: many operations have the same
 * millisecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/store_fixture.h"

#define SEEN_MAX 64

typedef struct seen {
    size_t count;
    char ids[SEEN_MAX][RC_ID_LEN + 1];
    int64_t unix_ms[SEEN_MAX];
} seen;

static bool copy_record(void *ctx, const rc_record *record)
{
    seen *s = ctx;
    assert_true(s->count < SEEN_MAX && record->operation_id.len == RC_ID_LEN);
    memcpy(s->ids[s->count], record->operation_id.ptr, RC_ID_LEN);
    s->unix_ms[s->count++] = record->unix_ms;
    return true;
}

static int set_up(void **state)
{
    store_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_init(fixture);
    *state = fixture;
    return fixture_open(fixture, RC_STORE_WRITE) ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

/* One millisecond has more operations than keys: the other operations use keys of the next
 * millisecond, and all are found. */
static void test_a_full_millisecond_uses_keys_of_the_next(void **state)
{
    store_fixture *fixture = *state;
    enum {
        KEYS = 1 << 15,
        MORE = 5,
        GROUP = 512
    };
    static const char letters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    static rc_id ids[GROUP];
    static rc_record records[3 * GROUP];
    const rc_id model = fixture_id(fixture, FIXTURE_TIME);
    for (size_t at = 0; at < KEYS + MORE; at += GROUP) {
        const size_t count = at < KEYS ? GROUP : MORE;
        for (size_t i = 0; i < count; i++) {
            const size_t number = at + i;
            ids[i] = model;
            for (size_t digit = 0; digit < 4; digit++)
                ids[i].text[RC_ID_LEN - 1 - digit] = letters[number >> (5 * digit) & 31];
            fixture_fill(&records[3 * i], &ids[i], FIXTURE_TIME);
        }
        if (!fixture_append(fixture, records, 3 * count))
            fail_msg("%zu: %s", at, fixture->fault.detail);
    }
    for (size_t i = 0; i < MORE; i++) {
        seen all = {0};
        assert_true(rc_store_timeline(fixture->store, rc_str_make(ids[i].text, RC_ID_LEN),
                                      copy_record, &all, &fixture->fault));
        assert_int_equal(all.count, 3);
        assert_int_equal(all.unix_ms[2], FIXTURE_TIME + 2);
    }
}

/* Forty thousand operations are stored after the clock was set back by a year: all are stored, in
 * order, each with its actual end time. */
static void test_a_clock_that_was_set_back(void **state)
{
    store_fixture *fixture = *state;
    enum {
        GROUP = 500,
        GROUPS = 80
    };
    static rc_id ids[GROUP];
    static rc_record records[3 * GROUP];
    const int64_t now = FIXTURE_TIME - INT64_C(365) * 86400000;
    (void)fixture_id(fixture, FIXTURE_TIME);
    for (size_t at = 0; at < GROUPS; at++) {
        for (size_t i = 0; i < GROUP; i++) {
            ids[i] = fixture_id(fixture, now);
            fixture_fill(&records[3 * i], &ids[i], now);
        }
        if (!fixture_append(fixture, records, 3 * GROUP))
            fail_msg("%zu: %s", at, fixture->fault.detail);
    }
    const rc_store_query query = {.limit = SEEN_MAX};
    seen all = {0};
    assert_true(rc_store_list(fixture->store, &query, copy_record, &all, &fixture->fault));
    assert_int_equal(all.count, SEEN_MAX);
    for (size_t i = 0; i < SEEN_MAX; i++) {
        assert_string_equal(all.ids[i], ids[GROUP - 1 - i].text);
        assert_int_equal(all.unix_ms[i], now + 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_full_millisecond_uses_keys_of_the_next, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_clock_that_was_set_back, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
