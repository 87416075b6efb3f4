/* Tests of the reason for which a target is unavailable, as text: the states of its keys, for all
 * targets and at this target, and its own cooldown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/state/hub.h"
#include "gateway/state/unavailable.h"
#include "sys/calls.h"

#define NOW_MS 1000u
#define LATER_MS (NOW_MS + 60000)

static rc_hub hub;
static rc_config_provider config = {.name = RC_STR_INIT("up")};
static rc_snapshot_provider provider = {.config = &config};
static uint16_t row;

static void use_keys(uint8_t count)
{
    rc_key_fingerprint fingerprints[8] = {0};
    config.key_count = count;
    for (uint8_t i = 0; i < count; i++)
        fingerprints[i].bytes[0] = (uint8_t)(i + 1);
    assert_true(
        rc_hub_add_pool(&hub, config.name, fingerprints, count, NOW_MS, &provider.first_key));
    rc_hub_set_pool(&hub, &provider, 1);
}

static int set_up(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    if (rc_hub_init(&hub, &rc_sys_real, &alloc, 1, NOW_MS) != RC_OK)
        return 1;
    use_keys(2);
    row = rc_hub_take_named_target(&hub, config.name, RC_STR("m"), &provider, NOW_MS);
    return row == RC_NO_TARGET ? 1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_hub_done(&hub);
    return 0;
}

/* key: index of the key in the list. */
static void close_key(uint16_t key, rc_credential_state state, uint64_t until_ms)
{
    rc_shared_cool_down_credential(&hub.shared, (uint16_t)(provider.first_key + key), state,
                                   until_ms);
}

static void limit_key(uint16_t key, rc_credential_state state, uint64_t until_ms)
{
    rc_shared_limit_credential(&hub.shared, row, (uint16_t)(provider.first_key + key), state,
                               until_ms);
}

static void expect(rc_reason reason, rc_code code, const char *words)
{
    char scratch[256];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    assert_int_equal(rc_hub_why_unavailable(&hub, row, reason, NOW_MS, &text).code, code);
    const rc_str got = rc_buf_get(&text);
    assert_int_equal(got.len, strlen(words));
    assert_memory_equal(got.len > 0 ? got.ptr : "", words, got.len);
}

static void one_reason_is_described(void **state)
{
    (void)state;
    close_key(0, RC_CREDENTIAL_EXHAUSTED, LATER_MS);
    close_key(1, RC_CREDENTIAL_EXHAUSTED, LATER_MS);
    expect(RC_WHY_SKIP_CREDENTIALS, RC_CODE_QUOTA_EXHAUSTED, "quota used up (keys up:1, up:2)");
    close_key(0, RC_CREDENTIAL_DEAD, LATER_MS);
    close_key(1, RC_CREDENTIAL_DEAD, LATER_MS);
    expect(RC_WHY_CREDENTIALS_DEAD, RC_CODE_AUTH_FAILED, "refused (keys up:1, up:2)");
}

/* The code is that of the key that becomes available first. */
static void the_first_available_key_decides(void **state)
{
    (void)state;
    close_key(0, RC_CREDENTIAL_DEAD, LATER_MS);
    close_key(1, RC_CREDENTIAL_EXHAUSTED, LATER_MS);
    expect(RC_WHY_SKIP_CREDENTIALS, RC_CODE_QUOTA_EXHAUSTED,
           "quota used up (key up:2), refused (key up:1)");
    limit_key(1, RC_CREDENTIAL_COOLING, LATER_MS + 1);
    expect(RC_WHY_SKIP_CREDENTIALS, RC_CODE_RATE_LIMITED,
           "refused (key up:1), rate limited (key up:2)");
    limit_key(1, RC_CREDENTIAL_EXHAUSTED, LATER_MS + 2);
    expect(RC_WHY_SKIP_CREDENTIALS, RC_CODE_QUOTA_EXHAUSTED,
           "quota used up (key up:2), refused (key up:1)");
}

static void a_key_being_refreshed_is_described(void **state)
{
    (void)state;
    hub.shared.credentials[provider.first_key].is_refreshing = true;
    limit_key(1, RC_CREDENTIAL_EXHAUSTED, LATER_MS);
    expect(RC_WHY_SKIP_CREDENTIALS, RC_CODE_RATE_LIMITED,
           "quota used up (key up:2), being refreshed (key up:1)");
}

static void many_keys_are_counted(void **state)
{
    (void)state;
    use_keys(6);
    for (uint16_t i = 0; i < 6; i++)
        close_key(i, RC_CREDENTIAL_EXHAUSTED, LATER_MS);
    expect(RC_WHY_SKIP_CREDENTIALS, RC_CODE_QUOTA_EXHAUSTED,
           "quota used up (keys up:1, up:2, up:3 and 3 more)");
}

static void a_cooldown_is_described(void **state)
{
    (void)state;
    rc_target *target = &hub.shared.targets[row];
    rc_shared_cool_down_target(&hub.shared, row, LATER_MS);
    expect(RC_WHY_SKIP_COOLING, RC_CODE_NONE, "");
    target->cooled_for = RC_CODE_PROVIDER_5XX;
    expect(RC_WHY_SKIP_COOLING, RC_CODE_PROVIDER_5XX, "provider 5xx");
    target->cooled_for = RC_CODE_QUOTA_EXHAUSTED;
    expect(RC_WHY_SKIP_COOLING, RC_CODE_QUOTA_EXHAUSTED, "quota used up");
    /* The target's keys cool down longer than the target itself. */
    close_key(0, RC_CREDENTIAL_EXHAUSTED, LATER_MS + 1);
    close_key(1, RC_CREDENTIAL_EXHAUSTED, LATER_MS + 1);
    expect(RC_WHY_SKIP_COOLING, RC_CODE_QUOTA_EXHAUSTED, "quota used up (keys up:1, up:2)");
}

/* Reasons that have no text are left out. */
static void other_reasons_have_no_text(void **state)
{
    (void)state;
    expect(RC_WHY_SKIP_BUSY, RC_CODE_NONE, "");
    expect(RC_WHY_SKIP_BREAKER, RC_CODE_NONE, "");
    expect(RC_WHY_SKIP_OUT_OF_SERVICE, RC_CODE_NONE, "");
    row = RC_NO_TARGET;
    expect(RC_WHY_SKIP_COOLING, RC_CODE_NONE, "");
}

static void a_target_that_is_held_back_is_described(void **state)
{
    (void)state;
    rc_target *target = &hub.shared.targets[row];
    expect(RC_WHY_SKIP_DOWN, RC_CODE_NONE,
           "hardly any call succeeds, so only single calls probe it");
    target->failed_for = RC_CODE_PROVIDER_5XX;
    expect(
        RC_WHY_SKIP_DOWN, RC_CODE_NONE,
        "hardly any call succeeds, so only single calls probe it (latest failure: provider 5xx)");
    expect(RC_WHY_SKIP_PACED, RC_CODE_NONE, "");
    target->admission.pacer.rate_milli = 9540;
    expect(RC_WHY_SKIP_PACED, RC_CODE_NONE,
           "gets at most 9.5 calls per second, because it failed or refused more");
}

/* Records a response that states a limit for a key. */
static void learn(uint16_t key, rc_limit_axis axis, int64_t limit, int64_t remaining)
{
    const rc_limit_cost cost = rc_limit_cost_of(0, 0);
    const rc_limit_facts facts = {.count = 1, .list = {{axis, limit, remaining, 60000}}};
    rc_rate_limits *learned = &hub.shared.targets[row].learned[key];
    const rc_limit_mark mark = rc_rate_limits_start(learned, &cost, NOW_MS);
    rc_rate_limits_note(learned, &facts, &mark, NOW_MS, NOW_MS);
}

static void a_learned_limit_is_described(void **state)
{
    (void)state;
    expect(RC_WHY_SKIP_LIMIT, RC_CODE_NONE, "the provider's rate limit has no room now");
    learn(0, RC_LIMIT_REQUESTS, 600, 3);
    learn(0, RC_LIMIT_TOKENS, 30000, 20000); /* This call has used one more request. */
    learn(1, RC_LIMIT_OUTPUT_TOKENS, 500, 0);
    expect(RC_WHY_SKIP_LIMIT, RC_CODE_NONE,
           "the provider's rate limit has no room now: 2 of 600 requests left (key up:1), "
           "0 of 500 output tokens left (key up:2)");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(one_reason_is_described),
        TEST(the_first_available_key_decides),
        TEST(a_key_being_refreshed_is_described),
        TEST(many_keys_are_counted),
        TEST(a_target_that_is_held_back_is_described),
        TEST(a_learned_limit_is_described),
        TEST(a_cooldown_is_described),
        TEST(other_reasons_have_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
