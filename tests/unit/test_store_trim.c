/* A writer that deletes what is past while it keeps what comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <uv.h>

#include "store/writer.h"
#include "support/fault_vfs.h"
#include "support/store_world.h"
#include "sys/clock.h"

/* Long ago, and more than a step of the writer has. */
#define PAST 600
#define NOW 40

static struct {
    store_world files;
    rc_writer *writer;
    rc_writer_settings settings;
    uv_sem_t trimmed;
    uv_sem_t done;
    uv_sem_t told;
    uint64_t operations;
    int safe;
    char text[4096];
} world;

static void on_trimmed(void *ctx, const rc_store_prune *prune)
{
    (void)ctx;
    world.operations = prune->operations;
    uv_sem_post(&world.trimmed);
}

static void on_suppressed(void *ctx, rc_str line)
{
    (void)ctx;
    assert_true(line.len < sizeof(world.text));
    memcpy(world.text, line.ptr, line.len);
    world.text[line.len] = '\0';
    uv_sem_post(&world.told);
}

static void on_done(void *ctx, rc_kept kept, const rc_report *why)
{
    (void)ctx;
    (void)why;
    world.safe += kept == RC_KEPT_SAFE ? 1 : 0;
    uv_sem_post(&world.done);
}

static void add_past(void)
{
    assert_true(world_open(&world.files, RC_STORE_WRITE));
    for (int i = 0; i < PAST; i++) {
        rc_record records[3];
        const rc_id id = world_id(&world.files, WORLD_TIME + i);
        world_fill(records, &id, WORLD_TIME + i);
        assert_true(world_append(&world.files, records, 3));
    }
    world_close(&world.files);
}

static int set_up(void **state)
{
    (void)state;
    memset(&world, 0, sizeof(world));
    fault_vfs_install();
    fault_disarm();
    world_init(&world.files);
    add_past();
    uv_sem_init(&world.trimmed, 0);
    uv_sem_init(&world.done, 0);
    uv_sem_init(&world.told, 0);
    world.settings = (rc_writer_settings){
        .url = rc_str_c(world.files.url),
        .calls = &rc_sys_real,
        .on_suppressed = on_suppressed,
        .on_trimmed = on_trimmed,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_writer_stop(world.writer);
    world_done(&world.files);
    uv_sem_destroy(&world.trimmed);
    uv_sem_destroy(&world.done);
    uv_sem_destroy(&world.told);
    return 0;
}

static void start(uint32_t keep_days)
{
    world.settings.keep_days = keep_days;
    assert_true(
        rc_writer_start(&world.settings, &world.files.alloc, &world.writer, &world.files.fault));
}

/* Keeps some that end now, one after another. */
static void keep_some(void)
{
    for (int i = 0; i < NOW; i++) {
        rc_record records[3];
        const int64_t now = rc_clock_unix_ms(&rc_sys_real);
        const rc_id id = world_id(&world.files, now);
        world_fill(records, &id, now);
        const rc_batch batch = {.records = records, .record_count = 3};
        assert_int_equal(rc_writer_submit(world.writer, &batch, on_done, NULL), RC_SUBMITTED_WAIT);
        uv_sem_wait(&world.done);
    }
    assert_int_equal(world.safe % NOW, 0);
}

static size_t count_left(void)
{
    size_t count = 0;
    assert_true(world_open(&world.files, RC_STORE_READ));
    assert_true(rc_store_check(world.files.store, &world.files.fault));
    assert_true(rc_store_list(world.files.store, &(rc_store_query){.limit = 0}, count_records,
                              &count, &world.files.fault));
    world_close(&world.files);
    return count;
}

static void what_is_older_than_the_days_goes_while_others_come(void **state)
{
    (void)state;
    start(1);
    keep_some();
    uv_sem_wait(&world.trimmed);
    assert_int_equal(world.operations, PAST);
    keep_some();
    assert_int_equal(world.safe, 2 * NOW);
    assert_int_equal(count_left(), 2 * NOW);
    assert_int_equal(world.text[0], '\0');
}

static void the_days_may_change(void **state)
{
    (void)state;
    start(36500);
    keep_some();
    assert_int_equal(count_left(), PAST + NOW);
    rc_writer_keep(world.writer, 0, 0);
    keep_some();
    rc_writer_keep(world.writer, 2, 0);
    uv_sem_wait(&world.trimmed);
    assert_int_equal(world.operations, PAST);
    assert_int_equal(count_left(), 2 * NOW);
}

/* Whoever asks for all of it gets all but what has just ended, which may be amended. */
static void who_asks_is_heard(void **state)
{
    (void)state;
    start(0);
    keep_some();
    assert_true(world_open(&world.files, RC_STORE_READ));
    rc_store *asker = world.files.store;
    world.files.store = NULL;
    assert_true(rc_store_ask_prune(asker, WORLD_TIME + PAST / 2, &world.files.fault));
    uv_sem_wait(&world.trimmed);
    assert_true(world.operations > PAST / 3 && world.operations <= PAST / 2);
    const uint64_t first = world.operations;
    rc_store_close(asker);
    assert_int_equal(count_left(), PAST + NOW - first);
    assert_true(world_open(&world.files, RC_STORE_READ));
    asker = world.files.store;
    world.files.store = NULL;
    assert_true(rc_store_ask_prune(asker, INT64_C(4102444800000), &world.files.fault));
    uv_sem_wait(&world.trimmed);
    assert_int_equal(world.operations, PAST - first);
    rc_store_close(asker);
    assert_int_equal(count_left(), NOW);
}

static uint64_t used_bytes(void)
{
    uint64_t used = 0;
    assert_true(world_open(&world.files, RC_STORE_READ));
    assert_true(rc_store_used(world.files.store, &used, &world.files.fault));
    world_close(&world.files);
    return used;
}

/* More than there may be: the oldest go until a fifth is free, and what comes stays. */
static void the_oldest_go_when_it_is_too_large(void **state)
{
    (void)state;
    const uint64_t most = used_bytes();
    world.settings.keep_bytes = most;
    start(0);
    keep_some();
    uv_sem_wait(&world.trimmed);
    const uint64_t gone = world.operations;
    assert_in_range(gone, 1, PAST - 1);
    assert_true(used_bytes() <= most / 100 * 90);
    assert_true(count_left() == PAST + NOW - gone);
    /* The limit may change. */
    rc_writer_keep(world.writer, 0, most / 2);
    uv_sem_wait(&world.trimmed);
    assert_true(used_bytes() <= most / 2);
    keep_some();
    assert_int_equal(world.safe, 2 * NOW);
}

/* However small the limit is: what has just ended may be amended yet. */
static void the_newest_stay_when_it_is_too_large(void **state)
{
    (void)state;
    world.settings.keep_bytes = 1;
    start(0);
    keep_some();
    uv_sem_wait(&world.trimmed);
    assert_int_equal(world.operations, PAST);
    /* The writer looks every second. A look that deleted them would be seen here, at the latest in
     * a later run. */
    uv_sleep(1500);
    assert_int_equal(count_left(), NOW);
}

static void a_disk_that_fails_meanwhile_loses_nothing(void **state)
{
    (void)state;
    start(0);
    keep_some();
    fault_arm(1, true, SQLITE_FULL);
    rc_writer_keep(world.writer, 1, 0);
    uv_sem_wait(&world.told);
    fault_disarm();
    assert_non_null(strstr(world.text, "what is past stays in the audit"));
    keep_some();
    assert_int_equal(count_left(), PAST + 2 * NOW);
    assert_false(rc_writer_count(world.writer).is_down);
}

static void stopping_does_not_wait_for_all_of_it(void **state)
{
    (void)state;
    start(1);
    rc_writer_stop(world.writer);
    world.writer = NULL;
    const size_t left = count_left();
    assert_true(left <= PAST);
    start(1);
    if (left > 0)
        uv_sem_wait(&world.trimmed);
    rc_writer_stop(world.writer);
    world.writer = NULL;
    assert_int_equal(count_left(), 0);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_WORLD(what_is_older_than_the_days_goes_while_others_come),
        WITH_WORLD(the_days_may_change),
        WITH_WORLD(who_asks_is_heard),
        WITH_WORLD(the_oldest_go_when_it_is_too_large),
        WITH_WORLD(the_newest_stay_when_it_is_too_large),
        WITH_WORLD(a_disk_that_fails_meanwhile_loses_nothing),
        WITH_WORLD(stopping_does_not_wait_for_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
