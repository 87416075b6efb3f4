/* Models of other clients' retry loops. Called by request.c, state.c and policies.c. */
#include "sim/rivals.h"

/* The rival loops decide by the HTTP status, so a quota error with status 429 is a rate limit for
 * all of them. */
static const rc_sim_rival_row rows[RC_SIM_RIVAL_COUNT] = {
    [RC_SIM_OPENAI_SDK] = {.name = "openai-sdk",
                           .about = "OpenAI SDK's default: 2 retries, 0.5 s doubling to 8 s, "
                                    "follows retry-after up to 120 s",
                           .tries = 3,
                           .base_ms = 500,
                           .factor = 2,
                           .max_ms = 8000,
                           .shrink_pct = 25,
                           .hint_max_ms = 120000,
                           .gives_up_beyond = true,
                           .reads_ms = true,
                           .statuses = {408, 409, 429},
                           .has_all_5xx = true,
                           .retries_network = true},
    [RC_SIM_LITELLM] = {.name = "litellm",
                        .about = "LiteLLM router's default: 2 retries, 0.5 s doubling to 8 s, "
                                 "follows retry-after up to 60 s, then the next target",
                        .tries = 3,
                        .base_ms = 500,
                        .factor = 2,
                        .max_ms = 8000,
                        .add_ms = 750,
                        .hint_max_ms = 60000,
                        .has_next = true,
                        .picks_any_key = true,
                        .statuses = {408, 409, 429},
                        .has_all_5xx = true,
                        .retries_network = true},
    [RC_SIM_PORTKEY] = {.name = "portkey",
                        .about = "Portkey's: 5 retries, 1 s doubling, no jitter, ignores "
                                 "retry-after, then the next target",
                        .tries = 6,
                        .base_ms = 1000,
                        .factor = 2,
                        .max_ms = 60000,
                        .has_next = true,
                        .hides_cuts = true,
                        .statuses = {429, 500, 502, 503, 504},
                        .retries_network = true},
    [RC_SIM_NAIVE] = {.name = "naive",
                      .about = "a fixed loop: 5 retries, 1 s apart, after any failure",
                      .tries = 6,
                      .base_ms = 1000,
                      .factor = 1,
                      .max_ms = 1000,
                      .statuses = {400, 408, 409, 429},
                      .has_all_5xx = true,
                      .retries_network = true,
                      .retries_empty = true},
    [RC_SIM_NO_RETRY] = {.name = "none", .about = "one attempt, no retries", .tries = 1},
};

const rc_sim_rival_row *rc_sim_rival_row_of(rc_sim_rival rival)
{
    if (rival == RC_SIM_OURS || (int)rival < 0 || rival >= RC_SIM_RIVAL_COUNT)
        return NULL;
    return &rows[rival];
}

static bool is_retried(const rc_sim_rival_row *row, rc_sim_outcome_kind kind,
                       rc_sim_dialect dialect)
{
    int status = rc_sim_outcome_status(kind, dialect);
    if (status == 0)
        return row->retries_network;
    if (status == 200)
        return row->retries_empty;
    for (const uint16_t *listed = row->statuses; *listed != 0; listed++)
        if (status == *listed || (row->has_all_5xx && status >= 500))
            return true;
    return false;
}

static rc_action attempt_entry(rc_sim_rival_state *state, rc_reason reason)
{
    state->tries++;
    state->calls++;
    return (rc_action){.kind = RC_DO_TRY,
                       .reason = reason,
                       .entry = state->entry,
                       .target = state->entry,
                       .credential = RC_NO_TARGET,
                       .attempt = state->calls,
                       .deadline_at_ms = RC_UNLIMITED};
}

static rc_action stop(const rc_sim_rival_state *state, rc_reason reason)
{
    return (rc_action){.kind = RC_DO_STOP,
                       .reason = reason,
                       .entry = state->entry,
                       .target = state->entry,
                       .credential = RC_NO_TARGET,
                       .attempt = state->calls};
}

rc_action rc_sim_rival_begin(rc_sim_rival_state *state)
{
    *state = (rc_sim_rival_state){.entry = 0};
    return attempt_entry(state, RC_WHY_FIRST_ATTEMPT);
}

static uint64_t backoff_ms(const rc_sim_rival_state *state, const rc_sim_rival_row *row,
                           rc_sim_rng *rng)
{
    uint64_t wait_ms = row->base_ms;
    for (uint32_t i = 1; i < state->tries && wait_ms < row->max_ms; i++)
        wait_ms *= row->factor;
    if (wait_ms > row->max_ms)
        wait_ms = row->max_ms;
    wait_ms -= wait_ms * rc_sim_rng_below(rng, row->shrink_pct * 10 + 1) / 1000;
    return wait_ms + rc_sim_rng_below(rng, row->add_ms + 1);
}

/* Returns the wait that the loop derives from the retry-after headers of the server, or -1 for
 * none. */
static int64_t server_hint_ms(const rc_sim_rival_row *row, const rc_sim_outcome *outcome,
                              rc_sim_dialect dialect)
{
    if (outcome->wait_ms < 0 || row->hint_max_ms == 0)
        return -1;
    return row->reads_ms && dialect == RC_SIM_OPENAI ? outcome->wait_ms
                                                     : rc_sim_outcome_hint_ms(outcome->wait_ms);
}

rc_action rc_sim_rival_on_failure(rc_sim_rival_state *state, const rc_sim_rival_row *row,
                                  const rc_sim_outcome *outcome, rc_sim_dialect dialect,
                                  uint32_t provider_count, uint64_t now_ms, rc_sim_rng *rng)
{
    if (rc_sim_outcome_has_content(outcome->kind))
        return stop(state, RC_WHY_COMMITTED);
    bool is_retryable = is_retried(row, outcome->kind, dialect);
    bool may_retry = is_retryable && state->tries < row->tries;
    int64_t hint_ms = server_hint_ms(row, outcome, dialect);
    bool is_beyond = hint_ms > (int64_t)row->hint_max_ms;
    if (may_retry && is_beyond && row->gives_up_beyond)
        return stop(state, RC_WHY_DELAY_TOO_LONG);
    if (may_retry) {
        bool is_honoured = hint_ms > 0 && !is_beyond;
        uint64_t wait_ms = is_honoured ? (uint64_t)hint_ms : backoff_ms(state, row, rng);
        return (rc_action){.kind = RC_DO_WAIT,
                           .reason = is_honoured ? RC_WHY_HINT : RC_WHY_BACKOFF,
                           .entry = state->entry,
                           .target = state->entry,
                           .credential = RC_NO_TARGET,
                           .attempt = state->calls,
                           .at_ms = now_ms + wait_ms,
                           .wait_ms = wait_ms};
    }
    if (row->has_next && state->entry + 1u < provider_count) {
        state->entry++;
        state->tries = 0;
        return attempt_entry(state, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
    }
    return stop(state, is_retryable ? RC_WHY_ATTEMPTS_SPENT : RC_WHY_NOT_RETRYABLE);
}

rc_action rc_sim_rival_on_wake(rc_sim_rival_state *state)
{
    return attempt_entry(state, RC_WHY_WOKE);
}
