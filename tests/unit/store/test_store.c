/* Tests of the audit store: records are read as they were written, once, in order, and are found by
 * filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/sqlite/private.h"
#include "store/submission.h"
#include "support/store_fixture.h"

#include <recourse/builder.h>

#define SEEN_MAX 64

/* Copies of the results of a query. */
typedef struct seen {
    size_t count;
    size_t stop_after; /* number of results after which the query is stopped; 0: never */
    rc_record records[SEEN_MAX];
    char texts[SEEN_MAX][8][512];
} seen;

static seen all;

static bool copy_record(void *ctx, const rc_record *record)
{
    seen *s = ctx;
    assert_true(s->count < SEEN_MAX);
    rc_record *copy = &s->records[s->count];
    *copy = *record;
    rc_str *strings[] = {&copy->operation_id, &copy->client, &copy->model,       &copy->target,
                         &copy->request_id,   &copy->text,   &copy->report_json, &copy->report_id};
    for (size_t i = 0; i < 8; i++) {
        assert_true(strings[i]->len < sizeof(s->texts[0][0]));
        if (strings[i]->len > 0)
            memcpy(s->texts[s->count][i], strings[i]->ptr, strings[i]->len);
        strings[i]->ptr = s->texts[s->count][i];
    }
    s->count++;
    return s->stop_after == 0 || s->count < s->stop_after;
}

static void assert_str(rc_str actual, const char *expected)
{
    if (!rc_str_eq(actual, rc_str_c(expected)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)actual.len, actual.ptr, expected);
}

static int set_up(void **state)
{
    store_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_init(fixture);
    memset(&all, 0, sizeof(all));
    *state = fixture;
    return fixture_open(fixture, RC_STORE_WRITE) ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

static void read_timeline(store_fixture *fixture, const rc_id *id)
{
    memset(&all, 0, sizeof(all));
    assert_true(rc_store_timeline(fixture->store, rc_str_make(id->text, RC_ID_LEN), copy_record,
                                  &all, &fixture->fault));
}

static void assert_same_numbers(const rc_record *a, const rc_record *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->seq, b->seq);
    assert_int_equal(a->unix_ms, b->unix_ms);
    assert_int_equal(a->attempt, b->attempt);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->code, b->code);
    assert_int_equal(a->error_class, b->error_class);
    assert_int_equal(a->category, b->category);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->wait_ms, b->wait_ms);
    assert_int_equal(a->latency_ms, b->latency_ms);
    assert_int_equal(a->first_byte_ms, b->first_byte_ms);
    assert_int_equal(a->tokens_in, b->tokens_in);
    assert_int_equal(a->tokens_out, b->tokens_out);
    assert_int_equal(a->cost_usd_micro, b->cost_usd_micro);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->outcome, b->outcome);
}

static void test_every_field_is_read_back(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    records[1].code = RC_CODE_RATE_LIMITED;
    records[1].error_class = RC_CLASS_PROVIDER_TRANSIENT;
    records[1].category = RC_CATEGORY_TRANSIENT;
    records[1].reason = RC_WHY_HINT;
    records[1].wait_ms = 4000;
    records[1].text = RC_STR("slow down");
    records[1].report_id = RC_STR("rep_1");
    records[1].report_json = RC_STR("{\"a\":1}");
    assert_true(fixture_append(fixture, records, 3));

    read_timeline(fixture, &id);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.records[0].kind, RC_RECORD_BEGIN);
    assert_str(all.records[0].client, "app");
    assert_str(all.records[0].model, "gpt-4o");
    assert_int_equal(all.records[0].flags, RC_RECORD_STREAMING);
    for (size_t i = 1; i < 3; i++) {
        assert_same_numbers(&all.records[i], &records[i]);
        assert_str(all.records[i].target, "openai/gpt-4o");
        assert_str(all.records[i].request_id, "req_abc");
        assert_str(all.records[i].operation_id, id.text);
    }
    assert_int_equal(all.records[1].step, 7);
    assert_str(all.records[1].text, "slow down");
    assert_str(all.records[1].report_json, "{\"a\":1}");
    assert_str(all.records[2].text, "");
}

/* SQLite's statement parameters are not reset between rows: a row must not contain values of the
 * previous row. */
static void test_rows_are_independent(void **state)
{
    store_fixture *fixture = *state;
    for (unsigned round = 0; round < 4; round++) {
        const rc_id id = fixture_id(fixture, FIXTURE_TIME + round);
        rc_record records[3];
        fixture_fill(records, &id, FIXTURE_TIME + round);
        if (round % 2 == 0) {
            records[1].text = RC_STR("slow down");
            records[1].wait_ms = 4000;
        } else {
            records[1].request_id = records[2].request_id = rc_str_make(NULL, 0);
            records[1].target = records[2].target = rc_str_make(NULL, 0);
            records[1].latency_ms = records[1].first_byte_ms = -1;
        }
        assert_true(fixture_append(fixture, records, 3));
        read_timeline(fixture, &id);
        assert_int_equal(all.count, 3);
        for (size_t i = 1; i < 3; i++) {
            assert_same_numbers(&all.records[i], &records[i]);
            assert_str(all.records[i].target, round % 2 == 0 ? "openai/gpt-4o" : "");
            assert_str(all.records[i].request_id, round % 2 == 0 ? "req_abc" : "");
        }
        assert_str(all.records[1].text, round % 2 == 0 ? "slow down" : "");
    }
}

static void test_unknown_numbers_stay_unknown(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record record;
    rc_record_init(&record, RC_RECORD_SKIP);
    record.operation_id = rc_str_make(id.text, RC_ID_LEN);
    record.unix_ms = FIXTURE_TIME - 5; /* the clock was set back */
    assert_true(fixture_append(fixture, &record, 1));
    read_timeline(fixture, &id);
    assert_int_equal(all.count, 2); /* the begin record, and no outcome */
    assert_int_equal(all.records[1].latency_ms, -1);
    assert_int_equal(all.records[1].first_byte_ms, -1);
    assert_int_equal(all.records[1].unix_ms, FIXTURE_TIME - 5);
    assert_int_equal(all.records[1].target.len, 0);
}

static void test_records_may_arrive_separately(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    for (size_t i = 0; i < 3; i++)
        assert_true(fixture_append(fixture, &records[i], 1));
    read_timeline(fixture, &id);
    assert_int_equal(all.count, 3);
    assert_same_numbers(&all.records[2], &records[2]);
    assert_str(all.records[2].client, "app");
    assert_str(all.records[2].model, "gpt-4o");
}

static void test_an_outcome_keeps_the_values_of_the_beginning(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    records[2].client = records[2].route = records[2].model = rc_str_make(NULL, 0);
    records[2].flags = RC_RECORD_COMMITTED;
    assert_true(fixture_append(fixture, &records[0], 1) && fixture_append(fixture, &records[2], 1));
    read_timeline(fixture, &id);
    assert_int_equal(all.count, 2);
    assert_str(all.records[1].client, "app");
    assert_str(all.records[1].model, "gpt-4o");
    assert_int_equal(all.records[1].flags, RC_RECORD_COMMITTED | RC_RECORD_STREAMING);
}

static void test_a_repeated_record_is_stored_once(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    records[1].report_id = records[2].report_id = RC_STR("rep_1");
    assert_true(fixture_append(fixture, records, 3));
    records[2].outcome = RC_OUTCOME_FAILED; /* the first outcome counts */
    assert_true(fixture_append(fixture, records, 3));
    read_timeline(fixture, &id);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.records[2].outcome, RC_OUTCOME_SUCCEEDED);
    int64_t rows = 0;
    assert_true(rc_sqlite_number((rc_sqlite *)fixture->store, "SELECT count(*) FROM reports", &rows,
                                 &fixture->fault));
    assert_int_equal(rows, 2);
}

/* An outcome with a higher seq replaces the earlier one. */
static void test_a_later_outcome_counts(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    rc_record last = records[2];
    last.seq = 3;
    last.outcome = RC_OUTCOME_FAILED;
    last.report_id = RC_STR("rep_1");
    assert_true(fixture_append(fixture, records, 3) && fixture_append(fixture, &last, 1));
    /* The same records are stored again, as after a flush with an uncertain result. */
    assert_true(fixture_append(fixture, records, 3) && fixture_append(fixture, &last, 1));
    read_timeline(fixture, &id);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.records[2].outcome, RC_OUTCOME_FAILED);
    assert_str(all.records[2].report_id, "rep_1");
    assert_str(all.records[2].client, "app");
}

/* The ids have the same millisecond and the same last letters. */
static void test_ids_with_the_same_key_are_kept_apart(void **state)
{
    store_fixture *fixture = *state;
    rc_id ids[3];
    for (size_t i = 0; i < 3; i++) {
        ids[i] = fixture_id(fixture, FIXTURE_TIME);
        memcpy(ids[i].text + RC_ID_LEN - 3, "ZZZ", 3);
        ids[i].text[RC_ID_LEN - 5] = (char)('A' + i);
        rc_record records[3];
        fixture_fill(records, &ids[i], FIXTURE_TIME);
        records[1].attempt = (uint32_t)i + 10;
        assert_true(fixture_append(fixture, records, 3));
    }
    for (size_t i = 0; i < 3; i++) {
        read_timeline(fixture, &ids[i]);
        assert_int_equal(all.count, 3);
        assert_int_equal(all.records[1].attempt, i + 10);
        assert_int_equal(all.records[0].unix_ms, FIXTURE_TIME);
    }
    const rc_id other = fixture_id(fixture, FIXTURE_TIME + 1);
    read_timeline(fixture, &other);
    assert_int_equal(all.count, 0);
    assert_true(
        rc_store_timeline(fixture->store, RC_STR("nonsense"), copy_record, &all, &fixture->fault));
    assert_int_equal(all.count, 0);
}

static void test_invalid_records_are_refused(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    for (int wrong = 0; wrong < 5; wrong++) {
        fixture_fill(records, &id, FIXTURE_TIME);
        if (wrong == 0)
            records[1].kind = RC_RECORD_NONE;
        if (wrong == 1)
            records[1].operation_id = RC_STR("rep_short");
        if (wrong == 2)
            records[1].unix_ms = -1;
        if (wrong == 3)
            records[1].bytes = UINT64_MAX;
        if (wrong == 4)
            records[1].kind = (rc_record_kind)99;
        assert_false(fixture_append(fixture, records, 3));
        assert_int_equal(fixture->fault.kind, RC_STORE_ARGUMENT);
    }
    read_timeline(fixture, &id);
    assert_int_equal(all.count, 0);
}

static void test_secrets_are_not_stored(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    const char *key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    records[0].model = records[1].model = records[2].model = rc_str_c(key);
    records[1].text = records[1].request_id = rc_str_c(key);
    assert_true(fixture_append(fixture, records, 3));
    read_timeline(fixture, &id);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = 0; k < 8; k++)
            assert_null(strstr(all.texts[i][k], "abcdefghijkl"));
    assert_true(all.records[1].text.len > 0);
}

static void test_a_report_is_stored_with_its_record(void **state)
{
    store_fixture *fixture = *state;
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_builder builder;
    rc_builder_init(&builder, &fixture->alloc, RC_CODE_OVERLOADED);
    rc_builder_set_id_text(&builder, RC_STR("rep_x"));
    rc_builder_set_request_id(&builder, RC_STR("req_of_report"));
    const rc_report *report = rc_builder_finish(&builder);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    records[1].report = records[2].report = report;
    records[1].request_id = rc_str_make(NULL, 0);
    const rc_batch batch = {.records = records, .record_count = 3};
    rc_submission *submission = rc_submission_make(&batch, &fixture->alloc);
    rc_report_free(report);
    assert_true(rc_store_append(fixture->store, &submission->batch, &fixture->fault));
    rc_submission_free(submission, &fixture->alloc);
    read_timeline(fixture, &id);
    assert_int_equal(all.records[1].code, RC_CODE_OVERLOADED);
    assert_int_equal(all.records[1].error_class, RC_CLASS_PROVIDER_TRANSIENT);
    assert_str(all.records[1].request_id, "req_of_report");
    assert_str(all.records[2].request_id, "req_abc");
    for (size_t i = 1; i < 3; i++) {
        assert_str(all.records[i].report_id, "rep_x");
        assert_non_null(strstr(all.texts[i][6], "\"error_code\":\"Overloaded\""));
    }
}

static bool copy_saved_state(void *ctx, const rc_saved_state *saved)
{
    rc_saved_state *states = ctx;
    size_t at = saved->kind == RC_SAVED_STATE_TARGET ? 1 : 0;
    assert_str(saved->name, at == 1 ? "openai/gpt-4o" : "openai-1");
    states[at].value = saved->value;
    states[at].until_unix_ms = saved->until_unix_ms;
    return true;
}

static void test_saved_states_survive(void **state)
{
    store_fixture *fixture = *state;
    rc_saved_state states[2] = {
        {RC_SAVED_STATE_CREDENTIAL, RC_STR_INIT("openai-1"), 2, FIXTURE_TIME + 600000},
        {RC_SAVED_STATE_TARGET, RC_STR_INIT("openai/gpt-4o"), 1, 0},
    };
    const rc_batch batch = {.states = states, .state_count = 2};
    assert_true(rc_store_append(fixture->store, &batch, &fixture->fault));
    states[0].until_unix_ms++;
    assert_true(rc_store_append(fixture->store, &batch, &fixture->fault));
    fixture_close(fixture);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    rc_saved_state found[2] = {{.value = 0}};
    assert_true(rc_store_saved_states(fixture->store, copy_saved_state, found, &fixture->fault));
    assert_int_equal(found[0].value, 2);
    assert_int_equal(found[0].until_unix_ms, FIXTURE_TIME + 600001);
    assert_int_equal(found[1].value, 1);

    states[0].value = states[1].value = 0;
    assert_true(rc_store_append(fixture->store, &batch, &fixture->fault));
    memset(found, 0, sizeof(found));
    assert_true(rc_store_saved_states(fixture->store, copy_saved_state, found, &fixture->fault));
    assert_int_equal(found[0].value + found[1].value, 0);
}

/* --- lists --- */

/* Stores the operations 0 to 39, one second apart. Every fourth fails, and every eighth is of the
 * client "rare". */
static void fill_forty(store_fixture *fixture)
{
    for (int i = 0; i < 40; i++) {
        const int64_t at = FIXTURE_TIME + i * 1000;
        const rc_id id = fixture_id(fixture, at);
        rc_record records[3];
        fixture_fill(records, &id, at);
        if (i % 8 == 0)
            records[0].client = records[2].client = RC_STR("rare");
        if (i % 10 == 0)
            records[0].model = records[2].model = RC_STR("claude");
        if (i % 4 == 0) {
            records[2].outcome = RC_OUTCOME_FAILED;
            records[2].code = RC_CODE_AUTH_FAILED;
            records[2].report_id = i == 20 ? RC_STR("rep_twenty") : RC_STR("rep_other");
        }
        assert_true(fixture_append(fixture, records, i == 39 ? 2 : 3)); /* the last operation is
                                                                           open */
    }
    const rc_id id = fixture_id(fixture, FIXTURE_TIME + 40000);
    rc_record notice;
    rc_record_init(&notice, RC_RECORD_SERVICE);
    notice.operation_id = rc_str_make(id.text, RC_ID_LEN);
    notice.unix_ms = FIXTURE_TIME + 40000;
    notice.text = RC_STR("out of service");
    assert_true(fixture_append(fixture, &notice, 1));
}

static size_t list(store_fixture *fixture, const rc_store_query *query)
{
    memset(&all, 0, sizeof(all));
    assert_true(rc_store_list(fixture->store, query, copy_record, &all, &fixture->fault));
    return all.count;
}

static void test_lists_filter(void **state)
{
    store_fixture *fixture = *state;
    fill_forty(fixture);
    assert_int_equal(list(fixture, &(rc_store_query){.limit = 0}), 40);
    assert_int_equal(all.records[0].outcome, RC_OUTCOME_OPEN);
    assert_int_equal(all.records[1].unix_ms, FIXTURE_TIME + 38002);
    assert_int_equal(list(fixture, &(rc_store_query){.filter.client = RC_STR("rare")}), 5);
    assert_int_equal(list(fixture, &(rc_store_query){.filter.client = RC_STR("nobody")}), 0);
    assert_int_equal(list(fixture, &(rc_store_query){.filter.model = RC_STR("claude")}), 4);
    assert_int_equal(list(fixture, &(rc_store_query){.filter.code = RC_CODE_AUTH_FAILED}), 10);
    assert_int_equal(list(fixture, &(rc_store_query){.filter.code = RC_CODE_OVERLOADED}), 0);
    assert_int_equal(list(fixture, &(rc_store_query){.filter.report_id = RC_STR("rep_twenty")}), 1);
    assert_int_equal(all.records[0].unix_ms, FIXTURE_TIME + 20002);
    assert_str(all.records[0].report_id, "rep_twenty");
    rc_store_filter by = {.has_outcome = true, .outcome = RC_OUTCOME_FAILED};
    assert_int_equal(list(fixture, &(rc_store_query){.filter = by}), 10);
    by.client = RC_STR("rare");
    by.model = RC_STR("claude");
    assert_int_equal(list(fixture, &(rc_store_query){.filter = by}), 1);
    by = (rc_store_filter){.has_outcome = true, .outcome = RC_OUTCOME_OPEN};
    assert_int_equal(list(fixture, &(rc_store_query){.filter = by}), 1);
    by.outcome = RC_OUTCOME_SUCCEEDED;
    assert_int_equal(list(fixture, &(rc_store_query){.filter = by}), 29);
    by.outcome = RC_OUTCOME_NOTICE;
    assert_int_equal(list(fixture, &(rc_store_query){.filter = by}), 1);
    by = (rc_store_filter){.from_unix_ms = FIXTURE_TIME + 10000,
                           .until_unix_ms = FIXTURE_TIME + 15000};
    assert_int_equal(list(fixture, &(rc_store_query){.filter = by}), 5);
}

static void test_pages_follow_each_other(void **state)
{
    store_fixture *fixture = *state;
    fill_forty(fixture);
    for (int oldest = 0; oldest < 2; oldest++) {
        rc_store_query query = {.limit = 7, .is_oldest_first = oldest == 1};
        size_t total = 0;
        int64_t last = oldest == 1 ? 0 : INT64_MAX;
        while (list(fixture, &query) > 0) {
            total += all.count;
            for (size_t i = 0; i < all.count; i++) {
                assert_true(oldest == 1 ? all.records[i].key > last : all.records[i].key < last);
                last = all.records[i].key;
            }
            query.beyond_key = last;
        }
        assert_int_equal(total, 40);
    }
    memset(&all, 0, sizeof(all));
    all.stop_after = 3;
    assert_true(rc_store_list(fixture->store, &(rc_store_query){.limit = 9}, copy_record, &all,
                              &fixture->fault));
    assert_int_equal(all.count, 3);
}

/* Reads the records of each operation of a list, as an export does. */
typedef struct export
{
    store_fixture *fixture;
    size_t operations;
    size_t records;
}
export;

static bool export_one(void *ctx, const rc_record *record)
{
    export *exported = ctx;
    exported->operations++;
    return rc_store_timeline(exported->fixture->store, record->operation_id, count_records,
                             &exported->records, &exported->fixture->fault);
}

static void test_a_timeline_within_a_list(void **state)
{
    store_fixture *fixture = *state;
    fill_forty(fixture);
    export exported = {.fixture = fixture};
    assert_true(rc_store_list(fixture->store, &(rc_store_query){.is_oldest_first = true},
                              export_one, &exported, &fixture->fault));
    assert_int_equal(exported.operations, 40);
    assert_int_equal(exported.records, 119);
}

static void test_readers_cannot_write(void **state)
{
    store_fixture *fixture = *state;
    fill_forty(fixture);
    rc_store *writer = fixture->store;
    assert_true(fixture_open(fixture, RC_STORE_READ));
    assert_int_equal(list(fixture, &(rc_store_query){.limit = 0}), 40);
    const rc_id id = fixture_id(fixture, FIXTURE_TIME);
    rc_record records[3];
    fixture_fill(records, &id, FIXTURE_TIME);
    assert_false(fixture_append(fixture, records, 3));
    assert_int_equal(fixture->fault.kind, RC_STORE_ARGUMENT);
    assert_false(rc_store_checkpoint(fixture->store, true, &fixture->fault));
    assert_int_equal(sqlite3_db_readonly(((rc_sqlite *)fixture->store)->db, "main"), 1);
    fixture_close(fixture);
    assert_true(rc_store_checkpoint(writer, true, &fixture->fault));
    assert_true(rc_store_check(writer, &fixture->fault));
    fixture->store = writer;
}

static void test_names_have_texts(void **state)
{
    (void)state;
    assert_string_equal(rc_record_kind_name(RC_RECORD_STOP), "stop");
    assert_string_equal(rc_record_kind_name((rc_record_kind)99), "unknown");
    assert_int_equal(rc_record_kind_parse(RC_STR("interaction")), RC_RECORD_INTERACTION);
    assert_int_equal(rc_record_kind_parse(RC_STR("nothing")), RC_RECORD_NONE);
    rc_outcome outcome = RC_OUTCOME_OPEN;
    assert_true(rc_outcome_parse(RC_STR("cancelled"), &outcome));
    assert_int_equal(outcome, RC_OUTCOME_CANCELLED);
    assert_false(rc_outcome_parse(RC_STR("maybe"), &outcome));
    assert_string_equal(rc_outcome_name((rc_outcome)99), "unknown");
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(test_every_field_is_read_back),
        WITH_STORE(test_rows_are_independent),
        WITH_STORE(test_unknown_numbers_stay_unknown),
        WITH_STORE(test_records_may_arrive_separately),
        WITH_STORE(test_an_outcome_keeps_the_values_of_the_beginning),
        WITH_STORE(test_a_repeated_record_is_stored_once),
        WITH_STORE(test_a_later_outcome_counts),
        WITH_STORE(test_ids_with_the_same_key_are_kept_apart),
        WITH_STORE(test_invalid_records_are_refused),
        WITH_STORE(test_secrets_are_not_stored),
        WITH_STORE(test_a_report_is_stored_with_its_record),
        WITH_STORE(test_saved_states_survive),
        WITH_STORE(test_lists_filter),
        WITH_STORE(test_pages_follow_each_other),
        WITH_STORE(test_a_timeline_within_a_list),
        WITH_STORE(test_readers_cannot_write),
        cmocka_unit_test(test_names_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
