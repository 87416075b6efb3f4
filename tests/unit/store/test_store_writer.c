/* Tests of the writer: acknowledgements while the store works, fails, stays down and works again.
 * Pauses are counted instead of waited for. */
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

/* The writer's thread records its events here, and the test reads them after rc_writer_stop or a
 * semaphore's post. */
static struct {
    store_fixture files;
    rc_writer *writer;
    rc_writer_settings settings;
    uint64_t pauses[PAUSES_MAX];
    int pause_count;
    int repair_at; /* number of the pause in which the store is repaired; 0: never */
    void (*on_pause)(int number);
    rc_ack ack[DONE_MAX];
    rc_code code[DONE_MAX];
    int done_count;
    uv_sem_t done;
    uv_sem_t back;
    int downs;
    int backs;
    char suppressed[8192];
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
    const size_t len = strlen(fixture.suppressed);
    assert_true(len + line.len < sizeof(fixture.suppressed));
    memcpy(fixture.suppressed + len, line.ptr, line.len);
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

static void on_done(void *ctx, rc_ack ack, const rc_report *why)
{
    (void)ctx;
    fixture.ack[fixture.done_count] = ack;
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
        assert_int_equal(fixture.ack[i], RC_ACK_SAFE);
        /* Another connection sees the operation at once. */
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
    assert_int_equal(fixture.ack[fixture.done_count - 1], RC_ACK_SAFE);
}

static void move_away(const char *suffix)
{
    char other[256];
    snprintf(other, sizeof(other), "%s%s", fixture.files.path, suffix);
    assert_int_equal(rename(fixture.files.path, other), 0);
}

/* If the file is moved or deleted, the writer creates a new file instead of writing to one without
 * a name. */
static void test_a_moved_file_is_replaced(void **state)
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
    assert_non_null(strstr(fixture.suppressed, "continues in a new file"));
    assert_int_equal(fixture.pause_count + fixture.downs, 0);
    stop();
    /* The moved file is complete: its write-ahead log was merged into it. */
    snprintf(fixture.files.url, sizeof(fixture.files.url), "sqlite:%s.old", fixture.files.path);
    assert_int_equal(count_operations(false, NULL), 3);
}

static void test_a_missing_folder_takes_the_store_down(void **state)
{
    (void)state;
    char folder[160];
    snprintf(folder, sizeof(folder), "%s.away", fixture.files.folder);
    start();
    submit_and_wait();
    assert_int_equal(rename(fixture.files.folder, folder), 0);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    assert_int_equal(fixture.ack[1], RC_ACK_REFUSED);
    assert_int_equal(fixture.downs, 1);
    assert_int_equal(rename(folder, fixture.files.folder), 0);
    uv_sem_wait(&fixture.back);
    submit_and_wait();
    stop();
    assert_int_equal(count_operations(false, NULL), 2);
}

static void test_async_submissions_do_not_wait(void **state)
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

static void test_an_invalid_record_is_refused(void **state)
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

static void test_a_temporary_failure_is_retried(void **state)
{
    (void)state;
    start();
    fixture.repair_at = 2;
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    assert_int_equal(fixture.ack[0], RC_ACK_SAFE);
    assert_int_equal(fixture.pause_count, 2);
    assert_int_equal(fixture.pauses[0], 2000);
    assert_int_equal(fixture.pauses[1], 4000);
    assert_int_equal(fixture.downs, 0);
    assert_int_equal(count_operations(false, NULL), 1);
}

/* A submission while the store is down is refused, with the reason. */
static rc_submit_result result_while_down;
static rc_code why_code;

static void submit_in_fifth(int number)
{
    if (number != 5)
        return;
    result_while_down = submit();
    const rc_report *why = rc_writer_why(fixture.writer);
    why_code = rc_report_code(why);
    rc_report_free(why);
    assert_true(rc_writer_count(fixture.writer).is_down);
}

static void run_outage(void)
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
    assert_int_equal(fixture.ack[1], RC_ACK_SAFE);
    stop();
    assert_int_equal(fixture.downs, 1);
    assert_int_equal(fixture.backs, 1);
    assert_int_equal(count_operations(false, NULL), 1);
    char text[256];
    assert_int_equal(count_operations(true, text), 1);
    assert_non_null(strstr(text, "operations that have no record: 2"));
}

static void test_submissions_are_refused_during_an_outage(void **state)
{
    (void)state;
    start();
    run_outage();
    assert_int_equal(fixture.ack[0], RC_ACK_REFUSED);
    assert_int_equal(result_while_down, RC_SUBMIT_REFUSED);
    assert_int_equal(fixture.suppressed_count, 0); /* the submitter was refused and has reported
                                                    * this, so nothing is suppressed */
}

static void test_lost_submissions_are_reported(void **state)
{
    (void)state;
    fixture.settings.continue_on_failure = true;
    start();
    run_outage();
    assert_int_equal(fixture.ack[0], RC_ACK_LOST);
    assert_int_equal(result_while_down, RC_SUBMIT_CONTINUE);
    assert_int_equal(fixture.suppressed_count, 2);
    assert_non_null(strstr(fixture.suppressed, "\"type\":\"SuppressedError\""));
    assert_non_null(strstr(fixture.suppressed, "\"seq\":2"));
    assert_non_null(strstr(fixture.suppressed, "continue without audit records"));
    assert_non_null(strstr(fixture.suppressed, "\"error_code\":\"StoreUnavailable\""));
}

static void test_async_submissions_are_lost_during_an_outage(void **state)
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

static void test_a_damaged_file_is_not_retried(void **state)
{
    (void)state;
    start();
    fixture.repair_at = 1;
    fault_arm(1, true, SQLITE_CORRUPT);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    uv_sem_wait(&fixture.back);
    assert_int_equal(fixture.ack[0], RC_ACK_REFUSED);
    assert_int_equal(fixture.pauses[0], 6000); /* the pause before a probe of the store; before a
                                                * retry, the first pause would be 2000 */
}

static void test_stop_does_not_wait_for_a_store(void **state)
{
    (void)state;
    fixture.settings.pause = NULL; /* the pause takes real time, and stopping the writer shortens
                                    * it */
    start();
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    stop();
    assert_int_equal(fixture.done_count, 1);
    assert_int_equal(fixture.ack[0], RC_ACK_REFUSED);
    fault_disarm();
}

static rc_submit_result acks[8];

static void flood(int number)
{
    for (int i = 0; number == 1 && i < 8; i++)
        acks[i] = submit();
}

static void test_the_queue_is_limited(void **state)
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
    fixture.settings.max_bytes = 8000; /* a submission of three records has about 1400 bytes */
    fixture.settings.continue_on_failure = true;
    start();
    fixture.on_pause = flood;
    fixture.repair_at = 1;
    fault_arm(1, true, SQLITE_FULL);
    assert_int_equal(submit(), RC_SUBMIT_WAIT);
    uv_sem_wait(&fixture.done);
    stop();
    size_t ack = count_operations(false, NULL);
    assert_true(ack >= 3 && ack < 9);
    assert_int_equal(fixture.suppressed_count, 1);
    assert_non_null(strstr(fixture.suppressed, "queue was full"));
}

static rc_id amended;

/* Number of the first pause after the pauses of the three retries. */
#define DOWN_PAUSE 4

/* Amends the operation with its actual outcome: once while the operation is queued, and once when
 * the store is down and the operation is lost. */
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

static void test_an_amendment_follows_its_operation(void **state)
{
    (void)state;
    size_t count = 0;
    fixture.settings.max_bytes = 3000; /* space for the first submission only */
    fixture.repair_at = 1;
    start();
    submit_and_amend();
    assert_int_equal(fixture.ack[0], RC_ACK_SAFE);
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
    /* The record of the attempt is unchanged and is stored once. */
    assert_int_equal(number_of("SELECT status FROM operations"), 503);
    assert_int_equal(number_of("SELECT count(*) FROM records WHERE kind = 2"), 1);
    assert_int_equal(number_of("SELECT status FROM records WHERE kind = 2"), 200);
}

/* An amendment is not counted as an operation. */
static void test_an_amendment_is_not_counted(void **state)
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
    assert_int_equal(fixture.ack[0], RC_ACK_REFUSED);
    uv_sem_wait(&fixture.back);
    assert_int_equal(rc_writer_count(fixture.writer).refused, 1);
    stop();
    assert_int_equal(fixture.done_count, 1);
    assert_int_equal(count_operations(false, NULL), 0);
    assert_int_equal(count_operations(true, text), 1);
    assert_non_null(strstr(text, "operations that have no record: 1"));
}

static void test_an_early_response_is_reported(void **state)
{
    (void)state;
    fixture.settings.continue_on_failure = true;
    start();
    assert_true(rc_writer_continues_on_failure(fixture.writer));
    rc_writer_emit_unsafe(fixture.writer, rc_report_static(RC_CODE_STORE_UNAVAILABLE));
    assert_int_equal(fixture.suppressed_count, 1);
    assert_non_null(strstr(fixture.suppressed, "\"type\":\"SuppressedError\""));
    assert_non_null(strstr(fixture.suppressed, "before its record is stored"));
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_stored_then_acknowledged),
        WITH_FIXTURE(test_stop_writes_the_queue),
        WITH_FIXTURE(test_a_moved_file_is_replaced),
        WITH_FIXTURE(test_a_missing_folder_takes_the_store_down),
        WITH_FIXTURE(test_async_submissions_do_not_wait),
        WITH_FIXTURE(test_an_invalid_record_is_refused),
        WITH_FIXTURE(test_a_temporary_failure_is_retried),
        WITH_FIXTURE(test_submissions_are_refused_during_an_outage),
        WITH_FIXTURE(test_lost_submissions_are_reported),
        WITH_FIXTURE(test_async_submissions_are_lost_during_an_outage),
        WITH_FIXTURE(test_a_damaged_file_is_not_retried),
        WITH_FIXTURE(test_stop_does_not_wait_for_a_store),
        WITH_FIXTURE(test_the_queue_is_limited),
        WITH_FIXTURE(test_the_queue_counts_bytes),
        WITH_FIXTURE(test_an_amendment_follows_its_operation),
        WITH_FIXTURE(test_an_amendment_is_not_counted),
        WITH_FIXTURE(test_an_early_response_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
