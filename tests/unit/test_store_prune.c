/* Deleting what is past: what goes, what stays, in which steps, and by whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "store/sqlite_private.h"
#include "support/audit_fill.h"
#include "support/store_world.h"

#define OPERATIONS 2000
#define SPAN_MS INT64_C(3600000)
#define MIDDLE (WORLD_TIME + SPAN_MS / 2)

static store_world world;
static fill filler;

static int start(void **state)
{
    (void)state;
    world_init(&world);
    assert_true(world_open(&world, RC_STORE_WRITE));
    return 0;
}

static int end(void **state)
{
    (void)state;
    world_done(&world);
    return 0;
}

static void fill_many(void)
{
    fill_init(&filler, world.store, &world.alloc, 7);
    assert_true(fill_run(&filler, OPERATIONS, WORLD_TIME, WORLD_TIME + SPAN_MS, &world.fault));
}

static int64_t number(const char *sql)
{
    int64_t found = -1;
    assert_true(rc_sqlite_number((const rc_sqlite *)world.store, sql, &found, &world.fault));
    return found;
}

/* Deletes all of it; gives how many operations, and asserts that no step had more than max. */
static uint64_t prune(int64_t before, uint32_t max)
{
    rc_store_prune run = {.before_unix_ms = before, .max = max};
    for (int steps = 0; !run.is_done; steps++) {
        const uint64_t sofar = run.operations;
        assert_true(steps < 100000);
        assert_true(rc_store_prune_step(world.store, &run, &world.fault));
        assert_true(run.operations - sofar <= max);
    }
    return run.operations;
}

static void assert_sound(void)
{
    rc_store_extent extent;
    assert_true(rc_store_check(world.store, &world.fault));
    assert_true(rc_store_measure(world.store, &extent, &world.fault));
    assert_int_equal(extent.strays, 0);
}

/* --- what goes and what stays --- */

/* An operation that began then and took so long; took < 0: it is open. */
static void add(int64_t began, int64_t took_ms, rc_outcome outcome)
{
    rc_record records[3];
    const rc_id id = world_id(&world, began);
    world_fill(records, &id, began);
    records[2].unix_ms = began + took_ms;
    records[2].outcome = outcome;
    assert_true(world_append(&world, records, took_ms < 0 ? 2 : 3));
}

typedef struct keys {
    size_t count;
    int64_t all[OPERATIONS + 64];
    int64_t before; /* of those that stay; 0: all */
} keys;

static bool keep_key(void *ctx, const rc_record *record)
{
    keys *k = ctx;
    if (k->before != 0 && record->outcome != RC_OUTCOME_OPEN && record->unix_ms < k->before)
        return true;
    assert_true(k->count < OPERATIONS + 64);
    k->all[k->count++] = record->key;
    return true;
}

static void list(const rc_store_filter *filter, keys *ret_keys)
{
    const rc_store_query query = {.filter = *filter, .is_oldest_first = true};
    assert_true(rc_store_list(world.store, &query, keep_key, ret_keys, &world.fault));
}

static const char spent_sql[] =
    "SELECT count(*) + 3 * sum(attempts) + 5 * sum(tokens_in) + 7 * sum(tokens_out)"
    " + 11 * sum(cost_usd_micro) FROM spend";

/* Each way to find operations: by a walk, and by blocks. */
static const rc_store_filter filters[] = {
    {.client = {NULL, 0}},
    {.client = {"web", 3}},
    {.code = RC_CODE_AUTH_FAILED},
    {.has_outcome = true, .outcome = RC_OUTCOME_OPEN},
    {.has_outcome = true, .outcome = RC_OUTCOME_FAILED},
};
#define FILTERS (sizeof(filters) / sizeof(filters[0]))

static void what_has_ended_goes_and_all_else_stays(void **state)
{
    static keys right[FILTERS];
    static keys found;
    (void)state;
    fill_many();
    add(WORLD_TIME, -1, RC_OUTCOME_OPEN);
    const rc_store_mark mark = {RC_STORE_MARK_BUDGET, RC_STR("month client app"), 5, 0};
    const rc_batch batch = {.marks = &mark, .mark_count = 1};
    assert_true(rc_store_append(world.store, &batch, &world.fault));
    const int64_t names = number("SELECT count(*) FROM names");
    const int64_t spent = number(spent_sql);
    for (size_t i = 0; i < FILTERS; i++) {
        right[i] = (keys){.before = MIDDLE};
        list(&filters[i], &right[i]);
        assert_true(right[i].count > 0);
    }
    rc_store_past past;
    assert_true(rc_store_count_past(world.store, MIDDLE, &past, &world.fault));
    assert_true(past.operations > OPERATIONS / 3 && past.staying > 0 && past.free_bytes == 0);
    const uint64_t gone = prune(MIDDLE, 100);
    assert_int_equal(gone, past.operations);
    for (size_t i = 0; i < FILTERS; i++) {
        found = (keys){.before = 0};
        list(&filters[i], &found);
        assert_int_equal(found.count, right[i].count);
        assert_memory_equal(found.all, right[i].all, found.count * sizeof(found.all[0]));
    }
    assert_int_equal(number(spent_sql), spent);
    assert_int_equal(number("SELECT count(*) FROM names"), names);
    assert_int_equal(number("SELECT count(*) FROM marks"), 1);
    assert_int_equal(number("SELECT count(*) FROM blocks b WHERE NOT EXISTS (SELECT 1 FROM"
                            " operations WHERE op >= b.block << 23 AND op < (b.block + 1) << 23)"),
                     0);
    assert_true(rc_store_count_past(world.store, MIDDLE, &past, &world.fault));
    assert_int_equal(past.operations, 0);
    assert_true(past.free_bytes > 0);
    assert_sound();
    assert_int_equal(prune(MIDDLE, 100), 0);
}

static void the_end_counts_to_the_millisecond(void **state)
{
    (void)state;
    add(WORLD_TIME, 999, RC_OUTCOME_SUCCEEDED);
    add(WORLD_TIME, 1000, RC_OUTCOME_SUCCEEDED);
    add(WORLD_TIME + 999, 0, RC_OUTCOME_CANCELLED);
    add(WORLD_TIME + 1000, 0, RC_OUTCOME_SUCCEEDED);
    add(WORLD_TIME, -1, RC_OUTCOME_OPEN);
    add(WORLD_TIME, 500000, RC_OUTCOME_FAILED);
    int64_t first = 0;
    assert_true(rc_store_first_past(world.store, WORLD_TIME + 1000, &first, &world.fault));
    assert_int_equal(first, WORLD_TIME);
    assert_int_equal(prune(WORLD_TIME, 10), 0);
    assert_int_equal(prune(WORLD_TIME + 1000, 10), 2);
    assert_true(rc_store_first_past(world.store, WORLD_TIME + 1000, &first, &world.fault));
    assert_int_equal(first, -1);
    assert_int_equal(number("SELECT count(*) FROM operations"), 4);
    assert_int_equal(number("SELECT count(*) FROM operations WHERE outcome = 0"), 1);
    assert_int_equal(prune(INT64_MAX, 10), 3);
    assert_int_equal(number("SELECT outcome FROM operations"), RC_OUTCOME_OPEN);
    assert_int_equal(prune(-1, 10), 0);
    assert_sound();
}

static void steps_of_any_size_delete_the_same(void **state)
{
    static const uint32_t sizes[] = {1, 7, 100000};
    (void)state;
    fill_many();
    for (int64_t i = 0; i < 3; i++) {
        rc_store_past past;
        const int64_t before = WORLD_TIME + (i + 1) * SPAN_MS / 8;
        assert_true(rc_store_count_past(world.store, before, &past, &world.fault));
        assert_true(past.operations > 100);
        assert_int_equal(prune(before, sizes[i]), past.operations);
        assert_sound();
    }
}

/* The writer remembers what it has noted; a note that was deleted has to be written again. */
static void a_late_operation_of_a_deleted_block_is_found(void **state)
{
    static keys found;
    const rc_store_filter filter = {.client = RC_STR("app")};
    (void)state;
    add(WORLD_TIME, 10, RC_OUTCOME_SUCCEEDED);
    assert_int_equal(prune(WORLD_TIME + SPAN_MS, 10), 1);
    assert_int_equal(number("SELECT count(*) FROM blocks"), 0);
    add(WORLD_TIME, 10, RC_OUTCOME_SUCCEEDED);
    found = (keys){.before = 0};
    list(&filter, &found);
    assert_int_equal(found.count, 1);
}

/* --- ended half way --- */

static int after(void *ctx)
{
    return (*(int *)ctx)-- <= 0;
}

static void a_step_that_is_stopped_has_done_nothing(void **state)
{
    (void)state;
    fill_many();
    rc_store_prune run = {.before_unix_ms = MIDDLE, .max = 100};
    assert_true(rc_store_prune_step(world.store, &run, &world.fault));
    assert_true(rc_store_prune_step(world.store, &run, &world.fault));
    const int64_t rows = number("SELECT count(*) FROM records");
    const rc_store_prune was = run;
    sqlite3 *db = ((rc_sqlite *)world.store)->db;
    for (int times = 0; times < 60; times += 20) { /* in each of its statements */
        int left = times;
        sqlite3_progress_handler(db, 50, after, &left);
        assert_false(rc_store_prune_step(world.store, &run, &world.fault));
        assert_int_equal(world.fault.kind, RC_STORE_STOPPED);
    }
    sqlite3_progress_handler(db, 0, NULL, NULL);
    assert_int_equal(run.operations, was.operations);
    assert_int_equal(run.from_key, was.from_key);
    assert_int_equal(number("SELECT count(*) FROM records"), rows);
    assert_sound();
    /* Whoever comes next begins at the beginning, and finds the rest. */
    rc_store_past past;
    assert_true(rc_store_count_past(world.store, MIDDLE, &past, &world.fault));
    assert_int_equal(prune(MIDDLE, 100), past.operations);
    assert_true(past.operations > 0 && was.operations > 0);
}

static void only_a_writer_deletes(void **state)
{
    (void)state;
    add(WORLD_TIME, 10, RC_OUTCOME_SUCCEEDED);
    rc_store_prune run = {.before_unix_ms = WORLD_TIME + SPAN_MS};
    assert_false(rc_store_prune_step(world.store, &run, &world.fault)); /* of no operation */
    assert_int_equal(world.fault.kind, RC_STORE_ARGUMENT);
    world_close(&world);
    assert_true(world_open(&world, RC_STORE_READ));
    run.max = 10;
    assert_false(rc_store_prune_step(world.store, &run, &world.fault));
    assert_int_equal(world.fault.kind, RC_STORE_ARGUMENT);
    assert_false(rc_store_shrink(world.store, &world.fault));
    assert_int_equal(world.fault.kind, RC_STORE_ARGUMENT);
}

static void a_file_that_was_moved_is_left_alone(void **state)
{
    char other[256];
    (void)state;
    add(WORLD_TIME, 10, RC_OUTCOME_SUCCEEDED);
    snprintf(other, sizeof(other), "%s-moved", world.path);
    assert_int_equal(rename(world.path, other), 0);
    rc_store_prune run = {.before_unix_ms = WORLD_TIME + SPAN_MS, .max = 10};
    assert_false(rc_store_prune_step(world.store, &run, &world.fault));
    assert_int_equal(world.fault.kind, RC_STORE_MOVED);
}

static void free_room_is_used_again_or_given_back(void **state)
{
    rc_store_past full;
    rc_store_past past;
    (void)state;
    fill_many();
    assert_true(rc_store_count_past(world.store, 0, &full, &world.fault));
    assert_true(prune(WORLD_TIME + 2 * SPAN_MS, 500) > OPERATIONS / 2);
    fill_many(); /* of the same ids but for those that are open: about as much */
    assert_true(rc_store_count_past(world.store, 0, &past, &world.fault));
    assert_true(past.bytes < full.bytes + full.bytes / 10);
    assert_true(prune(WORLD_TIME + 2 * SPAN_MS, 500) > OPERATIONS / 2);
    assert_true(rc_store_shrink(world.store, &world.fault));
    assert_true(rc_store_count_past(world.store, 0, &past, &world.fault));
    assert_true(past.bytes < full.bytes / 4 && past.free_bytes == 0);
    assert_sound();
    add(WORLD_TIME, 10, RC_OUTCOME_SUCCEEDED); /* and it goes on */
}

/* --- asking --- */

static void put_file(const char *suffix, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s%s", world.path, suffix);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static rc_store *open_reader(void)
{
    const rc_store_settings settings = {.mode = RC_STORE_READ};
    rc_store *reader = NULL;
    assert_true(rc_store_open(rc_str_c(world.url), &settings, &world.alloc, &reader, &world.fault));
    return reader;
}

static void a_wish_stands_as_long_as_somebody_holds_it(void **state)
{
    int64_t before = 0;
    (void)state;
    rc_store *one = open_reader();
    rc_store *two = open_reader();
    assert_false(rc_store_is_asked(world.store, &before));
    put_file("-prune", "1700000000000\n"); /* of somebody who has ended */
    put_file("-prune-new", "17000000000001700000000000\n");
    assert_false(rc_store_is_asked(world.store, &before));
    assert_true(rc_store_ask_prune(one, WORLD_TIME, &world.fault));
    assert_true(rc_store_is_asked(world.store, &before));
    assert_int_equal(before, WORLD_TIME);
    assert_false(rc_store_ask_prune(two, WORLD_TIME + 1, &world.fault));
    assert_int_equal(world.fault.kind, RC_STORE_BUSY);
    assert_false(rc_store_ask_prune(one, WORLD_TIME + 1, &world.fault)); /* one at a time */
    assert_int_equal(world.fault.kind, RC_STORE_ARGUMENT);
    assert_true(rc_store_is_asked(world.store, &before));
    assert_int_equal(before, WORLD_TIME);
    rc_store_close(one);
    assert_false(rc_store_is_asked(world.store, &before));
    assert_true(rc_store_ask_prune(two, 0, &world.fault));
    assert_true(rc_store_is_asked(world.store, &before));
    assert_int_equal(before, 0);
    rc_store_close(two);
    assert_false(rc_store_ask_prune(world.store, WORLD_TIME, &world.fault)); /* a writer */
    assert_int_equal(world.fault.kind, RC_STORE_ARGUMENT);
}

static void what_is_no_time_is_no_wish(void **state)
{
    static const char *const notes[] = {"",
                                        "\n",
                                        "17",
                                        "-1\n",
                                        "1 7\n",
                                        "0x10\n",
                                        "1234567890123456789\n",
                                        "17\n18\n",
                                        "99999999999999999999999999999999999\n"};
    (void)state;
    char path[256];
    int64_t before = -7;
    snprintf(path, sizeof(path), "%s-prune", world.path);
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        rc_lock_file lock;
        put_file("-prune", notes[i]);
        assert_int_equal(rc_lock_file_take(&lock, path), 0);
        assert_false(rc_store_is_asked(world.store, &before));
        rc_lock_file_drop(&lock);
    }
    assert_int_equal(before, -7);
    /* What is no file is none either, and nobody waits for it. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(rc_store_is_asked(world.store, &before));
}

static void who_cannot_ask_hears_why(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof(path), "%s-prune-new", world.path);
    assert_int_equal(mkdir(path, 0700), 0);
    rc_store *reader = open_reader();
    assert_false(rc_store_ask_prune(reader, WORLD_TIME, &world.fault));
    assert_int_equal(world.fault.kind, RC_STORE_DIRECTORY);
    assert_int_equal(rmdir(path), 0);
    snprintf(path, sizeof(path), "%s-prune", world.path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(rc_store_ask_prune(reader, WORLD_TIME, &world.fault));
    assert_int_equal(world.fault.kind, RC_STORE_DIRECTORY);
    assert_int_equal(rmdir(path), 0);
    assert_true(rc_store_ask_prune(reader, WORLD_TIME, &world.fault));
    rc_store_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_has_ended_goes_and_all_else_stays, start, end),
        cmocka_unit_test_setup_teardown(the_end_counts_to_the_millisecond, start, end),
        cmocka_unit_test_setup_teardown(steps_of_any_size_delete_the_same, start, end),
        cmocka_unit_test_setup_teardown(a_late_operation_of_a_deleted_block_is_found, start, end),
        cmocka_unit_test_setup_teardown(a_step_that_is_stopped_has_done_nothing, start, end),
        cmocka_unit_test_setup_teardown(only_a_writer_deletes, start, end),
        cmocka_unit_test_setup_teardown(a_file_that_was_moved_is_left_alone, start, end),
        cmocka_unit_test_setup_teardown(free_room_is_used_again_or_given_back, start, end),
        cmocka_unit_test_setup_teardown(a_wish_stands_as_long_as_somebody_holds_it, start, end),
        cmocka_unit_test_setup_teardown(what_is_no_time_is_no_wish, start, end),
        cmocka_unit_test_setup_teardown(who_cannot_ask_hears_why, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
