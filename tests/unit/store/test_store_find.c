/* Tests of finding operations by an id or its prefix and by filters; of names and counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "store/operation_key.h"
#include "support/audit_stories.h"
#include "support/store_fixture.h"

#define MAX 16

typedef struct found {
    char ids[MAX][RC_ID_LEN + 1];
    char reports[MAX][RC_ID_LEN + 1];
    int64_t keys[MAX];
    bool recovered[MAX];
    size_t count;
} found;

static bool copy_operation(void *ctx, const rc_record *operation)
{
    found *f = ctx;
    assert_true(f->count < MAX);
    memcpy(f->ids[f->count], operation->operation_id.ptr, RC_ID_LEN);
    if (operation->report_id.len > 0)
        memcpy(f->reports[f->count], operation->report_id.ptr, operation->report_id.len);
    f->recovered[f->count] = operation->has_recovered;
    f->keys[f->count++] = operation->key;
    return true;
}

static int set_up(void **state)
{
    static const char *const names[] = {"plain",     "recovered", "exhausted", "refused",
                                        "cancelled", "open",      "hedged",    "notice"};
    store_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_init(fixture);
    assert_true(fixture_open(fixture, RC_STORE_WRITE));
    for (size_t i = 0; i < 8; i++)
        assert_true(story_write(fixture->store, &fixture->alloc, names[i],
                                FIXTURE_TIME + (int64_t)i * 3600000, &fixture->fault));
    fixture_close(fixture);
    assert_true(fixture_open(fixture, RC_STORE_READ));
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_done(*state);
    free(*state);
    return 0;
}

static found find(store_fixture *fixture, const char *prefix, uint32_t limit)
{
    found f = {.count = 0};
    assert_true(rc_store_find(fixture->store, rc_str_c(prefix), limit, copy_operation, &f,
                              &fixture->fault));
    return f;
}

static found list(store_fixture *fixture, const rc_store_filter *filter)
{
    found f = {.count = 0};
    const rc_store_query query = {.filter = *filter, .is_oldest_first = true};
    assert_true(rc_store_list(fixture->store, &query, copy_operation, &f, &fixture->fault));
    return f;
}

static found all(store_fixture *fixture)
{
    const rc_store_filter none = {.code = RC_CODE_NONE};
    return list(fixture, &none);
}

static void test_operations_are_found_by_id(void **state)
{
    store_fixture *fixture = *state;
    const found every = all(fixture);
    assert_int_equal(every.count, 7);
    for (size_t i = 0; i < every.count; i++) {
        found f = find(fixture, every.ids[i], MAX);
        assert_int_equal(f.count, 1);
        assert_string_equal(f.ids[0], every.ids[i]);
        char part[32];
        /* The id is passed without "rep_", in lower case, with decreasing length; the operations
         * are an hour apart. */
        for (size_t len = 26; len >= 6; len--) {
            snprintf(part, sizeof(part), "%.*s", (int)len, every.ids[i] + 4);
            for (char *c = part; *c != '\0'; c++)
                *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
            f = find(fixture, part, MAX);
            assert_int_equal(f.count, 1);
            assert_int_equal(f.keys[0], every.keys[i]);
        }
    }
}

static void test_operations_are_found_by_report(void **state)
{
    store_fixture *fixture = *state;
    const found every = all(fixture);
    char part[24];
    assert_int_not_equal(every.reports[2][0], '\0');
    found f = find(fixture, every.reports[2], MAX);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.ids[0], every.ids[2]);
    snprintf(part, sizeof(part), "%.20s", every.reports[2]);
    f = find(fixture, part, MAX);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.ids[0], every.ids[2]);
}

static void test_an_ambiguous_prefix_finds_several_operations(void **state)
{
    store_fixture *fixture = *state;
    found f = find(fixture, "rep_01", MAX);
    assert_int_equal(f.count, 8); /* The list includes the notice. Each operation is listed once,
                                   * although some also have reports. */
    for (size_t i = 1; i < f.count; i++)
        assert_true(f.keys[i] > f.keys[i - 1]);
    assert_int_equal(find(fixture, "01", 3).count, 3);
    assert_int_equal(find(fixture, "rep_02", MAX).count, 0);
    assert_int_equal(find(fixture, "nonsense", MAX).count, 0);
    assert_int_equal(find(fixture, "", MAX).count, 0);
    assert_int_equal(find(fixture, "rep_01", 0).count, 0);
    assert_int_equal(find(fixture, "%' OR 1=1 --", MAX).count, 0);
}

static void test_filters_by_target_and_recovery(void **state)
{
    store_fixture *fixture = *state;
    rc_store_filter filter = {.target = RC_STR("openai/gpt-4o")};
    /* All operations, except the one without an attempt, the one at another target, and the
     * notice. */
    assert_int_equal(list(fixture, &filter).count, 5);
    filter.target = RC_STR("claude/claude-sonnet-4-5");
    assert_int_equal(list(fixture, &filter).count, 2);
    filter.target = RC_STR("nobody/nothing");
    assert_int_equal(list(fixture, &filter).count, 0);
    filter = (rc_store_filter){.error_class = RC_CLASS_PROVIDER_TRANSIENT};
    assert_int_equal(list(fixture, &filter).count, 2);
    filter = (rc_store_filter){.route = RC_STR("gpt-4o*")};
    assert_int_equal(list(fixture, &filter).count, 7);
    filter.route = RC_STR("*");
    assert_int_equal(list(fixture, &filter).count, 0);
    filter = (rc_store_filter){.is_recovered = true};
    const found f = list(fixture, &filter);
    assert_int_equal(f.count, 1); /* without the hedged operation, in which no attempt failed */
    assert_true(f.recovered[0]);
}

static void test_filter_by_end_time(void **state)
{
    store_fixture *fixture = *state;
    const found every = all(fixture);
    /* the recovered operation took 8420 ms */
    const int64_t ended = (every.keys[1] >> RC_OPERATION_KEY_LOW_BITS) + 8420;
    rc_store_filter filter = {.ended_unix_ms = ended};
    found f = list(fixture, &filter);
    assert_int_equal(f.count, 5); /* the later operations, too, except the open one */
    assert_int_equal(f.keys[0], every.keys[1]);
    filter.ended_unix_ms = ended + 1;
    assert_int_equal(list(fixture, &filter).count, 4);
}

static bool count_name(void *ctx, rc_str name)
{
    assert_true(name.len > 0);
    ++*(size_t *)ctx;
    return true;
}

static void test_names_and_extent(void **state)
{
    store_fixture *fixture = *state;
    size_t count = 0;
    rc_store_extent extent;
    assert_true(rc_store_names(fixture->store, count_name, &count, &fixture->fault));
    assert_true(rc_store_measure(fixture->store, &extent, &fixture->fault));
    assert_int_equal(extent.names, count);
    assert_int_equal(extent.operations, 8);
    assert_int_equal(extent.orphans, 0);
    assert_true(extent.records > 8 && extent.reports > 4 && extent.bytes > 4096);
    assert_int_equal(extent.from_unix_ms, FIXTURE_TIME);
    assert_int_equal(extent.to_unix_ms, FIXTURE_TIME + 7 * 3600000);
}

static void test_orphans_are_counted(void **state)
{
    store_fixture *fixture = *state;
    rc_store_extent extent;
    sqlite3 *db = NULL;
    fixture_close(fixture);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DELETE FROM operations WHERE op = (SELECT min(op) FROM"
                                  " operations WHERE code <> 0)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_true(fixture_open(fixture, RC_STORE_READ));
    assert_true(rc_store_measure(fixture->store, &extent, &fixture->fault));
    /* three attempts, two waits, the stop and four reports */
    assert_int_equal(extent.orphans, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_operations_are_found_by_id, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_operations_are_found_by_report, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_ambiguous_prefix_finds_several_operations, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_filters_by_target_and_recovery, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_filter_by_end_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_and_extent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_orphans_are_counted, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
