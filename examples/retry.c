/* A call that fails, waits, moves to another target and succeeds. rc_call decides the next action;
 * the loop executes it. Time is virtual here; a real program would sleep and read its clock. */
#include <recourse/recourse.h>

#include <stdio.h>

static const char *const targets[] = {"openai/gpt-4o", "anthropic/claude-sonnet-4-5"};

/* The result of each attempt, in order; RC_CODE_NONE is a success. */
static const struct {
    rc_code code;
    int64_t retry_after_ms; /* -1: the server gave no hint. */
} results[] = {
    {RC_CODE_PROVIDER_5XX, -1},
    {RC_CODE_RATE_LIMITED, 20000},
    {RC_CODE_CONNECTION_RESET, -1},
    {RC_CODE_NONE, -1},
};

static void print_action(uint64_t now_ms, const rc_action *action)
{
    static const char *const names[] = {"", "try", "wait", "refresh", "deliver", "compact", "stop"};
    printf("%6.1f s  %-8s %-28s %s\n", (double)now_ms / 1000, names[action->kind],
           targets[action->target], rc_reason_text(action->reason));
}

int main(void)
{
    /* State that all calls of a process share: retry budget, breakers, cooldowns. */
    rc_target states[2];
    rc_shared shared;
    rc_shared_settings settings = rc_shared_settings_default();
    rc_shared_init(&shared, &settings, states, 2, NULL, 0, 0);

    /* Targets of the request, and the policy for retries. */
    rc_policy policy = *rc_policy_preset(RC_STR("transport"));
    policy.default_rule.jitter = RC_JITTER_NONE; /* Makes the output reproducible. */
    rc_chain_entry chain[] = {{.target = 0, .capabilities = UINT32_MAX},
                              {.target = 1, .capabilities = UINT32_MAX}};
    rc_plan plan = {
        .policy = &policy, .entries = chain, .entry_count = 2, .overflow_to = RC_NO_TARGET};

    uint64_t now_ms = 0;
    uint64_t entropy = 1; /* Any random number. */
    rc_call call;
    rc_call_init(&call, &plan, &shared, NULL, now_ms);
    rc_action action = rc_call_begin(&call, now_ms, entropy);
    for (size_t i = 0; !rc_call_is_done(&call);) {
        print_action(now_ms, &action);
        if (action.kind == RC_DO_WAIT) {
            now_ms = action.at_ms; /* A real program sleeps here. */
            action = rc_call_on_wake(&call, now_ms, entropy);
            continue;
        }
        now_ms += 300; /* A real program sends the request to action.target here. */
        rc_failure_facts failure = rc_failure_facts_of_code(results[i].code);
        failure.retry_after_ms = results[i].retry_after_ms;
        if (results[i++].code == RC_CODE_NONE)
            action = rc_call_on_success(&call, now_ms);
        else
            action = rc_call_on_failure(&call, &failure, now_ms, entropy);
    }
    print_action(now_ms, &action);
    return action.kind == RC_DO_DELIVER ? 0 : 1;
}
