/* Tests that names which no row uses are deleted together with the operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/sqlite/private.h"
#include "support/store_set_up.h"

#define INVENTED 300
#define LATER (FIXTURE_TIME + 3600000)

static int64_t number(const char *sql)
{
    int64_t found = -1;
    assert_true(rc_sqlite_number((const rc_sqlite *)fixture.store, sql, &found, &fixture.fault));
    return found;
}

static bool has_name(const char *name)
{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM names WHERE text = '%s'", name);
    return number(sql) == 1;
}

/* Adds an operation with or without cost; the daily usage uses the names of an operation only if it
 * has a cost. */
static void add(const char *model, const char *target, int64_t unix_ms, bool has_cost)
{
    rc_record records[3];
    const rc_id id = fixture_id(&fixture, unix_ms);
    fixture_fill(records, &id, unix_ms);
    for (size_t i = 0; i < 3; i++) {
        records[i].model = rc_str_c(model);
        if (i > 0)
            records[i].target = rc_str_c(target);
        if (!has_cost)
            records[i].tokens_in = records[i].tokens_out = records[i].cost_usd_micro = 0;
    }
    assert_true(fixture_append(&fixture, records, 3));
}

static void add_invented(int64_t unix_ms)
{
    fixture.ids = (rc_id_maker){0}; /* makes ids of that time, whatever ids were made before */
    for (int i = 0; i < INVENTED; i++) {
        char model[64];
        char target[64];
        snprintf(model, sizeof model, "invented-%d", i);
        snprintf(target, sizeof target, "openai/invented-%d", i);
        add(model, target, unix_ms + i, false);
    }
}

static void test_unused_names_are_deleted(void **state)
{
    (void)state;
    add_invented(FIXTURE_TIME);
    add("paid", "openai/paid", FIXTURE_TIME, true);
    add("kept", "openai/kept", LATER, false);
    assert_true(number("SELECT count(*) FROM names") > 2 * INVENTED);
    rc_store_prune prune = {.before_unix_ms = LATER - 1, .max = 64};
    for (int i = 0; i < 10000 && !prune.is_done; i++)
        assert_true(rc_store_prune_step(fixture.store, &prune, &fixture.fault));
    assert_int_equal(prune.operations, INVENTED + 1);
    assert_false(has_name("invented-0"));
    assert_false(has_name("openai/invented-7"));
    assert_true(has_name("kept") && has_name("openai/kept") && has_name("app"));
    /* The names that the daily usage uses are not deleted. */
    assert_true(has_name("openai/paid") && has_name("openai-1") && has_name("gpt-4o*"));
    assert_false(has_name("paid"));
    assert_true(number("SELECT count(*) FROM names") < 12);
    /* The cache of names must not return the numbers of deleted names. */
    add("invented-0", "openai/invented-0", LATER + 1, true);
    assert_int_equal(number("SELECT count(*) FROM operations o JOIN names n ON n.id = o.model AND"
                            " n.text = 'invented-0'"),
                     1);
    assert_true(rc_store_check(fixture.store, &fixture.fault));
}

/* After each number of steps, an operation is added that uses names which were already checked. */
static void test_names_used_during_a_sweep_stay(void **state)
{
    (void)state;
    for (int at = 0; at < 40; at += 3) {
        add_invented(FIXTURE_TIME + at * 1000);
        rc_store_prune prune = {.before_unix_ms = LATER - 1, .max = 32};
        for (int i = 0; i < 10000 && !prune.is_done; i++) {
            if (i == at) {
                add("invented-5", "openai/invented-6", LATER + at, false);
                add("invented-7", "openai/invented-8", LATER + at, true);
            }
            assert_true(rc_store_prune_step(fixture.store, &prune, &fixture.fault));
        }
        assert_true(prune.is_done);
        assert_int_equal(number("SELECT count(*) FROM operations o WHERE NOT EXISTS (SELECT 1 FROM"
                                " names n WHERE n.id = o.model) OR NOT EXISTS (SELECT 1 FROM names"
                                " n WHERE n.id = o.target)"),
                         0);
        assert_int_equal(number("SELECT count(*) FROM spend s WHERE NOT EXISTS (SELECT 1 FROM names"
                                " n WHERE n.id = s.target)"),
                         0);
    }
    assert_true(has_name("invented-5") && has_name("openai/invented-8"));
    assert_false(has_name("invented-9"));
}

/* A prune is abandoned in the middle, and then the store is closed. */
static void test_an_abandoned_sweep_does_no_harm(void **state)
{
    (void)state;
    add_invented(FIXTURE_TIME);
    rc_store_prune prune = {.before_unix_ms = LATER, .max = 100};
    while (!prune.is_in_names)
        assert_true(rc_store_prune_step(fixture.store, &prune, &fixture.fault));
    assert_true(rc_store_prune_step(fixture.store, &prune, &fixture.fault));
    add("invented-5", "openai/invented-5", LATER, false);
    fixture_close(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    add_invented(FIXTURE_TIME + 1000);
    prune = (rc_store_prune){.before_unix_ms = LATER - 1, .max = 100};
    for (int i = 0; i < 10000 && !prune.is_done; i++)
        assert_true(rc_store_prune_step(fixture.store, &prune, &fixture.fault));
    assert_true(has_name("invented-5"));
    assert_false(has_name("invented-6"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unused_names_are_deleted, start, end),
        cmocka_unit_test_setup_teardown(test_names_used_during_a_sweep_stay, start, end),
        cmocka_unit_test_setup_teardown(test_an_abandoned_sweep_does_no_harm, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
