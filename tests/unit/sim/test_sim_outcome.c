/* The failure facts that the simulator passes to rc_call must equal those that the classifier
 * derives from the headers and bodies of real providers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/classify.h>

#include "sim/outcome.h"

#define NOW_UNIX_MS INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */

/* A response in the form in which a provider sends it. */
typedef struct wire {
    rc_failure failure;
    rc_header headers[8];
    char values[8][64];
    size_t header_count;
    char body[512];
} wire;

static void add_header(wire *w, const char *name, long long value, const char *unit)
{
    char *text = w->values[w->header_count];
    snprintf(text, sizeof w->values[0], "%lld%s", value, unit);
    w->headers[w->header_count++] = (rc_header){rc_str_c(name), rc_str_c(text)};
}

static void add_text_header(wire *w, const char *name, const char *text)
{
    w->headers[w->header_count++] = (rc_header){rc_str_c(name), rc_str_c(text)};
}

static void openai_error(wire *w, const char *message, const char *type, const char *code)
{
    snprintf(w->body, sizeof w->body,
             "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":null,\"code\":%s%s%s}}",
             message, type, code != NULL ? "\"" : "", code != NULL ? code : "null",
             code != NULL ? "\"" : "");
}

static void anthropic_error(wire *w, const char *message, const char *type)
{
    snprintf(w->body, sizeof w->body,
             "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%s\"}}", type, message);
}

/* Adds a retry-after header in whole seconds, rounded up. */
static void add_hint(wire *w, rc_sim_dialect dialect, int64_t wait_ms)
{
    if (wait_ms < 0)
        return;
    add_header(w, "retry-after", (wait_ms + 999) / 1000, "");
    if (dialect == RC_SIM_OPENAI)
        add_header(w, "retry-after-ms", wait_ms, "");
}

static void write_openai(wire *w, rc_sim_outcome_kind kind, int64_t wait_ms)
{
    char message[256];
    if (kind == RC_SIM_OUTCOME_OUTAGE)
        openai_error(w, "The server is currently unavailable.", "server_error", NULL);
    if (kind == RC_SIM_OUTCOME_ERROR)
        openai_error(w, "The server had an error while processing your request.", "server_error",
                     NULL);
    if (kind == RC_SIM_OUTCOME_OVERLOAD)
        openai_error(w, "The engine is currently overloaded, please try again later",
                     "server_error", "server_overloaded");
    if (kind == RC_SIM_OUTCOME_QUOTA)
        openai_error(w, "You exceeded your current quota, please check your plan and billing.",
                     "insufficient_quota", "insufficient_quota");
    if (kind == RC_SIM_OUTCOME_CONCURRENCY)
        openai_error(w, "Too many concurrent requests.", "requests", "concurrency_limit_exceeded");
    if (kind != RC_SIM_OUTCOME_REQUESTS && kind != RC_SIM_OUTCOME_TOKENS)
        return;
    bool is_tokens = kind == RC_SIM_OUTCOME_TOKENS;
    snprintf(message, sizeof message,
             "Rate limit reached for gpt-4o in organization org-x on %s: Limit 500, Used 500, "
             "Requested 1. Please try again later.",
             is_tokens ? "tokens per min (TPM)" : "requests per min (RPM)");
    openai_error(w, message, is_tokens ? "tokens" : "requests", "rate_limit_exceeded");
    add_header(w, is_tokens ? "x-ratelimit-reset-tokens" : "x-ratelimit-reset-requests", wait_ms,
               "ms");
    add_text_header(w, "x-ratelimit-remaining-requests", "0");
}

static void write_anthropic(wire *w, rc_sim_outcome_kind kind)
{
    if (kind == RC_SIM_OUTCOME_OUTAGE)
        anthropic_error(w, "Service unavailable", "api_error");
    if (kind == RC_SIM_OUTCOME_ERROR)
        anthropic_error(w, "Internal server error", "api_error");
    if (kind == RC_SIM_OUTCOME_OVERLOAD)
        anthropic_error(w, "Overloaded", "overloaded_error");
    if (kind == RC_SIM_OUTCOME_QUOTA)
        anthropic_error(w, "Your credit balance is too low to access the Anthropic API.",
                        "invalid_request_error");
    if (kind == RC_SIM_OUTCOME_CONCURRENCY)
        anthropic_error(w, "Number of concurrent connections has exceeded your rate limit.",
                        "rate_limit_error");
    if (kind == RC_SIM_OUTCOME_REQUESTS)
        anthropic_error(w,
                        "This request would exceed your organization's rate limit of 50 requests "
                        "per minute.",
                        "rate_limit_error");
    if (kind == RC_SIM_OUTCOME_TOKENS)
        anthropic_error(w,
                        "This request would exceed your organization's rate limit of 30,000 input "
                        "tokens per minute.",
                        "rate_limit_error");
}

static void write_transport(wire *w, rc_sim_outcome_kind kind)
{
    rc_failure *failure = &w->failure;
    if (kind == RC_SIM_OUTCOME_REFUSED) {
        failure->transport = RC_TRANSPORT_CONNECT_REFUSED;
        failure->phase = RC_PHASE_CONNECT;
    }
    if (kind == RC_SIM_OUTCOME_RESET || kind == RC_SIM_OUTCOME_TIMEOUT) {
        failure->transport =
            kind == RC_SIM_OUTCOME_RESET ? RC_TRANSPORT_RESET : RC_TRANSPORT_TIMEOUT;
        failure->phase = RC_PHASE_SENT;
    }
    if (kind == RC_SIM_OUTCOME_CUT_EMPTY || kind == RC_SIM_OUTCOME_CUT) {
        failure->transport = RC_TRANSPORT_EOF;
        failure->phase = kind == RC_SIM_OUTCOME_CUT ? RC_PHASE_COMMITTED : RC_PHASE_HEADERS;
    }
    if (kind == RC_SIM_OUTCOME_OVERDUE) {
        failure->transport = RC_TRANSPORT_TIMEOUT;
        failure->phase = RC_PHASE_COMMITTED;
    }
}

static void write_response(wire *w, rc_sim_outcome_kind kind, rc_sim_dialect dialect,
                           int64_t wait_ms)
{
    memset(w, 0, sizeof *w);
    w->failure.provider = rc_str_c(dialect == RC_SIM_OPENAI ? "openai" : "anthropic");
    w->failure.now_unix_ms = NOW_UNIX_MS;
    int status = rc_sim_outcome_status(kind, dialect);
    write_transport(w, kind);
    if (w->failure.transport == RC_TRANSPORT_NONE) {
        w->failure.status = status;
        if (dialect == RC_SIM_OPENAI)
            write_openai(w, kind, wait_ms);
        else
            write_anthropic(w, kind);
        assert_true(w->body[0] != '\0');
    }
    add_hint(w, dialect, wait_ms);
    w->failure.body = rc_str_c(w->body);
    w->failure.headers = w->headers;
    w->failure.header_count = w->header_count;
}

static void check(rc_sim_outcome_kind kind, rc_sim_dialect dialect, int64_t wait_ms)
{
    static rc_classify_space space;
    wire w;
    write_response(&w, kind, dialect, wait_ms);
    rc_verdict verdict = rc_judge(&w.failure, NULL, NULL, &space);
    rc_failure_facts facts = rc_sim_outcome_failure_facts(kind, wait_ms);
    if (verdict.code != facts.code || verdict.retry_after_ms != facts.retry_after_ms)
        print_message("kind %d, dialect %d, wait %lld: %.*s\n", (int)kind, (int)dialect,
                      (long long)wait_ms, (int)w.failure.body.len, w.failure.body.ptr);
    assert_int_equal(verdict.code, facts.code);
    assert_int_equal(verdict.category, facts.category);
    assert_int_equal(verdict.is_retryable, facts.is_retryable);
    assert_int_equal(verdict.limit_kind, facts.limit_kind);
    assert_int_equal(verdict.retry_after_ms, facts.retry_after_ms);
}

static bool has_hint(rc_sim_outcome_kind kind)
{
    return kind == RC_SIM_OUTCOME_REQUESTS || kind == RC_SIM_OUTCOME_TOKENS ||
           kind == RC_SIM_OUTCOME_OUTAGE || kind == RC_SIM_OUTCOME_ERROR ||
           kind == RC_SIM_OUTCOME_OVERLOAD;
}

static bool needs_hint(rc_sim_outcome_kind kind)
{
    return kind == RC_SIM_OUTCOME_REQUESTS || kind == RC_SIM_OUTCOME_TOKENS;
}

static void every_outcome_is_what_the_classifier_says(void **state)
{
    (void)state;
    static const int64_t waits_ms[] = {1, 12, 999, 1000, 1001, 4770, 60000, 118001};
    for (int kind = RC_SIM_OUTCOME_SERVED + 1; kind < RC_SIM_OUTCOME_COUNT; kind++) {
        for (int dialect = 0; dialect < RC_SIM_DIALECT_COUNT; dialect++) {
            if (!needs_hint((rc_sim_outcome_kind)kind))
                check((rc_sim_outcome_kind)kind, (rc_sim_dialect)dialect, -1);
            for (size_t i = 0; i < sizeof waits_ms / sizeof waits_ms[0]; i++)
                if (has_hint((rc_sim_outcome_kind)kind))
                    check((rc_sim_outcome_kind)kind, (rc_sim_dialect)dialect, waits_ms[i]);
        }
    }
}

static void a_hint_is_never_shorter_than_what_the_provider_needs(void **state)
{
    (void)state;
    for (int64_t wait_ms = 0; wait_ms < 5000; wait_ms++) {
        assert_true(rc_sim_outcome_hint_ms(wait_ms) >= wait_ms);
        assert_true(rc_sim_outcome_hint_ms(wait_ms) < wait_ms + 1000);
    }
    assert_int_equal(rc_sim_outcome_hint_ms(-1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_is_what_the_classifier_says),
        cmocka_unit_test(a_hint_is_never_shorter_than_what_the_provider_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
