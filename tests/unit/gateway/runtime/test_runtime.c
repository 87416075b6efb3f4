/* Tests of the snapshots that the exchanges of one loop use when the configuration is reloaded, and
 * of the keys in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "config/prices/prices.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "support/fail_alloc.h"
#include "sys/calls.h"

static rc_sys_calls calls;
static fail_alloc memory;
static rc_hub hub;
static rc_runtime runtime;

/* Returns the key "secret-K1" for the variable K1. */
static const char *read_key(const char *name)
{
    static char value[32];
    (void)snprintf(value, sizeof value, "secret-%s", name);
    return value;
}

static void load(const char *base_url, const char *keys)
{
    const rc_alloc alloc = fail_alloc_of(&memory);
    char text[256];
    rc_config_faults faults;
    rc_load_error error;
    rc_snapshot_input input = {.config = alloc.get(alloc.ctx, sizeof *input.config),
                               .prices = alloc.get(alloc.ctx, sizeof *input.prices)};
    (void)snprintf(text, sizeof text,
                   "providers: {up: {kind: openai, base_url: \"%s\", keys: %s}}\n", base_url, keys);
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(input.config, rc_str_c(text), &alloc, &faults), RC_OK);
    assert_int_equal(rc_prices_parse(input.prices,
                                     RC_STR("as_of: 2026-11-01\nprices:\n  - {kind: demo, model: "
                                            "'*', input: 1, output: 1}\n"),
                                     &alloc, &faults),
                     RC_OK);
    assert_true(rc_hub_load(&hub, &input, 1, &error));
}

static int set_up(void **state)
{
    (void)state;
    memory = (fail_alloc){.fail_at = SIZE_MAX};
    const rc_alloc alloc = fail_alloc_of(&memory);
    calls = rc_sys_real;
    calls.getenv = read_key;
    if (rc_hub_init(&hub, &calls, &alloc, 1, 1) != RC_OK)
        return 1;
    load("http://127.0.0.1:1/v1", "[env:K1]");
    runtime = (rc_runtime){.hub = &hub, .calls = &calls, .alloc = alloc};
    return rc_runtime_init(&runtime, 0) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_runtime_done(&runtime);
    rc_hub_done(&hub);
    return memory.live == 0 ? 0 : 1;
}

static const rc_snapshot_provider *provider_of(const rc_snapshot_ref *ref)
{
    return &ref->snapshot->providers[0];
}

static void assert_key(const rc_snapshot_provider *provider, uint16_t credential, const char *key)
{
    rc_secret found;
    assert_true(rc_runtime_find_key(&runtime, provider, credential, &found));
    assert_int_equal(rc_secret_find(rc_str_c(key), found, 0), 0);
    assert_int_equal(found.len, strlen(key));
}

static void an_exchange_keeps_its_snapshot_over_a_reload(void **state)
{
    (void)state;
    rc_snapshot_ref *first = rc_runtime_acquire_snapshot(&runtime);
    assert_ptr_equal(rc_runtime_acquire_snapshot(&runtime), first);
    load("http://127.0.0.1:1/v1", "[env:K1]");
    rc_snapshot_ref *second = rc_runtime_acquire_snapshot(&runtime);
    assert_ptr_not_equal(second, first);
    assert_ptr_equal(runtime.snapshot_refs, second);
    assert_ptr_equal(second->next, first);
    rc_runtime_release_snapshot(&runtime, first);
    assert_ptr_equal(second->next, first);
    rc_runtime_release_snapshot(&runtime, first);
    assert_null(second->next);
    rc_runtime_release_snapshot(&runtime, second);
    assert_ptr_equal(runtime.snapshot_refs, second);
}

static void a_key_of_a_newer_snapshot_is_used_for_the_same_origin(void **state)
{
    (void)state;
    rc_snapshot_ref *old = rc_runtime_acquire_snapshot(&runtime);
    const rc_snapshot_provider *provider = provider_of(old);
    assert_key(provider, provider->first_key, "secret-K1");
    load("http://127.0.0.1:1/v1", "[env:K1, env:K2]");
    rc_snapshot *newest = rc_hub_take_snapshot(&hub);
    const uint16_t added = (uint16_t)(newest->providers[0].first_key + 1);
    rc_snapshot_release(newest);
    assert_key(provider, added, "secret-K2");
    rc_runtime_release_snapshot(&runtime, old);
}

static void a_key_is_not_sent_to_another_origin(void **state)
{
    (void)state;
    rc_snapshot_ref *old = rc_runtime_acquire_snapshot(&runtime);
    load("http://127.0.0.2:1/v1", "[env:K2, env:K3]");
    rc_snapshot *newest = rc_hub_take_snapshot(&hub);
    const uint16_t other = newest->providers[0].first_key;
    rc_snapshot_release(newest);
    assert_key(provider_of(old), other, "secret-K1");
    rc_runtime_release_snapshot(&runtime, old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_exchange_keeps_its_snapshot_over_a_reload, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_key_of_a_newer_snapshot_is_used_for_the_same_origin,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_is_not_sent_to_another_origin, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
