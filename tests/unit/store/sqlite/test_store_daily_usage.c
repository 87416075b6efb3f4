/* Tests of daily usage: its sums equal those of the attempts, to the millionth of a dollar;
 * migration of a file without sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/sqlite/private.h"
#include "support/store_fixture.h"
#include "support/store_old_version.h"

#define DAY_MS INT64_C(86400000)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* The rows as text, such as "19675 app gpt-4o* openai/gpt-4o openai-1 2 2400 600 12000". */
typedef struct listing {
    char text[4096];
    size_t len;
    size_t most; /* maximum number of rows to read */
} listing;

static bool add_row(void *ctx, const rc_store_daily_usage *s)
{
    listing *list = ctx;
    list->len += (size_t)snprintf(
        list->text + list->len, sizeof(list->text) - list->len,
        "%lld %.*s %.*s %.*s %.*s %llu %llu %llu %llu\n", (long long)s->day, (int)s->client.len,
        s->client.ptr ? s->client.ptr : "", (int)s->route.len, s->route.ptr ? s->route.ptr : "",
        (int)s->target.len, s->target.ptr ? s->target.ptr : "", (int)s->credential.len,
        s->credential.ptr ? s->credential.ptr : "", (unsigned long long)s->attempts,
        (unsigned long long)s->tokens_in, (unsigned long long)s->tokens_out,
        (unsigned long long)s->cost_usd_micro);
    assert_true(list->len < sizeof(list->text));
    return --list->most > 0;
}

static void assert_usage(store_fixture *fixture, int64_t from_day, const char *wanted)
{
    listing list = {.most = 1000};
    assert_true(
        rc_store_daily_usage_since(fixture->store, from_day, add_row, &list, &fixture->fault));
    assert_string_equal(list.text, wanted);
}

/* Stores an operation with two attempts, of which the first failed, at the given times. */
static void append_two(store_fixture *fixture, const char *client, int64_t unix_ms,
                       int64_t second_ms)
{
    rc_record records[4];
    rc_id id = fixture_id(fixture, unix_ms);
    fixture_fill(records, &id, unix_ms);
    records[3] = records[2];
    records[3].seq = 3;
    records[2] = records[1];
    records[2].seq = 2;
    records[1].tokens_out = 0;
    records[1].cost_usd_micro = 3000;
    records[1].flags = RC_RECORD_ESTIMATED;
    records[2].target = RC_STR("claude/claude-sonnet-4-5");
    records[2].credential = RC_STR("claude-1");
    records[2].unix_ms = second_ms;
    for (size_t i = 0; i < 4; i++)
        records[i].client = rc_str_c(client);
    assert_true(fixture_append(fixture, records, 4));
}

static void test_attempts_are_added_up_by_day(void **state)
{
    store_fixture *fixture = *state;
    const int64_t day = FIXTURE_TIME / DAY_MS;
    const int64_t midnight = (day + 1) * DAY_MS;
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    assert_usage(fixture, 0, "");
    append_two(fixture, "app", FIXTURE_TIME, FIXTURE_TIME + 5);
    append_two(fixture, "app", FIXTURE_TIME + 10, FIXTURE_TIME + 15);
    /* Across midnight, an attempt counts on the day on which it began. */
    append_two(fixture, "web", midnight - 1000, midnight);
    append_two(fixture, "", midnight, midnight + 1);
    assert_usage(fixture, 0,
                 "19675 app gpt-4o* openai/gpt-4o openai-1 2 2400 0 6000\n"
                 "19675 app gpt-4o* claude/claude-sonnet-4-5 claude-1 2 2400 600 12000\n"
                 "19675 web gpt-4o* openai/gpt-4o openai-1 1 1200 0 3000\n"
                 "19676  gpt-4o* openai/gpt-4o openai-1 1 1200 0 3000\n"
                 "19676  gpt-4o* claude/claude-sonnet-4-5 claude-1 1 1200 300 6000\n"
                 "19676 web gpt-4o* claude/claude-sonnet-4-5 claude-1 1 1200 300 6000\n");
    assert_usage(fixture, 19677, "");
    listing list = {.most = 1};
    assert_true(rc_store_daily_usage_since(fixture->store, 19676, add_row, &list, &fixture->fault));
    assert_string_equal(list.text, "19676  gpt-4o* openai/gpt-4o openai-1 1 1200 0 3000\n");
    /* A reader gets the same rows. */
    fixture_close(fixture);
    assert_true(fixture_open(fixture, RC_STORE_READ));
    assert_usage(fixture, 19676,
                 "19676  gpt-4o* openai/gpt-4o openai-1 1 1200 0 3000\n"
                 "19676  gpt-4o* claude/claude-sonnet-4-5 claude-1 1 1200 300 6000\n"
                 "19676 web gpt-4o* claude/claude-sonnet-4-5 claude-1 1 1200 300 6000\n");
}

/* Records that are stored again after an uncertain failure count once. Attempts without usage, and
 * other records, do not count. */
static void test_repeated_records_count_once(void **state)
{
    store_fixture *fixture = *state;
    rc_record records[3];
    rc_id id = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, &id, FIXTURE_TIME);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    for (int i = 0; i < 3; i++)
        assert_true(fixture_append(fixture, records, 3));
    static const char one[] = "19675 app gpt-4o* openai/gpt-4o openai-1 1 1200 300 6000\n";
    assert_usage(fixture, 0, one);

    rc_id free_id = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, &free_id, FIXTURE_TIME);
    records[1].tokens_in = 0;
    records[1].tokens_out = 0;
    records[1].cost_usd_micro = 0;
    records[1].credential = RC_STR("openai-2");
    assert_true(fixture_append(fixture, records, 3));
    records[1].kind = RC_RECORD_CANCEL;
    records[1].seq = 7;
    records[1].cost_usd_micro = 5;
    assert_true(fixture_append(fixture, records, 3));
    assert_usage(fixture, 0, one);

    /* Attempts that are stored after the beginning of their operation count for its client. */
    rc_id late = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, &late, FIXTURE_TIME);
    assert_true(fixture_append(fixture, records, 1));
    records[1].client = rc_str_make(NULL, 0);
    records[1].route = rc_str_make(NULL, 0);
    assert_true(fixture_append(fixture, records + 1, 1));
    assert_usage(fixture, 0, "19675 app gpt-4o* openai/gpt-4o openai-1 2 2400 600 12000\n");
}

/* A failed transaction adds no sum. */
static void test_a_failed_transaction_adds_nothing(void **state)
{
    store_fixture *fixture = *state;
    rc_record records[3];
    rc_record bad[3];
    rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_id other = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, &id, FIXTURE_TIME);
    fixture_fill(bad, &other, FIXTURE_TIME);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    rc_sqlite *sqlite = (rc_sqlite *)fixture->store;
    assert_true(rc_sqlite_run(sqlite,
                              "CREATE TEMP TRIGGER stop BEFORE INSERT ON steps WHEN NEW.status ="
                              " 599 BEGIN SELECT RAISE(ABORT, 'stop'); END",
                              "test", &fixture->fault));
    bad[1].status = 599;
    const rc_batch second = {.records = bad, .record_count = 3};
    const rc_batch first = {.next = &second, .records = records, .record_count = 3};
    assert_false(rc_store_append(fixture->store, &first, &fixture->fault));
    assert_usage(fixture, 0, "");
    bad[1].status = 200;
    assert_true(rc_store_append(fixture->store, &first, &fixture->fault));
    assert_usage(fixture, 0, "19675 app gpt-4o* openai/gpt-4o openai-1 2 2400 600 12000\n");
}

/* Checks that the stored sums equal those of the stored attempts. */
static void assert_reconciled(store_fixture *fixture)
{
    int64_t differences = -1;
    static const char sql[] =
        "SELECT count(*) FROM (SELECT ((r.op >> 15) + r.at_ms) / 86400000 AS day, o.client,"
        " o.route, r.target, r.credential, count(*), sum(r.tokens_in), sum(r.tokens_out),"
        " sum(r.cost_usd_micro) FROM records r JOIN operations o ON o.op = r.op WHERE r.kind = 2"
        " AND r.tokens_in + r.tokens_out + r.cost_usd_micro > 0 GROUP BY 1, 2, 3, 4, 5"
        " EXCEPT SELECT * FROM spend)";
    static const char backwards[] =
        "SELECT count(*) FROM (SELECT * FROM spend EXCEPT SELECT ((r.op >> 15) + r.at_ms) /"
        " 86400000, o.client, o.route, r.target, r.credential, count(*), sum(r.tokens_in),"
        " sum(r.tokens_out), sum(r.cost_usd_micro) FROM records r JOIN operations o ON"
        " o.op = r.op WHERE r.kind = 2 AND r.tokens_in + r.tokens_out + r.cost_usd_micro > 0"
        " GROUP BY 1, 2, 3, 4, 5)";
    const rc_sqlite *sqlite = (const rc_sqlite *)fixture->store;
    assert_true(rc_sqlite_number(sqlite, sql, &differences, &fixture->fault));
    assert_int_equal(differences, 0);
    assert_true(rc_sqlite_number(sqlite, backwards, &differences, &fixture->fault));
    assert_int_equal(differences, 0);
}

static void test_version_1_is_migrated(void **state)
{
    store_fixture *fixture = *state;
    const int64_t midnight = (FIXTURE_TIME / DAY_MS + 1) * DAY_MS;
    listing before = {.most = 1000};
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    for (int i = 0; i < 40; i++)
        append_two(fixture,
                   i % 3 == 0   ? "app"
                   : i % 3 == 1 ? "web"
                                : "",
                   midnight + i * 3600000 - 7, midnight + i * 3600000);
    assert_reconciled(fixture);
    assert_true(rc_store_daily_usage_since(fixture->store, 0, add_row, &before, &fixture->fault));
    fixture_close(fixture);

    old_version_go_back(fixture, 1);
    assert_false(fixture_open(fixture, RC_STORE_READ)); /* A reader does not migrate the file. */
    assert_int_equal(fixture->fault.kind, RC_STORE_TOO_OLD);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    assert_reconciled(fixture);
    assert_usage(fixture, 0, before.text);
    append_two(fixture, "app", midnight, midnight);
    assert_reconciled(fixture);

    /* an empty file */
    fixture_close(fixture);
    old_version_go_back(fixture, 1);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM records", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    assert_usage(fixture, 0, "");
}

/* One transaction has more rows than are added up in memory. */
static void test_a_transaction_may_have_many_rows(void **state)
{
    enum {
        OPERATIONS = 3 * RC_SQLITE_USAGE_MAX
    };
    store_fixture *fixture = *state;
    static rc_record records[OPERATIONS][3];
    static rc_batch batches[OPERATIONS];
    static rc_id ids[OPERATIONS];
    static char names[OPERATIONS][16];
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    for (int i = 0; i < OPERATIONS; i++) {
        ids[i] = fixture_id(fixture, FIXTURE_TIME);
        fixture_fill(records[i], &ids[i], FIXTURE_TIME);
        snprintf(names[i], sizeof(names[i]), "key-%d", i % (OPERATIONS / 2));
        records[i][1].credential = rc_str_c(names[i]);
        records[i][1].cost_usd_micro = (uint64_t)i;
        batches[i] = (rc_batch){.next = i + 1 < OPERATIONS ? &batches[i + 1] : NULL,
                                .records = records[i],
                                .record_count = 3};
    }
    assert_true(rc_store_append(fixture->store, &batches[0], &fixture->fault));
    assert_reconciled(fixture);
    int64_t number = 0;
    const rc_sqlite *sqlite = (const rc_sqlite *)fixture->store;
    assert_true(rc_sqlite_number(sqlite, "SELECT count(*) FROM spend", &number, &fixture->fault));
    assert_int_equal(number, OPERATIONS / 2);
    assert_true(rc_sqlite_number(sqlite, "SELECT sum(cost_usd_micro) FROM spend", &number,
                                 &fixture->fault));
    assert_int_equal(number, OPERATIONS * (OPERATIONS - 1) / 2);
}

/* If a query fails, *fault is set. */
static void test_a_failed_query_sets_the_fault(void **state)
{
    store_fixture *fixture = *state;
    listing list = {.most = 1000};
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    append_two(fixture, "app", FIXTURE_TIME, FIXTURE_TIME);
    assert_true(rc_sqlite_run((rc_sqlite *)fixture->store, "ALTER TABLE spend RENAME TO gone",
                              "test", &fixture->fault));
    assert_false(rc_store_daily_usage_since(fixture->store, 0, add_row, &list, &fixture->fault));
    assert_non_null(strstr(fixture->fault.detail, "spend"));
    rc_record records[3];
    rc_id id = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, &id, FIXTURE_TIME);
    assert_false(fixture_append(fixture, records, 3));
    assert_true(rc_sqlite_run((rc_sqlite *)fixture->store, "ALTER TABLE gone RENAME TO spend",
                              "test", &fixture->fault));
    assert_true(fixture_append(fixture, records, 3));
    assert_reconciled(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_attempts_are_added_up_by_day, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeated_records_count_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_failed_transaction_adds_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_version_1_is_migrated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_transaction_may_have_many_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_failed_query_sets_the_fault, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
