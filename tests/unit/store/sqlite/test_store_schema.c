/* Tests of the audit file: application id, version, migration, and the faults of unusable files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

#include "store/sqlite/private.h"
#include "support/store_fixture.h"

static int set_up(void **state)
{
    store_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_init(fixture);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

/* Runs SQL on the file through another connection. */
static void run_sql(const store_fixture *fixture, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void write_file(const char *path, const char *bytes, size_t len, long at)
{
    FILE *file = fopen(path, at < 0 ? "wb" : "r+b");
    assert_non_null(file);
    if (at > 0)
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void assert_refused(store_fixture *fixture, rc_store_mode mode, rc_store_fault_kind kind)
{
    assert_false(fixture_open(fixture, mode));
    assert_null(fixture->store);
    if (fixture->fault.kind != kind)
        fail_msg("%s, not %s: %s", rc_store_fault_name(fixture->fault.kind),
                 rc_store_fault_name(kind), fixture->fault.detail);
    assert_non_null(strstr(fixture->fault.detail, rc_store_fault_text(kind)));
    assert_true(strlen(rc_store_fault_advice(kind)) > 0);
}

static void fill_one(store_fixture *fixture, rc_id *ret_id)
{
    rc_record records[3];
    *ret_id = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, ret_id, FIXTURE_TIME);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    assert_true(fixture_append(fixture, records, 3));
    fixture_close(fixture);
}

static size_t count_timeline(store_fixture *fixture, const rc_id *id)
{
    size_t count = 0;
    assert_true(rc_store_timeline(fixture->store, rc_str_make(id->text, RC_ID_LEN), count_records,
                                  &count, &fixture->fault));
    return count;
}

/* --- versions --- */

/* Returns the columns of a table after the column `after`, separated by commas. */
static void columns_of(store_fixture *fixture, const char *table, const char *after, char *list,
                       size_t size)
{
    char sql[256];
    sqlite3_stmt *row = NULL;
    snprintf(sql, sizeof(sql),
             "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('%s') WHERE cid >"
             " (SELECT cid FROM pragma_table_info('%s') WHERE name = '%s') ORDER BY cid)",
             table, table, after);
    assert_true(rc_sqlite_prepare((rc_sqlite *)fixture->store, sql, &row, &fixture->fault));
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    snprintf(list, size, "%s,", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
}

static void test_the_tables_have_the_columns_of_the_spec(void **state)
{
    store_fixture *fixture = *state;
    static const char wanted[] =
#define RC_AUDIT_COLUMN(name, TYPE, words) #name ","
#include "spec/audit.def"
        ;
    char list[1024];
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    columns_of(fixture, "steps", "kind", list, sizeof(list));
    assert_string_equal(list, wanted);
    columns_of(fixture, "records", "kind", list, sizeof(list));
    assert_string_equal(list, wanted);
    columns_of(fixture, "operations", "client", list, sizeof(list));
    assert_int_equal(strncmp(list, wanted, sizeof(wanted) - 1), 0);
    assert_string_equal(list + sizeof(wanted) - 1, "route,outcome_seq,id,try_model,try_at_ms,"
                                                   "try_latency_ms,try_first_byte_ms,try_reason,"
                                                   "try_flags,try_request_id,");
}

static void test_versions_increase_by_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < rc_sqlite_step_count; i++)
        assert_int_equal(rc_sqlite_steps[i].version, i + 1);
}

/* Fills in the released migration steps and additional test steps; returns their number. */
#define STEPS_MAX 16
static size_t steps_and(rc_sqlite_step steps[STEPS_MAX], const char *const *more, size_t count)
{
    size_t total = rc_sqlite_step_count;
    assert_true(total + count <= STEPS_MAX);
    memcpy(steps, rc_sqlite_steps, total * sizeof(*steps));
    for (size_t i = 0; i < count; i++, total++)
        steps[total] = (rc_sqlite_step){(int)total + 1, more[i]};
    return total;
}

/* A file of the current version is migrated to a later version. */
static void test_migration_keeps_rows(void **state)
{
    store_fixture *fixture = *state;
    static const char *const more[] = {
        "ALTER TABLE operations ADD COLUMN region TEXT; CREATE TABLE regions(id INTEGER);"};
    rc_sqlite_step steps[STEPS_MAX];
    size_t count = steps_and(steps, more, 1);
    rc_id id;
    fill_one(fixture, &id);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    const rc_sqlite *sqlite = (const rc_sqlite *)fixture->store;
    int version = 0;
    assert_true(rc_sqlite_version(sqlite, steps, count, &version, &fixture->fault));
    assert_int_equal(version, count - 1);
    assert_true(rc_sqlite_migrate(sqlite, steps, count, version, &fixture->fault));
    assert_true(rc_sqlite_version(sqlite, steps, count, &version, &fixture->fault));
    assert_int_equal(version, count);
    assert_int_equal(count_timeline(fixture, &id), 3);
    int64_t columns = 0;
    assert_true(rc_sqlite_number(
        sqlite, "SELECT count(*) FROM pragma_table_info('operations') WHERE name = 'region'",
        &columns, &fixture->fault));
    assert_int_equal(columns, 1);
    /* A second migration changes nothing. */
    assert_true(rc_sqlite_migrate(sqlite, steps, count, version, &fixture->fault));
}

static void test_a_migration_that_fails_changes_nothing(void **state)
{
    store_fixture *fixture = *state;
    static const char *const more[] = {"CREATE TABLE regions(id INTEGER);",
                                       "ALTER TABLE nowhere ADD COLUMN region TEXT;"};
    rc_sqlite_step steps[STEPS_MAX];
    size_t count = steps_and(steps, more, 2);
    rc_id id;
    fill_one(fixture, &id);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    const rc_sqlite *sqlite = (const rc_sqlite *)fixture->store;
    assert_false(rc_sqlite_migrate(sqlite, steps, count, (int)count - 2, &fixture->fault));
    assert_non_null(strstr(fixture->fault.detail, "nowhere"));
    int64_t tables = -1;
    assert_true(rc_sqlite_number(sqlite,
                                 "SELECT count(*) FROM sqlite_master WHERE name = 'regions'",
                                 &tables, &fixture->fault));
    assert_int_equal(tables, 0);
    int version = 0;
    assert_true(rc_sqlite_version(sqlite, steps, count, &version, &fixture->fault));
    assert_int_equal(version, count - 2);
    assert_int_equal(count_timeline(fixture, &id), 3);
}

static void test_a_newer_version_is_refused(void **state)
{
    store_fixture *fixture = *state;
    rc_id id;
    fill_one(fixture, &id);
    run_sql(fixture, "PRAGMA user_version = 99");
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_TOO_NEW);
    assert_non_null(strstr(fixture->fault.detail, "version 99"));
    assert_refused(fixture, RC_STORE_READ, RC_STORE_TOO_NEW);
    char back[64];
    snprintf(back, sizeof(back), "PRAGMA user_version = %zu", rc_sqlite_step_count);
    run_sql(fixture, back);
    assert_true(fixture_open(fixture, RC_STORE_READ));
    assert_int_equal(count_timeline(fixture, &id), 3);
}

/* --- foreign and damaged files --- */

static void test_another_database_is_left_alone(void **state)
{
    store_fixture *fixture = *state;
    run_sql(fixture, "CREATE TABLE recipes(name); INSERT INTO recipes VALUES('soup')");
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_FOREIGN);
    assert_refused(fixture, RC_STORE_READ, RC_STORE_FOREIGN);
    run_sql(fixture, "PRAGMA application_id = 7; PRAGMA user_version = 1");
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_FOREIGN);
    run_sql(fixture, "INSERT INTO recipes VALUES('bread')");
}

static void test_another_file_is_left_alone(void **state)
{
    store_fixture *fixture = *state;
    static const char letter[] = "Dear Sir or Madam, this is a letter and no database at all, "
                                 "and long enough to be looked at as one: 100 bytes and more.";
    write_file(fixture->path, letter, sizeof(letter), -1);
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_FOREIGN);
    assert_refused(fixture, RC_STORE_READ, RC_STORE_FOREIGN);
    struct stat now;
    assert_int_equal(stat(fixture->path, &now), 0);
    assert_int_equal(now.st_size, sizeof(letter));
}

static void test_a_damaged_file_is_reported(void **state)
{
    store_fixture *fixture = *state;
    rc_id id;
    fill_one(fixture, &id);
    struct stat now;
    assert_int_equal(stat(fixture->path, &now), 0);
    char garbage[4096];
    memset(garbage, 0xDB, sizeof(garbage));
    for (long at = 4096; at < now.st_size; at += 4096)
        write_file(fixture->path, garbage, sizeof(garbage), at);
    assert_true(fixture_open(fixture, RC_STORE_READ));
    assert_false(rc_store_check(fixture->store, &fixture->fault));
    assert_int_equal(fixture->fault.kind, RC_STORE_CORRUPT);
    assert_false(rc_store_timeline(fixture->store, rc_str_make(id.text, RC_ID_LEN), count_records,
                                   &now.st_size, &fixture->fault));
    assert_int_equal(fixture->fault.kind, RC_STORE_CORRUPT);
    assert_false(rc_store_fault_may_pass(fixture->fault.kind));
}

static void test_a_damaged_schema_is_refused(void **state)
{
    store_fixture *fixture = *state;
    rc_id id;
    fill_one(fixture, &id);
    char garbage[2048];
    memset(garbage, 0xDB, sizeof(garbage));
    write_file(fixture->path, garbage, sizeof(garbage), 100);
    assert_refused(fixture, RC_STORE_READ, RC_STORE_CORRUPT);
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_CORRUPT);
}

/* --- paths --- */

static void test_a_folder_is_refused(void **state)
{
    store_fixture *fixture = *state;
    assert_int_equal(mkdir(fixture->path, 0700), 0);
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_DIRECTORY);
    assert_refused(fixture, RC_STORE_READ, RC_STORE_DIRECTORY);
}

static void test_a_missing_file_is_reported(void **state)
{
    store_fixture *fixture = *state;
    assert_refused(fixture, RC_STORE_READ, RC_STORE_MISSING);
    assert_int_not_equal(access(fixture->path, F_OK), 0);
    write_file(fixture->path, "", 0, -1);
    assert_refused(fixture, RC_STORE_READ, RC_STORE_MISSING);
    snprintf(fixture->url, sizeof(fixture->url), "sqlite:%s/no/such/folder.db", fixture->folder);
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_NO_FOLDER);
}

static void test_a_folder_without_write_permission_is_reported(void **state)
{
    store_fixture *fixture = *state;
    if (geteuid() == 0) { /* root may do everything that the file system supports */
        snprintf(fixture->url, sizeof(fixture->url), "sqlite:/proc/self/audit.db");
        assert_false(fixture_open(fixture, RC_STORE_WRITE));
        assert_true(fixture->fault.kind == RC_STORE_NO_FOLDER ||
                    fixture->fault.kind == RC_STORE_NOT_ALLOWED);
        return;
    }
    assert_int_equal(chmod(fixture->folder, 0500), 0);
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_NOT_ALLOWED);
    assert_int_equal(chmod(fixture->folder, 0700), 0);
}

static void test_sqlite_codes_map_to_faults(void **state)
{
    (void)state;
    static const struct {
        int code;
        int error;
        rc_store_fault_kind kind;
    } cases[] = {
        {SQLITE_CANTOPEN, EACCES, RC_STORE_NOT_ALLOWED},
        {SQLITE_CANTOPEN, EROFS, RC_STORE_READ_ONLY},
        {SQLITE_CANTOPEN, ENOSPC, RC_STORE_FULL},
        {SQLITE_CANTOPEN, EMFILE, RC_STORE_IO},
        {SQLITE_READONLY_DIRECTORY, 0, RC_STORE_READ_ONLY},
        {SQLITE_PERM, 0, RC_STORE_NOT_ALLOWED},
        {SQLITE_BUSY_RECOVERY, 0, RC_STORE_BUSY},
        {SQLITE_FULL, 0, RC_STORE_FULL},
        {SQLITE_IOERR_WRITE, EIO, RC_STORE_IO},
        {SQLITE_IOERR_WRITE, ENOSPC, RC_STORE_FULL},
        {SQLITE_IOERR_SHMSIZE, EDQUOT, RC_STORE_FULL},
        {SQLITE_IOERR_NOMEM, 0, RC_STORE_NO_MEMORY},
        {SQLITE_NOMEM, 0, RC_STORE_NO_MEMORY},
        {SQLITE_CORRUPT_INDEX, 0, RC_STORE_CORRUPT},
        {SQLITE_MISUSE, 0, RC_STORE_OTHER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(rc_sqlite_fault_kind(cases[i].code, cases[i].error), cases[i].kind);
}

static void test_a_second_writer_is_refused(void **state)
{
    store_fixture *fixture = *state;
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    rc_store *first = fixture->store;
    fixture->store = NULL;
    assert_refused(fixture, RC_STORE_WRITE, RC_STORE_HAS_WRITER);
    assert_true(fixture_open(fixture, RC_STORE_READ));
    fixture_close(fixture);
    rc_store_close(first);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
}

static void test_files_are_private(void **state)
{
    store_fixture *fixture = *state;
    rc_id id;
    fill_one(fixture, &id);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    assert_int_equal(count_timeline(fixture, &id), 3);
    static const char *const names[] = {"", "-wal", "-shm", "-writer"};
    for (size_t i = 0; i < 4; i++) {
        char path[256];
        struct stat now;
        snprintf(path, sizeof(path), "%s%s", fixture->path, names[i]);
        assert_int_equal(stat(path, &now), 0);
        assert_int_equal(now.st_mode & 0777, 0600);
    }
}

static void test_unsupported_urls_are_refused(void **state)
{
    store_fixture *fixture = *state;
    static const char *const wrong[] = {"", "sqlite", "sqlite:", "postgres://x/y", "/a/path.db"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        snprintf(fixture->url, sizeof(fixture->url), "%s", wrong[i]);
        assert_refused(fixture, RC_STORE_WRITE, RC_STORE_UNSUPPORTED);
    }
    char *longest = malloc(8192);
    memset(longest, 'a', 8192);
    memcpy(longest, "sqlite:", 7);
    const rc_store_settings settings = {.mode = RC_STORE_WRITE};
    assert_false(rc_store_open(rc_str_make(longest, 8192), &settings, &fixture->alloc,
                               &fixture->store, &fixture->fault));
    assert_int_equal(fixture->fault.kind, RC_STORE_ARGUMENT);
    free(longest);
}

static void test_a_fault_is_one_line_that_fits(void **state)
{
    (void)state;
    char path[600];
    memset(path, 'x', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    rc_store_fault fault;
    assert_false(rc_store_fault_set(&fault, RC_STORE_FULL, "write", "a\nb", "c\td"));
    assert_string_equal(fault.detail, "write a b: the disk is full (c d)");
    assert_false(rc_store_fault_set(&fault, RC_STORE_FULL, "write", path, NULL));
    assert_int_equal(strlen(fault.detail), sizeof(fault.detail) - 1);
    assert_string_equal(rc_store_fault_name(RC_STORE_NO_FAULT), "");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_the_tables_have_the_columns_of_the_spec),
        cmocka_unit_test(test_versions_increase_by_one),
        IN_FOLDER(test_migration_keeps_rows),
        IN_FOLDER(test_a_migration_that_fails_changes_nothing),
        IN_FOLDER(test_a_newer_version_is_refused),
        IN_FOLDER(test_another_database_is_left_alone),
        IN_FOLDER(test_another_file_is_left_alone),
        IN_FOLDER(test_a_damaged_file_is_reported),
        IN_FOLDER(test_a_damaged_schema_is_refused),
        IN_FOLDER(test_a_folder_is_refused),
        IN_FOLDER(test_a_missing_file_is_reported),
        IN_FOLDER(test_a_folder_without_write_permission_is_reported),
        cmocka_unit_test(test_sqlite_codes_map_to_faults),
        IN_FOLDER(test_a_second_writer_is_refused),
        IN_FOLDER(test_files_are_private),
        IN_FOLDER(test_unsupported_urls_are_refused),
        cmocka_unit_test(test_a_fault_is_one_line_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
