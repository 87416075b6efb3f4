/* Tests of the configuration as a whole: valid files, invalid files and the positions of faults,
 * environment variables in place of a file, and failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "classify/providers/provider.h"
#include "config/keys.h"
#include "config/show.h"
#include "policy/ledger.h"
#include "support/config_fixture.h"
#include <recourse/call.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OPENAI "providers: {openai: {keys: [env:K]}}\n"

static void expect_good(const char *text)
{
    if (parse(text) != RC_OK)
        fail_msg("%u:%u: %s: %s", faults.list[0].line, faults.list[0].column, faults.list[0].path,
                 faults.list[0].message);
}

static void expect_text(rc_str text, const char *wanted)
{
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr, wanted, text.len);
}

/* ---- valid configurations ---- */

static const char whole[] =
    "listen: 127.0.0.1:8787\n"
    "store: sqlite:recourse.db\n"
    "providers:\n"
    "  openai:  {kind: openai, base_url: https://api.openai.com/v1/, keys: [env:A, env:B]}\n"
    "  claude:  {kind: anthropic, keys: [file:/run/secrets/anthropic], max_in_flight: 7}\n"
    "  local:   {kind: vllm, capabilities: [streaming, tools]}\n"
    "  demo:    {}\n"
    "  gemini:  {}\n"
    "routes:\n"
    "  - model: \"gpt-4o*\"\n"
    "    chain:\n"
    "      - {target: openai/gpt-4o, tries: 2}\n"
    "      - {target: local/meta/llama-3, capabilities: [vision]}\n"
    "      - {target: \"demo/*\"}\n"
    "    policy: fast\n"
    "    deadline_ms: 90000\n"
    "    timeouts: {connect_ms: 4000}\n"
    "    overflow_to: openai/gpt-4.1\n"
    "    revert: never\n"
    "    budget_usd: 0.25\n"
    "    on_exceed: pause\n"
    "  - {model: \"claude*\", chain: [{target: \"claude/*\"}]}\n"
    "  - {model: \"*\", chain: [{target: local/small}]}\n"
    "policies:\n"
    "  fast: {max_attempts: 3, backoff: exponential, base_ms: 50, max_delay_ms: 1000, jitter: 20}\n"
    "retry_budget: {ratio: 0.25, floor_per_s: 11}\n"
    "audit: {durability: async, content: off}\n"
    "clients: [{name: app, token: env:T, budget_usd: 12.5, on_exceed: warn},"
    " {name: web, token: env:U, budget_usd: 1}]\n"
    "budgets:\n"
    "  - {name: all, limit_usd: 100.000001, per: day, on_exceed: pause}\n"
    "  - {name: claude, match: {client: \"a*\", route: \"gpt-4o*\", target: claude/*}, limit_usd: "
    "5}\n"
    "admin: {listen: \"[::1]:9\", token: file:/run/t}\n"
    "log: {format: human, file: /var/log/recourse.log}\n"
    "limits: {replay_bytes: 0}\n"
    "threads: 3\n"
    "cooldown_ms: 1234\n";

static void a_whole_configuration_is_read(void **state)
{
    (void)state;
    expect_good(whole);
    assert_int_equal(config.provider_count, 5);
    const rc_config_provider *openai = rc_config_provider_find(&config, RC_STR("openai"));
    expect_text(openai->base_url, "https://api.openai.com/v1");
    assert_int_equal(openai->key_count, 2);
    assert_int_equal(openai->keys[1].kind, RC_SECRET_ENV);
    expect_text(openai->keys[1].name, "B");
    assert_int_equal(openai->keys[1].line, 4);
    assert_true(openai->capabilities == UINT32_MAX);
    const rc_config_provider *claude = rc_config_provider_find(&config, RC_STR("claude"));
    expect_text(claude->base_url, "https://api.anthropic.com");
    expect_text(claude->keys[0].name, "/run/secrets/anthropic");
    assert_int_equal(claude->max_in_flight, 7);
    assert_int_equal(config.providers[2].capabilities, RC_NEED_STREAMING | RC_NEED_TOOLS);
    assert_int_equal(config.providers[2].key_count, 0);
    /* the usual address and the usual variable for the key */
    expect_text(config.providers[4].keys[0].name, "GEMINI_API_KEY");
    assert_null(rc_config_provider_find(&config, RC_STR("nobody")));

    const rc_config_route *route = rc_config_route_find(&config, RC_STR("gpt-4o-mini"));
    assert_ptr_equal(route, &config.routes[0]);
    assert_int_equal(route->chain_count, 3);
    assert_int_equal(route->chain[0].tries, 2);
    expect_text(route->chain[1].model, "meta/llama-3");
    assert_int_equal(route->chain[1].provider, 2);
    assert_int_equal(route->chain[1].capabilities, RC_NEED_VISION);
    expect_text(route->chain[2].model, "*");
    assert_ptr_equal(route->policy, rc_config_policy(&config, RC_STR("fast")));
    assert_int_equal(route->policy->default_rule.base_ms, 50);
    assert_int_equal(route->deadline_ms, 90000);
    assert_int_equal(route->timeouts.connect_ms, 4000);
    /* default values of keys that the file does not set */
    assert_int_equal(route->timeouts.first_byte_ms, 0);
    assert_int_equal(route->timeouts.idle_ms, 120000);
    assert_int_equal(config.routes[2].deadline_ms, 600000);
    assert_true(route->has_overflow_to);
    expect_text(route->overflow_to.model, "gpt-4.1");
    assert_int_equal(route->revert, RC_REVERT_NEVER);
    assert_ptr_equal(rc_config_route_find(&config, RC_STR("x")), &config.routes[2]);

    assert_int_equal(config.audit.durability, RC_DURABLE_ASYNC);
    assert_int_equal(config.audit.content, 0);
    assert_int_equal(config.clients[0].budget_usd, 12500000);
    assert_int_equal(config.clients[0].on_exceed, RC_EXCEED_WARN);
    assert_int_equal(config.budget_count, 2);
    expect_text(config.budgets[0].name, "all");
    assert_int_equal(config.budgets[0].limit_usd, 100000001);
    assert_int_equal(config.budgets[0].per, RC_LEDGER_DAY);
    assert_int_equal(config.budgets[0].on_exceed, RC_EXCEED_PAUSE);
    assert_int_equal(config.budgets[0].match.client.len, 0);
    expect_text(config.budgets[1].match.client, "a*");
    expect_text(config.budgets[1].match.target, "claude/*");
    assert_int_equal(config.budgets[1].per, RC_LEDGER_MONTH);
    /* The default of on_exceed is fail. */
    assert_int_equal(config.budgets[1].on_exceed, RC_EXCEED_FAIL);
    assert_int_equal(config.routes[1].on_exceed, RC_EXCEED_FAIL);
    assert_int_equal(config.clients[1].on_exceed, RC_EXCEED_FAIL);
    assert_int_equal(config.routes[0].budget_usd, 250000);
    assert_int_equal(config.routes[0].on_exceed, RC_EXCEED_PAUSE);
    assert_int_equal(config.routes[1].budget_usd, 0);
    expect_text(config.admin.listen, "[::1]:9");
    assert_true(rc_config_admin_listens(&config.admin));
    assert_int_equal(config.log.format, RC_LOG_HUMAN);
    expect_text(config.log.file, "/var/log/recourse.log");
    assert_int_equal(config.limits.replay_bytes, 0);
    assert_int_equal(config.root.threads, 3);
    assert_int_equal(config.admin.token.kind, RC_SECRET_FILE);
    rc_shared_settings settings = rc_config_shared_settings(&config);
    assert_int_equal(settings.retry_budget.ratio_milli, 250);
    assert_int_equal(settings.retry_budget.floor_per_s, 11);
    assert_int_equal(settings.cooldown_ms, 1234);
    done();
}

static void an_empty_file_gives_the_defaults(void **state)
{
    (void)state;
    expect_good("");
    expect_text(config.root.listen, "127.0.0.1:8787");
    expect_text(config.root.store, ""); /* rc_config_find_store sets this value */
    assert_int_equal(config.provider_count, 0);
    assert_int_equal(config.root.threads, 0);
    expect_text(config.admin.listen, "127.0.0.1:8789");
    assert_int_equal(config.log.format, RC_LOG_AUTO);
    assert_int_equal(config.limits.replay_bytes, 4194304);
    assert_int_equal(config.audit.durability, RC_DURABLE_BEFORE_RESPONSE);
    rc_shared_settings mine = rc_config_shared_settings(&config);
    rc_shared_settings core = rc_shared_settings_default();
    assert_int_equal(mine.retry_budget.ratio_milli, core.retry_budget.ratio_milli);
    assert_int_equal(mine.retry_budget.floor_per_s, core.retry_budget.floor_per_s);
    assert_int_equal(mine.retry_budget.burst, core.retry_budget.burst);
    assert_int_equal(mine.breaker.window_ms, core.breaker.window_ms);
    assert_int_equal(mine.breaker.min_calls, core.breaker.min_calls);
    assert_int_equal(mine.breaker.failure_pct, core.breaker.failure_pct);
    assert_int_equal(mine.breaker.open_ms, core.breaker.open_ms);
    assert_int_equal(mine.breaker.open_max_ms, core.breaker.open_max_ms);
    assert_int_equal(mine.cooldown_ms, core.cooldown_ms);
    assert_int_equal(mine.exhausted_ms, core.exhausted_ms);
    done();
}

static void policies_are_found_presets_first(void **state)
{
    (void)state;
    assert_non_null(rc_config_policy(NULL, RC_STR("session")));
    assert_null(rc_config_policy(NULL, RC_STR("fast")));
    assert_string_equal(rc_config_policy_name_at(NULL, 0), "transport");
    assert_null(rc_config_policy_name_at(NULL, 4));
    expect_good(whole);
    assert_string_equal(rc_config_policy_name_at(&config, 4), "fast");
    assert_null(rc_config_policy_name_at(&config, 5));
    assert_ptr_equal(rc_config_policy(&config, RC_STR("none")), rc_policy_preset(RC_STR("none")));
    done();
}

static void patterns_match_whole_names(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool is_match;
    } cases[] = {
        {"gpt-4o*", "gpt-4o", true},
        {"gpt-4o*", "gpt-4", false},
        {"*", "", true},
        {"a*b*c", "a-b-b-c", true},
        {"a*b*c", "a-c-b", false},
        {"abc", "abcd", false},
        {"*mini", "4o-mini", true},
        {"*mini", "mini-x", false},
        {"a**b", "ab", true},
        {"", "", true},
        {"", "a", false},
        {"*a*a*a*", "aa", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (rc_glob_matches(rc_str_c(cases[i].pattern), rc_str_c(cases[i].text)) !=
            cases[i].is_match)
            fail_msg("%s, %s", cases[i].pattern, cases[i].text);
}

/* ---- invalid configurations ---- */

typedef struct refusal {
    const char *text;
    unsigned line, column;
    const char *path;
    const char *part;
    const char *nearest;
} refusal;

static const refusal refusals[] = {
    {"lisen: 1\n", 1, 1, "lisen", "unknown key", "listen"},
    {"[1]\n", 1, 1, "", "a map of keys and values is expected", ""},
    {"listen: 8787\n", 1, 9, "listen", "an address and a port", ""},
    {"listen: localhost:99999\n", 1, 9, "listen", "an address and a port", ""},
    {"listen: \"[::1:80\"\n", 1, 9, "listen", "an address and a port", ""},
    {"store: mysql://x\n", 1, 8, "store", "sqlite:PATH", ""},
    {"store: \"sqlite::memory:\"\n", 1, 8, "store", "in memory", ""},
    {"store: postgres://h/db\n", 1, 8, "store", "supports only SQLite", ""},
    {"store: postgres://u:hunter2@h/db\n", 1, 8, "store", "literal passwords", ""},
    {"store: postgres://h/db?password=hunter2\n", 1, 8, "store", "literal passwords", ""},
    {"store: env:9\n", 1, 8, "store", "name of a variable", ""},
    {"cooldown_ms: -1\n", 1, 14, "cooldown_ms", "from 0 to 86400000", ""},
    {"retry_budget: {ratio: 1.5}\n", 1, 23, "retry_budget.ratio", "from 0 to 1 is", ""},
    {"audit: {content: yes}\n", 1, 18, "audit.content", "off or on is expected", ""},
    {"audit: {content: on}\n", 1, 18, "audit.content",
     "this version does not store prompts and responses: only off is possible", ""},
    {"breaker: {open_ms: 9, open_max_ms: 8}\n", 1, 1, "breaker", "longer than open_max_ms", ""},
    {"providers: {x: {kind: opnai}}\n", 1, 23, "providers.x.kind", "there is no", "openai"},
    {"providers: {x: {}}\n", 1, 13, "providers.x", "kind is missing", ""},
    {"providers: {x: {kind: openai_compatible}}\n", 1, 13, "providers.x", "base_url is missing",
     ""},
    {"providers: {a/b: {kind: demo}}\n", 1, 13, "providers[\"a/b\"]", "a provider's name", ""},
    {"providers: {openai: {keys: [hunter2]}}\n", 1, 29, "providers.openai.keys[0]",
     "literal keys are not accepted; use env:NAME, file:PATH or credential:NAME", ""},
    {"providers: {openai: {keys: hunter2}}\n", 1, 28, "providers.openai.keys", "a list", ""},
    {"providers: {openai: {keys: [\"env:sk-1\"]}}\n", 1, 29, "providers.openai.keys[0]",
     "name of a variable", ""},
    {"providers: {openai: {keys: [env:A, env:A]}}\n", 1, 36, "providers.openai.keys[1]", "twice",
     ""},
    {"providers: {openai: {key: [env:A]}}\n", 1, 22, "providers.openai.key", "unknown", "keys"},
    {"providers: {demo: {base_url: \"https://x\"}}\n", 1, 30, "providers.demo.base_url",
     "has no address", ""},
    {"providers: {openai: {capabilities: [tool]}}\n", 1, 37, "providers.openai.capabilities[0]",
     "streaming, tools", "tools"},
    {OPENAI "routes: [{model: a}]\n", 2, 10, "routes[0]", "chain is missing", ""},
    {OPENAI "routes: [{chain: [{target: openai/a}]}]\n", 2, 10, "routes[0]", "model is missing",
     ""},
    {OPENAI "routes: [{model: a, chain: []}]\n", 2, 28, "routes[0].chain",
     "the route has no target", ""},
    {OPENAI "routes: [{model: a, chain: [{}]}]\n", 2, 29, "routes[0].chain[0]", "target is missing",
     ""},
    {OPENAI "routes: [{model: a, chain: [{target: gpt}]}]\n", 2, 38, "routes[0].chain[0].target",
     "provider/model is expected, not \"gpt\"", ""},
    {OPENAI "routes: [{model: a, chain: [{target: opnai/x}]}]\n", 2, 38,
     "routes[0].chain[0].target", "no provider \"opnai\"", "openai"},
    {OPENAI "routes: [{model: a, chain: [{target: openai/x, tries: 0}]}]\n", 2, 55,
     "routes[0].chain[0].tries", "from 1 to 1000", ""},
    {OPENAI "routes: [{model: a, chain: [{target: openai/x}], policy: tranport}]\n", 2, 58,
     "routes[0].policy", "no policy", "transport"},
    {OPENAI "routes: [{model: a, chain: [{target: openai/x}], timeouts: {idle: 1}}]\n", 2, 67,
     "routes[0].timeouts.idle", "a time with its unit", ""},
    {OPENAI "routes: [{model: a, chain: [{target: openai/x}], overflow_to: y/x}]\n", 2, 63,
     "routes[0].overflow_to", "no provider", ""},
    {OPENAI "routes:\n  - {model: \"a*\", chain: [{target: openai/x}]}\n"
            "  - {model: \"ab*\", chain: [{target: openai/x}]}\n",
     4, 13, "routes[1].model", "this route is never used: routes[0]", ""},
    {"clients: [{token: env:A}]\n", 1, 11, "clients[0]", "name is missing", ""},
    {"clients: [{name: a}]\n", 1, 11, "clients[0]", "token is missing", ""},
    {"clients: [{name: a, token: env:A, rpm: 0.5}]\n", 1, 40, "clients[0].rpm", "a whole number",
     ""},
    {"clients: [{name: a, token: env:A, rpm: -1}]\n", 1, 40, "clients[0].rpm", "a whole number",
     ""},
    {"clients: [{name: a, token: env:A, tpm: 10, rpm: 60}]\n", 1, 40, "clients[0].tpm",
     "tpm is smaller than rpm", ""},
    {"limits: {max_in_flight: 5}\nclients: [{name: a, token: env:A, max_in_flight: 6}]\n", 2, 50,
     "clients[0].max_in_flight", "larger than limits.max_in_flight", ""},
    {"clients: [{name: a, token: hunter2}]\n", 1, 28, "clients[0].token", "literal tokens", ""},
    {"clients: [{name: a, token: env:A}, {name: a, token: env:B}]\n", 1, 43, "clients[1].name",
     "another client", ""},
    {"budgets: {}\n", 1, 10, "budgets", "a list is expected", ""},
    {"budgets: [all]\n", 1, 11, "budgets[0]", "a map of keys", ""},
    {"budgets: [{limit_usd: 1}]\n", 1, 11, "budgets[0]", "name is missing", ""},
    {"budgets: [{name: a}]\n", 1, 11, "budgets[0]", "limit_usd is missing", ""},
    {"budgets: [{name: a, limit_usd: 0}]\n", 1, 32, "budgets[0].limit_usd", "", ""},
    {"budgets: [{name: a, limit_usd: 1, per: week}]\n", 1, 40, "budgets[0].per", "day", ""},
    {"budgets: [{name: a, limit_usd: 1, onexceed: warn}]\n", 1, 35, "budgets[0].onexceed",
     "unknown key", "on_exceed"},
    {"budgets: [{name: a, limit_usd: 1}, {name: a, limit_usd: 2}]\n", 1, 43, "budgets[1].name",
     "another budget has this name", ""},
    {"budgets: [{name: a, limit_usd: 1, match: [x]}]\n", 1, 42, "budgets[0].match", "a map of keys",
     ""},
    {"budgets: [{name: a, limit_usd: 1, match: {cleint: x}}]\n", 1, 43, "budgets[0].match.cleint",
     "unknown key", "client"},
    {"clients: [{name: app, token: env:A}]\nbudgets: [{name: a, limit_usd: 1, match: {client: "
     "apq}}]\n",
     2, 51, "budgets[0].match.client", "there is no client \"apq\"", "app"},
    {"budgets: [{name: a, limit_usd: 1, match: {route: gpt}}]\n", 1, 50, "budgets[0].match.route",
     "there is no route \"gpt\"", ""},
    {"clients: [{name: a, token: env:A, on_exceed: refuse}]\n", 1, 46, "clients[0].on_exceed",
     "warn, pause or fail is expected", ""},
    {"threads: 65\n", 1, 10, "threads", "from 0 to 64", ""},
    {"log: {format: text}\n", 1, 15, "log.format", "auto, json, human or off", ""},
    {"log: {fromat: json}\n", 1, 7, "log.fromat", "unknown key", "format"},
    {"limits: {replay_bytes: -1}\n", 1, 24, "limits.replay_bytes", "from 0 to 4294967296", ""},
    /* A number of tokens is no secret, although its name contains the word. */
    {"providers:\n  c:\n    kind: anthropic\n    context_tokens: abc\n", 4, 21,
     "providers.c.context_tokens", "not \"abc\"", ""},
    {"providers:\n  c:\n    kind: anthropic\n    max_output_tokens: -4\n", 4, 24,
     "providers.c.max_output_tokens", "not \"-4\"", ""},
    {"policies: {p: {retry_on: [AuthFailed]}}\n", 1, 27, "policies.p.retry_on[0]", "is fatal", ""},
};

static void faults_are_named_with_their_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const refusal *r = &refusals[i];
        rc_status status = parse(r->text);
        const rc_config_fault *fault = &faults.list[0];
        if (status != RC_E_RANGE || faults.count != 1 || fault->line != r->line ||
            fault->column != r->column || strcmp(fault->path, r->path) != 0 ||
            strstr(fault->message, r->part) == NULL || strcmp(fault->nearest, r->nearest) != 0)
            fail_msg("%s: %zu: %u:%u: %s: %s (%s)", r->text, faults.count, fault->line,
                     fault->column, fault->path, fault->message, fault->nearest);
        if (strstr(fault->message, "hunter2") != NULL)
            fail_msg("a secret is in: %s", fault->message);
        if (strstr(r->text, "hunter2") != NULL)
            assert_true(fault->is_private);
        done();
    }
}

static void all_faults_are_reported_in_the_order_of_the_file(void **state)
{
    (void)state;
    assert_int_equal(parse("routes: [{modl: a}]\npolicies: {p: {jitter: x}}\nlisten: 1\n"),
                     RC_E_RANGE);
    assert_int_equal(faults.count, 5);
    for (size_t i = 1; i < faults.count; i++)
        assert_true(faults.list[i - 1].line <= faults.list[i].line);
    done();
}

static void a_route_to_an_invalid_policy_is_no_second_fault(void **state)
{
    (void)state;
    assert_int_equal(parse(OPENAI "policies: {p: {jitter: x}}\n"
                                  "routes: [{model: a, chain: [{target: openai/x}], policy: p}]\n"),
                     RC_E_RANGE);
    assert_int_equal(faults.count, 1);
    done();
}

/* ---- output as YAML ---- */

static void the_output_parses_to_the_same_configuration(void **state)
{
    (void)state;
    char first[8192];
    char second[8192];
    rc_buf buf;
    expect_good(whole);
    rc_buf_init_fixed(&buf, first, sizeof(first));
    rc_config_push_yaml(&buf, &config);
    rc_buf_push_byte(&buf, '\0');
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    done();
    expect_good(first);
    assert_int_equal(config.routes[0].chain[1].capabilities, RC_NEED_VISION);
    rc_buf_init_fixed(&buf, second, sizeof(second));
    rc_config_push_yaml(&buf, &config);
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(first, second);
    done();
}

static void scalars_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *yaml;
    } cases[] = {
        {"gpt-4o", "gpt-4o"},    {"*", "\"*\""},
        {"a b", "\"a b\""},      {"", "\"\""},
        {"null", "\"null\""},    {"x:", "\"x:\""},
        {"-", "\"-\""},          {"a\"b\\", "\"a\\\"b\\\\\""},
        {"a\nb", "\"a\\x0Ab\""}, {"[::1]", "\"[::1]\""},
        {"/run/x", "/run/x"},    {"#", "\"#\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char scratch[64];
        rc_buf buf;
        rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
        rc_config_push_scalar(&buf, rc_str_c(cases[i].text));
        rc_buf_push_byte(&buf, '\0');
        assert_string_equal(scratch, cases[i].yaml);
    }
}

static void the_documentation_has_the_generated_tables(void **state)
{
    (void)state;
    static char page[1 << 17];
    static char table[1 << 16];
    FILE *file = fopen(RC_TEST_DIR "/../docs/configuration.md", "rb");
    assert_non_null(file);
    size_t len = fread(page, 1, sizeof(page) - 1, file);
    fclose(file);
    page[len] = '\0';
    rc_buf buf;
    rc_buf_init_fixed(&buf, table, sizeof(table));
    rc_config_push_docs(&buf);
    rc_buf_push_byte(&buf, '\0');
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    if (strstr(page, table) == NULL)
        fail_msg("docs/configuration.md is behind: paste the output of recourse config keys");
}

static void every_kind_has_an_extractor(void **state)
{
    (void)state;
    for (size_t i = 0; rc_config_kind_at(i) != NULL; i++) {
        const char *name = rc_config_kind_at(i)->name;
        if (strcmp(name, "demo") != 0 &&
            rc_provider_find(rc_config_kind_provider(rc_config_kind_at(i))) == NULL)
            fail_msg("%s is not in spec/providers.def", name);
    }
}

/* ---- environment ---- */

static const char *const *variables;

static const char *get_variable(const char *name)
{
    for (size_t i = 0; variables[i] != NULL; i += 2)
        if (strcmp(variables[i], name) == 0)
            return variables[i + 1];
    return NULL;
}

static rc_status from_environment(const char *const *names_and_values)
{
    rc_alloc alloc = fail_alloc_of(&memory);
    variables = names_and_values;
    rc_config_faults_init(&faults);
    return rc_config_from_environment(&config, get_variable, &alloc, &faults);
}

static void without_variables_the_demo_provider_is_used(void **state)
{
    (void)state;
    assert_int_equal(from_environment((const char *const[]){NULL}), RC_OK);
    assert_int_equal(config.provider_count, 1);
    assert_string_equal(config.providers[0].kind->name, "demo");
    /* Three demo routes, and one for all other models. */
    assert_int_equal(config.route_count, 4);
    done();
}

static void key_variables_create_providers(void **state)
{
    (void)state;
    assert_int_equal(
        from_environment((const char *const[]){
            "OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "http://127.0.0.1:1/v1", "ANTHROPIC_API_KEY",
            "", "ANTHROPIC_AUTH_TOKEN", "t", "GOOGLE_API_KEY", "g", NULL}),
        RC_OK);
    assert_int_equal(config.provider_count, 4);
    expect_text(config.providers[0].base_url, "http://127.0.0.1:1/v1");
    expect_text(config.providers[1].keys[0].name, "ANTHROPIC_AUTH_TOKEN");
    assert_int_equal(config.providers[1].auth, RC_AUTH_BEARER);
    expect_text(config.providers[2].keys[0].name, "GOOGLE_API_KEY");
    assert_int_equal(rc_config_route_find(&config, RC_STR("claude-x"))->chain[0].provider, 1);
    assert_int_equal(rc_config_route_find(&config, RC_STR("gemini-x"))->chain[0].provider, 2);
    assert_int_equal(rc_config_route_find(&config, RC_STR("gpt-x"))->chain[0].provider, 0);
    done();
}

static void an_invalid_variable_is_a_fault(void **state)
{
    (void)state;
    assert_int_equal(from_environment((const char *const[]){
                         "OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "http://example.com", NULL}),
                     RC_E_RANGE);
    assert_string_equal(faults.list[0].path, "providers.openai.base_url");
    done();
}

/* ---- failing allocations ---- */

static void failing_allocations_are_reported_and_leak_nothing(void **state)
{
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        memory = (fail_alloc){.fail_at = fail_at};
        rc_status status = parse(whole);
        bool is_hit = memory.calls >= fail_at;
        assert_int_equal(status, is_hit ? RC_E_NOMEM : RC_OK);
        done();
        if (!is_hit)
            break;
        assert_true(fail_at < 1000);
    }
    for (size_t fail_at = 1;; fail_at++) {
        memory = (fail_alloc){.fail_at = fail_at, .for_good = true};
        rc_status status = from_environment((const char *const[]){"OPENAI_API_KEY", "k", NULL});
        bool is_hit = memory.calls >= fail_at;
        assert_int_equal(status, is_hit ? RC_E_NOMEM : RC_OK);
        done();
        if (!is_hit)
            break;
        assert_true(fail_at < 1000);
    }
    memory = (fail_alloc){0};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_configuration_is_read),
        cmocka_unit_test(an_empty_file_gives_the_defaults),
        cmocka_unit_test(policies_are_found_presets_first),
        cmocka_unit_test(patterns_match_whole_names),
        cmocka_unit_test(faults_are_named_with_their_position),
        cmocka_unit_test(all_faults_are_reported_in_the_order_of_the_file),
        cmocka_unit_test(a_route_to_an_invalid_policy_is_no_second_fault),
        cmocka_unit_test(the_output_parses_to_the_same_configuration),
        cmocka_unit_test(scalars_are_quoted_where_they_must_be),
        cmocka_unit_test(the_documentation_has_the_generated_tables),
        cmocka_unit_test(every_kind_has_an_extractor),
        cmocka_unit_test(without_variables_the_demo_provider_is_used),
        cmocka_unit_test(key_variables_create_providers),
        cmocka_unit_test(an_invalid_variable_is_a_fault),
        cmocka_unit_test(failing_allocations_are_reported_and_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
