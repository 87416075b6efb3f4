/* Tests of chains: the same target twice, and targets with different APIs beside `translate: off`,
 * are refused with their position; interfaces of providers and facts about models; suggestions for
 * unknown providers; times with units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/interfaces.h"
#include "config/load.h"
#include "config/show.h"
#include "support/fail_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD                                                                               \
    "providers: {openai: {keys: [env:K]}, local: {kind: vllm}, anthropic: {}, gemini: {}," \
    " demo: {}}\nroutes: [{model: a, "

#define OFF HEAD "translate: off, "

static const struct {
    const char *text;
    unsigned column; /* column of the expected fault; 0: the file is valid */
    const char *path;
    const char *part;
} cases[] = {
    {HEAD "chain: [{target: openai/x}, {target: openai/y}, {target: local/x}]}]\n", 0, "", ""},
    {HEAD "chain: [{target: openai/x}, {target: local/x}, {target: openai/x}]}]\n", 77,
     "routes[0].chain[2].target",
     "the target appears twice in one chain: chain[0] is the same target"},
    {HEAD "chain: [{target: \"local/*\"}, {target: \"local/*\"}]}]\n", 59,
     "routes[0].chain[1].target", "twice in one chain"},
    {HEAD "chain: [{target: openai/x}], overflow_to: openai/x}]\n", 63, "routes[0].overflow_to",
     "the chain already begins with this target"},
    {HEAD "chain: [{target: openai/x}, {target: local/x}], overflow_to: openai/x}]\n", 82,
     "routes[0].overflow_to", "the chain already begins with this target"},
    /* overflow_to may be a target of the chain. */
    {HEAD "chain: [{target: openai/x}, {target: local/x}], overflow_to: local/x}]\n", 0, "", ""},
    /* A target that could not be parsed causes only one fault. */
    {HEAD "chain: [{target: nobody/x}, {target: openai/x}], overflow_to: local/y}]\n", 38,
     "routes[0].chain[0].target", "no provider"},
    {HEAD "chain: [{}, {target: openai/x}]}]\n", 29, "routes[0].chain[0]", "target is missing"},
    /* The targets of a route may have different APIs, unless the route has `translate: off`. */
    {HEAD "chain: [openai/x, anthropic/x, gemini/x], overflow_to: local/x}]\n", 0, "", ""},
    {HEAD "translate: exact, chain: [openai/x, anthropic/x]}]\n", 0, "", ""},
    {OFF "chain: [{target: openai/x}, {target: anthropic/x}]}]\n", 74, "routes[0].chain[1].target",
     "this target's provider has the interface messages and chain[0] responses; with translate: "
     "off all targets of a route must have the same one"},
    {OFF "chain: [{target: gemini/x}, {target: demo/x}, {target: local/x}]}]\n", 92,
     "routes[0].chain[2].target",
     "this target's provider has the interface chat and chain[0] gemini"},
    {OFF "chain: [{target: demo/x}, {target: gemini/x}, {target: demo/y}]}]\n", 0, "", ""},
    {OFF "chain: [openai/x, local/x]}]\n", 0, "", ""},
    {OFF "chain: [{target: anthropic/x}], overflow_to: gemini/x}]\n", 82, "routes[0].overflow_to",
     "this target's provider has the interface gemini and chain[0] messages"},
    {HEAD "chain: [{target: demo/x}], overflow_to: gemini/x}]\n", 0, "", ""},
    {HEAD "chain: [{target: gemini/x}], overflow_to: demo/x}]\n", 0, "", ""},
    {HEAD "chain: [{target: nobody/x}, {target: gemini/x}]}]\n", 38, "routes[0].chain[0].target",
     "no provider"},
    /* A chain entry may consist of the target's name only. */
    {HEAD "chain: [openai/x, {target: local/x, tries: 2}, local/y]}]\n", 0, "", ""},
    {HEAD "chain: [openai/x, local/x, openai/x]}]\n", 48, "routes[0].chain[2]",
     "the target appears twice in one chain: chain[0] is the same target"},
    {OFF "chain: [openai/x, gemini/x]}]\n", 55, "routes[0].chain[1]",
     "this target's provider has the interface gemini and chain[0] responses"},
    {HEAD "chain: [openai]}]\n", 29, "routes[0].chain[0]", "provider/model is expected"},
    {HEAD "chain: [vllm/x]}]\n", 29, "routes[0].chain[0]", "there is no provider \"vllm\""},
    /* Groups of targets. */
    {HEAD
     "chain: [{any_of: [openai/x, local/x], weights: [3, 1], by: least-busy, sticky: user}]}]\n",
     0, "", ""},
    {HEAD
     "chain: [{any_of: [openai/x, {target: local/x, context_tokens: 8}], tries: 2}, demo/z]}]\n",
     0, "", ""},
    {HEAD "chain: [{any_of: [openai/x, local/x], weights: [3, 0]}]}]\n", 72,
     "routes[0].chain[0].weights[1]", "a weight of 0 is not possible; remove the target"},
    {HEAD "chain: [{any_of: [openai/x, local/x], weights: [3, 10001]}]}]\n", 72,
     "routes[0].chain[0].weights[1]", "from 1 to 10000"},
    {HEAD "chain: [{any_of: [openai/x, local/x], weights: [3, -1]}]}]\n", 72,
     "routes[0].chain[0].weights[1]", "from 1 to 10000"},
    {HEAD "chain: [{any_of: [openai/x, local/x], weights: [3, 0.5]}]}]\n", 72,
     "routes[0].chain[0].weights[1]", ""},
    {HEAD "chain: [{any_of: [openai/x, local/x], weights: [3]}]}]\n", 68,
     "routes[0].chain[0].weights",
     "weights has 1 number and any_of 2 targets; write one number for each target"},
    {HEAD "chain: [{any_of: [openai/x, local/x], weights: [3, 1, 1]}]}]\n", 68,
     "routes[0].chain[0].weights", "weights has 3 numbers and any_of 2 targets"},
    {HEAD "chain: [{any_of: [openai/x, local/x], weights: 3}]}]\n", 68,
     "routes[0].chain[0].weights", "list"},
    {HEAD "chain: [{any_of: [openai/x]}]}]\n", 38, "routes[0].chain[0].any_of",
     "any_of has one target"},
    {HEAD "chain: [{any_of: []}]}]\n", 38, "routes[0].chain[0].any_of", "any_of is empty"},
    {HEAD "chain: [{any_of: openai/x}]}]\n", 38, "routes[0].chain[0].any_of", "list"},
    {HEAD "chain: [{any_of: [openai/x, openai/x]}]}]\n", 49, "routes[0].chain[0].any_of[1]",
     "chain[0].any_of[0] is the same target; to send it more requests, set its number in weights"},
    {HEAD "chain: [{any_of: [openai/x, local/x]}, local/x]}]\n", 60, "routes[0].chain[1]",
     "chain[0].any_of[1] is the same target; to allow it more attempts, set tries"},
    {HEAD "chain: [{any_of: [openai/x, nobody/x]}]}]\n", 49, "routes[0].chain[0].any_of[1]",
     "there is no provider \"nobody\""},
    {HEAD "chain: [{any_of: [openai/x, {any_of: [local/x, local/y]}]}]}]\n", 58,
     "routes[0].chain[0].any_of[1].any_of", "any_of cannot contain another any_of"},
    {HEAD "chain: [{any_of: [openai/x, gemini/x]}]}]\n", 0, "", ""},
    {OFF "chain: [{any_of: [openai/x, gemini/x]}]}]\n", 65, "routes[0].chain[0].any_of[1]",
     "this target's provider has the interface gemini and chain[0].any_of[0] responses"},
    {HEAD "chain: [{any_of: [openai/x, local/x], target: openai/z}]}]\n", 67,
     "routes[0].chain[0].target", "a chain entry has either target or any_of"},
    {HEAD "chain: [{any_of: [openai/x, local/x], by: random}]}]\n", 63, "routes[0].chain[0].by",
     ""},
    {HEAD "chain: [{any_of: [openai/x, local/x], stick: user}]}]\n", 59, "routes[0].chain[0].stick",
     "unknown key"},
    {HEAD "chain: [{any_of: [openai/x, {target: local/x, tries: 2}]}]}]\n", 74,
     "routes[0].chain[0].any_of[1].tries", "tries applies to all targets of any_of"},
    {HEAD "chain: [{any_of: [openai/x, local/x], sticky: user}, {any_of: [openai/y, local/y], "
          "sticky: session}]}]\n",
     112, "routes[0].chain[1].sticky", "chain[0].any_of[0] is sticky by user"},
    {HEAD "chain: [{any_of: [openai/x, local/x]}], fallback_on: [ModelNotFound]}]\n", 0, "", ""},
    {HEAD "chain: [{any_of: [openai/x, local/x]}], overflow_to: openai/x}]\n", 0, "", ""},
    /* fallback_on must name fatal codes, and needs a second target and a second attempt. */
    {HEAD "chain: [openai/x, local/x], fallback_on: [ModelNotFound, AuthFailed, UnsupportedFeature]"
          "}]\n",
     0, "", ""},
    {HEAD "chain: [openai/x], fallback_on: []}]\n", 0, "", ""},
    {HEAD "chain: [openai/x, local/x], fallback_on: [RateLimited]}]\n", 63,
     "routes[0].fallback_on[0]", "RateLimited always goes to the next target; remove it"},
    {HEAD "chain: [openai/x, local/x], fallback_on: [QuotaExhausted]}]\n", 63,
     "routes[0].fallback_on[0]", "always goes to the next target"},
    {HEAD "chain: [openai/x, local/x], fallback_on: [ContextOverflow]}]\n", 63,
     "routes[0].fallback_on[0]", "overflow_to"},
    {HEAD "chain: [openai/x, local/x], fallback_on: [OutcomeUnknown]}]\n", 63,
     "routes[0].fallback_on[0]", "would not be better at another target"},
    {HEAD "chain: [openai/x, local/x], fallback_on: [ModelNotFond]}]\n", 63,
     "routes[0].fallback_on[0]", "there is no code"},
    {HEAD "chain: [openai/x], fallback_on: [ModelNotFound]}]\n", 53, "routes[0].fallback_on",
     "the chain has one target"},
    {HEAD "chain: [openai/x, local/x], policy: none, fallback_on: [ModelNotFound]}]\n", 76,
     "routes[0].fallback_on", "never makes a second attempt"},
    {HEAD "chain: [groq/x]}]\n", 29, "routes[0].chain[0]", "write groq: {} under providers"},
};

/* Suggestions for an unknown provider. */
static void providers_are_suggested(void **state)
{
    (void)state;
    static const struct {
        const char *target, *nearest;
    } names[] = {{"opnai/x", "openai"}, {"vllm/x", "local"}, {"grok/x", "groq"}, {"zzz/x", ""}};
    for (size_t i = 0; i < COUNT(names); i++) {
        fail_alloc memory = {0};
        rc_alloc alloc = fail_alloc_of(&memory);
        char text[512];
        rc_config config;
        rc_config_faults faults;
        rc_config_faults_init(&faults);
        (void)snprintf(text, sizeof text, HEAD "chain: [%s]}]\n", names[i].target);
        assert_int_not_equal(rc_config_parse(&config, rc_str_c(text), &alloc, &faults), RC_OK);
        if (faults.count != 1 || strcmp(faults.list[0].nearest, names[i].nearest) != 0)
            fail_msg("%s: %s", names[i].target, faults.list[0].nearest);
        rc_config_done(&config);
    }
}

/* Every key that ends in _ms accepts a unit, and may be written without _ms. */
static void times_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *pair;
        uint64_t ms;      /* expected value; 0: the value is refused */
        const char *part; /* a part of the expected message */
    } times[] = {
        {"deadline_ms: 120000", 120000, ""},
        {"deadline: 2m", 120000, ""},
        {"deadline_ms: 2m", 120000, ""},
        {"deadline: \"1h 30m\"", 5400000, ""},
        {"deadline: 1.5s", 1500, ""},
        {"deadline: 250ms", 250, ""},
        {"deadline: 120", 0, "a time with its unit"},
        {"deadline: 0", 0, "a time with its unit"},
        {"deadline: soon", 0, "a time with its unit"},
        {"deadline: 3d", 0, "a time with its unit"},
        {"deadline: 2m, deadline_ms: 120000", 0, "deadline_ms sets the same value"},
        {"deadline_ms: soon", 0, "a whole number from 1 to 86400000"},
        {"dedline: 2m", 0, "unknown key"},
    };
    for (size_t i = 0; i < COUNT(times); i++) {
        fail_alloc memory = {0};
        rc_alloc alloc = fail_alloc_of(&memory);
        char text[512];
        rc_config config;
        rc_config_faults faults;
        rc_config_faults_init(&faults);
        (void)snprintf(text, sizeof text, HEAD "chain: [demo/x], %s}]\n", times[i].pair);
        const rc_status status = rc_config_parse(&config, rc_str_c(text), &alloc, &faults);
        const bool is_right =
            times[i].ms > 0
                ? status == RC_OK && config.routes[0].deadline_ms == times[i].ms
                : faults.count == 1 && strstr(faults.list[0].message, times[i].part) != NULL;
        if (!is_right)
            fail_msg("%s: %s", times[i].pair, faults.list[0].message);
        rc_config_done(&config);
    }
}

static void times_of_all_sections_have_units(void **state)
{
    (void)state;
    static const char text[] =
        "cooldown: 7s\nbreaker: {window: 20s, open: 2s, open_max_ms: 4s}\n"
        "limits: {drain: 1m}\n"
        "policies: {p: {preset: transport, base: 2s, max_delay: 1m, budget: 5m, min_remaining: 0,"
        " rules: [{codes: [Overloaded], schedule: [1s, 2s, 500ms]}]}}\n"
        "providers: {demo: {}}\n"
        "routes: [{model: a, chain: [demo/x], hedge: 3s, policy: p, timeouts: {connect: 2s,"
        " first_byte: 0}}]\n";
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config config;
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    if (rc_config_parse(&config, rc_str_c(text), &alloc, &faults) != RC_OK)
        fail_msg("%s: %s", faults.list[0].path, faults.list[0].message);
    assert_int_equal(config.root.cooldown_ms, 7000);
    assert_int_equal(config.breaker.window_ms, 20000);
    assert_int_equal(config.breaker.open_max_ms, 4000);
    assert_int_equal(config.limits.drain_ms, 60000);
    assert_int_equal(config.routes[0].hedge_ms, 3000);
    assert_int_equal(config.routes[0].timeouts.connect_ms, 2000);
    const rc_policy *policy = config.routes[0].policy;
    assert_int_equal(policy->default_rule.base_ms, 2000);
    assert_int_equal(policy->default_rule.max_delay_ms, 60000);
    assert_int_equal(policy->budget_ms, 300000);
    assert_int_equal(policy->rules[policy->rule_count - 1].schedule_ms[2], 500);
    rc_config_done(&config);
}

static void a_chain_has_each_target_once_and_one_api_without_translation(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        fail_alloc memory = {0};
        rc_alloc alloc = fail_alloc_of(&memory);
        rc_config config;
        rc_config_faults faults;
        rc_config_faults_init(&faults);
        rc_status status = rc_config_parse(&config, rc_str_c(cases[i].text), &alloc, &faults);
        const rc_config_fault *fault = &faults.list[0];
        bool is_good = cases[i].column == 0;
        if (is_good && status != RC_OK)
            fail_msg("%s: %s: %s", cases[i].text, fault->path, fault->message);
        if (!is_good &&
            (faults.count != 1 || fault->line != 2 || fault->column != cases[i].column ||
             strcmp(fault->path, cases[i].path) != 0 ||
             strstr(fault->message, cases[i].part) == NULL))
            fail_msg("%s: %zu: %u:%u: %s: %s", cases[i].text, faults.count, fault->line,
                     fault->column, fault->path, fault->message);
        rc_config_done(&config);
        assert_int_equal(memory.live, 0);
    }
}

static void expect_group(const rc_config *config)
{
    const rc_config_route *route = &config->routes[0];
    assert_int_equal(route->chain_count, 4);
    static const uint16_t groups[] = {0, 2, 2, 2};
    static const uint16_t weights[] = {1, 5, 1, 2};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(route->chain[i].group, groups[i]);
        assert_int_equal(route->chain[i].weight, weights[i]);
        assert_int_equal(route->chain[i].tries, i > 0 ? 2 : 0);
        assert_int_equal(route->chain[i].by, i > 0 ? RC_SPREAD_REMAINING : RC_SPREAD_WEIGHT);
        assert_int_equal(route->chain[i].sticky, i > 0 ? RC_STICKY_SESSION : RC_STICKY_NONE);
    }
    assert_int_equal(route->chain[2].context_tokens, 8000);
}

/* `config show` writes a group as it was read. */
static void groups_are_read_and_shown(void **state)
{
    (void)state;
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config config;
    rc_config_faults faults;
    rc_buf shown;
    rc_config_faults_init(&faults);
    const rc_str text =
        RC_STR(HEAD "chain: [demo/a, {any_of: [openai/x, {target: local/x, context_tokens: 8000}, "
                    "local/y], weights: [5, 1, 2], by: remaining, sticky: session, tries: 2}]}]\n");
    assert_int_equal(rc_config_parse(&config, text, &alloc, &faults), RC_OK);
    expect_group(&config);
    rc_buf_init(&shown, &alloc, 65536);
    rc_config_push_yaml(&shown, &config);
    rc_config_done(&config);
    assert_int_equal(rc_config_parse(&config, rc_buf_get(&shown), &alloc, &faults), RC_OK);
    expect_group(&config);
    rc_config_done(&config);
    rc_buf_done(&shown);
    assert_int_equal(memory.live, 0);
}

/* The list of a provider's interfaces. */
static void interfaces_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* value of `interfaces` */
        const char *kind;
        const char *part; /* "": the value is valid */
    } lists[] = {
        {"[messages, chat]", "anthropic", ""},
        {"[gemini, chat]", "gemini", ""},
        {"[responses]", "vllm", ""},
        {"[chat]", "openai", ""},
        {"[]", "openai", "the list is empty"},
        {"[chat, chat]", "openai", "this interface appears twice"},
        {"[messages]", "openai", "providers of kind openai do not have this interface"},
        {"[responses]", "anthropic", "providers of kind anthropic do not have this interface"},
        {"[mesages]", "anthropic", "messages"},
    };
    for (size_t i = 0; i < COUNT(lists); i++) {
        char text[512];
        fail_alloc memory = {0};
        rc_alloc alloc = fail_alloc_of(&memory);
        rc_config config;
        rc_config_faults faults;
        rc_config_faults_init(&faults);
        snprintf(text, sizeof text, "providers: {p: {kind: %s, interfaces: %s}}\n", lists[i].kind,
                 lists[i].text);
        rc_status status = rc_config_parse(&config, rc_str_c(text), &alloc, &faults);
        if (lists[i].part[0] == '\0') {
            assert_int_equal(status, RC_OK);
            assert_true(config.providers[0].has_own_interfaces);
        } else if (faults.count != 1 || strstr(faults.list[0].message, lists[i].part) == NULL) {
            fail_msg("%s: %zu: %s", text, faults.count, faults.list[0].message);
        }
        rc_config_done(&config);
        assert_int_equal(memory.live, 0);
    }
}

static rc_dialect interface_for(const char *yaml, rc_dialect client, bool is_translated)
{
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config config;
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(&config, rc_str_c(yaml), &alloc, &faults), RC_OK);
    rc_dialect interface = rc_config_interface_for(&config.providers[0], client, is_translated);
    rc_config_done(&config);
    return interface;
}

static void a_client_s_own_interface_comes_first(void **state)
{
    (void)state;
    static const char claude[] = "providers: {p: {kind: anthropic}}\n";
    static const char both[] = "providers: {p: {kind: anthropic, interfaces: [messages, chat]}}\n";
    static const char gpt[] = "providers: {p: {kind: openai}}\n";
    const rc_dialect chat = RC_DIALECT_OPENAI_CHAT;
    const rc_dialect messages = RC_DIALECT_ANTHROPIC;
    assert_int_equal(interface_for(claude, messages, true), messages);
    assert_int_equal(interface_for(claude, chat, true), messages);
    assert_int_equal(interface_for(claude, chat, false), RC_DIALECT_PROBLEM);
    assert_int_equal(interface_for(both, chat, true), chat);
    assert_int_equal(interface_for(both, chat, false), chat);
    assert_int_equal(interface_for(gpt, chat, true), chat);
    assert_int_equal(interface_for(gpt, RC_DIALECT_OPENAI_RESPONSES, true),
                     RC_DIALECT_OPENAI_RESPONSES);
    assert_int_not_equal(interface_for(gpt, messages, true), RC_DIALECT_PROBLEM);
    assert_int_equal(interface_for(gpt, messages, false), RC_DIALECT_PROBLEM);
}

/* Values of the configuration come before those of spec/models.def: the entry's, then the
 * provider's. */
static void facts_of_models_can_be_configured(void **state)
{
    (void)state;
    static const char yaml[] =
        "providers: {c: {kind: anthropic, context_tokens: 9000, capabilities: [tools]}}\n"
        "routes: [{model: a, chain: [{target: c/claude-opus-4-8, max_output_tokens: 50},"
        " {target: c/x, context_tokens: 70, capabilities: [vision]}]}]\n";
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config config;
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(&config, rc_str_c(yaml), &alloc, &faults), RC_OK);
    const rc_config_provider *provider = &config.providers[0];
    const rc_config_target *chain = config.routes[0].chain;
    rc_model_facts facts = rc_config_model_facts(provider, &chain[0], RC_STR("claude-opus-4-8"));
    assert_int_equal(facts.context, 9000);
    assert_int_equal(facts.max_tokens, 50);
    assert_true((facts.flags & RC_MODEL_TOOLS) != 0 && (facts.flags & RC_MODEL_VISION) == 0);
    assert_true((facts.flags & RC_MODEL_REASONING) != 0);
    facts = rc_config_model_facts(provider, &chain[1], RC_STR("x"));
    assert_int_equal(facts.context, 70);
    assert_true((facts.flags & RC_MODEL_VISION) != 0 && (facts.flags & RC_MODEL_TOOLS) == 0);
    facts = rc_config_model_facts(provider, NULL, RC_STR("claude-opus-4-8"));
    assert_true(facts.max_tokens > 50);
    rc_config_done(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_each_target_once_and_one_api_without_translation),
        cmocka_unit_test(groups_are_read_and_shown),
        cmocka_unit_test(interfaces_are_checked),
        cmocka_unit_test(a_client_s_own_interface_comes_first),
        cmocka_unit_test(facts_of_models_can_be_configured),
        cmocka_unit_test(providers_are_suggested),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(times_of_all_sections_have_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
