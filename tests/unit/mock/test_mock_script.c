/* Tests of a simulator scenario that the mock provider plays: outcomes over time, limits in
 * headers, slots, keys, counts, refused connections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/scenario_yaml.h"
#include "support/mock_run.h"

static rc_sim_scenario scenario;
static rc_mock_script script;
static rc_mock_provider provider;

/* The script's clock begins at 1000 ms. */
#define START_MS 1000u

static void load(const char *text)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    assert_int_equal(rc_sim_scenario_parse(rc_str_c(text), &alloc, &faults, &scenario), RC_OK);
    rc_mock_script_init(&script, &scenario, 7, START_MS);
    rc_mock_provider_init(&provider, NULL, 7, START_MS);
    rc_mock_provider_use_script(&provider, &script, 0);
}

/* A response without its bytes. */
typedef struct received {
    int status;
    rc_mock_step_kind end;
    uint64_t wait_ms;
    char remaining[24]; /* value of the header; "": the header is missing */
    char retry_after[24];
    rc_mock_ticket ticket;
} received;

static void copy_header(const rc_mock_response *response, const char *name, char ret_value[24])
{
    ret_value[0] = '\0';
    for (size_t i = 0; i < response->header_count; i++)
        if (strcmp(response->headers[i].name, name) == 0)
            (void)snprintf(ret_value, 24, "%.23s", response->headers[i].value);
}

/* Sends a request and does not end its call, which the caller ends. */
static received begin_call(const char *key, uint64_t at_ms)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_mock_time now = {START_MS + at_ms, MOCK_NOW_UNIX_MS};
    const rc_header header = {RC_STR("x-api-key"), rc_str_c(key)};
    const rc_mock_message message = {
        .method = RC_STR("POST"),
        .target = RC_STR("/v1/chat/completions"),
        .headers = &header,
        .header_count = 1,
        .body = RC_STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"),
    };
    received result = {0};
    rc_mock_response response;
    rc_mock_step step = {0};
    assert_int_equal(
        rc_mock_provider_respond(&provider, &message, &now, &alloc, &response, &result.ticket),
        RC_OK);
    result.status = response.status;
    copy_header(&response, "x-ratelimit-remaining-requests", result.remaining);
    copy_header(&response, "retry-after", result.retry_after);
    while (step.kind < RC_MOCK_END) {
        rc_mock_response_step(&response, &step);
        result.wait_ms += step.kind == RC_MOCK_WAIT ? step.wait_ms : 0;
    }
    result.end = step.kind;
    rc_mock_response_done(&response);
    return result;
}

static received call(const char *key, uint64_t at_ms)
{
    const received result = begin_call(key, at_ms);
    rc_mock_provider_end(&provider, &result.ticket);
    return result;
}

static void faults_follow_the_clock(void **state)
{
    (void)state;
    load("duration_ms: 60s\n"
         "providers:\n"
         "  - name: primary\n"
         "    first_token_ms: 30\n"
         "    tokens_per_s: 0\n"
         "    fails_in_ms: 5\n"
         "    faults:\n"
         "      - {kind: outage, from_ms: 1s, until_ms: 2s, retry_after_ms: 3s}\n"
         "      - {kind: error, from_ms: 2s, until_ms: 3s}\n"
         "      - {kind: hang, from_ms: 3s, until_ms: 4s}\n"
         "      - {kind: reset, from_ms: 4s, until_ms: 5s}\n"
         "      - {kind: slow, from_ms: 5s, until_ms: 6s, slow_pct: 1000}\n");
    assert_int_equal(call("k", 0).status, 200);
    assert_int_equal(call("k", 0).wait_ms, 30);
    assert_int_equal(call("k", 999).status, 200);
    const received refused = call("k", 1000);
    assert_int_equal(refused.status, 503);
    assert_int_equal(refused.wait_ms, 5);
    assert_string_equal(refused.retry_after, "3");
    assert_int_equal(call("k", 2000).status, 500);
    assert_int_equal(call("k", 3000).end, RC_MOCK_HANG);
    assert_int_equal(call("k", 4000).end, RC_MOCK_CLOSE);
    assert_int_equal(call("k", 5000).wait_ms, 300);
    assert_int_equal(call("k", 6000).status, 200);
    const rc_mock_script_counts *counts = &script.providers[0].counts;
    assert_int_equal(counts->calls, 9);
    assert_int_equal(counts->outcomes[RC_SIM_OUTCOME_SERVED], 5);
    assert_int_equal(counts->outcomes[RC_SIM_OUTCOME_OUTAGE], 1);
    assert_int_equal(counts->calls_in[0], 2);
    assert_int_equal(counts->calls_in[10], 1);
    assert_int_equal(counts->served_in[10], 0);
    assert_int_equal(counts->periods, 61);
}

static void headers_state_what_the_bucket_holds(void **state)
{
    (void)state;
    load("duration_ms: 60s\n"
         "providers: [{name: primary, keys: 2, "
         "limits: {requests_per_min: 60, burst_ms: 3s}}]\n");
    assert_string_equal(call("a", 0).remaining, "2");
    assert_string_equal(call("a", 0).remaining, "1");
    assert_string_equal(call("a", 0).remaining, "0");
    const received limited = call("a", 400);
    assert_int_equal(limited.status, 429);
    assert_string_equal(limited.retry_after, "1"); /* 600 ms, rounded up */
    assert_int_equal(call("b", 400).status, 200);  /* another key has a separate bucket */
    assert_int_equal(call("a", 1000).status, 200);
    assert_int_equal(call("c", 1000).status, 401); /* the scenario has two keys */
    assert_int_equal(script.providers[0].counts.unknown_keys, 1);
}

static void slots_are_held_until_the_call_ends(void **state)
{
    (void)state;
    load("duration_ms: 60s\nproviders: [{name: primary, limits: {concurrency: 1}}]\n");
    const received first = begin_call("k", 0);
    assert_int_equal(first.status, 200);
    assert_int_equal(call("k", 10).status, 429);
    rc_mock_provider_end(&provider, &first.ticket);
    const received second = begin_call("k", 20);
    assert_int_equal(second.status, 200);
    /* The end of a call from before a restart does not free a slot of the new run. */
    rc_mock_script_restart(&script, START_MS);
    const received third = begin_call("k", 0);
    assert_int_equal(third.status, 200);
    rc_mock_provider_end(&provider, &second.ticket);
    assert_int_equal(call("k", 10).status, 429);
    rc_mock_provider_end(&provider, &third.ticket);
    assert_int_equal(call("k", 10).status, 200);
    assert_int_equal(script.providers[0].counts.in_flight_max, 1);
}

static void connections_are_refused_while_a_whole_fault_lasts(void **state)
{
    (void)state;
    uint64_t next_ms = 0;
    load("duration_ms: 60s\n"
         "providers:\n"
         "  - name: primary\n"
         "    faults:\n"
         "      - {kind: refuse, from_ms: 2s, until_ms: 3s}\n"
         "      - {kind: refuse, from_ms: 5s, until_ms: 6s}\n"
         "      - {kind: refuse, from_ms: 7s, until_ms: 8s, share_pct: 50}\n");
    assert_false(rc_mock_script_refuses(&script, 0, START_MS, &next_ms));
    assert_int_equal(next_ms, START_MS + 2000);
    assert_true(rc_mock_script_refuses(&script, 0, START_MS + 2000, &next_ms));
    assert_int_equal(next_ms, START_MS + 3000);
    assert_false(rc_mock_script_refuses(&script, 0, START_MS + 3000, &next_ms));
    assert_int_equal(next_ms, START_MS + 5000);
    assert_false(rc_mock_script_refuses(&script, 0, START_MS + 7500, &next_ms));
    assert_true(next_ms == RC_UNLIMITED);
    /* A request on a connection from before the fault gets no response, either. */
    assert_int_equal(call("k", 2500).end, RC_MOCK_CLOSE);
}

/* Whole minutes of random calls in the mock and in the simulator's model of a provider have the
 * same outcomes, because both use rc_sim_upstream with the same random numbers. */
static void the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    static const char text[] =
        "duration_ms: 60s\n"
        "providers:\n"
        "  - name: primary\n"
        "    faults: [{kind: error, from_ms: 0, until_ms: 30s, share_pct: 50}]\n";
    uint32_t statuses[2] = {0};
    for (int run = 0; run < 2; run++) {
        load(text);
        for (uint64_t at_ms = 0; at_ms < 60000; at_ms += 100)
            statuses[run] = statuses[run] * 31 + (uint32_t)call("k", at_ms).status;
    }
    assert_int_equal(statuses[0], statuses[1]);
    const uint64_t errors = script.providers[0].counts.outcomes[RC_SIM_OUTCOME_ERROR];
    assert_true(errors > 100 && errors < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_follow_the_clock),
        cmocka_unit_test(headers_state_what_the_bucket_holds),
        cmocka_unit_test(slots_are_held_until_the_call_ends),
        cmocka_unit_test(connections_are_refused_while_a_whole_fault_lasts),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
