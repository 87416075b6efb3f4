/* Tests of rc_client: calls through a gateway in this process, and calls through a gateway at a
 * URL, both with the demo provider. Each test runs with both kinds of client. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "client/client_call.h"
#include "config/prices/prices.h"
#include "gateway/gateway.h"
#include "gateway/state/snapshot_input.h"
#include "support/fail_alloc.h"
#include "sys/calls.h"

#define CALLS 3
#define TEXT_MAX 4096
/* A number larger than the number of allocations of two calls. */
#define ALLOCATIONS_MAX 5000

static const char config_text[] =
    "providers: {demo: {kind: demo}}\n"
    "audit: {durability: \"off\"}\n"
    "policies:\n"
    "  fast: {max_attempts: 3, backoff: fixed, base_ms: 1, jitter: none}\n"
    "  slow: {max_attempts: 3, backoff: fixed, base_ms: 20000, jitter: none}\n"
    "routes: [{model: \"*\", policy: fast, chain: [{target: \"demo/*\"}]}]\n";

/* One call with the data that its callbacks received. */
typedef struct caller {
    rc_client_call call;
    int events;
    int retries;
    int warnings;
    int ends;
    bool cancels_at_text;
    struct caller *next; /* the call that is started when this call ends */
    struct world *world;
    const char *next_model;
    char text[TEXT_MAX];
    char reasoning[TEXT_MAX];
    char calls[TEXT_MAX]; /* tool calls, one per line: "name arguments" */
    char call_id[64];     /* id of the latest tool call */
} caller;

typedef struct world {
    uv_loop_t loop;
    rc_gateway *remote; /* the gateway at the URL; NULL: the client has a gateway in this process */
    rc_client client;
    fail_alloc memory;
    rc_alloc alloc;
    bool is_closed;
    caller callers[CALLS];
} world;

/* ---- the callbacks ---- */

static void start(world *w, caller *c, const char *model, const char *prompt);

static void on_event(void *ctx, const rc_event_view *event)
{
    caller *c = ctx;
    c->events++;
    c->retries += event->type == RC_EVENT_TYPE_AUTO_RETRY_START;
}

static void on_quota(void *ctx, const rc_quota *quota, rc_str target)
{
    caller *c = ctx;
    assert_int_equal(quota->remaining, 20);
    assert_true(rc_str_starts_with(target, RC_STR("demo/")));
    c->warnings++;
}

static void on_text(void *ctx, rc_str text)
{
    caller *c = ctx;
    assert_true(rc_client_call_is_live(&c->call));
    assert_true(strlen(c->text) + text.len < sizeof c->text);
    memcpy(c->text + strlen(c->text), text.ptr, text.len);
    if (c->cancels_at_text)
        rc_client_call_cancel(&c->call);
}

static void on_reasoning(void *ctx, rc_str text)
{
    caller *c = ctx;
    assert_true(strlen(c->reasoning) + text.len < sizeof c->reasoning);
    memcpy(c->reasoning + strlen(c->reasoning), text.ptr, text.len);
}

static void on_tool_call(void *ctx, const rc_tool_call *call)
{
    caller *c = ctx;
    const size_t used = strlen(c->calls);
    (void)snprintf(c->call_id, sizeof c->call_id, "%.*s", (int)call->id.len, call->id.ptr);
    (void)snprintf(c->calls + used, sizeof c->calls - used, "%.*s %.*s\n", (int)call->name.len,
                   call->name.ptr, (int)call->arguments.len, call->arguments.ptr);
}

static void on_end(void *ctx)
{
    caller *c = ctx;
    assert_false(rc_client_call_is_open(&c->call));
    c->ends++;
    if (c->next != NULL)
        start(c->world, c->next, c->next_model, "next");
}

static const rc_client_call_handler handler = {
    .on_event = on_event,
    .on_quota = on_quota,
    .on_text = on_text,
    .on_reasoning = on_reasoning,
    .on_tool_call = on_tool_call,
    .on_end = on_end,
};

/* ---- gateways and clients ---- */

static void on_client_closed(void *ctx)
{
    ((world *)ctx)->is_closed = true;
}

static void on_remote_stopped(void *ctx)
{
    ((world *)ctx)->remote = NULL;
}

static rc_snapshot_input read_config(world *w, const char *text)
{
    rc_config_faults faults;
    rc_snapshot_input input = {.config = w->alloc.get(w->alloc.ctx, sizeof *input.config),
                               .prices = w->alloc.get(w->alloc.ctx, sizeof *input.prices)};
    rc_config_faults_init(&faults);
    rc_prices_init(input.prices);
    assert_int_equal(rc_config_parse(input.config, rc_str_c(text), &w->alloc, &faults), RC_OK);
    return input;
}

static world *new_world(void)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->alloc = fail_alloc_of(&w->memory);
    assert_int_equal(uv_loop_init(&w->loop), 0);
    return w;
}

static rc_client_settings settings_of(world *w)
{
    return (rc_client_settings){.uv_loop = &w->loop,
                                .calls = &rc_sys_real,
                                .alloc = w->alloc,
                                .on_closed = on_client_closed,
                                .ctx = w};
}

static int open_in_process(void **state)
{
    world *w = new_world();
    const rc_client_settings settings = settings_of(w);
    rc_snapshot_input input = read_config(w, config_text);
    rc_client_error error;
    assert_true(rc_client_open(&w->client, &settings, &input, &error));
    assert_null(input.config);
    *state = w;
    return 0;
}

static void listen_remote(world *w, rc_listening *ret_listening)
{
    const rc_gateway_settings settings = {.uv_loop = &w->loop,
                                          .calls = &rc_sys_real,
                                          .alloc = w->alloc,
                                          .threads = 1,
                                          .on_stopped = on_remote_stopped,
                                          .ctx = w};
    rc_snapshot_input input = read_config(w, config_text);
    rc_load_error error;
    w->remote = rc_gateway_new(&settings, &input, &error);
    assert_non_null(w->remote);
    assert_true(rc_gateway_open(w->remote));
    assert_int_equal(rc_gateway_listen(w->remote, "127.0.0.1", 0, ret_listening), RC_LISTEN_OK);
}

static int open_by_url(void **state)
{
    world *w = new_world();
    const rc_client_settings settings = settings_of(w);
    rc_client_error error;
    rc_listening listening;
    char url[64];
    listen_remote(w, &listening);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u/v1/", (unsigned)listening.port);
    const rc_client_remote remote = {.url = url};
    assert_true(rc_client_connect(&w->client, &settings, &remote, &error));
    *state = w;
    return 0;
}

/* Closes everything and checks that all memory is freed. */
static int close_all(void **state)
{
    world *w = *state;
    rc_client_close(&w->client);
    while (rc_client_is_open(&w->client))
        (void)uv_run(&w->loop, UV_RUN_ONCE);
    for (int i = 0; i < CALLS; i++)
        rc_client_call_done(&w->callers[i].call);
    if (w->remote != NULL)
        rc_gateway_close(w->remote);
    (void)uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    assert_int_equal(w->memory.live, 0);
    assert_true(w->is_closed);
    free(w);
    return 0;
}

static bool start_with(world *w, caller *c, const char *model, const char *prompt, bool is_stream,
                       uint64_t deadline_ms, const char *policy)
{
    const rc_prompt_turn turn = {.text = rc_str_c(prompt)};
    const rc_client_call_request request = {
        .prompt = {.model = rc_str_c(model),
                   .turns = &turn,
                   .turn_count = 1,
                   .is_stream = is_stream},
        .deadline_ms = deadline_ms,
        .deadline_name = "the time limit",
        .policy = rc_str_c(policy),
    };
    c->world = w;
    return rc_client_call_start(&c->call, &w->client, &request, &handler, c);
}

static void start(world *w, caller *c, const char *model, const char *prompt)
{
    assert_true(start_with(w, c, model, prompt, true, 0, ""));
}

static void run_until_ended(world *w, const caller *c)
{
    while (c->ends == 0)
        (void)uv_run(&w->loop, UV_RUN_ONCE);
    assert_int_equal(c->ends, 1);
}

static rc_code code_of(const caller *c)
{
    return c->call.facts.report != NULL ? rc_report_code(c->call.facts.report) : RC_CODE_NONE;
}

static bool is_in_process(const world *w)
{
    return w->remote == NULL;
}

/* ---- the tests ---- */

static void calls_at_once_get_their_own_responses(void **state)
{
    world *w = *state;
    caller *a = &w->callers[0];
    caller *b = &w->callers[1];
    start(w, a, "echo+trickle-20", "one of two");
    assert_true(start_with(w, b, "echo", "the other", false, 0, ""));
    run_until_ended(w, a);
    run_until_ended(w, b);
    assert_int_equal(code_of(a), RC_CODE_NONE);
    assert_int_equal(code_of(b), RC_CODE_NONE);
    assert_string_equal(a->text, "one of two");
    assert_string_equal(b->text, "the other");
    assert_int_equal(a->call.facts.text_bytes, strlen(a->text));
    assert_string_equal(b->call.facts.target, "demo/echo");
    assert_int_equal(b->call.facts.status, 200);
    assert_true(b->call.facts.usage.output > 0);
    assert_string_not_equal(a->call.facts.request_id, b->call.facts.request_id);
}

static void a_retry_is_an_event_and_counts_as_an_attempt(void **state)
{
    world *w = *state;
    caller *c = &w->callers[0];
    start(w, c, "503@1", "hello");
    run_until_ended(w, c);
    assert_int_equal(code_of(c), RC_CODE_NONE);
    assert_int_equal(c->retries, 1);
    assert_true(c->events > 1);
    assert_int_equal(c->call.facts.attempts, 2);
    assert_int_equal(c->call.facts.wait_ms, 1);
    assert_true(c->text[0] != '\0');
}

/* The report of a gateway in this process contains the attempts; the view for clients does not. */
static void a_failure_has_the_report_of_the_gateway(void **state)
{
    world *w = *state;
    for (int i = 0; i < 2; i++) {
        caller *c = &w->callers[i];
        assert_true(start_with(w, c, "503", "hello", i == 0, 0, ""));
        run_until_ended(w, c);
        assert_int_equal(code_of(c), RC_CODE_OVERLOADED);
        assert_int_equal(rc_report_attempt_count(c->call.facts.report), is_in_process(w) ? 3 : 0);
        assert_int_equal(c->call.facts.attempts, 3);
        assert_int_equal(c->call.facts.status, i == 0 ? 200 : 503);
        assert_string_equal(c->text, "");
    }
}

static void a_call_may_be_started_when_another_ends(void **state)
{
    world *w = *state;
    w->callers[0].next = &w->callers[1];
    w->callers[0].next_model = "echo";
    start(w, &w->callers[0], "400", "hello");
    run_until_ended(w, &w->callers[1]);
    assert_int_equal(code_of(&w->callers[0]), RC_CODE_INVALID_REQUEST);
    assert_string_equal(w->callers[1].text, "next");
}

static void a_low_quota_is_announced(void **state)
{
    world *w = *state;
    caller *c = &w->callers[0];
    start(w, c, "quota-left-20", "hello");
    run_until_ended(w, c);
    assert_int_equal(c->warnings, 1);
}

/* The text in the piece during which the call is cancelled is not delivered. */
static void a_cancelled_call_ends_once_and_leaves_the_others_alone(void **state)
{
    world *w = *state;
    caller *a = &w->callers[0];
    caller *b = &w->callers[1];
    a->cancels_at_text = true;
    start(w, a, "tokens-2000", "hello");
    start(w, b, "echo+trickle-20", "one of two");
    run_until_ended(w, a);
    run_until_ended(w, b);
    assert_int_equal(code_of(a), RC_CODE_TURN_CANCELLED);
    assert_true(a->call.facts.text_bytes > 0 && a->call.facts.text_bytes < 20);
    assert_string_equal(b->text, "one of two");
    rc_client_call_cancel(&a->call);
    assert_int_equal(a->ends, 1);
}

/* Runs the loop until the whole request was sent, and until the gateway in this process, which has
 * the same loop, has read the request. */
static void run_until_received(world *w, const caller *c)
{
    while (!rc_upstream_is_sent(&c->call.upstream_call))
        (void)uv_run(&w->loop, UV_RUN_ONCE);
    for (int i = 0; i < 50; i++)
        (void)uv_run(&w->loop, UV_RUN_NOWAIT);
}

/* Both calls have no response, so their records differ only by the mark. */
static void calls_cancelled_before_the_response_have_their_own_totals(void **state)
{
    world *w = *state;
    caller *a = &w->callers[0];
    caller *b = &w->callers[1];
    assert_true(start_with(w, a, "hang", "hello", false, 0, ""));
    assert_true(start_with(w, b, "slow-first-60s", "hello", false, 0, ""));
    run_until_received(w, a);
    run_until_received(w, b);
    rc_client_call_cancel(&a->call);
    rc_client_call_cancel(&b->call);
    run_until_ended(w, a);
    run_until_ended(w, b);
    assert_int_equal(code_of(a), RC_CODE_TURN_CANCELLED);
    assert_int_equal(a->call.facts.attempts, is_in_process(w) ? 1 : 0);
    assert_string_equal(a->call.facts.target, is_in_process(w) ? "demo/hang" : "");
    assert_string_equal(b->call.facts.target, is_in_process(w) ? "demo/slow-first-60s" : "");
}

static void the_report_of_a_call_cancelled_during_a_wait_says_cancelled(void **state)
{
    world *w = *state;
    caller *c = &w->callers[0];
    assert_true(start_with(w, c, "503", "hello", true, 0, "slow"));
    while (c->retries == 0)
        (void)uv_run(&w->loop, UV_RUN_ONCE);
    rc_client_call_cancel(&c->call);
    run_until_ended(w, c);
    assert_int_equal(code_of(c), RC_CODE_RETRY_CANCELLED);
    assert_int_equal(c->call.facts.attempts, 1);
    assert_true(c->call.facts.wait_ms < 20000);
}

static void closing_ends_the_calls_first(void **state)
{
    world *w = *state;
    start(w, &w->callers[0], "hang", "hello");
    start(w, &w->callers[1], "tokens-100+trickle-50", "hello");
    while (w->callers[1].text[0] == '\0')
        (void)uv_run(&w->loop, UV_RUN_ONCE);
    rc_client_close(&w->client);
    rc_client_close(&w->client);
    assert_false(start_with(w, &w->callers[2], "ok", "hello", true, 0, ""));
    assert_int_equal(code_of(&w->callers[2]), RC_CODE_INTERNAL);
    while (!w->is_closed) {
        (void)uv_run(&w->loop, UV_RUN_ONCE);
        assert_true(!w->is_closed || (w->callers[0].ends == 1 && w->callers[1].ends == 1));
    }
    assert_int_equal(code_of(&w->callers[0]), RC_CODE_TURN_CANCELLED);
    assert_int_equal(code_of(&w->callers[1]), RC_CODE_TURN_CANCELLED);
    assert_int_equal(w->callers[2].ends, 0);
}

static void a_released_call_calls_no_callback(void **state)
{
    world *w = *state;
    start(w, &w->callers[0], "tokens-100+trickle-50", "hello");
    start(w, &w->callers[1], "echo+trickle-50", "one of two");
    rc_client_call_done(&w->callers[0].call);
    run_until_ended(w, &w->callers[1]);
    assert_int_equal(w->callers[0].ends, 0);
    assert_string_equal(w->callers[0].text, "");
}

static void a_passed_deadline_is_named_as_the_user_knows_it(void **state)
{
    world *w = *state;
    caller *c = &w->callers[0];
    assert_true(start_with(w, c, "hang", "hello", false, 100, ""));
    run_until_ended(w, c);
    assert_int_equal(code_of(c), RC_CODE_DEADLINE_EXCEEDED);
    const rc_str message = rc_report_message(c->call.facts.report);
    assert_true(
        rc_str_eq(message, RC_STR("The call was not finished within 100ms (the time limit).")));
}

/* Runs a conversation with a tool: the model calls the tool and gets its result with the next
 * request. */
static void converse(world *w, rc_dialect dialect, bool is_stream)
{
    static const rc_tool tool = {.name = RC_STR_INIT("weather"),
                                 .schema = RC_STR_INIT("{\"type\":\"object\"}")};
    caller *c = &w->callers[0];
    rc_prompt_turn turns[3] = {{.text = RC_STR("how is it?")}};
    rc_client_call_request request = {
        .prompt = {.model = RC_STR("tool-call"),
                   .turns = turns,
                   .turn_count = 1,
                   .tools = &tool,
                   .tool_count = 1,
                   .is_stream = is_stream},
        .dialect = dialect,
    };
    memset(c, 0, sizeof *c);
    assert_true(rc_client_call_start(&c->call, &w->client, &request, &handler, c));
    run_until_ended(w, c);
    assert_int_equal(code_of(c), RC_CODE_NONE);
    assert_true(strncmp(c->calls, "weather {", 9) == 0);
    assert_int_equal(c->call_id[0] != '\0', dialect != RC_DIALECT_GEMINI);
    rc_client_call_done(&c->call);

    char id[sizeof c->call_id];
    (void)snprintf(id, sizeof id, "%s", c->call_id);
    const rc_tool_call call = {
        .id = rc_str_c(id), .name = tool.name, .arguments = RC_STR("{\"at\":\"sea\"}")};
    const rc_tool_result result = {.id = rc_str_c(id), .name = tool.name, .text = RC_STR("windy")};
    turns[1] = (rc_prompt_turn){.is_model = true, .calls = &call, .call_count = 1};
    turns[2] = (rc_prompt_turn){.results = &result, .result_count = 1};
    request.prompt.turn_count = 3;
    request.prompt.model = RC_STR("reasoning");
    memset(c, 0, sizeof *c);
    assert_true(rc_client_call_start(&c->call, &w->client, &request, &handler, c));
    run_until_ended(w, c);
    assert_int_equal(code_of(c), RC_CODE_NONE);
    assert_true(c->text[0] != '\0');
    assert_true(c->reasoning[0] != '\0');
    assert_string_equal(c->calls, "");
    rc_client_call_done(&c->call);
}

static void tools_work_in_every_dialect(void **state)
{
    static const rc_dialect dialects[] = {RC_DIALECT_OPENAI_CHAT, RC_DIALECT_ANTHROPIC,
                                          RC_DIALECT_GEMINI};
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        converse(*state, dialects[i], true);
        converse(*state, dialects[i], false);
    }
}

/* ---- clients that cannot be opened ---- */

static void a_provider_without_its_key_is_refused(void **state)
{
    world *w = new_world();
    const rc_client_settings settings = settings_of(w);
    rc_snapshot_input input = read_config(
        w, "providers: {far: {kind: openai, keys: [\"env:RC_TEST_KEY_THAT_IS_NOT_SET\"]}}\n"
           "audit: {durability: \"off\"}\n");
    rc_client_error error;
    assert_false(rc_client_open(&w->client, &settings, &input, &error));
    assert_int_equal(error.code, RC_CODE_AUTH_FAILED);
    assert_non_null(strstr(error.message, "RC_TEST_KEY_THAT_IS_NOT_SET"));
    assert_non_null(input.config);
    rc_snapshot_input_done(&input, &w->alloc);
    *state = w;
    close_all(state);
}

static void a_url_that_cannot_be_used_is_refused(void **state)
{
    world *w = new_world();
    const rc_client_settings settings = settings_of(w);
    const rc_client_remote remote = {.url = "http://example.org"};
    rc_client_error error;
    assert_false(rc_client_connect(&w->client, &settings, &remote, &error));
    assert_int_equal(error.code, RC_CODE_CONFIG_SCHEMA_VIOLATION);
    assert_non_null(strstr(error.advice, "--insecure"));
    *state = w;
    close_all(state);
}

/* The environment of this test: RECOURSE_TOKEN is one byte longer than the maximum. */
static const char *getenv_long_token(const char *name)
{
    static char token[4098];
    memset(token, 'k', sizeof token - 1);
    return strcmp(name, "RECOURSE_TOKEN") == 0 ? token : NULL;
}

static void a_token_that_is_too_long_is_refused(void **state)
{
    world *w = new_world();
    rc_sys_calls calls = rc_sys_real;
    rc_client_settings settings = settings_of(w);
    const rc_client_remote remote = {.url = "http://127.0.0.1:1"};
    rc_client_error error;
    calls.getenv = getenv_long_token;
    settings.calls = &calls;
    assert_false(rc_client_connect(&w->client, &settings, &remote, &error));
    assert_string_equal(error.message, "The variable RECOURSE_TOKEN is longer than 4096 bytes, "
                                       "the maximum of a token.");
    *state = w;
    close_all(state);
}

static void an_unreachable_gateway_is_reported(void **state)
{
    world *w = new_world();
    const rc_client_settings settings = settings_of(w);
    const rc_client_remote remote = {.url = "http://127.0.0.1:1"};
    rc_client_error error;
    caller *c = &w->callers[0];
    assert_true(rc_client_connect(&w->client, &settings, &remote, &error));
    start(w, c, "ok", "hello");
    run_until_ended(w, c);
    const rc_str message = rc_report_message(c->call.facts.report);
    assert_true(rc_str_starts_with(message, RC_STR("No gateway responds at http://127.0.0.1:1: ")));
    *state = w;
    close_all(state);
}

/* Runs two calls at once; after the client was opened, the Nth allocation fails. Returns true if
 * there were fewer than N allocations. */
static bool run_without_memory(size_t at)
{
    world *w = new_world();
    const rc_client_settings settings = settings_of(w);
    rc_snapshot_input input = read_config(w, config_text);
    rc_client_error error;
    void *state = w;
    w->memory.fail_at = w->memory.calls + at;
    if (!rc_client_open(&w->client, &settings, &input, &error)) {
        assert_true(error.message[0] != '\0');
        rc_snapshot_input_done(&input, &w->alloc);
    } else {
        const bool is_first = start_with(w, &w->callers[0], "echo", "hello", true, 0, "");
        const bool is_second = start_with(w, &w->callers[1], "503@1", "hello", false, 0, "");
        while (w->callers[0].ends < is_first || w->callers[1].ends < is_second)
            (void)uv_run(&w->loop, UV_RUN_ONCE);
        for (int i = 0; i < 2; i++)
            assert_true(w->callers[i].call.facts.report != NULL || w->callers[i].text[0] != '\0');
    }
    const bool is_past = w->memory.calls < w->memory.fail_at;
    assert_false(w->memory.is_broken);
    close_all(&state);
    return is_past;
}

static void without_memory_calls_end_with_a_report(void **state)
{
    (void)state;
    for (size_t at = 1; !run_without_memory(at); at++)
        assert_true(at < ALLOCATIONS_MAX);
}

#define WITH_BOTH(test)                                                   \
    {#test " (in this process)", test, open_in_process, close_all, NULL}, \
    {                                                                     \
#test " (by URL)", test, open_by_url, close_all, NULL             \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOTH(calls_at_once_get_their_own_responses),
        WITH_BOTH(a_retry_is_an_event_and_counts_as_an_attempt),
        WITH_BOTH(a_failure_has_the_report_of_the_gateway),
        WITH_BOTH(a_call_may_be_started_when_another_ends),
        WITH_BOTH(a_low_quota_is_announced),
        WITH_BOTH(a_cancelled_call_ends_once_and_leaves_the_others_alone),
        WITH_BOTH(calls_cancelled_before_the_response_have_their_own_totals),
        WITH_BOTH(the_report_of_a_call_cancelled_during_a_wait_says_cancelled),
        WITH_BOTH(closing_ends_the_calls_first),
        WITH_BOTH(a_released_call_calls_no_callback),
        WITH_BOTH(a_passed_deadline_is_named_as_the_user_knows_it),
        WITH_BOTH(tools_work_in_every_dialect),
        cmocka_unit_test(a_provider_without_its_key_is_refused),
        cmocka_unit_test(a_url_that_cannot_be_used_is_refused),
        cmocka_unit_test(a_token_that_is_too_long_is_refused),
        cmocka_unit_test(an_unreachable_gateway_is_reported),
        cmocka_unit_test(without_memory_calls_end_with_a_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
