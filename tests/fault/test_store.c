/* The audit on a failing disk and in a killed process: acknowledged records are present exactly
 * once; other records are present completely or not at all. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <uv.h>

#include "store/sqlite/private.h"
#include "store/writer.h"
#include <recourse/builder.h>

#include "support/fail_alloc.h"
#include "support/fault_vfs.h"
#include "support/store_fixture.h"

#define OPERATIONS 6
#define POINTS_MAX 400
#define CYCLES 20
#define CHILD_IDS_MAX 4096

/* --- the Nth call to the disk fails --- */

/* The operations of a test, and which of them were acknowledged. */
typedef struct ledger {
    rc_id ids[OPERATIONS];
    bool is_acknowledged[OPERATIONS];
} ledger;

static void fill_failure(rc_record records[3], const rc_id *id, int64_t unix_ms)
{
    fixture_fill(records, id, unix_ms);
    records[2].outcome = RC_OUTCOME_FAILED;
    records[2].code = RC_CODE_OVERLOADED;
    records[2].report_id = rc_str_make(id->text, RC_ID_LEN);
    records[2].report_json = RC_STR("{\"error_code\":\"Overloaded\"}");
}

static bool append_one(store_fixture *fixture, ledger *book, int i)
{
    rc_record records[3];
    fill_failure(records, &book->ids[i], FIXTURE_TIME + i);
    bool is_kept = fixture_append(fixture, records, 3);
    book->is_acknowledged[i] = book->is_acknowledged[i] || is_kept;
    return is_kept;
}

static size_t timeline_count(store_fixture *fixture, const rc_id *id)
{
    size_t count = 0;
    assert_true(rc_store_timeline(fixture->store, rc_str_make(id->text, RC_ID_LEN), count_records,
                                  &count, &fixture->fault));
    return count;
}

/* Checks that each operation is stored completely or not at all, and that each acknowledged
 * operation is stored. */
static void assert_whole(store_fixture *fixture, const ledger *book)
{
    for (int i = 0; i < OPERATIONS; i++) {
        size_t count = timeline_count(fixture, &book->ids[i]);
        if (count != 0 || book->is_acknowledged[i])
            assert_int_equal(count, 3);
    }
    assert_true(rc_store_check(fixture->store, &fixture->fault));
}

static void make_ids(store_fixture *fixture, ledger *book)
{
    memset(book, 0, sizeof(*book));
    for (int i = 0; i < OPERATIONS; i++)
        book->ids[i] = fixture_id(fixture, FIXTURE_TIME + i);
}

/* Opens the store, appends and moves the log, with a failure at the Nth call. Returns whether a
 * call failed. */
static bool run_with_failure(int nth, bool is_for_good, int code)
{
    store_fixture fixture;
    ledger book;
    fixture_init(&fixture);
    make_ids(&fixture, &book);
    fault_arm(nth, is_for_good, code);
    const rc_store_settings settings = {.mode = RC_STORE_WRITE, .is_power_safe = true};
    bool is_open = rc_store_open(rc_str_c(fixture.url), &settings, &fixture.alloc, &fixture.store,
                                 &fixture.fault);
    assert_true(is_open == (fixture.store != NULL));
    for (int i = 0; is_open && i < OPERATIONS; i++) {
        append_one(&fixture, &book, i);
        if (i % 3 == 2)
            (void)rc_store_checkpoint(fixture.store, true, &fixture.fault);
    }
    bool has_failed = atomic_load(&faults.failures) > 0;

    /* When space is available again, the same connection continues to work. */
    fault_disarm();
    for (int i = 0; is_open && i < OPERATIONS; i++)
        assert_true(append_one(&fixture, &book, i));
    if (is_open)
        assert_whole(&fixture, &book);
    fixture_close(&fixture);
    /* The next process can open and write the file, too. */
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    assert_whole(&fixture, &book);
    fixture_done(&fixture);
    return has_failed;
}

static void fail_at_each_point(bool is_for_good, int code)
{
    int points = 0;
    while (points < POINTS_MAX && run_with_failure(points + 1, is_for_good, code))
        points++;
    assert_true(points > 30);
    assert_true(points < POINTS_MAX);
}

static void test_full_once(void **state)
{
    (void)state;
    fail_at_each_point(false, SQLITE_FULL);
}

static void test_full_for_good(void **state)
{
    (void)state;
    fail_at_each_point(true, SQLITE_FULL);
}

static void test_broken_once(void **state)
{
    (void)state;
    fail_at_each_point(false, SQLITE_IOERR_WRITE);
}

static void test_broken_for_good(void **state)
{
    (void)state;
    fail_at_each_point(true, SQLITE_IOERR_FSYNC);
}

/* --- deleting on a disk that fails --- */

static void fill_store(store_fixture *fixture, ledger *book)
{
    fixture_init(fixture);
    make_ids(fixture, book);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    for (int i = 0; i < OPERATIONS; i++)
        assert_true(append_one(fixture, book, i));
    fixture_close(fixture);
}

/* Checks that each operation is stored completely or not at all, and that the daily usage is
 * unchanged. Returns the number of stored operations. */
static int assert_whole_or_absent(store_fixture *fixture, const ledger *book)
{
    int there = 0;
    int64_t spent = 0;
    rc_store_extent extent;
    for (int i = 0; i < OPERATIONS; i++) {
        const size_t count = timeline_count(fixture, &book->ids[i]);
        assert_true(count == 0 || count == 3);
        there += count == 3 ? 1 : 0;
    }
    assert_true(rc_store_check(fixture->store, &fixture->fault));
    assert_true(rc_store_measure(fixture->store, &extent, &fixture->fault));
    assert_int_equal(extent.orphans, 0);
    assert_int_equal(extent.operations, there);
    assert_true(rc_sqlite_number((const rc_sqlite *)fixture->store,
                                 "SELECT sum(attempts) FROM spend", &spent, &fixture->fault));
    assert_int_equal(spent, OPERATIONS);
    return there;
}

static bool prune_with_failure(int nth, bool is_for_good, int code)
{
    store_fixture fixture;
    ledger book;
    rc_store_prune prune = {.before_unix_ms = FIXTURE_TIME + 100000, .max = 2};
    const rc_store_settings settings = {.mode = RC_STORE_WRITE, .is_power_safe = true};
    fill_store(&fixture, &book);
    assert_true(rc_store_open(rc_str_c(fixture.url), &settings, &fixture.alloc, &fixture.store,
                              &fixture.fault));
    fault_arm(nth, is_for_good, code);
    for (int steps = 0; !prune.is_done && steps < 3 * OPERATIONS; steps++)
        if (!rc_store_prune_step(fixture.store, &prune, &fixture.fault))
            break;
    (void)rc_store_checkpoint(fixture.store, true, &fixture.fault);
    const bool has_failed = atomic_load(&faults.failures) > 0;
    fault_disarm();
    /* A commit that was reported as failed may have reached the disk. A commit that was reported as
     * successful must have reached the disk. */
    assert_true(OPERATIONS - assert_whole_or_absent(&fixture, &book) >= (int)prune.operations);
    while (!prune.is_done)
        assert_true(rc_store_prune_step(fixture.store, &prune, &fixture.fault));
    assert_int_equal(assert_whole_or_absent(&fixture, &book), 0);
    fixture_done(&fixture);
    return has_failed;
}

static void test_deleting_on_a_failing_disk(void **state)
{
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC};
    (void)state;
    for (int i = 0; i < 3; i++) {
        int points = 0;
        while (points < POINTS_MAX && prune_with_failure(points + 1, i % 2 == 0, codes[i]))
            points++;
        assert_true(points > 10);
        assert_true(points < POINTS_MAX);
    }
}

/* Each failure is reported as a fault of the right kind; there is no crash and no false success. */
static void test_faults_have_types(void **state)
{
    (void)state;
    static const struct {
        int code;
        rc_store_fault_kind kind;
    } cases[] = {{SQLITE_FULL, RC_STORE_FULL},
                 {SQLITE_IOERR_WRITE, RC_STORE_IO},
                 {SQLITE_READONLY, RC_STORE_READ_ONLY},
                 {SQLITE_BUSY, RC_STORE_BUSY}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        store_fixture fixture;
        ledger book;
        fixture_init(&fixture);
        make_ids(&fixture, &book);
        assert_true(fixture_open(&fixture, RC_STORE_WRITE));
        fault_arm(1, true, cases[i].code);
        assert_false(append_one(&fixture, &book, 0));
        assert_int_equal(fixture.fault.kind, cases[i].kind);
        assert_true(rc_store_fault_may_pass(fixture.fault.kind));
        fault_disarm();
        assert_int_equal(timeline_count(&fixture, &book.ids[0]), 0);
        assert_true(append_one(&fixture, &book, 0));
        fixture_done(&fixture);
    }
}

/* --- somebody else holds the lock --- */

static void test_locked_by_a_shell(void **state)
{
    (void)state;
    store_fixture fixture;
    ledger book;
    fixture_init(&fixture);
    make_ids(&fixture, &book);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    sqlite3_busy_timeout(((rc_sqlite *)fixture.store)->db, 1);
    sqlite3 *shell = NULL;
    assert_int_equal(sqlite3_open(fixture.path, &shell), SQLITE_OK);
    assert_int_equal(sqlite3_exec(shell, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_false(append_one(&fixture, &book, 0));
    assert_int_equal(fixture.fault.kind, RC_STORE_BUSY);
    assert_int_equal(sqlite3_exec(shell, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(shell);
    assert_true(append_one(&fixture, &book, 0));
    fixture_done(&fixture);
}

/* --- no memory --- */

static void test_each_allocation_of_opening_fails(void **state)
{
    (void)state;
    store_fixture fixture;
    fixture_init(&fixture);
    for (int is_for_good = 0; is_for_good < 2; is_for_good++) {
        bool is_open = false;
        for (size_t n = 1; !is_open; n++) {
            fail_alloc failing = {.fail_at = n, .for_good = is_for_good == 1};
            const rc_alloc alloc = fail_alloc_of(&failing);
            const rc_store_settings settings = {.mode = RC_STORE_WRITE};
            rc_store *store = NULL;
            is_open =
                rc_store_open(rc_str_c(fixture.url), &settings, &alloc, &store, &fixture.fault);
            if (!is_open)
                assert_int_equal(fixture.fault.kind, RC_STORE_NO_MEMORY);
            rc_store_close(store);
            assert_int_equal(failing.live, 0);
            assert_false(failing.is_broken);
        }
    }
    fixture_done(&fixture);
}

static void test_a_submission_without_memory(void **state)
{
    (void)state;
    store_fixture fixture;
    fixture_init(&fixture);
    const rc_id id = fixture_id(&fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    records[2].report = rc_report_static(RC_CODE_OVERLOADED);
    const rc_batch batch = {.records = records, .record_count = 3};
    rc_submission *made = NULL;
    for (size_t n = 1; n < 20; n++) {
        fail_alloc failing = {.fail_at = n};
        const rc_alloc alloc = fail_alloc_of(&failing);
        made = rc_submission_make(&batch, &alloc);
        if (made != NULL) { /* the report may be left out, but not the code */
            assert_int_equal(made->batch.records[2].code, RC_CODE_OVERLOADED);
            rc_submission_free(made, &alloc);
        }
        assert_int_equal(failing.live, 0);
        assert_false(failing.is_broken);
    }
    assert_non_null(made);
    fixture_done(&fixture);
}

/* --- kill -9 --- */

static uv_sem_t child_done;

static void on_child_done(void *ctx, rc_ack kept, const rc_report *why)
{
    (void)why;
    *(rc_ack *)ctx = kept;
    uv_sem_post(&child_done);
}

/* Stores operations without end, and writes the id of each acknowledged operation to fd. */
static void child(const store_fixture *fixture, int cycle, int fd)
{
    const rc_writer_settings settings = {.url = rc_str_c(fixture->url), .calls = &rc_sys_real};
    rc_writer *writer = NULL;
    rc_store_fault fault;
    rc_id_maker ids = {.has_last = false};
    const uint8_t entropy[10] = {(uint8_t)cycle};
    uv_sem_init(&child_done, 0);
    if (!rc_writer_start(&settings, &fixture->alloc, &writer, &fault))
        _exit(3);
    for (int64_t i = 0;; i++) {
        const int64_t unix_ms = FIXTURE_TIME + cycle * 100000 + i;
        const rc_id id = rc_id_make(&ids, unix_ms, entropy);
        rc_record records[3];
        rc_ack kept = RC_ACK_LOST;
        fill_failure(records, &id, unix_ms);
        const rc_batch batch = {.records = records, .record_count = 3};
        if (rc_writer_submit(writer, &batch, on_child_done, &kept) != RC_SUBMIT_WAIT)
            _exit(4);
        uv_sem_wait(&child_done);
        if (kept != RC_ACK_SAFE || write(fd, id.text, RC_ID_LEN) != RC_ID_LEN)
            _exit(5);
    }
}

/* Reads the ids that the child has written, and kills the child when it has written enough of
 * them. */
static size_t read_ids(int fd, size_t enough, pid_t pid, char *acknowledged_ids, size_t size)
{
    size_t len = 0;
    bool is_killed = false;
    for (;;) {
        ssize_t got = read(fd, acknowledged_ids + len, size - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        len += (size_t)got;
        if (!is_killed && len >= enough) {
            kill(pid, SIGKILL);
            is_killed = true;
        }
        assert_true(len < size);
    }
    return len / RC_ID_LEN;
}

static char acknowledged_ids[CYCLES][CHILD_IDS_MAX * RC_ID_LEN];

static void test_killed_again_and_again(void **state)
{
    (void)state;
    store_fixture fixture;
    size_t counts[CYCLES];
    fixture_init(&fixture);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            close(ends[0]);
            child(&fixture, cycle, ends[1]);
        }
        close(ends[1]);
        /* The child is killed after another number of operations in each cycle. */
        const size_t enough = (size_t)(1 + cycle * 7 % 23) * RC_ID_LEN;
        counts[cycle] = read_ids(ends[0], enough, pid, acknowledged_ids[cycle],
                                 sizeof(acknowledged_ids[cycle]));
        close(ends[0]);
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

        assert_true(fixture_open(&fixture, RC_STORE_WRITE));
        for (int before = 0; before <= cycle; before++)
            for (size_t i = 0; i < counts[before]; i++) {
                rc_id id;
                memcpy(id.text, acknowledged_ids[before] + i * RC_ID_LEN, RC_ID_LEN);
                assert_int_equal(timeline_count(&fixture, &id), 3);
            }
        assert_true(rc_store_check(fixture.store, &fixture.fault));
        fixture_close(&fixture);
    }
    /* No operation is stored in part: each operation has an outcome. */
    int64_t open = -1;
    assert_true(fixture_open(&fixture, RC_STORE_READ));
    assert_true(rc_sqlite_number((rc_sqlite *)fixture.store,
                                 "SELECT count(*) FROM operations WHERE outcome_seq IS NULL OR op"
                                 " NOT IN (SELECT op FROM records)",
                                 &open, &fixture.fault));
    assert_int_equal(open, 0);
    fixture_done(&fixture);
}

static int set_up(void **state)
{
    (void)state;
    fault_vfs_install();
    fault_disarm();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_full_once, set_up),
        cmocka_unit_test_setup(test_full_for_good, set_up),
        cmocka_unit_test_setup(test_broken_once, set_up),
        cmocka_unit_test_setup(test_broken_for_good, set_up),
        cmocka_unit_test_setup(test_deleting_on_a_failing_disk, set_up),
        cmocka_unit_test_setup(test_faults_have_types, set_up),
        cmocka_unit_test_setup(test_locked_by_a_shell, set_up),
        cmocka_unit_test_setup(test_each_allocation_of_opening_fails, set_up),
        cmocka_unit_test_setup(test_a_submission_without_memory, set_up),
        cmocka_unit_test_setup(test_killed_again_and_again, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
