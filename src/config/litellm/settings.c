/* Reads router_settings, litellm_settings and general_settings. Called by import.c. */
#include <string.h>

#include "config/litellm/private.h"

#define RETRIES_MAX 99u
#define FAILS_MAX 100000u

static void read_retries(rc_litellm *in)
{
    const rc_yaml_node *node = rc_litellm_setting(in, "num_retries");
    uint64_t retries = 0;
    if (node == NULL || !rc_litellm_number(in, node, RETRIES_MAX, &retries))
        return;
    in->max_attempts = retries + 1;
    in->has_policy = true;
    rc_litellm_notes_add(
        in, node, "these are attempts at each target of a chain, before the next target is used");
}

static void read_retry_policy(rc_litellm *in)
{
    /* LiteLLM's keys, in the order of rc_litellm.rule_attempts. */
    static const char *const keys[] = {"RateLimitErrorRetries", "TimeoutErrorRetries",
                                       "InternalServerErrorRetries"};
    const rc_yaml_node *map = rc_litellm_setting_of(in, "retry_policy", RC_YAML_MAP);
    if (map == NULL)
        return;
    for (const rc_yaml_node *node = map->first; node != NULL; node = node->next) {
        uint64_t retries = 0;
        bool is_known = false;
        for (size_t i = 0; i < 3; i++) {
            if (!rc_str_eq(node->key, rc_str_c(keys[i])))
                continue;
            is_known = true;
            if (!rc_litellm_number(in, node, RETRIES_MAX, &retries))
                continue;
            in->rule_attempts[i] = retries + 1;
            in->has_policy = true;
        }
        if (!is_known)
            rc_litellm_notes_add(in, node, "not retried, because the same call would fail again");
    }
}

static void read_cooldown(rc_litellm *in)
{
    const rc_yaml_node *cooldown = rc_litellm_setting(in, "cooldown_time");
    const rc_yaml_node *fails = rc_litellm_setting(in, "allowed_fails");
    if (cooldown != NULL)
        in->has_cooldown = rc_litellm_seconds(in, cooldown, &in->cooldown_ms);
    if (fails == NULL || !rc_litellm_number(in, fails, FAILS_MAX, &in->allowed_fails))
        return;
    in->has_allowed_fails = true;
    if (in->has_cooldown && in->cooldown_ms > RC_LITELLM_OPEN_MAX_MS)
        rc_litellm_notes_add(in, cooldown, "the breaker stays open for at most an hour");
    rc_litellm_notes_add(in, fails,
                         "the breaker opens when half of the calls of a minute fail and there are "
                         "at least this many calls");
}

static void read_timeouts(rc_litellm *in)
{
    const rc_yaml_node *timeout = rc_litellm_setting(in, "timeout");
    const rc_yaml_node *stream = rc_litellm_setting(in, "stream_timeout");
    const rc_yaml_node *request = rc_litellm_setting(in, "request_timeout");
    if (timeout == NULL)
        timeout = request;
    else if (request != NULL)
        rc_litellm_notes_add(in, request, "timeout sets the same value and is used; left out");
    if (timeout != NULL && rc_litellm_time_limit(in, timeout, &in->timeout_ms))
        rc_litellm_notes_add(in, timeout,
                             "this value limits the time to the first byte of each attempt; "
                             "deadline_ms limits the whole request");
    if (stream != NULL && rc_litellm_time_limit(in, stream, &in->stream_timeout_ms))
        rc_litellm_notes_add(in, stream,
                             "this value limits the silence between two parts of a response");
}

static void read_master_key(rc_litellm *in)
{
    const rc_yaml_node *node = rc_yaml_get(in->general, RC_STR("master_key"));
    const rc_str text = rc_litellm_text(node);
    if (node != NULL && text.len == 0 && node->kind != RC_YAML_NULL)
        rc_litellm_notes_add(in, node,
                             "text is expected; left out, so the gateway requires no token");
    if (text.len == 0 || rc_litellm_variable(in, text, &in->master_key))
        return;
    in->master_key = RC_STR("env:LITELLM_MASTER_KEY");
    rc_litellm_note_append(rc_litellm_notes_add(in, node, rc_litellm_uncopied_reason(text)),
                           "LITELLM_MASTER_KEY");
}

/* ---- settings without a counterpart ---- */

static bool is_among(rc_str key, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        if (rc_str_eq(key, rc_str_c(names[i])))
            return true;
    return false;
}

static const char *reason_of(rc_str key)
{
    static const struct {
        const char *key, *why;
    } reasons[] = {
        {"content_policy_fallbacks",
         "no counterpart: content that one provider rejects is not sent to the next"},
        {"model_group_retry_policy", "each route names its policy; define one under policies"},
        {"enable_pre_call_checks", "no counterpart: the provider's own response decides"},
        {"redis_host", "no counterpart: the gateway has no state outside its process and store"},
        {"redis_password",
         "no counterpart: the gateway has no state outside its process and store"},
        {"redis_port", "no counterpart: the gateway has no state outside its process and store"},
        {"redis_url", "no counterpart: the gateway has no state outside its process and store"},
        {"database_url", "the audit is a file; set store: sqlite:PATH"},
        {"cache", "no counterpart: responses are not cached"},
        {"cache_params", "no counterpart: responses are not cached"},
        {"drop_params", "requests are forwarded unchanged"},
        {"modify_params", "requests are forwarded unchanged"},
        {"callbacks", "see the audit, the log and the metrics"},
        {"success_callback", "see the audit, the log and the metrics"},
        {"failure_callback", "see the audit, the log and the metrics"},
        {"set_verbose", "use log.format"},
        {"max_budget", "see budgets"},
        {"budget_duration", "see budgets"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (rc_str_eq(key, rc_str_c(reasons[i].key)))
            return reasons[i].why;
    return "no counterpart";
}

static void note_unsupported(rc_litellm *in, const rc_yaml_node *map, const char *const *known)
{
    if (map == NULL)
        return;
    for (const rc_yaml_node *node = map->first; node != NULL; node = node->next)
        if (!is_among(node->key, known))
            rc_litellm_notes_add(in, node, reason_of(node->key));
}

/* Adds notes for keys of litellm_settings that are ignored, because router_settings has the same
 * keys. */
static void note_overruled(rc_litellm *in, const char *const *shared)
{
    if (in->settings == NULL)
        return;
    for (const rc_yaml_node *node = in->settings->first; node != NULL; node = node->next)
        if (is_among(node->key, shared) && rc_yaml_get(in->router, node->key) != NULL)
            rc_litellm_notes_add(in, node,
                                 "router_settings sets the same value and is used; left out");
}

/* Reads how requests are shared among the deployments of one model_name. */
static void read_strategy(rc_litellm *in)
{
    const rc_yaml_node *node = rc_litellm_setting(in, "routing_strategy");
    const rc_str name = rc_litellm_text(node);
    if (node == NULL || rc_str_eq(name, RC_STR("simple-shuffle")))
        return;
    if (rc_str_eq(name, RC_STR("least-busy")))
        in->by = "least-busy";
    else if (rc_str_starts_with(name, RC_STR("usage-based-routing")))
        in->by = "remaining";
    else
        rc_litellm_notes_add(in, node,
                             "no counterpart: the deployments of one model_name share the requests "
                             "by weight; by: least-busy avoids slow ones");
}

void rc_litellm_read_settings(rc_litellm *in)
{
    /* The keys that both sections may have. route.c and chain.c read the fallbacks and aliases. */
    static const char *const shared[] = {"num_retries",
                                         "retry_policy",
                                         "cooldown_time",
                                         "allowed_fails",
                                         "timeout",
                                         "stream_timeout",
                                         "request_timeout",
                                         "fallbacks",
                                         "default_fallbacks",
                                         "context_window_fallbacks",
                                         "model_group_alias",
                                         "routing_strategy",
                                         NULL};
    static const char *const general[] = {"master_key", NULL};
    read_retries(in);
    read_retry_policy(in);
    read_cooldown(in);
    read_timeouts(in);
    read_master_key(in);
    read_strategy(in);
    note_unsupported(in, in->router, shared);
    note_unsupported(in, in->settings, shared);
    note_overruled(in, shared);
    note_unsupported(in, in->general, general);
}
