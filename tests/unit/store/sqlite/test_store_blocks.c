/* Tests of block notes, and of attempts that are stored in the row of their operation: queries have
 * the same results as without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/sqlite/private.h"
#include "support/audit_fill.h"
#include "support/store_fixture.h"
#include "support/store_old_version.h"

#define OPERATIONS 600
#define SPAN_MS INT64_C(18000) /* about eight operations per block */

static int set_up(void **state)
{
    store_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_init(fixture);
    *state = fixture;
    return fixture_open(fixture, RC_STORE_WRITE) ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

static void fill_many(store_fixture *fixture)
{
    static fill f;
    fill_init(&f, fixture->store, &fixture->alloc, 7);
    assert_true(fill_run(&f, OPERATIONS, FIXTURE_TIME, FIXTURE_TIME + SPAN_MS, &fixture->fault));
}

static int64_t number(store_fixture *fixture, const char *sql)
{
    int64_t found = -1;
    assert_true(rc_sqlite_number((const rc_sqlite *)fixture->store, sql, &found, &fixture->fault));
    return found;
}

/* --- lists --- */

/* The keys that a list returned, or those that it should return. */
typedef struct listed {
    const rc_store_query *wanted; /* the query of the expected keys; NULL: all operations */
    size_t count;
    int64_t keys[OPERATIONS + 1];
} listed;

static bool is_wanted(const rc_store_query *query, const rc_record *record)
{
    const rc_store_filter *filter = &query->filter;
    const int64_t began = rc_sqlite_key_time(record->key);
    return began >= filter->from_unix_ms &&
           (filter->until_unix_ms == 0 || began < filter->until_unix_ms) &&
           (filter->client.len == 0 || rc_str_eq(filter->client, record->client)) &&
           (filter->model.len == 0 || rc_str_eq(filter->model, record->model)) &&
           (filter->code == RC_CODE_NONE || filter->code == record->code) &&
           (!filter->has_outcome || filter->outcome == record->outcome);
}

static bool add_key(void *ctx, const rc_record *record)
{
    listed *l = ctx;
    if (l->wanted != NULL && !is_wanted(l->wanted, record))
        return true;
    assert_true(l->count <= OPERATIONS);
    l->keys[l->count++] = record->key;
    return true;
}

/* Reads all pages of a filter, one after another. */
static void list_pages(store_fixture *fixture, rc_store_query query, listed *all)
{
    size_t before = 0;
    *all = (listed){.wanted = NULL};
    do {
        before = all->count;
        assert_true(rc_store_list(fixture->store, &query, add_key, all, &fixture->fault));
        query.beyond_key = all->count > 0 ? all->keys[all->count - 1] : 0;
    } while (all->count - before == query.limit);
}

/* Compares the list with a list of all operations that the test filters itself; returns the number
 * of operations. */
static size_t assert_as_without_blocks(store_fixture *fixture, const rc_store_filter *filter)
{
    static listed pages;
    static listed right;
    for (int i = 0; i < 2; i++) {
        const rc_store_query query = {
            .filter = *filter, .limit = i == 0 ? 7 : 37, .is_oldest_first = i == 1};
        const rc_store_query everything = {.is_oldest_first = query.is_oldest_first};
        right = (listed){.wanted = &query};
        assert_true(rc_store_list(fixture->store, &everything, add_key, &right, &fixture->fault));
        list_pages(fixture, query, &pages);
        assert_int_equal(pages.count, right.count);
        assert_memory_equal(pages.keys, right.keys, right.count * sizeof(right.keys[0]));
    }
    return right.count;
}

static void assert_all_filters(store_fixture *fixture)
{
    static const rc_code codes[] = {RC_CODE_NONE, RC_CODE_AUTH_FAILED, RC_CODE_QUOTA_EXHAUSTED};
    static const char *const clients[] = {"", "web", "nightly", "nobody"};
    static const char *const models[] = {"", "gpt-4o", "gemini-2.5-flash"};
    static const int64_t times[][2] = {
        {0, 0}, {FIXTURE_TIME + 3001, FIXTURE_TIME + 13005}, {FIXTURE_TIME + 7003, 0}};
    size_t found = 0;
    for (int i = 0; i < 3 * 4 * 3 * 3 * 5; i += 7) {
        const int outcome = i / 108 - 1;
        const rc_store_filter filter = {.code = codes[i % 3],
                                        .client = rc_str_c(clients[i / 3 % 4]),
                                        .model = rc_str_c(models[i / 12 % 3]),
                                        .from_unix_ms = times[i / 36 % 3][0],
                                        .until_unix_ms = times[i / 36 % 3][1],
                                        .has_outcome = outcome >= 0,
                                        .outcome = outcome >= 0 ? (rc_outcome)outcome : 0};
        found += assert_as_without_blocks(fixture, &filter);
    }
    assert_true(found > OPERATIONS);
}

static void test_lists_equal_those_without_blocks(void **state)
{
    store_fixture *fixture = *state;
    fill_many(fixture);
    assert_true(number(fixture, "SELECT count(*) FROM blocks WHERE about = 1") < OPERATIONS);
    assert_all_filters(fixture);
}

/* No page is sorted, and no operation outside the blocks is read. */
static void test_pages_are_not_sorted(void **state)
{
    store_fixture *fixture = *state;
    const rc_sqlite *sqlite = (const rc_sqlite *)fixture->store;
    fill_many(fixture);
    const rc_store_filter filter = {.client = RC_STR("web"),
                                    .code = RC_CODE_AUTH_FAILED,
                                    .from_unix_ms = FIXTURE_TIME + 1,
                                    .until_unix_ms = FIXTURE_TIME + 99999};
    rc_sqlite_choice choice;
    assert_true(rc_sqlite_choose(sqlite, &filter, &choice, &fixture->fault));
    for (int i = 0; i < 2; i++) {
        char sql[4096];
        char plan[2048] = "";
        sqlite3_stmt *row = NULL;
        snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN SELECT * FROM %s WHERE%s ORDER BY %s",
                 choice.from, choice.where, i == 0 ? choice.rising : choice.falling);
        assert_true(rc_sqlite_prepare(sqlite, sql, &row, &fixture->fault));
        while (sqlite3_step(row) == SQLITE_ROW)
            snprintf(plan + strlen(plan), sizeof(plan) - strlen(plan), "%s\n",
                     (const char *)sqlite3_column_text(row, 3));
        sqlite3_finalize(row);
        assert_null(strstr(plan, "TEMP B-TREE"));
        assert_null(strstr(plan, "SCAN"));
        assert_non_null(strstr(plan, "b USING PRIMARY KEY (about=? AND value=? AND block>?"));
        assert_non_null(strstr(plan, "t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"));
    }
}

/* The block notes of a failed transaction are written again by the next one. */
static void test_notes_of_a_failed_transaction_are_written_again(void **state)
{
    store_fixture *fixture = *state;
    rc_record records[3];
    rc_id id = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, &id, FIXTURE_TIME);
    assert_true(rc_sqlite_run((const rc_sqlite *)fixture->store,
                              "CREATE TEMP TRIGGER stop BEFORE INSERT ON spend BEGIN"
                              " SELECT RAISE(ABORT, 'stop'); END",
                              "test", &fixture->fault));
    assert_false(fixture_append(fixture, records, 3));
    assert_int_equal(number(fixture, "SELECT count(*) FROM blocks"), 0);
    assert_true(rc_sqlite_run((const rc_sqlite *)fixture->store, "DROP TRIGGER stop", "test",
                              &fixture->fault));
    assert_true(fixture_append(fixture, records, 3));
    assert_int_equal(number(fixture, "SELECT count(*) FROM blocks"), 2);
    size_t count = 0;
    const rc_store_query query = {.filter = {.client = RC_STR("app"), .model = RC_STR("gpt-4o")}};
    assert_true(rc_store_list(fixture->store, &query, count_records, &count, &fixture->fault));
    assert_int_equal(count, 1);
}

static void test_a_failed_note_fails_the_transaction(void **state)
{
    store_fixture *fixture = *state;
    rc_record records[3];
    rc_id id = fixture_id(fixture, FIXTURE_TIME);
    fixture_fill(records, &id, FIXTURE_TIME);
    for (int about = RC_SQLITE_CLIENT; about <= RC_SQLITE_OUTCOME; about++) {
        char sql[256];
        snprintf(sql, sizeof(sql),
                 "DROP TRIGGER IF EXISTS stop; CREATE TEMP TRIGGER stop BEFORE INSERT ON blocks"
                 " WHEN NEW.about = %d BEGIN SELECT RAISE(ABORT, 'stop'); END",
                 about);
        assert_true(rc_sqlite_run((const rc_sqlite *)fixture->store, sql, "test", &fixture->fault));
        records[2].code = RC_CODE_OVERLOADED;
        records[2].outcome = RC_OUTCOME_FAILED;
        assert_false(fixture_append(fixture, records, 3));
        assert_non_null(strstr(fixture->fault.detail, "stop"));
        assert_int_equal(number(fixture, "SELECT count(*) FROM operations"), 0);
    }
}

/* --- attempts in the operation's row --- */

typedef struct read_records_result {
    size_t count;
    rc_record attempt;
    char model[64];
    char target[64];
    char request_id[64];
    char text[64];
} read_records_result;

static rc_str copy(char memory[64], rc_str text)
{
    assert_true(text.len < 64);
    if (text.len > 0)
        memcpy(memory, text.ptr, text.len);
    return rc_str_make(memory, text.len);
}

static bool copy_attempt(void *ctx, const rc_record *record)
{
    read_records_result *t = ctx;
    t->count++;
    if (record->kind != RC_RECORD_ATTEMPT)
        return true;
    t->attempt = *record;
    t->attempt.model = copy(t->model, record->model);
    t->attempt.target = copy(t->target, record->target);
    t->attempt.request_id = copy(t->request_id, record->request_id);
    t->attempt.text = copy(t->text, record->text);
    return true;
}

/* Stores an operation and checks that its attempt is read unchanged. */
static void assert_read_back(store_fixture *fixture, rc_record records[3], bool is_in_row)
{
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    const int64_t steps = number(fixture, "SELECT count(*) FROM steps");
    read_records_result t = {.count = 0};
    for (size_t i = 0; i < 3; i++)
        records[i].operation_id = rc_str_make(id.text, RC_ID_LEN);
    assert_true(fixture_append(fixture, records, 3));
    assert_true(fixture_append(fixture, records + 1, 1)); /* again, without other records */
    assert_true(fixture_append(fixture, records, 3));
    assert_int_equal(number(fixture, "SELECT count(*) FROM steps"), steps + (is_in_row ? 0 : 1));
    assert_true(rc_store_timeline(fixture->store, rc_str_make(id.text, RC_ID_LEN), copy_attempt, &t,
                                  &fixture->fault));
    assert_int_equal(t.count, 3);
    assert_int_equal(t.attempt.seq, records[1].seq);
    assert_int_equal(t.attempt.unix_ms, records[1].unix_ms);
    assert_int_equal(t.attempt.attempt, records[1].attempt);
    assert_int_equal(t.attempt.status, records[1].status);
    assert_int_equal(t.attempt.code, records[1].code);
    assert_int_equal(t.attempt.error_class, records[1].error_class);
    assert_int_equal(t.attempt.category, records[1].category);
    assert_int_equal(t.attempt.reason, records[1].reason);
    assert_int_equal(t.attempt.wait_ms, records[1].wait_ms);
    assert_int_equal(t.attempt.latency_ms, records[1].latency_ms);
    assert_int_equal(t.attempt.first_byte_ms, records[1].first_byte_ms);
    assert_int_equal(t.attempt.tokens_in, records[1].tokens_in);
    assert_int_equal(t.attempt.tokens_out, records[1].tokens_out);
    assert_int_equal(t.attempt.cost_usd_micro, records[1].cost_usd_micro);
    assert_int_equal(t.attempt.bytes, records[1].bytes);
    assert_int_equal(t.attempt.flags, records[1].flags);
    assert_true(rc_str_eq(t.attempt.model, records[1].model));
    assert_true(rc_str_eq(t.attempt.target, records[1].target));
    assert_true(rc_str_eq(t.attempt.request_id, records[1].request_id));
    assert_true(rc_str_eq(t.attempt.text, records[1].text));
}

/* Values that have separate columns may differ from those of the outcome. */
static void test_an_only_attempt_is_in_its_operations_row(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    assert_read_back(fixture, records, true);
    records[1].unix_ms -= 5;
    records[1].model = rc_str_make(NULL, 0);
    records[1].latency_ms = -1;
    records[1].first_byte_ms = 7;
    records[1].reason = RC_WHY_HINT;
    records[1].flags = RC_RECORD_COMMITTED | RC_RECORD_ESTIMATED;
    records[1].request_id = rc_str_make(NULL, 0);
    records[2].text = RC_STR("/v1/responses");
    records[2].code = RC_CODE_OVERLOADED;
    records[2].error_class = RC_CLASS_CANCELLATION;
    records[2].wait_ms = 20;
    records[2].outcome = RC_OUTCOME_CANCELLED;
    assert_read_back(fixture, records, true);
    assert_int_equal(number(fixture, "SELECT sum(attempts) FROM spend"), 2);
}

static void test_other_attempts_have_their_own_row(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    for (int i = 0; i < 14; i++) {
        rc_record records[3];
        fixture_fill(records, &id, FIXTURE_TIME);
        rc_record *attempt = &records[1];
        attempt->seq += i == 0 ? 4 : 0;
        attempt->attempt += i == 1 ? 1 : 0;
        attempt->status += i == 2 ? 1 : 0;
        attempt->code = i == 3 ? RC_CODE_OVERLOADED : RC_CODE_NONE;
        attempt->error_class = i == 4 ? RC_CLASS_CANCELLATION : RC_CLASS_NONE;
        attempt->category = i == 5 ? (rc_category)1 : RC_CATEGORY_NONE;
        attempt->wait_ms += i == 6 ? 1 : 0;
        attempt->tokens_in += i == 7 ? 1 : 0;
        attempt->tokens_out += i == 8 ? 1 : 0;
        attempt->cost_usd_micro += i == 9 ? 1 : 0;
        attempt->bytes += i == 10 ? 1 : 0;
        attempt->text = i == 11 ? RC_STR("words") : attempt->text;
        attempt->target = i == 12 ? RC_STR("openai/other") : attempt->target;
        attempt->report_id = i == 13 ? RC_STR("rep_of_it") : attempt->report_id;
        assert_read_back(fixture, records, false);
    }
    assert_int_equal(number(fixture, "SELECT sum(attempts) FROM spend"), 14);
}

/* Checks that the statistics count the attempts of `records`. */
static void test_statistics_count_attempts_in_both_forms(void **state)
{
    store_fixture *fixture = *state;
    const rc_sqlite *sqlite = (const rc_sqlite *)fixture->store;
    fill_many(fixture);
    assert_true(number(fixture, "SELECT count(try_model) FROM operations") > OPERATIONS / 2);
    const rc_store_filter filters[] = {
        {.from_unix_ms = 0}, {.client = RC_STR("web")}, {.model = RC_STR("gpt-4o")}};
    static const char *const conditions[] = {
        "1", "o.client = (SELECT id FROM names WHERE text = 'web')",
        "o.model = (SELECT id FROM names WHERE text = 'gpt-4o')"};
    for (size_t i = 0; i < 3; i++) {
        rc_stats stats;
        char sql[512];
        int64_t tokens = 0;
        int64_t attempts = 0;
        int64_t all = 0;
        rc_stats_init(&stats, RC_STATS_BY_MODEL, true, &fixture->alloc);
        assert_true(rc_store_stats(fixture->store, &filters[i], &stats, &fixture->fault));
        for (size_t k = 0; k < stats.count; k++) {
            const rc_stats_group *group = stats.groups[k];
            snprintf(sql, sizeof(sql),
                     "SELECT sum(r.tokens_out) FROM records r JOIN operations o ON o.op = r.op"
                     " WHERE r.kind = 2 AND o.outcome <> 4 AND r.model = %lld AND %s",
                     (long long)group->key, conditions[i]);
            assert_true(rc_sqlite_number(sqlite, sql, &tokens, &fixture->fault));
            assert_int_equal(group->tokens_out, tokens);
            attempts += (int64_t)group->count;
        }
        snprintf(sql, sizeof(sql),
                 "SELECT count(*) FROM records r JOIN operations o ON o.op = r.op WHERE r.kind = 2"
                 " AND o.outcome <> 4 AND %s",
                 conditions[i]);
        assert_true(rc_sqlite_number(sqlite, sql, &all, &fixture->fault));
        assert_int_equal(attempts, all);
        rc_stats_done(&stats);
    }
}

/* --- files of earlier versions --- */

static void add_number(uint64_t *sum, uint64_t number)
{
    *sum = (*sum ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    *sum ^= *sum >> 29;
}

static bool add_up(void *ctx, const rc_record *record)
{
    uint64_t *sum = ctx;
    const uint64_t numbers[] = {record->seq,        (uint64_t)record->kind,
                                record->tokens_out, (uint64_t)record->unix_ms,
                                record->model.len,  (uint64_t)record->latency_ms,
                                record->flags,      record->request_id.len};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        add_number(sum, numbers[i]);
    return true;
}

typedef struct export
{
    store_fixture *fixture;
    uint64_t sum;
}
export;

static bool export_one(void *ctx, const rc_record *record)
{
    export *e = ctx;
    return rc_store_timeline(e->fixture->store, record->operation_id, add_up, &e->sum,
                             &e->fixture->fault);
}

static uint64_t sum_of_everything(store_fixture *fixture)
{
    export e = {.fixture = fixture};
    assert_true(rc_store_list(fixture->store, &(rc_store_query){.limit = 0}, export_one, &e,
                              &fixture->fault));
    return e.sum;
}

static void test_older_versions_are_migrated(void **state)
{
    store_fixture *fixture = *state;
    fill_many(fixture);
    const uint64_t sum = sum_of_everything(fixture);
    const int64_t blocks = number(fixture, "SELECT count(*) FROM blocks");
    for (int version = 1; version < 3; version++) {
        fixture_close(fixture);
        old_version_go_back(fixture, version);
        assert_false(fixture_open(fixture, RC_STORE_READ));
        assert_int_equal(fixture->fault.kind, RC_STORE_TOO_OLD);
        assert_true(fixture_open(fixture, RC_STORE_WRITE));
        assert_int_equal(number(fixture, "SELECT count(*) FROM blocks"), blocks);
        assert_int_equal(number(fixture,
                                "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND"
                                " tbl_name = 'operations'"),
                         0);
        assert_true(sum_of_everything(fixture) == sum);
        assert_true(rc_store_check(fixture->store, &fixture->fault));
    }
    assert_all_filters(fixture);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(test_lists_equal_those_without_blocks),
        WITH_STORE(test_pages_are_not_sorted),
        WITH_STORE(test_notes_of_a_failed_transaction_are_written_again),
        WITH_STORE(test_a_failed_note_fails_the_transaction),
        WITH_STORE(test_an_only_attempt_is_in_its_operations_row),
        WITH_STORE(test_other_attempts_have_their_own_row),
        WITH_STORE(test_statistics_count_attempts_in_both_forms),
        WITH_STORE(test_older_versions_are_migrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
