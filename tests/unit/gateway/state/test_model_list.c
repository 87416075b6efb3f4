/* Tests of the model lists: the models that clients can request, in the format of each dialect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "config/prices/prices.h"
#include "gateway/state/hub.h"
#include "gateway/state/model_list.h"
#include "sys/calls.h"

#define NOW_MS 5000u
#define LOADED_S "1800000000"

static rc_hub hub;
static rc_sys_calls calls;
static char text[65536];

static int read_wall(struct timespec *ret_time)
{
    *ret_time = (struct timespec){.tv_sec = 1800000000};
    return 0;
}

/* Returns the list in this dialect for a configuration and a price list. */
static const char *list_of(const char *config, const char *prices, rc_dialect dialect)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_load_error error;
    rc_config_faults faults;
    rc_buf buf;
    calls = rc_sys_real;
    calls.clock_realtime = read_wall;
    assert_int_equal(rc_hub_init(&hub, &calls, &alloc, 1, NOW_MS), RC_OK);
    rc_snapshot_input input = {.config = alloc.get(alloc.ctx, sizeof *input.config),
                               .prices = alloc.get(alloc.ctx, sizeof *input.prices)};
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(input.config, rc_str_c(config), &alloc, &faults), RC_OK);
    assert_int_equal(rc_prices_parse(input.prices, rc_str_c(prices), &alloc, &faults), RC_OK);
    assert_true(rc_hub_load(&hub, &input, NOW_MS, &error));
    rc_snapshot *snapshot = rc_hub_take_snapshot(&hub);
    rc_buf_init_fixed(&buf, text, sizeof text - 1);
    rc_snapshot_push_models(snapshot, dialect, &buf);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    text[rc_buf_get(&buf).len] = '\0';
    rc_snapshot_release(snapshot);
    rc_hub_done(&hub);
    return text;
}

#define PROVIDERS                                                                        \
    "providers:\n"                                                                       \
    "  oa: {kind: openai, base_url: \"http://127.0.0.1:1/v1\"}\n"                        \
    "  cl: {kind: anthropic, base_url: \"http://127.0.0.1:1\", capabilities: [tools]}\n" \
    "  ge: {kind: gemini, base_url: \"http://127.0.0.1:1\"}\n"
#define NO_PRICES "as_of: 2026-11-01\nbuilt_in: false\nprices: []\n"
#define PRICES                                                                          \
    "as_of: 2026-11-01\nbuilt_in: false\nprices:\n"                                     \
    "  - {kind: openai, model: gpt-known, over_input_tokens: 9, input: 1, output: 1}\n" \
    "  - {kind: openai, model: gpt-known, input: 2, output: 1}\n"                       \
    "  - {kind: openai, model: \"gpt-star*\", input: 1, output: 1}\n"                   \
    "  - {provider: cl, model: claude-known, input: 1, output: 1}\n"                    \
    "  - {kind: openai, model: oa/x, input: 1, output: 1}\n"
#define MODEL(id, owner, more)                                                               \
    "{\"id\":\"" id "\",\"object\":\"model\",\"created\":" LOADED_S ",\"owned_by\":\"" owner \
    "\"" more "}"
#define LIST(models) "{\"object\":\"list\",\"data\":[" models "]}"

/* The list contains the names of routes, never those of targets. */
static void routes_are_listed(void **state)
{
    (void)state;
    const char *config =
        PROVIDERS "routes:\n"
                  "  - {model: fast, chain: [{target: oa/gpt-4o, context_tokens: 128000,"
                  " capabilities: [streaming, tools, vision]},"
                  " {target: oa/mock/503, context_tokens: 32000}]}\n"
                  "  - {model: deep, chain: [{target: cl/claude-x}]}\n";
    assert_string_equal(
        list_of(config, NO_PRICES, RC_DIALECT_OPENAI_CHAT),
        LIST(MODEL("fast", "oa",
                   ",\"context_window\":32000,\"capabilities\":[\"streaming\",\"tools\","
                   "\"vision\"]") "," MODEL("deep", "cl", ",\"capabilities\":[\"tools\"]")));
}

/* Each dialect has its own format and lists names that its clients can use. */
static void dialects_have_their_forms(void **state)
{
    (void)state;
    const char *config =
        PROVIDERS "routes:\n"
                  "  - {model: fast, chain: [{target: oa/gpt-4o}]}\n"
                  "  - {model: deep, chain: [{target: cl/c, context_tokens: 200000}]}\n"
                  "  - {model: wide, chain: [{target: ge/g, context_tokens: 1000000}]}\n";
    assert_string_equal(list_of(config, NO_PRICES, RC_DIALECT_ANTHROPIC),
                        "{\"data\":[{\"type\":\"model\",\"id\":\"deep\",\"display_name\":\"deep\","
                        "\"created_at\":\"2027-01-15T08:00:00.000Z\",\"max_input_tokens\":200000}],"
                        "\"has_more\":false,\"first_id\":\"deep\",\"last_id\":\"deep\"}");
    assert_string_equal(list_of(config, NO_PRICES, RC_DIALECT_GEMINI),
                        "{\"models\":[{\"name\":\"models/wide\",\"displayName\":\"wide\","
                        "\"inputTokenLimit\":1000000,\"supportedGenerationMethods\":["
                        "\"generateContent\",\"streamGenerateContent\",\"embedContent\","
                        "\"countTokens\"]}]}");
}

/* For a route with "*", the known models that lead to it are listed. */
static void routes_with_a_star_list_known_models(void **state)
{
    (void)state;
    const char *config =
        PROVIDERS "routes:\n"
                  "  - {model: gpt-known, chain: [{target: ge/g}]}\n"
                  "  - {model: \"fixed*\", chain: [{target: oa/fixed-1}, {target: oa/fixed-2}]}\n"
                  "  - {model: \"*\", chain: [{target: cl/*}, {target: cl/spare}]}\n";
    assert_string_equal(list_of(config, PRICES, RC_DIALECT_OPENAI_CHAT),
                        LIST(MODEL("gpt-known", "ge", "") "," MODEL("fixed-1", "oa", "") "," MODEL(
                            "claude-known", "cl", ",\"capabilities\":[\"tools\"]")));
    config = PROVIDERS "routes: [{model: \"*\", chain: [{target: oa/*}]}]\n";
    assert_string_equal(list_of(config, PRICES, RC_DIALECT_OPENAI_CHAT),
                        LIST(MODEL("gpt-known", "oa", "")));
    assert_string_equal(list_of(config, PRICES, RC_DIALECT_ANTHROPIC),
                        "{\"data\":[],\"has_more\":false}");
}

/* Without routes, a client can only use names in the form PROVIDER/MODEL. */
static void without_routes_providers_are_named(void **state)
{
    (void)state;
    assert_string_equal(list_of(PROVIDERS "routes: []\n", PRICES, RC_DIALECT_ANTHROPIC),
                        "{\"data\":[{\"type\":\"model\",\"id\":\"cl/claude-known\","
                        "\"display_name\":\"cl/claude-known\","
                        "\"created_at\":\"2027-01-15T08:00:00.000Z\"}],"
                        "\"has_more\":false,\"first_id\":\"cl/claude-known\","
                        "\"last_id\":\"cl/claude-known\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_are_listed),
        cmocka_unit_test(dialects_have_their_forms),
        cmocka_unit_test(routes_with_a_star_list_known_models),
        cmocka_unit_test(without_routes_providers_are_named),
    };
    return cmocka_run_group_tests_name("gate_models", tests, NULL, NULL);
}
