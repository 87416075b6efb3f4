/* Tests of the mock provider without sockets: counters, scenarios, keys, limits, statistics, and
 * failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "support/fail_alloc.h"
#include "support/mock_run.h"

static rc_mock_provider provider;
static rc_mock_scenario scenario;
static rc_config_faults faults;

static rc_status load(const char *text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    const rc_status status = rc_mock_scenario_parse(rc_str_c(text), &alloc, &faults, &scenario);
    rc_mock_provider_init(&provider, &scenario, 0, 0);
    return status;
}

static int begin_fresh(void **state)
{
    (void)state;
    rc_mock_provider_init(&provider, NULL, 7, 0);
    return 0;
}

static void request_as(const char *key, const char *model, uint64_t now_ms, mock_received *received)
{
    char target[512];
    char body[1024];
    char bearer[128];
    rc_mock_message message = mock_message(&mock_endpoints[0], model, target, body);
    (void)snprintf(bearer, sizeof bearer, "Bearer %s", key);
    const rc_header header = {RC_STR("Authorization"), rc_str_c(bearer)};
    if (key[0] != '\0') {
        message.headers = &header;
        message.header_count = 1;
    }
    assert_true(mock_request_at(&provider, &message, now_ms, received));
}

static int status_of(const char *key, const char *model, uint64_t now_ms)
{
    mock_received received;
    request_as(key, model, now_ms, &received);
    const int status = received.status;
    mock_received_done(&received);
    return status;
}

static rc_str header_of(const mock_received *received, const char *name)
{
    for (size_t i = 0; i < received->header_count; i++)
        if (rc_str_eq(received->headers[i].name, rc_str_c(name)))
            return received->headers[i].value;
    return rc_str_make(NULL, 0);
}

static void the_first_requests_fail(void **state)
{
    (void)state;
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(status_of("sk-one", "mock/503@2", 0), i <= 2 ? 503 : 200);
        assert_int_equal(status_of("sk-two", "mock/503@1", 0), i <= 1 ? 503 : 200);
    }
    /* Another key and another model are counted separately. */
    assert_int_equal(status_of("sk-two", "mock/503@2", 0), 503);
    assert_int_equal(status_of("sk-one", "mock/500@2", 0), 500);
}

static void the_first_matching_rule_applies(void **state)
{
    (void)state;
    assert_int_equal(load("rules:\n"
                          "  - when: {model: 'gpt-*', nth: 2-3}\n"
                          "    do: [429-retry-after-1, slow-first-1s]\n"
                          "  - when: {model: 'gpt-*', key: '9999'}\n"
                          "    do: 401\n"
                          "  - when: {header: 'x-fail: ye*'}\n"
                          "    do: 500\n"
                          "  - when: {path: '*/chat/completions', model: 'gpt-*'}\n"
                          "    do: ok\n"),
                     RC_OK);
    assert_int_equal(status_of("a", "gpt-4o", 0), 200);
    assert_int_equal(status_of("a", "gpt-4o", 0), 429);
    assert_int_equal(status_of("a", "gpt-4o", 0), 429);
    assert_int_equal(status_of("a", "gpt-4o", 0), 200);
    assert_int_equal(status_of("sk-9999", "gpt-4o", 0), 401);
    assert_int_equal(status_of("a", "claude", 0), 404);
    assert_int_equal(status_of("a", "503", 0), 503);

    char target[512];
    char body[1024];
    rc_mock_message message = mock_message(&mock_endpoints[0], "gpt-5", target, body);
    const rc_header header = {RC_STR("X-Fail"), RC_STR("yes")};
    mock_received received;
    message.headers = &header;
    message.header_count = 1;
    assert_true(mock_request_at(&provider, &message, 0, &received));
    assert_int_equal(received.status, 500);
    mock_received_done(&received);
}

static void keys_have_their_own_behaviour(void **state)
{
    (void)state;
    assert_int_equal(load("keys:\n"
                          "  - {name: dead, ends: '0001', do: 401}\n"
                          "  - {name: poor, ends: '0002', do: quota, until_ms: 30s}\n"
                          "  - {name: good, ends: '0003'}\n"
                          "rules: [{when: {key: good, model: gpt}, do: 503}]\n"),
                     RC_OK);
    assert_int_equal(status_of("sk-0001", "ok", 0), 401);
    assert_int_equal(status_of("sk-0002", "ok", 29999), 429);
    assert_int_equal(status_of("sk-0002", "ok", 30000), 200);
    assert_int_equal(status_of("sk-0003", "ok", 0), 200);
    assert_int_equal(status_of("sk-0003", "gpt", 0), 503);
    assert_int_equal(status_of("sk-0004", "ok", 0), 401);
    assert_int_equal(status_of("", "ok", 0), 401);
    assert_int_equal(load("unknown_keys: allow\nkeys: [{name: a, ends: '1'}]\n"), RC_OK);
    assert_int_equal(status_of("", "ok", 0), 200);
}

static void limits_refill(void **state)
{
    (void)state;
    mock_received received;
    assert_int_equal(load("keys: [{name: a, ends: '1', requests_per_min: 3}]\n"), RC_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_of("sk-1", "ok", 1000), 200);
    request_as("sk-1", "ok", 1000, &received);
    assert_int_equal(received.status, 429);
    assert_true(rc_str_eq(header_of(&received, "retry-after"), RC_STR("20")));
    assert_true(rc_str_eq(header_of(&received, "x-ratelimit-limit-requests"), RC_STR("3")));
    assert_true(rc_str_eq(header_of(&received, "x-ratelimit-remaining-requests"), RC_STR("0")));
    assert_true(rc_str_eq(header_of(&received, "x-ratelimit-reset-requests"), RC_STR("60000ms")));
    mock_received_done(&received);
    assert_int_equal(status_of("sk-1", "ok", 20999), 429);
    assert_int_equal(status_of("sk-1", "ok", 21000), 200);
    assert_int_equal(status_of("sk-1", "ok", 21000), 429);
    /* If the clock is set back, no tokens are added to the bucket. */
    assert_int_equal(status_of("sk-1", "ok", 0), 429);
    assert_int_equal(status_of("sk-1", "ok", 500000), 200);
}

static void tokens_are_limited_too(void **state)
{
    (void)state;
    mock_received received;
    assert_int_equal(load("limits: {tokens_per_min: 120}\nseed: 5\n"), RC_OK);
    assert_int_equal(provider.seed, 5);
    /* The limit allows twice the input and the 80 output tokens. */
    request_as("", "tokens-80", 0, &received);
    const uint64_t in = received.response.input_tokens;
    assert_true(in > 3 && 80 + 2 * in <= 120);
    mock_received_done(&received);
    request_as("", "tokens-80", 0, &received);
    assert_int_equal(received.status, 200);
    assert_true(rc_str_eq(header_of(&received, "x-ratelimit-limit-tokens"), RC_STR("120")));
    mock_received_done(&received);
    request_as("", "tokens-80", 0, &received);
    assert_int_equal(received.status, 429);
    assert_true(header_of(&received, "retry-after").len > 0);
    mock_received_done(&received);
}

static void assert_fault(const char *text, uint32_t line, const char *path, const char *words)
{
    assert_int_not_equal(load(text), RC_OK);
    assert_true(faults.count > 0);
    if (faults.list[0].line != line || strncmp(faults.list[0].path, path, strlen(path)) != 0 ||
        strstr(faults.list[0].message, words) == NULL)
        fail_msg("%u: %s: %s", faults.list[0].line, faults.list[0].path, faults.list[0].message);
}

static void faults_have_their_position(void **state)
{
    (void)state;
    assert_fault("rules:\n  - do: 5033\n", 2, "rules[0].do", "unknown behaviour");
    assert_string_equal(faults.list[0].nearest, "503");
    assert_fault("rulez: []\n", 1, "rulez", "unknown");
    assert_fault("rules:\n  - when: {nth: 0}\n    do: ok\n", 2, "rules[0].when.nth", "from 1");
    assert_fault("rules:\n  - when: {nth: 5-2}\n    do: ok\n", 2, "rules[0].when.nth", "from 1");
    assert_fault("rules:\n  - when: {}\n", 2, "rules[0]", "do is missing");
    assert_fault("rules:\n  - do: [500, 503]\n", 2, "rules[0].do", "combined");
    assert_fault("rules:\n  - do: []\n", 2, "rules[0].do", "expected a list of behaviours");
    assert_fault("keys:\n  - {name: a}\n", 2, "keys[0]", "name and ends");
    /* If a key of the scenario may name secrets, faults below it show no names. */
    assert_fault("keys: [{name: a, ends: b, requests_per_min: 0}]\n", 1, "keys[0]", "1 to");
    assert_fault("limits: 5\n", 1, "limits", "");
    assert_int_equal(load(""), RC_OK);
}

static json_t *stats(void)
{
    const rc_mock_message message = {.method = RC_STR("GET"), .target = RC_STR("/mock/stats")};
    mock_received received;
    assert_true(mock_request_at(&provider, &message, 0, &received));
    assert_int_equal(received.status, 200);
    json_t *root =
        json_loadb(rc_buf_get(&received.body).ptr, rc_buf_get(&received.body).len, 0, NULL);
    assert_non_null(root);
    mock_received_done(&received);
    return root;
}

#define SECRET "sk-mock-0123456789abcdef-tail"

static void the_stats_count_and_hide_secrets(void **state)
{
    (void)state;
    int requests = 0;
    int in = 0;
    int billed = 0;
    int out = 0;
    int model_out = 0;
    int body_bytes = 0;
    mock_received received;
    assert_int_equal(status_of(SECRET, "tokens-5", 0), 200);
    assert_int_equal(status_of("short", "503", 0), 503);
    request_as("", "hang", 0, &received);
    const int input = (int)received.response.input_tokens;
    mock_received_done(&received);
    json_t *root = stats();
    assert_int_equal(json_unpack(root, "{s:i, s:i, s:i, s:i, s:{s:{s:i}}, s:[{s:i}]}", "requests",
                                 &requests, "tokens_in", &in, "billed_in", &billed, "tokens_out",
                                 &out, "by_model", "tokens-5", "tokens_out", &model_out, "last",
                                 "body_bytes", &body_bytes),
                     0);
    assert_int_equal(requests, 3);
    /* All three requests have the same input. The refused request is not billed; the request
     * without a response is billed. */
    assert_int_equal(in, 3 * input);
    assert_int_equal(billed, 2 * input);
    assert_int_equal(out, 5);
    assert_int_equal(model_out, 5);
    assert_true(body_bytes > 50);
    char *text = json_dumps(root, 0);
    assert_null(strstr(text, SECRET));
    assert_null(strstr(text, "0123456789abcdef"));
    assert_null(strstr(text, "short"));
    assert_non_null(strstr(text, "-tail"));
    assert_non_null(strstr(text, "\"authorization\""));
    free(text);
    json_decref(root);

    const rc_mock_message reset = {.method = RC_STR("POST"), .target = RC_STR("/mock/reset")};
    assert_true(mock_request_at(&provider, &reset, 0, &received));
    mock_received_done(&received);
    root = stats();
    assert_int_equal(json_integer_value(json_object_get(root, "requests")), 0);
    assert_int_equal(json_array_size(json_object_get(root, "last")), 0);
    json_decref(root);
}

/* The tables have maximum sizes; with thousands of models and keys the sums are still complete. */
static void the_stats_have_ceilings(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        char key[32];
        char model[32];
        (void)snprintf(key, sizeof key, "sk-%d", i);
        (void)snprintf(model, sizeof model, "tokens-%d", i % 300);
        assert_int_equal(status_of(key, model, 0), 200);
    }
    json_t *root = stats();
    assert_int_equal(json_integer_value(json_object_get(root, "requests")), 5000);
    json_t *keys = json_object_get(root, "by_key");
    assert_int_equal(json_object_size(keys), RC_MOCK_ROWS_MAX + 1);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(keys, "(others)"), "requests")),
        5000 - RC_MOCK_ROWS_MAX);
    assert_int_equal(json_array_size(json_object_get(root, "last")), RC_MOCK_RECENT_MAX);
    json_decref(root);
}

static bool request_failing(const rc_mock_message *message, fail_alloc *memory)
{
    rc_alloc alloc = fail_alloc_of(memory);
    rc_mock_response response;
    rc_mock_ticket ticket;
    rc_mock_step step = {0};
    const rc_mock_time now = {0, MOCK_NOW_UNIX_MS};
    const rc_status status =
        rc_mock_provider_respond(&provider, message, &now, &alloc, &response, &ticket);
    while (status == RC_OK && step.kind < RC_MOCK_END)
        rc_mock_response_step(&response, &step);
    rc_mock_response_done(&response);
    assert_int_equal(memory->live, 0);
    assert_false(memory->is_broken);
    return status == RC_OK && step.kind == RC_MOCK_END;
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        char target[512];
        char body[1024];
        const rc_mock_message message = mock_message(&mock_endpoints[e], "reasoning", target, body);
        bool is_done = false;
        for (size_t at = 1; !is_done; at++) {
            fail_alloc memory = {.fail_at = at};
            is_done = request_failing(&message, &memory);
            assert_true(at < 100);
            fail_alloc for_good = {.fail_at = at, .for_good = true};
            (void)request_failing(&message, &for_good);
        }
    }
}

/* docs/mock.md explains every behaviour and every key of a scenario. */
static void the_documentation_has_every_behaviour(void **state)
{
    (void)state;
    static char page[65536];
    static const char *const keys[] = {
        "seed", "limits", "unknown_keys",     "keys",          "rules", "name", "ends", "until_ms",
        "nth",  "header", "requests_per_min", "tokens_per_min"};
    FILE *file = fopen(RC_TEST_DIR "/../docs/mock.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; rc_mock_behaviour_name_at(NULL, i) != NULL; i++) {
        char quoted[64];
        (void)snprintf(quoted, sizeof quoted, "`%s%s`", rc_mock_behaviour_name_at(NULL, i),
                       rc_mock_behaviour_has_number(i) ? "-N" : "");
        if (strstr(page, quoted) == NULL)
            fail_msg("docs/mock.md does not explain %s", quoted);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char quoted[64];
        (void)snprintf(quoted, sizeof quoted, "`%s`", keys[i]);
        if (strstr(page, quoted) == NULL)
            fail_msg("docs/mock.md does not explain %s", quoted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_requests_fail, begin_fresh),
        cmocka_unit_test(the_first_matching_rule_applies),
        cmocka_unit_test(keys_have_their_own_behaviour),
        cmocka_unit_test(limits_refill),
        cmocka_unit_test(tokens_are_limited_too),
        cmocka_unit_test(faults_have_their_position),
        cmocka_unit_test_setup(the_stats_count_and_hide_secrets, begin_fresh),
        cmocka_unit_test_setup(the_stats_have_ceilings, begin_fresh),
        cmocka_unit_test_setup(failing_allocations_leak_nothing, begin_fresh),
        cmocka_unit_test(the_documentation_has_every_behaviour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
