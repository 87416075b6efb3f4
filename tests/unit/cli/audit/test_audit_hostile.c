/* Tests of `recourse audit` and the store with a manipulated file: extreme numbers in every column,
 * and texts with escape sequences for terminals and Markdown. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/stats.h"
#include "support/audit_stories.h"
#include "support/run_cli.h"
#include "support/store_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOW INT64_C(1794790923456)
#define TIME_MAX ((INT64_C(1) << 48) - 1)
#define EVIL "\x1b]0;evil\x07\x1b[2J`|\n| *[x](http://evil)*"

static const char *const numbers[] = {"9223372036854775807", "-9223372036854775808", "-1",
                                      "4294967296", "1.5e300"};

static void change(const store_fixture *fixture, const char *sql)
{
    sqlite3 *db = NULL;
    char *wrong = NULL;
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &wrong) != SQLITE_OK)
        fail_msg("%s: %s", sql, wrong);
    sqlite3_close(db);
}

/* Changes every number of every row, except the keys. */
static void change_numbers(const store_fixture *fixture, const char *number)
{
    static const char *const columns[] = {
        "code",       "error_class",    "attempt",       "latency_ms", "tokens_in",
        "tokens_out", "cost_usd_micro", "at_ms",         "status",     "category",
        "reason",     "wait_ms",        "first_byte_ms", "bytes",      "flags"};
    char sql[512];
    for (size_t i = 0; i < COUNT(columns); i++) {
        snprintf(sql, sizeof sql, "UPDATE operations SET %s = %s; UPDATE steps SET %s = %s",
                 columns[i], number, columns[i], number);
        change(fixture, sql);
    }
    snprintf(sql, sizeof sql,
             "UPDATE operations SET try_at_ms = %s, try_latency_ms = %s, try_first_byte_ms = %s,"
             " try_reason = %s, try_flags = %s WHERE try_model IS NOT NULL;"
             "UPDATE spend SET attempts = %s, tokens_in = %s, tokens_out = %s, cost_usd_micro = %s;"
             "REPLACE INTO marks VALUES(1, 'a', %s, %s)",
             number, number, number, number, number, number, number, number, number, number,
             number);
    change(fixture, sql);
}

static int set_up(void **state)
{
    static const char *const story_names[] = {"notice",    "plain", "recovered", "exhausted",
                                              "cancelled", "open",  "hedged"};
    store_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_init(fixture);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    for (size_t i = 0; i < COUNT(story_names); i++)
        assert_true(story_write(fixture->store, &fixture->alloc, story_names[i],
                                NOW - 600000 + (int64_t)i * 60000, &fixture->fault));
    fixture_close(fixture);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

/* --- functions of the store --- */

static void assert_time(int64_t unix_ms)
{
    assert_in_range(unix_ms, 0, TIME_MAX);
}

static bool look_at_record(void *ctx, const rc_record *record)
{
    assert_time(record->unix_ms);
    assert_true(record->at_ms >= -TIME_MAX && record->at_ms <= TIME_MAX);
    assert_true(record->latency_ms >= -1 && record->latency_ms <= TIME_MAX);
    assert_true(record->first_byte_ms >= -1 && record->first_byte_ms <= TIME_MAX);
    assert_true(record->tokens_in <= (uint64_t)TIME_MAX && record->wait_ms <= (uint64_t)TIME_MAX);
    assert_true(record->key >= 0);
    ++*(size_t *)ctx;
    return true;
}

static bool look_at_operation(void *ctx, const rc_record *operation)
{
    store_fixture *fixture = ctx;
    size_t records = 0;
    look_at_record(&records, operation);
    assert_true(rc_store_timeline(fixture->store, operation->operation_id, look_at_record, &records,
                                  &fixture->fault));
    return true;
}

static bool look_at_mark(void *ctx, const rc_saved_state *mark)
{
    (void)ctx;
    assert_time(mark->until_unix_ms);
    return true;
}

static bool look_at_spent(void *ctx, const rc_store_daily_usage *spent)
{
    (void)ctx;
    assert_true(spent->cost_usd_micro <= (uint64_t)TIME_MAX);
    return true;
}

static void read_all(store_fixture *fixture)
{
    const rc_store_query query = {.is_oldest_first = true};
    const rc_store_filter none = {.code = RC_CODE_NONE};
    rc_store_expired past;
    rc_store_extent extent;
    int64_t first = 0;
    rc_stats operations;
    rc_stats attempts;
    assert_true(fixture_open(fixture, RC_STORE_READ));
    assert_true(rc_store_list(fixture->store, &query, look_at_operation, fixture, &fixture->fault));
    assert_true(rc_store_find(fixture->store, RC_STR("rep_0"), 50, look_at_operation, fixture,
                              &fixture->fault));
    assert_true(rc_store_saved_states(fixture->store, look_at_mark, NULL, &fixture->fault));
    assert_true(rc_store_daily_usage_since(fixture->store, INT64_MIN, look_at_spent, NULL,
                                           &fixture->fault));
    assert_int_equal(rc_stats_init(&operations, UINT32_MAX, false, &fixture->alloc), RC_OK);
    assert_int_equal(rc_stats_init(&attempts, UINT32_MAX, true, &fixture->alloc), RC_OK);
    assert_true(rc_store_survey(fixture->store, &none, &operations, &attempts, &fixture->fault));
    rc_stats_done(&operations);
    rc_stats_done(&attempts);
    assert_true(rc_store_count_expired(fixture->store, NOW, &past, &fixture->fault));
    assert_true(rc_store_first_expired(fixture->store, NOW, &first, &fixture->fault));
    assert_true(rc_store_measure(fixture->store, &extent, &fixture->fault));
    assert_time(extent.from_unix_ms);
    assert_time(extent.to_unix_ms);
    fixture_close(fixture);
}

/* Stores further records, which refer to the names, notes and sums of the manipulated file. */
static void append_records(store_fixture *fixture)
{
    rc_record records[3];
    const rc_id id = fixture_id(fixture, NOW);
    fixture_fill(records, &id, NOW);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    (void)fixture_append(fixture, records, 3);
    rc_store_prune prune = {.before_unix_ms = NOW - 1, .max = 4};
    for (int i = 0; i < 1000 && !prune.is_done; i++)
        assert_true(rc_store_prune_step(fixture->store, &prune, &fixture->fault));
    assert_true(prune.is_done);
    fixture_close(fixture);
}

static void test_numbers(void **state)
{
    store_fixture *fixture = *state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        change_numbers(fixture, numbers[i]);
        read_all(fixture);
    }
    append_records(fixture);
}

/* Manipulates the numbers that other rows refer to: keys of operations, names, notes and days. */
static void test_keys(void **state)
{
    store_fixture *fixture = *state;
    change(fixture,
           "UPDATE names SET id = 9223372036854775807 WHERE text = 'app';"
           "UPDATE names SET id = -9223372036854775808 WHERE text = 'gpt-4o';"
           "UPDATE operations SET client = 9223372036854775807, model = -9223372036854775808;"
           "UPDATE reports SET op = -9223372036854775808 WHERE op = (SELECT min(op) FROM"
           " reports);"
           "UPDATE operations SET op = -9223372036854775808 WHERE op = (SELECT min(op) FROM"
           " operations);"
           "UPDATE operations SET op = 9223372036854775807 WHERE op = (SELECT max(op) FROM"
           " operations);"
           "INSERT OR REPLACE INTO blocks SELECT about, 9223372036854775807,"
           " 9223372036854775807 FROM blocks;"
           "INSERT OR REPLACE INTO blocks SELECT about, -9223372036854775808,"
           " -9223372036854775808 FROM blocks;"
           "UPDATE spend SET day = 9223372036854775807");
    read_all(fixture);
    append_records(fixture);
}

/* --- output of the command --- */

static void assert_harmless(const char *what, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == '\x7f')
            fail_msg("%s printed byte %d:\n%s", what, *c, text);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n' ? 1 : 0;
    return lines;
}

static int audit(const store_fixture *fixture, const char *verb, const char *option,
                 const char *value)
{
    const char *line[] = {"audit", verb,   "--store", fixture->path, "--limit",
                          "50",    option, value,     NULL};
    if (strcmp(verb, "list") != 0) {
        line[4] = option;
        line[5] = value;
        line[6] = NULL;
    }
    fake_reset("");
    fake_env("LANG", "C.UTF-8");
    fake_env("COLUMNS", "120");
    memory = (fail_alloc){0};
    return run(line);
}

static void test_texts(void **state)
{
    store_fixture *fixture = *state;
    static const char *const verbs[] = {"list", "stats", "export", "check"};
    static const char *const formats[] = {"human", "json", "markdown", "jsonl", "csv"};
    char sql[1024];
    assert_int_equal(audit(fixture, "list", "--format", "markdown"), 0);
    const size_t lines = lines_of(fake.out.text);
    snprintf(sql, sizeof sql,
             "UPDATE operations SET id = '%s' || substr(id, 1, 20), text = '%s', request_id = '%s',"
             " try_request_id = '%s'; UPDATE steps SET text = '%s', request_id = '%s';"
             "UPDATE names SET text = '%s' || id; UPDATE reports SET report_id = '%s' || op",
             EVIL, EVIL, EVIL, EVIL, EVIL, EVIL, EVIL, EVIL);
    change(fixture, sql);
    for (size_t i = 0; i < COUNT(verbs); i++)
        for (size_t k = 0; k < COUNT(formats); k++) {
            (void)audit(fixture, verbs[i], "--format", formats[k]);
            if (strcmp(formats[k], "csv") !=
                0) /* JSON is left out: it is for programs and contains texts unchanged */
                assert_harmless(verbs[i], fake.out.text);
            assert_harmless(verbs[i], fake.err.text);
        }
    /* A line break or a "|" in an id does not create a row or a cell in Markdown. */
    assert_int_equal(audit(fixture, "list", "--format", "markdown"), 0);
    assert_int_equal(lines_of(fake.out.text), lines);
    assert_null(strstr(fake.out.text, "`|"));
}

/* Prints each extreme number in every format: nothing overflows or crashes. */
static void test_numbers_are_printed(void **state)
{
    store_fixture *fixture = *state;
    static const char *const verbs[] = {"list", "stats", "export", "check"};
    static const char *const formats[] = {"human", "json", "markdown", "jsonl", "csv"};
    for (size_t n = 0; n < COUNT(numbers); n++) {
        change_numbers(fixture, numbers[n]);
        for (size_t i = 0; i < COUNT(verbs); i++)
            for (size_t k = 0; k < COUNT(formats); k++)
                (void)audit(fixture, verbs[i], "--format", formats[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_are_printed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
