/* Tests of a writer that deletes old operations while it stores new ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <uv.h>

#include "store/writer.h"
#include "support/fault_vfs.h"
#include "support/store_fixture.h"
#include "sys/clock.h"

/* Number of old operations: more than the writer deletes in one step. */
#define PAST 600
#define NOW 40

static struct {
    store_fixture files;
    rc_writer *writer;
    rc_writer_settings settings;
    uv_sem_t trimmed;
    uv_sem_t done;
    uv_sem_t trim_done;
    uint64_t operations;
    int safe;
    char text[4096];
} fixture;

static void on_trimmed(void *ctx, const rc_store_prune *prune)
{
    (void)ctx;
    fixture.operations = prune->operations;
    uv_sem_post(&fixture.trimmed);
}

static void on_suppressed(void *ctx, rc_str line)
{
    (void)ctx;
    assert_true(line.len < sizeof(fixture.text));
    memcpy(fixture.text, line.ptr, line.len);
    fixture.text[line.len] = '\0';
    uv_sem_post(&fixture.trim_done);
}

static void on_done(void *ctx, rc_ack ack, const rc_report *why)
{
    (void)ctx;
    (void)why;
    fixture.safe += ack == RC_ACK_SAFE ? 1 : 0;
    uv_sem_post(&fixture.done);
}

static void add_past(void)
{
    assert_true(fixture_open(&fixture.files, RC_STORE_WRITE));
    for (int i = 0; i < PAST; i++) {
        rc_record records[3];
        const rc_id id = fixture_id(&fixture.files, FIXTURE_TIME + i);
        fixture_fill(records, &id, FIXTURE_TIME + i);
        assert_true(fixture_append(&fixture.files, records, 3));
    }
    fixture_close(&fixture.files);
}

static int set_up(void **state)
{
    (void)state;
    memset(&fixture, 0, sizeof(fixture));
    fault_vfs_install();
    fault_disarm();
    fixture_init(&fixture.files);
    add_past();
    uv_sem_init(&fixture.trimmed, 0);
    uv_sem_init(&fixture.done, 0);
    uv_sem_init(&fixture.trim_done, 0);
    fixture.settings = (rc_writer_settings){
        .url = rc_str_c(fixture.files.url),
        .calls = &rc_sys_real,
        .on_suppressed = on_suppressed,
        .on_trimmed = on_trimmed,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_writer_stop(fixture.writer);
    fixture_done(&fixture.files);
    uv_sem_destroy(&fixture.trimmed);
    uv_sem_destroy(&fixture.done);
    uv_sem_destroy(&fixture.trim_done);
    return 0;
}

static void start(uint32_t keep_days)
{
    fixture.settings.keep_days = keep_days;
    assert_true(rc_writer_start(&fixture.settings, &fixture.files.alloc, &fixture.writer,
                                &fixture.files.fault));
}

/* Stores operations that end now, one after another. */
static void store_some(void)
{
    for (int i = 0; i < NOW; i++) {
        rc_record records[3];
        const int64_t now = rc_clock_unix_ms(&rc_sys_real);
        const rc_id id = fixture_id(&fixture.files, now);
        fixture_fill(records, &id, now);
        const rc_batch batch = {.records = records, .record_count = 3};
        assert_int_equal(rc_writer_submit(fixture.writer, &batch, on_done, NULL), RC_SUBMIT_WAIT);
        uv_sem_wait(&fixture.done);
    }
    assert_int_equal(fixture.safe % NOW, 0);
}

static size_t count_left(void)
{
    size_t count = 0;
    assert_true(fixture_open(&fixture.files, RC_STORE_READ));
    assert_true(rc_store_check(fixture.files.store, &fixture.files.fault));
    assert_true(rc_store_list(fixture.files.store, &(rc_store_query){.limit = 0}, count_records,
                              &count, &fixture.files.fault));
    fixture_close(&fixture.files);
    return count;
}

static void old_operations_are_deleted_while_new_ones_come(void **state)
{
    (void)state;
    start(1);
    store_some();
    uv_sem_wait(&fixture.trimmed);
    assert_int_equal(fixture.operations, PAST);
    store_some();
    assert_int_equal(fixture.safe, 2 * NOW);
    assert_int_equal(count_left(), 2 * NOW);
    assert_int_equal(fixture.text[0], '\0');
}

static void the_retention_may_change(void **state)
{
    (void)state;
    start(36500);
    store_some();
    assert_int_equal(count_left(), PAST + NOW);
    rc_writer_set_retention(fixture.writer, 0, 0);
    store_some();
    rc_writer_set_retention(fixture.writer, 2, 0);
    uv_sem_wait(&fixture.trimmed);
    assert_int_equal(fixture.operations, PAST);
    assert_int_equal(count_left(), 2 * NOW);
}

/* A request to prune all operations deletes all except those that have just ended, whose outcome
 * may still be amended. */
static void a_prune_request_is_served(void **state)
{
    (void)state;
    start(0);
    store_some();
    assert_true(fixture_open(&fixture.files, RC_STORE_READ));
    rc_store *requester = fixture.files.store;
    fixture.files.store = NULL;
    assert_true(rc_store_request_prune(requester, FIXTURE_TIME + PAST / 2, &fixture.files.fault));
    uv_sem_wait(&fixture.trimmed);
    assert_true(fixture.operations > PAST / 3 && fixture.operations <= PAST / 2);
    const uint64_t first = fixture.operations;
    rc_store_close(requester);
    assert_int_equal(count_left(), PAST + NOW - first);
    assert_true(fixture_open(&fixture.files, RC_STORE_READ));
    requester = fixture.files.store;
    fixture.files.store = NULL;
    assert_true(rc_store_request_prune(requester, INT64_C(4102444800000), &fixture.files.fault));
    uv_sem_wait(&fixture.trimmed);
    assert_int_equal(fixture.operations, PAST - first);
    rc_store_close(requester);
    assert_int_equal(count_left(), NOW);
}

static uint64_t used_bytes(void)
{
    uint64_t used = 0;
    assert_true(fixture_open(&fixture.files, RC_STORE_READ));
    assert_true(rc_store_used_bytes(fixture.files.store, &used, &fixture.files.fault));
    fixture_close(&fixture.files);
    return used;
}

/* If the file is larger than its limit, the oldest operations are deleted until a fifth is free;
 * new operations are not deleted. */
static void the_oldest_operations_are_deleted_above_the_limit(void **state)
{
    (void)state;
    const uint64_t most = used_bytes();
    fixture.settings.keep_bytes = most;
    start(0);
    store_some();
    uv_sem_wait(&fixture.trimmed);
    const uint64_t gone = fixture.operations;
    assert_in_range(gone, 1, PAST - 1);
    assert_true(used_bytes() <= most / 100 * 90);
    assert_true(count_left() == PAST + NOW - gone);
    /* the limit may change */
    rc_writer_set_retention(fixture.writer, 0, most / 2);
    uv_sem_wait(&fixture.trimmed);
    assert_true(used_bytes() <= most / 2);
    store_some();
    assert_int_equal(fixture.safe, 2 * NOW);
}

/* However small the limit is, operations that have just ended are not deleted, because their
 * outcome may still be amended. */
static void the_newest_operations_stay_above_the_limit(void **state)
{
    (void)state;
    fixture.settings.keep_bytes = 1;
    start(0);
    store_some();
    uv_sem_wait(&fixture.trimmed);
    assert_int_equal(fixture.operations, PAST);
    /* The writer checks every second, so a deletion would be detected here, or in a later run. */
    uv_sleep(1500);
    assert_int_equal(count_left(), NOW);
}

static void a_temporary_disk_failure_loses_no_data(void **state)
{
    (void)state;
    start(0);
    store_some();
    fault_arm(1, true, SQLITE_FULL);
    rc_writer_set_retention(fixture.writer, 1, 0);
    uv_sem_wait(&fixture.trim_done);
    fault_disarm();
    assert_non_null(strstr(fixture.text, "expired operations stay in the audit"));
    store_some();
    assert_int_equal(count_left(), PAST + 2 * NOW);
    assert_false(rc_writer_count(fixture.writer).is_down);
}

static void stopping_does_not_wait_for_all_deletions(void **state)
{
    (void)state;
    start(1);
    rc_writer_stop(fixture.writer);
    fixture.writer = NULL;
    const size_t left = count_left();
    assert_true(left <= PAST);
    start(1);
    if (left > 0)
        uv_sem_wait(&fixture.trimmed);
    rc_writer_stop(fixture.writer);
    fixture.writer = NULL;
    assert_int_equal(count_left(), 0);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(old_operations_are_deleted_while_new_ones_come),
        WITH_FIXTURE(the_retention_may_change),
        WITH_FIXTURE(a_prune_request_is_served),
        WITH_FIXTURE(the_oldest_operations_are_deleted_above_the_limit),
        WITH_FIXTURE(the_newest_operations_stay_above_the_limit),
        WITH_FIXTURE(a_temporary_disk_failure_loses_no_data),
        WITH_FIXTURE(stopping_does_not_wait_for_all_deletions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
