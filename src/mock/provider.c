/* Decides how the mock provider responds to a request: by a script, or by API key, limits, rules
 * and model name. Called by server.c and the gateway's demo provider. */
#include "mock/provider.h"

#include <string.h>

#include "base/str.h"

#define STATS_MAX ((size_t)4 << 20)
#define NO_KEY UINT32_MAX

void rc_mock_provider_init(rc_mock_provider *provider, const rc_mock_scenario *scenario,
                           uint64_t seed, uint64_t now_ms)
{
    memset(provider, 0, sizeof *provider);
    provider->script_index = RC_MOCK_NO_PROVIDER;
    provider->scenario = scenario;
    provider->seed = seed != 0 || scenario == NULL ? seed : scenario->seed;
    provider->started_ms = now_ms;
    if (scenario == NULL)
        return;
    for (uint32_t i = 0; i < scenario->key_count; i++) {
        const rc_mock_key *key = &scenario->keys[i];
        rc_mock_limit_init(&provider->requests[i], (uint32_t)key->requests_per_min, now_ms);
        rc_mock_limit_init(&provider->tokens[i], (uint32_t)key->tokens_per_min, now_ms);
    }
    rc_mock_limit_init(&provider->requests[RC_MOCK_KEYS_MAX], (uint32_t)scenario->requests_per_min,
                       now_ms);
    rc_mock_limit_init(&provider->tokens[RC_MOCK_KEYS_MAX], (uint32_t)scenario->tokens_per_min,
                       now_ms);
}

void rc_mock_provider_use_script(rc_mock_provider *provider, rc_mock_script *script, uint32_t index)
{
    provider->script = script;
    provider->script_index = index;
}

/* A request for which a plan is decided. */
typedef struct mock_case {
    rc_mock_provider *provider;
    const rc_mock_message *message;
    const rc_mock_request *request;
    const rc_mock_time *now;
    uint32_t key; /* Index of the key in the scenario; NO_KEY: not listed. */
    char key_id[RC_MOCK_KEY_ID_MAX];
    uint64_t nth;
    rc_mock_plan plan;
    char error_text[RC_MOCK_MESSAGE_MAX]; /* Replaces the error's message, unless it is "". */
} mock_case;

static void fail(mock_case *c, rc_mock_error error, const char *error_text)
{
    rc_buf scratch;
    c->plan = (rc_mock_plan){.error = error};
    rc_buf_init_fixed(&scratch, c->error_text, sizeof c->error_text - 1);
    rc_buf_push(&scratch, rc_str_c(error_text));
}

/* ---- keys and limits ---- */

static void find_key(mock_case *c)
{
    const rc_mock_scenario *scenario = c->provider->scenario;
    c->key = NO_KEY;
    rc_mock_key_id(c->request->key, c->key_id);
    for (uint32_t i = 0; scenario != NULL && i < scenario->key_count; i++) {
        if (!rc_str_ends_with(c->request->key, rc_str_c(scenario->keys[i].ends)))
            continue;
        c->key = i;
        memcpy(c->key_id, scenario->keys[i].name, sizeof scenario->keys[i].name);
        return;
    }
}

static bool is_unknown(const mock_case *c)
{
    const rc_mock_scenario *scenario = c->provider->scenario;
    return scenario != NULL && scenario->key_count > 0 && !scenario->allows_unknown &&
           c->key == NO_KEY;
}

/* Returns whether a limit is exhausted. If so, the plan becomes the error `error` with the time
 * until the limit allows the request. */
static bool is_limit_reached(mock_case *c, rc_mock_limit *limit, uint64_t count,
                             rc_mock_error error)
{
    if (rc_mock_limit_has(limit, count, c->now->ms))
        return false;
    fail(c, error, "");
    c->plan.hint = RC_MOCK_HINT_SECONDS;
    c->plan.hint_ms = (uint32_t)rc_mock_limit_wait_ms(limit, count);
    return true;
}

static bool is_limited(mock_case *c)
{
    rc_mock_provider *p = c->provider;
    const uint64_t tokens = c->request->input_tokens;
    if (p->scenario == NULL)
        return false;
    if (c->key != NO_KEY &&
        (is_limit_reached(c, &p->requests[c->key], 1, RC_MOCK_ERROR_RATE) ||
         is_limit_reached(c, &p->tokens[c->key], tokens, RC_MOCK_ERROR_TOKEN_RATE)))
        return true;
    return is_limit_reached(c, &p->requests[RC_MOCK_KEYS_MAX], 1, RC_MOCK_ERROR_RATE) ||
           is_limit_reached(c, &p->tokens[RC_MOCK_KEYS_MAX], tokens, RC_MOCK_ERROR_TOKEN_RATE);
}

static void take_limits(mock_case *c, uint64_t requests, uint64_t tokens)
{
    rc_mock_provider *p = c->provider;
    const uint32_t indexes[2] = {RC_MOCK_KEYS_MAX, c->key};
    for (int i = 0; i < (c->key != NO_KEY ? 2 : 1); i++) {
        rc_mock_limit_take(&p->requests[indexes[i]], requests);
        rc_mock_limit_take(&p->tokens[indexes[i]], tokens);
    }
}

static rc_mock_limit_state limit_state_of(const mock_case *c, const rc_mock_limit *limits)
{
    if (c->key != NO_KEY && limits[c->key].per_minute > 0)
        return rc_mock_limit_get_state(&limits[c->key]);
    return rc_mock_limit_get_state(&limits[RC_MOCK_KEYS_MAX]);
}

static bool has_key_plan(mock_case *c)
{
    if (c->key == NO_KEY)
        return false;
    const rc_mock_key *key = &c->provider->scenario->keys[c->key];
    if (!key->has_plan ||
        (key->until_ms > 0 && c->now->ms - c->provider->started_ms >= key->until_ms))
        return false;
    c->plan = key->plan;
    return true;
}

/* ---- rules and names ---- */

static bool fits(const char *pattern, rc_str text)
{
    return pattern[0] == '\0' || rc_mock_glob_matches(rc_str_c(pattern), text);
}

static bool fits_header(const mock_case *c, const rc_mock_rule *rule)
{
    if (rule->header[0] == '\0')
        return true;
    const rc_str value = rc_mock_header_find(c->message, rc_str_c(rule->header));
    return value.ptr != NULL && fits(rule->value, value);
}

static bool is_match(const mock_case *c, const rc_mock_rule *rule)
{
    return fits(rule->model, rc_mock_request_model(c->request)) &&
           fits(rule->path, c->request->path) &&
           (rule->key[0] == '\0' || rc_str_eq(rc_str_c(c->key_id), rc_str_c(rule->key)) ||
            rc_str_ends_with(c->request->key, rc_str_c(rule->key))) &&
           c->nth >= rule->nth_from && c->nth <= rule->nth_to && fits_header(c, rule);
}

static bool has_rule(mock_case *c)
{
    const rc_mock_scenario *scenario = c->provider->scenario;
    for (uint32_t i = 0; scenario != NULL && i < scenario->rule_count; i++) {
        if (is_match(c, &scenario->rules[i])) {
            c->plan = scenario->rules[i].plan;
            return true;
        }
    }
    return false;
}

/* Makes the plan an error about the model's name, such as "The model `mock/5033` does not exist or
 * is not found: 5033: there is no such behaviour; did you mean 503?". */
static void refuse_model(mock_case *c, const rc_mock_reading *reading)
{
    rc_buf scratch;
    fail(c, RC_MOCK_ERROR_MODEL, "");
    rc_buf_init_fixed(&scratch, c->error_text, sizeof c->error_text - 1);
    rc_buf_push(&scratch, RC_STR("The model `"));
    rc_buf_push(&scratch, rc_str_slice(rc_mock_request_model(c->request), 0, 128));
    rc_buf_push(&scratch, RC_STR("` does not exist or is not found: "));
    rc_buf_push(&scratch, rc_str_slice(reading->word, 0, 64));
    rc_buf_push(&scratch, RC_STR(": "));
    rc_buf_push(&scratch, rc_str_c(rc_mock_fault_text(reading->fault)));
    rc_nearest_push(&scratch, "", reading->nearest);
}

static void plan_by_model(mock_case *c)
{
    rc_mock_reading reading;
    if (c->request->endpoint == RC_MOCK_MODELS)
        return;
    if (!rc_mock_plan_parse(rc_mock_request_model(c->request), &c->plan, &reading))
        refuse_model(c, &reading);
}

/* Chooses the plan. The behaviour of a key or a rule also applies to an invalid request, as if a
 * proxy before the provider responded. */
static void decide(mock_case *c)
{
    const rc_mock_request *request = c->request;
    if (request->endpoint == RC_MOCK_NO_ENDPOINT) {
        fail(c, RC_MOCK_ERROR_PATH, "");
        return;
    }
    if (request->is_method_wrong) {
        fail(c, RC_MOCK_ERROR_METHOD, "");
        return;
    }
    if (is_unknown(c)) {
        fail(c, RC_MOCK_ERROR_AUTH, "");
        return;
    }
    if (is_limited(c))
        return;
    take_limits(c, 1, request->input_tokens);
    if (has_key_plan(c) || has_rule(c))
        return;
    if (request->body_error != NULL)
        fail(c, RC_MOCK_ERROR_REQUEST, request->body_error);
    else
        plan_by_model(c);
}

/* ---- responses ---- */

/* Clears the counts, and begins the script again if the provider has one. */
static void reset(rc_mock_provider *provider, uint64_t now_ms)
{
    const uint32_t generation = provider->stats.generation;
    rc_mock_script *script = provider->script;
    const uint32_t index = provider->script_index;
    rc_mock_provider_init(provider, provider->scenario, provider->seed, now_ms);
    provider->stats.generation = generation + 1;
    if (script == NULL)
        return;
    rc_mock_script_restart(script, now_ms);
    rc_mock_provider_use_script(provider, script, index);
}

static void push_counts(const rc_mock_provider *provider, uint64_t now_ms, rc_buf *json)
{
    rc_json_writer w;
    rc_json_writer_init(&w, json, 0);
    rc_json_object_begin(&w);
    rc_mock_stats_push(&provider->stats, &w);
    if (provider->script != NULL) {
        rc_json_key(&w, RC_STR("script"));
        rc_json_object_begin(&w);
        rc_mock_script_push(provider->script, now_ms, &w);
        rc_json_object_end(&w);
    }
    rc_json_object_end(&w);
}

static rc_status respond_own(rc_mock_provider *provider, const rc_mock_request *request,
                             const rc_mock_time *now, const rc_alloc *alloc,
                             rc_mock_response *response)
{
    rc_buf json;
    rc_buf_init(&json, alloc, STATS_MAX);
    if (request->endpoint == RC_MOCK_RESET_COUNTS) {
        reset(provider, now->ms);
        rc_buf_push(&json, RC_STR("{\"reset\":true}"));
    } else {
        push_counts(provider, now->ms, &json);
    }
    rc_status status = rc_buf_status(&json);
    const rc_status begun = rc_mock_response_begin_plain(response, 200, rc_buf_get(&json), alloc);
    rc_buf_done(&json);
    return status != RC_OK ? status : begun;
}

static rc_status respond_case(mock_case *c, const rc_alloc *alloc, rc_mock_response *response,
                              rc_mock_ticket *ret_ticket)
{
    rc_mock_provider *p = c->provider;
    find_key(c);
    c->nth = rc_mock_stats_nth(&p->stats, c->request->key, rc_mock_request_model(c->request));
    decide(c);
    const rc_mock_context context = {
        .seed = p->seed,
        .nth = c->nth,
        .now_unix_ms = c->now->unix_ms,
        .requests = limit_state_of(c, p->requests),
        .tokens = limit_state_of(c, p->tokens),
        .message = rc_str_c(c->error_text),
    };
    const rc_status status =
        rc_mock_response_begin(response, &c->plan, c->request, &context, alloc);
    take_limits(c, 0, response->output_tokens);
    *ret_ticket = rc_mock_stats_add(&p->stats, c->message, c->request, c->key_id, response);
    return status;
}

/* Returns whether the request is one that the script decides. */
static bool is_scripted(const mock_case *c)
{
    const rc_mock_request *request = c->request;
    return c->provider->script_index != RC_MOCK_NO_PROVIDER && !request->is_method_wrong &&
           request->body_error == NULL && request->endpoint != RC_MOCK_NO_ENDPOINT &&
           request->endpoint != RC_MOCK_MODELS;
}

static rc_status respond_script(mock_case *c, const rc_alloc *alloc, rc_mock_response *response,
                                rc_mock_ticket *ret_ticket)
{
    rc_mock_provider *p = c->provider;
    find_key(c);
    c->nth = rc_mock_stats_nth(&p->stats, c->request->key, rc_mock_request_model(c->request));
    const rc_mock_script_decision decision =
        rc_mock_script_decide(p->script, p->script_index, c->request, c->now->ms);
    const rc_mock_context context = {
        .seed = p->seed,
        .nth = c->nth,
        .now_unix_ms = c->now->unix_ms,
        .requests = decision.requests,
        .tokens = decision.tokens,
        .message = rc_str_c(decision.message),
    };
    const rc_status status =
        rc_mock_response_begin(response, &decision.plan, c->request, &context, alloc);
    *ret_ticket = rc_mock_stats_add(&p->stats, c->message, c->request, c->key_id, response);
    ret_ticket->holds_slot = decision.holds_slot;
    ret_ticket->restarts = decision.restarts;
    return status;
}

void rc_mock_provider_end(rc_mock_provider *provider, const rc_mock_ticket *ticket)
{
    if (ticket->holds_slot)
        rc_mock_script_release(provider->script, provider->script_index, ticket->restarts);
}

rc_status rc_mock_provider_respond(rc_mock_provider *provider, const rc_mock_message *message,
                                   const rc_mock_time *now, const rc_alloc *alloc,
                                   rc_mock_response *ret_response, rc_mock_ticket *ret_ticket)
{
    rc_mock_request request;
    rc_status status;
    rc_mock_request_read(&request, message, alloc);
    /* The generation UINT32_MAX never occurs, so that later counts for this ticket are ignored. */
    *ret_ticket = (rc_mock_ticket){.generation = UINT32_MAX};
    if (rc_buf_status(&request.text) == RC_E_NOMEM) {
        (void)rc_mock_response_begin_plain(ret_response, 500, RC_STR(""), alloc);
        status = RC_E_NOMEM;
    } else if (request.endpoint >= RC_MOCK_STATS && !request.is_method_wrong) {
        status = respond_own(provider, &request, now, alloc, ret_response);
    } else {
        mock_case c = {.provider = provider, .message = message, .request = &request, .now = now};
        status = is_scripted(&c) ? respond_script(&c, alloc, ret_response, ret_ticket)
                                 : respond_case(&c, alloc, ret_response, ret_ticket);
    }
    rc_mock_request_done(&request);
    return status;
}
