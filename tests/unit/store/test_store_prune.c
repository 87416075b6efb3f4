/* Tests of deleting expired operations: which operations are deleted, in which steps, and requests
 * to prune. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "store/sqlite/private.h"
#include "support/audit_fill.h"
#include "support/store_set_up.h"

#define OPERATIONS 2000
#define SPAN_MS INT64_C(3600000)
#define MIDDLE (FIXTURE_TIME + SPAN_MS / 2)

static fill filler;

static void fill_many(void)
{
    fill_init(&filler, fixture.store, &fixture.alloc, 7);
    assert_true(
        fill_run(&filler, OPERATIONS, FIXTURE_TIME, FIXTURE_TIME + SPAN_MS, &fixture.fault));
}

static int64_t number(const char *sql)
{
    int64_t found = -1;
    assert_true(rc_sqlite_number((const rc_sqlite *)fixture.store, sql, &found, &fixture.fault));
    return found;
}

/* Deletes all expired operations and returns their number. Checks that no step deletes more than
 * max. */
static uint64_t prune(int64_t before, uint32_t max)
{
    rc_store_prune run = {.before_unix_ms = before, .max = max};
    for (int steps = 0; !run.is_done; steps++) {
        const uint64_t sofar = run.operations;
        assert_true(steps < 100000);
        assert_true(rc_store_prune_step(fixture.store, &run, &fixture.fault));
        assert_true(run.operations - sofar <= max);
    }
    return run.operations;
}

static void assert_sound(void)
{
    rc_store_extent extent;
    assert_true(rc_store_check(fixture.store, &fixture.fault));
    assert_true(rc_store_measure(fixture.store, &extent, &fixture.fault));
    assert_int_equal(extent.orphans, 0);
}

/* --- what is deleted and what stays --- */

/* Adds an operation with this begin and duration; took_ms < 0: the operation is open. */
static void add(int64_t began, int64_t took_ms, rc_outcome outcome)
{
    rc_record records[3];
    const rc_id id = fixture_id(&fixture, began);
    fixture_fill(records, &id, began);
    records[2].unix_ms = began + took_ms;
    records[2].outcome = outcome;
    assert_true(fixture_append(&fixture, records, took_ms < 0 ? 2 : 3));
}

typedef struct keys {
    size_t count;
    int64_t all[OPERATIONS + 64];
    int64_t before; /* time before which operations are not listed; 0: all are listed */
} keys;

static bool add_key(void *ctx, const rc_record *record)
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
    assert_true(rc_store_list(fixture.store, &query, add_key, ret_keys, &fixture.fault));
}

static const char usage_sql[] =
    "SELECT count(*) + 3 * sum(attempts) + 5 * sum(tokens_in) + 7 * sum(tokens_out)"
    " + 11 * sum(cost_usd_micro) FROM spend";

/* Filters for each way of finding operations: by a scan, and by blocks. */
static const rc_store_filter filters[] = {
    {.client = {NULL, 0}},
    {.client = {"web", 3}},
    {.code = RC_CODE_AUTH_FAILED},
    {.has_outcome = true, .outcome = RC_OUTCOME_OPEN},
    {.has_outcome = true, .outcome = RC_OUTCOME_FAILED},
};
#define FILTERS (sizeof(filters) / sizeof(filters[0]))

static void expired_operations_are_deleted_and_others_stay(void **state)
{
    static keys right[FILTERS];
    static keys found;
    (void)state;
    fill_many();
    add(FIXTURE_TIME, -1, RC_OUTCOME_OPEN);
    const rc_saved_state mark = {RC_SAVED_STATE_BUDGET, RC_STR("month client app"), 5, 0};
    const rc_batch batch = {.states = &mark, .state_count = 1};
    assert_true(rc_store_append(fixture.store, &batch, &fixture.fault));
    const int64_t names = number("SELECT count(*) FROM names");
    const int64_t spent = number(usage_sql);
    for (size_t i = 0; i < FILTERS; i++) {
        right[i] = (keys){.before = MIDDLE};
        list(&filters[i], &right[i]);
        assert_true(right[i].count > 0);
    }
    rc_store_expired past;
    assert_true(rc_store_count_expired(fixture.store, MIDDLE, &past, &fixture.fault));
    assert_true(past.operations > OPERATIONS / 3 && past.remaining > 0 && past.free_bytes == 0);
    const uint64_t gone = prune(MIDDLE, 100);
    assert_int_equal(gone, past.operations);
    for (size_t i = 0; i < FILTERS; i++) {
        found = (keys){.before = 0};
        list(&filters[i], &found);
        assert_int_equal(found.count, right[i].count);
        assert_memory_equal(found.all, right[i].all, found.count * sizeof(found.all[0]));
    }
    assert_int_equal(number(usage_sql), spent);
    assert_int_equal(number("SELECT count(*) FROM names"), names);
    assert_int_equal(number("SELECT count(*) FROM marks"), 1);
    assert_int_equal(number("SELECT count(*) FROM blocks b WHERE NOT EXISTS (SELECT 1 FROM"
                            " operations WHERE op >= b.block << 23 AND op < (b.block + 1) << 23)"),
                     0);
    assert_true(rc_store_count_expired(fixture.store, MIDDLE, &past, &fixture.fault));
    assert_int_equal(past.operations, 0);
    assert_true(past.free_bytes > 0);
    assert_sound();
    assert_int_equal(prune(MIDDLE, 100), 0);
}

static void the_end_counts_to_the_millisecond(void **state)
{
    (void)state;
    add(FIXTURE_TIME, 999, RC_OUTCOME_SUCCEEDED);
    add(FIXTURE_TIME, 1000, RC_OUTCOME_SUCCEEDED);
    add(FIXTURE_TIME + 999, 0, RC_OUTCOME_CANCELLED);
    add(FIXTURE_TIME + 1000, 0, RC_OUTCOME_SUCCEEDED);
    add(FIXTURE_TIME, -1, RC_OUTCOME_OPEN);
    add(FIXTURE_TIME, 500000, RC_OUTCOME_FAILED);
    int64_t first = 0;
    assert_true(rc_store_first_expired(fixture.store, FIXTURE_TIME + 1000, &first, &fixture.fault));
    assert_int_equal(first, FIXTURE_TIME);
    assert_int_equal(prune(FIXTURE_TIME, 10), 0);
    assert_int_equal(prune(FIXTURE_TIME + 1000, 10), 2);
    assert_true(rc_store_first_expired(fixture.store, FIXTURE_TIME + 1000, &first, &fixture.fault));
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
        rc_store_expired past;
        const int64_t before = FIXTURE_TIME + (i + 1) * SPAN_MS / 8;
        assert_true(rc_store_count_expired(fixture.store, before, &past, &fixture.fault));
        assert_true(past.operations > 100);
        assert_int_equal(prune(before, sizes[i]), past.operations);
        assert_sound();
    }
}

/* The writer caches the notes of blocks; a note that was deleted must be written again. */
static void a_late_operation_of_a_deleted_block_is_found(void **state)
{
    static keys found;
    const rc_store_filter filter = {.client = RC_STR("app")};
    (void)state;
    add(FIXTURE_TIME, 10, RC_OUTCOME_SUCCEEDED);
    assert_int_equal(prune(FIXTURE_TIME + SPAN_MS, 10), 1);
    assert_int_equal(number("SELECT count(*) FROM blocks"), 0);
    add(FIXTURE_TIME, 10, RC_OUTCOME_SUCCEEDED);
    found = (keys){.before = 0};
    list(&filter, &found);
    assert_int_equal(found.count, 1);
}

/* --- cancelled steps --- */

static int is_cancelled_after(void *ctx)
{
    return (*(int *)ctx)-- <= 0;
}

static void a_cancelled_step_changes_nothing(void **state)
{
    (void)state;
    fill_many();
    rc_store_prune run = {.before_unix_ms = MIDDLE, .max = 100};
    assert_true(rc_store_prune_step(fixture.store, &run, &fixture.fault));
    assert_true(rc_store_prune_step(fixture.store, &run, &fixture.fault));
    const int64_t rows = number("SELECT count(*) FROM records");
    const rc_store_prune was = run;
    sqlite3 *db = ((rc_sqlite *)fixture.store)->db;
    for (int times = 0; times < 60; times += 20) { /* the step is cancelled in each of its
                                                    * statements */
        int left = times;
        sqlite3_progress_handler(db, 50, is_cancelled_after, &left);
        assert_false(rc_store_prune_step(fixture.store, &run, &fixture.fault));
        assert_int_equal(fixture.fault.kind, RC_STORE_STOPPED);
    }
    sqlite3_progress_handler(db, 0, NULL, NULL);
    assert_int_equal(run.operations, was.operations);
    assert_int_equal(run.from_key, was.from_key);
    assert_int_equal(number("SELECT count(*) FROM records"), rows);
    assert_sound();
    /* A later prune begins again and deletes the remaining operations. */
    rc_store_expired past;
    assert_true(rc_store_count_expired(fixture.store, MIDDLE, &past, &fixture.fault));
    assert_int_equal(prune(MIDDLE, 100), past.operations);
    assert_true(past.operations > 0 && was.operations > 0);
}

static void only_a_writer_deletes(void **state)
{
    (void)state;
    add(FIXTURE_TIME, 10, RC_OUTCOME_SUCCEEDED);
    rc_store_prune run = {.before_unix_ms = FIXTURE_TIME + SPAN_MS};
    assert_false(rc_store_prune_step(fixture.store, &run, &fixture.fault)); /* max is 0, which is
                                                                               not valid */
    assert_int_equal(fixture.fault.kind, RC_STORE_ARGUMENT);
    fixture_close(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_READ));
    run.max = 10;
    assert_false(rc_store_prune_step(fixture.store, &run, &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_ARGUMENT);
    assert_false(rc_store_shrink(fixture.store, &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_ARGUMENT);
}

static void a_moved_file_is_not_pruned(void **state)
{
    char other[256];
    (void)state;
    add(FIXTURE_TIME, 10, RC_OUTCOME_SUCCEEDED);
    snprintf(other, sizeof(other), "%s-moved", fixture.path);
    assert_int_equal(rename(fixture.path, other), 0);
    rc_store_prune run = {.before_unix_ms = FIXTURE_TIME + SPAN_MS, .max = 10};
    assert_false(rc_store_prune_step(fixture.store, &run, &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_MOVED);
}

static void free_pages_are_reused_or_returned(void **state)
{
    rc_store_expired full;
    rc_store_expired past;
    (void)state;
    fill_many();
    assert_true(rc_store_count_expired(fixture.store, 0, &full, &fixture.fault));
    assert_true(prune(FIXTURE_TIME + 2 * SPAN_MS, 500) > OPERATIONS / 2);
    fill_many(); /* the ids are the same, except for open operations, so the size is about the
                    same */
    assert_true(rc_store_count_expired(fixture.store, 0, &past, &fixture.fault));
    assert_true(past.bytes < full.bytes + full.bytes / 10);
    assert_true(prune(FIXTURE_TIME + 2 * SPAN_MS, 500) > OPERATIONS / 2);
    assert_true(rc_store_shrink(fixture.store, &fixture.fault));
    assert_true(rc_store_count_expired(fixture.store, 0, &past, &fixture.fault));
    assert_true(past.bytes < full.bytes / 4 && past.free_bytes == 0);
    assert_sound();
    add(FIXTURE_TIME, 10, RC_OUTCOME_SUCCEEDED); /* the store still works */
}

/* --- prune requests --- */

static void put_file(const char *suffix, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s%s", fixture.path, suffix);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static rc_store *open_reader(void)
{
    const rc_store_settings settings = {.mode = RC_STORE_READ};
    rc_store *reader = NULL;
    assert_true(
        rc_store_open(rc_str_c(fixture.url), &settings, &fixture.alloc, &reader, &fixture.fault));
    return reader;
}

static void a_prune_request_lasts_while_its_lock_is_held(void **state)
{
    int64_t before = 0;
    (void)state;
    rc_store *one = open_reader();
    rc_store *two = open_reader();
    assert_false(rc_store_has_prune_request(fixture.store, &before));
    put_file("-prune", "1700000000000\n"); /* the request of a process that has ended */
    put_file("-prune-new", "17000000000001700000000000\n");
    assert_false(rc_store_has_prune_request(fixture.store, &before));
    assert_true(rc_store_request_prune(one, FIXTURE_TIME, &fixture.fault));
    assert_true(rc_store_has_prune_request(fixture.store, &before));
    assert_int_equal(before, FIXTURE_TIME);
    assert_false(rc_store_request_prune(two, FIXTURE_TIME + 1, &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_BUSY);
    /* only one request is accepted at a time */
    assert_false(rc_store_request_prune(one, FIXTURE_TIME + 1, &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_ARGUMENT);
    assert_true(rc_store_has_prune_request(fixture.store, &before));
    assert_int_equal(before, FIXTURE_TIME);
    rc_store_close(one);
    assert_false(rc_store_has_prune_request(fixture.store, &before));
    assert_true(rc_store_request_prune(two, 0, &fixture.fault));
    assert_true(rc_store_has_prune_request(fixture.store, &before));
    assert_int_equal(before, 0);
    rc_store_close(two);
    assert_false(
        rc_store_request_prune(fixture.store, FIXTURE_TIME, &fixture.fault)); /* a writer cannot
                                                                                 request a prune */
    assert_int_equal(fixture.fault.kind, RC_STORE_ARGUMENT);
}

static void a_malformed_prune_request_is_ignored(void **state)
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
    snprintf(path, sizeof(path), "%s-prune", fixture.path);
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        rc_lock_file lock;
        put_file("-prune", notes[i]);
        assert_int_equal(rc_lock_file_take(&lock, path), 0);
        assert_false(rc_store_has_prune_request(fixture.store, &before));
        rc_lock_file_drop(&lock);
    }
    assert_int_equal(before, -7);
    /* A file that is not a regular file is ignored, without blocking. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(rc_store_has_prune_request(fixture.store, &before));
}

static void a_failed_prune_request_sets_the_fault(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof(path), "%s-prune-new", fixture.path);
    assert_int_equal(mkdir(path, 0700), 0);
    rc_store *reader = open_reader();
    assert_false(rc_store_request_prune(reader, FIXTURE_TIME, &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_DIRECTORY);
    assert_int_equal(rmdir(path), 0);
    snprintf(path, sizeof(path), "%s-prune", fixture.path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(rc_store_request_prune(reader, FIXTURE_TIME, &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_DIRECTORY);
    assert_int_equal(rmdir(path), 0);
    assert_true(rc_store_request_prune(reader, FIXTURE_TIME, &fixture.fault));
    rc_store_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(expired_operations_are_deleted_and_others_stay, start, end),
        cmocka_unit_test_setup_teardown(the_end_counts_to_the_millisecond, start, end),
        cmocka_unit_test_setup_teardown(steps_of_any_size_delete_the_same, start, end),
        cmocka_unit_test_setup_teardown(a_late_operation_of_a_deleted_block_is_found, start, end),
        cmocka_unit_test_setup_teardown(a_cancelled_step_changes_nothing, start, end),
        cmocka_unit_test_setup_teardown(only_a_writer_deletes, start, end),
        cmocka_unit_test_setup_teardown(a_moved_file_is_not_pruned, start, end),
        cmocka_unit_test_setup_teardown(free_pages_are_reused_or_returned, start, end),
        cmocka_unit_test_setup_teardown(a_prune_request_lasts_while_its_lock_is_held, start, end),
        cmocka_unit_test_setup_teardown(a_malformed_prune_request_is_ignored, start, end),
        cmocka_unit_test_setup_teardown(a_failed_prune_request_sets_the_fault, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
