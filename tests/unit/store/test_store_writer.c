/* The writer: who is told what and when, while the store works, fails, stays away and comes back.
 * Nothing here waits for time to pass: the pauses are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <uv.h>

#include <recourse/builder.h>

#include "store/writer.h"
#include "support/fault_vfs.h"
#include "support/store_fixture.h"

#define PAUSES_MAX 32
#define DONE_MAX 64

/* What happened, written by the writer's thread and read after stop or a post. */
static struct {
    store_fixture files;
    rc_writer *writer;
    rc_writer_settings settings;
    uint64_t pauses[PAUSES_MAX];
    int pause_count;
    int repair_at; /* the pause in which the store is mended; 0: never */
    void (*on_pause)(int number);
    rc_ack kept[DONE_MAX];
    rc_code code[DONE_MAX];
    int done_count;
    uv_sem_t done;
    uv_sem_t back;
    int downs;
    int backs;
    char told[8192];
    int suppressed_count;
} fixture;

static void pause_for(void *ctx, uint64_t wait_ms)
{
    (void)ctx;
    if (fixture.pause_count < PAUSES_MAX)
        fixture.pauses[fixture.pause_count] = wait_ms;
    fixture.pause_count++;
    if (fixture.on_pause != NULL)
        fixture.on_pause(fixture.pause_count);
    if (fixture.repair_at != 0 && fixture.pause_count >= fixture.repair_at)
        fault_disarm();
}

static void on_suppressed(void *ctx, rc_str line)
{
    (void)ctx;
    const size_t len = strlen(fixture.told);
    assert_true(len + line.len < sizeof(fixture.told));
    memcpy(fixture.told + len, line.ptr, line.len);
    fixture.suppressed_count++;
}

static void on_change(void *ctx, const rc_report *why)
{
    (void)ctx;
    if (why != NULL) {
        assert_int_equal(rc_report_code(why), RC_CODE_STORE_UNAVAILABLE);
        fixture.downs++;
        return;
    }
    fixture.backs++;
    uv_sem_post(&fixture.back);
}

static void on_done(void *ctx, rc_ack kept, const rc_report *why)
{
    (void)ctx;
    fixture.kept[fixture.done_count] = kept;
    fixture.code[fixture.done_count] = why != NULL ? rc_report_code(why) : RC_CODE_NONE;
    fixture.done_count++;
    uv_sem_post(&fixture.done);
}

static int set_up(void **state)
{
    (void)state;
    memset(&fixture, 0, sizeof(fixture));
    fault_vfs_install();
    fault_disarm();
    fixture_init(&fixture.files);
    uv_sem_init(&fixture.done, 0);
    uv_sem_init(&fixture.back, 0);
    fixture.settings = (rc_writer_settings){
        .url = rc_str_c(fixture.files.url),
        .calls = &rc_sys_real,
        .on_suppressed = on_suppressed,
        .on_change = on_change,
        .pause = pause_for,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_writer_stop(fixture.writer);
    fixture_done(&fixture.files);
    uv_sem_destroy(&fixture.done);
    uv_sem_destroy(&fixture.back);
    return 0;
}

static void start(void)
{
    assert_true(rc_writer_start(&fixture.settings, &fixture.files.alloc, &fixture.writer,
                                &fixture.files.fault));
}

static void stop(void)
{
    rc_writer_stop(fixture.writer);
    fixture.writer = NULL;
}

static rc_submit_result submit(void)
{
    rc_record records[3];
    const rc_id id = fixture_id(&fixture.files, FIXTURE_TIME);
    fixture_fill(records, &id, FIXTURE_TIME);
    const rc_batch batch = {.records = records, .record_count = 3};
    return rc_writer_submit(fixture.writer, &batch, on_done, NULL);
}

static size_t count_operations(bool has_notices, char text[256])
{
    size_t count = 0;
    rc_store_query query = {.limit = 0};
    if (has_notices)
        query.filter = (rc_store_filter){.has_outcome = true, .outcome = RC_OUTCOME_NOTICE};
    assert_true(fixture_open(&fixture.files, RC_STORE_READ));
    assert_true(
        rc_store_list(fixture.files.store, &query, count_records, &count, &fixture.files.fault));
    if (text != NULL) {
        sqlite3 *db = NULL;
        sqlite3_stmt *row = NULL;
        assert_int_equal(sqlite3_open(fixture.files.path, &db), SQLITE_OK);
        sqlite3_prepare_v2(db, "SELECT text FROM records WHERE kind = 9", -1, &row, NULL);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        snprintf(text, 256, "%s", (const char *)sqlite3_column_text(row, 0));
        sqlite3_finalize(row);
        sqlite3_close(db);
    }
    fixture_close(&fixture.files);
    return count;
}

static void test_stored_then_acknowledged(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 5; i++) {
        assert_int_equal(submit(), RC_SUBMIT_WAIT);
        uv_sem_wait(&fixture.done);
        assert_int_equal(fixture.kept[i], RC_ACK_SAFE);
        /* Another connection sees it at once. */
        assert_int_equal(count_operations(false, NULL), i + 1);
    }
    assert_int_equal(rc_writer_count(fixture.writer).kept, 5);
    assert_int_equal(rc_writer_count(fixture.writer).groups, 5);
    assert_int_equal(fixture.pause_count + fixture.downs + fixture.suppressed_count, 0);
}

static void test_stop_writes_the_queue(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 20; i++)
        assert_int_equal(submit(), RC_SUBMIT_WAIT);
    stop();
    assert_int_equal(fixture.done_count, 20);
    assert_int_equal(count_operations(false, NULL), 20);
}

static void submit_and_wait(void)
{
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    assert_int_equal(fixture.kept[fixture.done_count - 1], RC_ACK_SAFE);
}

static void move_away(const char *suffix)
{
    char other[256];
    snprintf(other, sizeof(other), "%s%s", fixture.files.path, suffix);
    assert_int_equal(rename(fixture.files.path, other), 0);
}

/* Whoever tidies up does not make the gateway write to a file that nobody can open any more. */
static void test_a_file_that_goes_is_begun_anew(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 3; i++)
        submit_and_wait();
    move_away(".old");
    submit_and_wait();
    submit_and_wait();
    assert_int_equal(count_operations(false, NULL), 2);
    assert_int_equal(unlink(fixture.files.path), 0);
    submit_and_wait();
    assert_int_equal(count_operations(false, NULL), 1);
    assert_int_equal(fixture.suppressed_count, 2);
    assert_non_null(strstr(fixture.told, "goes on in a new file"));
    assert_int_equal(fixture.pause_count + fixture.downs, 0);
    stop();
    /* The one that was moved is whole: its log went with it. */
    snprintf(fixture.files.url, sizeof(fixture.files.url), "sqlite:%s.old", fixture.files.path);
    assert_int_equal(count_operations(false, NULL), 3);
}

static void test_a_folder_that_goes_takes_the_store_down(void **state)
{
    (void)state;
    char folder[160];
    snprintf(folder, sizeof(folder), "%s.away", fixture.files.folder);
    start();
    submit_and_wait();
    assert_int_equal(rename(fixture.files.folder, folder), 0);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    assert_int_equal(fixture.kept[1], RC_ACK_REFUSED);
    assert_int_equal(fixture.downs, 1);
    assert_int_equal(rename(folder, fixture.files.folder), 0);
    uv_sem_wait(&fixture.back);
    submit_and_wait();
    stop();
    assert_int_equal(count_operations(false, NULL), 2);
}

static void test_async_waits_for_nothing(void **state)
{
    (void)state;
    fixture.settings.is_async = true;
    start();
    for (int i = 0; i < 20; i++)
        assert_int_equal(submit(), RC_SUBMIT_CONTINUE);
    stop();
    assert_int_equal(fixture.done_count, 0);
    assert_int_equal(count_operations(false, NULL), 20);
}

static void test_an_invalid_record_is_not_taken(void **state)
{
    (void)state;
    start();
    rc_record record;
    rc_record_init(&record, RC_RECORD_ATTEMPT);
    const rc_batch wrong = {.records = &record, .record_count = 1};
    const rc_batch nothing = {.record_count = 0};
    assert_int_equal(rc_writer_submit(fixture.writer, &wrong, on_done, NULL), RC_SUBMIT_INVALID);
    assert_int_equal(rc_writer_submit(fixture.writer, &nothing, on_done, NULL), RC_SUBMIT_INVALID);
}

static void test_a_failure_that_passes(void **state)
{
    (void)state;
    start();
    fixture.repair_at = 2;
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    assert_int_equal(fixture.kept[0], RC_ACK_SAFE);
    assert_int_equal(fixture.pause_count, 2);
    assert_int_equal(fixture.pauses[0], 2000);
    assert_int_equal(fixture.pauses[1], 4000);
    assert_int_equal(fixture.downs, 0);
    assert_int_equal(count_operations(false, NULL), 1);
}

/* While the store is down: what is submitted is turned away, and why is known. */
static rc_submit_result turned_away;
static rc_code why_code;

static void submit_in_fifth(int number)
{
    if (number != 5)
        return;
    turned_away = submit();
    const rc_report *why = rc_writer_why(fixture.writer);
    why_code = rc_report_code(why);
    rc_report_free(why);
    assert_true(rc_writer_count(fixture.writer).is_down);
}

static void fall_and_rise(void)
{
    fixture.on_pause = submit_in_fifth;
    fixture.repair_at = 6;
    fault_arm(1, true, SQLITE_IOERR_WRITE);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    uv_sem_wait(&fixture.back);
    static const uint64_t waits[] = {2000, 4000, 6000, 6000, 6000, 6000};
    assert_int_equal(fixture.pause_count, 6);
    assert_memory_equal(fixture.pauses, waits, sizeof(waits));
    assert_int_equal(why_code, RC_CODE_STORE_UNAVAILABLE);
    assert_int_equal(fixture.code[0], RC_CODE_STORE_UNAVAILABLE);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    assert_int_equal(fixture.kept[1], RC_ACK_SAFE);
    stop();
    assert_int_equal(fixture.downs, 1);
    assert_int_equal(fixture.backs, 1);
    assert_int_equal(count_operations(false, NULL), 1);
    char text[256];
    assert_int_equal(count_operations(true, text), 1);
    assert_non_null(strstr(text, "operations that have no record: 2"));
}

static void test_refused_when_it_stays_away(void **state)
{
    (void)state;
    start();
    fall_and_rise();
    assert_int_equal(fixture.kept[0], RC_ACK_REFUSED);
    assert_int_equal(turned_away, RC_SUBMIT_REFUSED);
    assert_int_equal(fixture.suppressed_count, 0); /* whoever was refused knows */
}

static void test_going_on_is_loud(void **state)
{
    (void)state;
    fixture.settings.continue_on_failure = true;
    start();
    fall_and_rise();
    assert_int_equal(fixture.kept[0], RC_ACK_LOST);
    assert_int_equal(turned_away, RC_SUBMIT_CONTINUE);
    assert_int_equal(fixture.suppressed_count, 2);
    assert_non_null(strstr(fixture.told, "\"type\":\"SuppressedError\""));
    assert_non_null(strstr(fixture.told, "\"seq\":2"));
    assert_non_null(strstr(fixture.told, "goes on without its store"));
    assert_non_null(strstr(fixture.told, "\"error_code\":\"StoreUnavailable\""));
}

static void test_async_cannot_refuse_any_more(void **state)
{
    (void)state;
    fixture.settings.is_async = true;
    start();
    fixture.repair_at = 4;
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_CONTINUE);
    uv_sem_wait(&fixture.back);
    stop();
    assert_int_equal(fixture.suppressed_count, 1);
}

static void test_damage_is_not_waited_for(void **state)
{
    (void)state;
    start();
    fixture.repair_at = 1;
    fault_arm(1, true, SQLITE_CORRUPT);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    uv_sem_wait(&fixture.back);
    assert_int_equal(fixture.kept[0], RC_ACK_REFUSED);
    assert_int_equal(fixture.pauses[0], 6000); /* not 2000: that is already the way back */
}

static void test_stop_does_not_wait_for_a_store(void **state)
{
    (void)state;
    fixture.settings.pause = NULL; /* real time, which stop cuts short */
    start();
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    stop();
    assert_int_equal(fixture.done_count, 1);
    assert_int_equal(fixture.kept[0], RC_ACK_REFUSED);
    fault_disarm();
}

static rc_submit_result acks[8];

static void flood(int number)
{
    for (int i = 0; number == 1 && i < 8; i++)
        acks[i] = submit();
}

static void test_the_queue_has_an_end(void **state)
{
    (void)state;
    fixture.settings.max_count = 5;
    start();
    fixture.on_pause = flood;
    fixture.repair_at = 1;
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    for (int i = 0; i < 6; i++)
        uv_sem_wait(&fixture.done);
    for (int i = 0; i < 8; i++)
        assert_int_equal(acks[i], i < 5 ? RC_SUBMIT_WAIT : RC_SUBMIT_REFUSED);
    assert_int_equal(rc_writer_count(fixture.writer).refused, 3);
    stop();
    assert_int_equal(count_operations(false, NULL), 6);
}

static void test_the_queue_counts_bytes(void **state)
{
    (void)state;
    fixture.settings.max_bytes = 8000; /* a submission of three records takes some 1400 */
    fixture.settings.continue_on_failure = true;
    start();
    fixture.on_pause = flood;
    fixture.repair_at = 1;
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    stop();
    size_t kept = count_operations(false, NULL);
    assert_true(kept >= 3 && kept < 9);
    assert_int_equal(fixture.suppressed_count, 1);
    assert_non_null(strstr(fixture.told, "queue was full"));
}

static rc_id amended;

/* The first pause behind the three of its own tries. */
#define DOWN_PAUSE 4

/* Whoever could not wait longer says how it ended for them; and once more when the store is down,
 * and nothing is left to be amended. */
static void amend_in_first(int number)
{
    rc_record records[3];
    fixture_fill(records, &amended, FIXTURE_TIME);
    records[2].seq = 3;
    records[2].outcome = RC_OUTCOME_FAILED;
    records[2].status = 503;
    const rc_batch batch = {.records = &records[2], .record_count = 1};
    if (number == 1 || number == DOWN_PAUSE)
        assert_true(rc_writer_amend(fixture.writer, &batch));
}

static void submit_and_amend(void)
{
    rc_record records[3];
    amended = fixture_id(&fixture.files, FIXTURE_TIME);
    fixture_fill(records, &amended, FIXTURE_TIME);
    const rc_batch batch = {.records = records, .record_count = 3};
    fixture.on_pause = amend_in_first;
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(rc_writer_submit(fixture.writer, &batch, on_done, NULL), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
}

static int number_of(const char *question)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_open(fixture.files.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, question, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    const int number = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return number;
}

static void test_more_of_an_operation_follows_it(void **state)
{
    (void)state;
    size_t count = 0;
    fixture.settings.max_bytes = 3000; /* there is room for the first alone */
    fixture.repair_at = 1;
    start();
    submit_and_amend();
    assert_int_equal(fixture.kept[0], RC_ACK_SAFE);
    stop();
    assert_int_equal(count_operations(false, NULL), 1);
    const rc_store_query query = {
        .filter = {.has_outcome = true, .outcome = RC_OUTCOME_FAILED},
    };
    assert_true(fixture_open(&fixture.files, RC_STORE_READ));
    assert_true(
        rc_store_list(fixture.files.store, &query, count_records, &count, &fixture.files.fault));
    fixture_close(&fixture.files);
    assert_int_equal(count, 1);
    /* What the provider said stays what it said, and is there once. */
    assert_int_equal(number_of("SELECT status FROM operations"), 503);
    assert_int_equal(number_of("SELECT count(*) FROM records WHERE kind = 2"), 1);
    assert_int_equal(number_of("SELECT status FROM records WHERE kind = 2"), 200);
}

/* It is no operation more. */
static void test_more_of_an_operation_is_not_counted(void **state)
{
    (void)state;
    char text[256];
    rc_record record;
    rc_record_init(&record, RC_RECORD_ATTEMPT);
    const rc_batch wrong = {.records = &record, .record_count = 1};
    fixture.repair_at = DOWN_PAUSE;
    start();
    assert_false(rc_writer_amend(fixture.writer, &wrong));
    submit_and_amend();
    assert_int_equal(fixture.kept[0], RC_ACK_REFUSED);
    uv_sem_wait(&fixture.back);
    assert_int_equal(rc_writer_count(fixture.writer).refused, 1);
    stop();
    assert_int_equal(fixture.done_count, 1);
    assert_int_equal(count_operations(false, NULL), 0);
    assert_int_equal(count_operations(true, text), 1);
    assert_non_null(strstr(text, "operations that have no record: 1"));
}

static void test_going_on_before_it_is_safe_is_loud(void **state)
{
    (void)state;
    fixture.settings.continue_on_failure = true;
    start();
    assert_true(rc_writer_continues_on_failure(fixture.writer));
    rc_writer_emit_unsafe(fixture.writer, rc_report_static(RC_CODE_STORE_UNAVAILABLE));
    assert_int_equal(fixture.suppressed_count, 1);
    assert_non_null(strstr(fixture.told, "\"type\":\"SuppressedError\""));
    assert_non_null(strstr(fixture.told, "before its record is safe"));
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_stored_then_acknowledged),
        WITH_FIXTURE(test_stop_writes_the_queue),
        WITH_FIXTURE(test_a_file_that_goes_is_begun_anew),
        WITH_FIXTURE(test_a_folder_that_goes_takes_the_store_down),
        WITH_FIXTURE(test_async_waits_for_nothing),
        WITH_FIXTURE(test_an_invalid_record_is_not_taken),
        WITH_FIXTURE(test_a_failure_that_passes),
        WITH_FIXTURE(test_refused_when_it_stays_away),
        WITH_FIXTURE(test_going_on_is_loud),
        WITH_FIXTURE(test_async_cannot_refuse_any_more),
        WITH_FIXTURE(test_damage_is_not_waited_for),
        WITH_FIXTURE(test_stop_does_not_wait_for_a_store),
        WITH_FIXTURE(test_the_queue_has_an_end),
        WITH_FIXTURE(test_the_queue_counts_bytes),
        WITH_FIXTURE(test_more_of_an_operation_follows_it),
        WITH_FIXTURE(test_more_of_an_operation_is_not_counted),
        WITH_FIXTURE(test_going_on_before_it_is_safe_is_loud),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
