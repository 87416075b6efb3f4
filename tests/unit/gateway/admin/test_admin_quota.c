/* Tests of quotas in the admin interface: the quotas of each key, the lowest first, at most
 * RC_ADMIN_QUOTAS_MAX; for calls without a key, the quotas of the target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "config/config.h"
#include "gateway/admin/core.h"
#include "gateway/admin/quota.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"

#define NOW_MS 1000u
#define NOW INT64_C(1794830400000) /* 2026-11-16T12:00:00Z */

static rc_hub hub;
static rc_alloc alloc;

static int set_up(void **state)
{
    (void)state;
    alloc = rc_alloc_stdlib();
    return rc_hub_init(&hub, &rc_sys_real, &alloc, 1, NOW_MS) == RC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_hub_done(&hub);
    return 0;
}

static uint16_t target(const char *model)
{
    const uint16_t row = rc_hub_add_target(&hub, RC_STR("up"), rc_str_c(model), NOW_MS);
    assert_int_not_equal(row, RC_NO_TARGET);
    return row;
}

static void note(uint16_t row, uint16_t credential, const char *kind, int remaining)
{
    char limit_name[64];
    char left_name[64];
    char left[16];
    rc_quotas quotas;
    snprintf(limit_name, sizeof limit_name, "x-ratelimit-limit-%s", kind);
    snprintf(left_name, sizeof left_name, "x-ratelimit-remaining-%s", kind);
    snprintf(left, sizeof left, "%d", remaining);
    rc_quotas_init(&quotas, NOW);
    rc_quotas_add_header(&quotas, rc_str_c(limit_name), RC_STR("1000"));
    rc_quotas_add_header(&quotas, rc_str_c(left_name), rc_str_c(left));
    (void)rc_quota_cache_update(&hub.quotas, row, credential, &quotas);
}

static void quotas_are_assigned_to_keys_and_targets(void **state)
{
    (void)state;
    rc_arena arena;
    rc_admin_quotas quotas;
    rc_admin_key keys[3];
    rc_admin_target targets[2];
    memset(keys, 0, sizeof keys);
    memset(targets, 0, sizeof targets);
    const uint16_t a = target("a");
    const uint16_t b = target("b");
    note(b, 2, "requests", 30);
    note(a, 2, "requests", 900);
    note(a, 2, "tokens", 500);
    note(a, 0, "requests", 1000);
    note(b, RC_NO_TARGET, "requests", 10);
    rc_arena_init(&arena, &alloc, 1 << 20);
    uv_mutex_lock(&hub.lock);
    rc_admin_quotas_init(&quotas, &hub, &arena, NOW + 1);
    for (uint16_t i = 0; i < 3; i++)
        rc_admin_quotas_of_key(&quotas, i, &keys[i]);
    rc_admin_quotas_of_target(&quotas, a, &targets[0]);
    rc_admin_quotas_of_target(&quotas, b, &targets[1]);
    uv_mutex_unlock(&hub.lock);

    assert_int_equal(keys[0].quota_count, 1);
    assert_int_equal(keys[0].left_milli[RC_QUOTA_REQUESTS], 1000);
    assert_int_equal(keys[0].left_milli[RC_QUOTA_TOKENS], -1);
    assert_int_equal(keys[1].quota_count, 0);
    assert_int_equal(keys[2].quota_count, 3);
    assert_true(rc_str_eq(keys[2].quotas[0].target, RC_STR("up/b")));
    assert_true(rc_str_eq(keys[2].quotas[1].name, RC_STR("tokens")));
    assert_true(keys[2].quotas[0].is_low && !keys[2].quotas[1].is_low);
    assert_int_equal(keys[2].left_milli[RC_QUOTA_REQUESTS], 30);
    assert_int_equal(keys[2].left_milli[RC_QUOTA_TOKENS], 500);
    assert_int_equal(targets[0].quota_count, 0);
    assert_int_equal(targets[1].quota_count, 1);
    assert_int_equal(targets[1].quotas[0].remaining, 10);
    rc_arena_done(&arena);
}

static void the_lowest_quotas_are_shown(void **state)
{
    (void)state;
    char model[8];
    rc_arena arena;
    rc_admin_quotas quotas;
    rc_admin_key key = {.until_ms = 0};
    rc_admin_key next = {.until_ms = 0};
    for (int i = 0; i < 20; i++) {
        snprintf(model, sizeof model, "m%d", i);
        note(target(model), 5, i == 0 ? "tokens" : "requests", 1000 - i);
    }
    note(target("m1"), 6, "requests", 1);
    rc_arena_init(&arena, &alloc, 1 << 20);
    uv_mutex_lock(&hub.lock);
    rc_admin_quotas_init(&quotas, &hub, &arena, NOW + 1);
    rc_admin_quotas_of_key(&quotas, 5, &key);
    rc_admin_quotas_of_key(&quotas, 6, &next);
    uv_mutex_unlock(&hub.lock);
    assert_int_equal(key.quota_count, RC_ADMIN_QUOTAS_MAX);
    assert_int_equal(key.quotas[0].remaining, 981);
    assert_int_equal(key.left_milli[RC_QUOTA_TOKENS], 1000); /* counted although it is not in the
                                                                list */
    assert_int_equal(next.quota_count, 1);
    rc_arena_done(&arena);
}

static void without_memory_there_are_no_quotas(void **state)
{
    (void)state;
    rc_arena arena;
    rc_admin_quotas quotas;
    rc_admin_key key = {.until_ms = 0};
    note(target("a"), 0, "requests", 1);
    rc_arena_init(&arena, &alloc, 16);
    rc_admin_quotas_init(&quotas, &hub, &arena, NOW + 1);
    rc_admin_quotas_of_key(&quotas, 0, &key);
    assert_int_equal(key.quota_count, 0);
    assert_int_not_equal(rc_arena_status(&arena), RC_OK);
    rc_arena_done(&arena);
}

static void quotas_are_written_as_json(void **state)
{
    (void)state;
    char memory[1024];
    rc_buf buf;
    const rc_admin_quota quotas[] = {{.target = RC_STR("up/a"),
                                      .name = RC_STR("requests"),
                                      .remaining = 20,
                                      .limit = 1000,
                                      .renews_unix_ms = NOW + 30000,
                                      .is_low = true},
                                     {.target = RC_STR("up/b"),
                                      .name = RC_STR("limit"),
                                      .remaining = 900,
                                      .limit = 1000,
                                      .renews_unix_ms = NOW - 1}};
    const rc_admin_key key = {
        .id = RC_STR("up:1"), .provider = RC_STR("up"), .quotas = quotas, .quota_count = 2};
    const rc_admin_snapshot snapshot = {.now_unix_ms = NOW};
    rc_buf_init_fixed(&buf, memory, sizeof memory - 1);
    rc_admin_push_key(&buf, &snapshot, &key);
    memory[rc_buf_get(&buf).len] = '\0';
    assert_string_equal(
        memory, "{\"id\":\"up:1\",\"provider\":\"up\",\"state\":\"healthy\",\"quotas\":["
                "{\"target\":\"up/a\",\"kind\":\"requests\",\"remaining\":20,\"limit\":1000,"
                "\"low\":true,\"renews\":\"2026-11-16T12:00:30.000Z\"},"
                "{\"target\":\"up/b\",\"kind\":\"limit\",\"remaining\":900,\"limit\":1000,"
                "\"low\":false}]}\n");
}

/* If a row of a named target is reused for another name, it has no quotas. */
static void a_reused_row_has_no_quotas(void **state)
{
    (void)state;
    const rc_config_provider config = {.name = RC_STR("up")};
    const rc_snapshot_provider provider = {.config = &config};
    rc_quota_entry entries[2];
    char model[16];
    const uint16_t first =
        rc_hub_take_named_target(&hub, config.name, RC_STR("first"), &provider, NOW_MS);
    note(first, 0, "requests", 1);
    rc_hub_release_target(&hub, first, NOW_MS);
    for (uint32_t i = 1; i < RC_HUB_NAMED_TARGETS_MAX; i++) {
        snprintf(model, sizeof model, "g%u", i);
        (void)rc_hub_take_named_target(&hub, config.name, rc_str_c(model), &provider, NOW_MS);
    }
    assert_int_equal(rc_quota_cache_list(&hub.quotas, NOW, entries, 2), 1);
    assert_int_equal(
        rc_hub_take_named_target(&hub, config.name, RC_STR("other"), &provider, NOW_MS), first);
    assert_int_equal(rc_quota_cache_list(&hub.quotas, NOW, entries, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(quotas_are_assigned_to_keys_and_targets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_lowest_quotas_are_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_there_are_no_quotas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reused_row_has_no_quotas, set_up, tear_down),
        cmocka_unit_test(quotas_are_written_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
