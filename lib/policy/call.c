/* Inputs of rc_call (begin, success, failure, wake, refreshed, cancel, commit), called by
 * lib/exchange, `recourse exec` and the simulator. Each input takes the lock of rc_shared once. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

_Static_assert(sizeof(rc_call) <= 384, "the promise of call.h");

void rc_call_init(rc_call *call, const rc_plan *plan, rc_shared *shared,
                  const rc_call_options *options, uint64_t now_ms)
{
    *call = (rc_call){.plan = plan,
                      .shared = shared,
                      .now_ms = now_ms,
                      .deadline_at_ms = options ? options->deadline_at_ms : RC_UNLIMITED,
                      .needs = options ? options->needs : 0,
                      .is_unrepeatable = options && options->is_unrepeatable,
                      .skips = options ? options->skips : NULL};
    call->ticket = RC_QUEUE_NONE;
    call->may_queue = !options || !options->never_queues;
    call->never_learns = options && options->never_learns;
    call->client = options ? options->client : 0;
    call->owner = options ? options->owner : NULL;
    call->bytes = options ? options->bytes : 0;
    call->tokens_in = options ? options->tokens_in : 0;
    call->tokens_out = options ? options->tokens_out : 0;
    call->max_calls = options && options->max_calls > 0 ? options->max_calls : UINT32_MAX;
    call->waits_left_ms = options && options->max_wait_ms > 0 ? options->max_wait_ms : RC_UNLIMITED;
    call->sticky_key = options ? options->sticky_key : 0;
    if (options && options->first_entry < rc_plan_chain_count(plan))
        call->first_entry = rc_plan_group(plan, options->first_entry).first;
    call->attempt = (rc_call_attempt){
        .entry = call->first_entry, .target = RC_NO_TARGET, .credential = RC_NO_TARGET};
    call->failure = (rc_failure_facts){.retry_after_ms = -1};
}

/* --- common part of each input: time, lock, skips --- */

/* Takes the lock. Returns false, without the lock, if the call is done. The state is read under the
 * lock, because a call in the queue may get its next action by another call's input. */
static bool enter(rc_call *call, uint64_t now_ms)
{
    rc_shared_lock(call->shared);
    if (call->state == RC_CALL_DONE) {
        rc_shared_unlock(call->shared);
        return false;
    }
    if (now_ms > call->now_ms)
        call->now_ms = now_ms;
    if (call->skips)
        call->skips->count = 0;
    return true;
}

/* The input may have opened a target for calls in the queue, including this call. */
static rc_action leave(rc_call *call, rc_action action)
{
    rc_call_run_queue(call->shared, call, call->now_ms);
    if (call->shared->queue)
        action = call->last;
    /* The owner gets no notice for the call whose input runs, so the input returns the refusal. */
    if (call->is_refused && call->state == RC_CALL_WAITING)
        action = rc_call_end_queueing(call);
    rc_shared_unlock(call->shared);
    return action;
}

/* --- begin --- */

static bool has_alternative(const rc_call *call)
{
    uint32_t capable = 0;
    for (uint16_t i = 0; i < rc_plan_chain_count(call->plan); i++)
        capable += (call->needs & ~call->plan->entries[i].capabilities) == 0;
    return capable > 1;
}

/* Finds the entry of the first attempt. */
static rc_action begin_search(rc_call *call)
{
    call->is_alone = !has_alternative(call);
    if (call->now_ms >= call->deadline_at_ms)
        return rc_call_do_stop(call, RC_WHY_DEADLINE_PASSED, 0);

    rc_call_search first = rc_call_find_first(call);
    if (first.entry != RC_NO_TARGET)
        return rc_call_do_try(call, first.entry, RC_NO_TARGET, RC_WHY_FIRST_ATTEMPT);
    /* A target that is closed only because its latest calls got no response is tried all the same
     * if no other entry is open. */
    uint16_t silent = rc_call_find_silent(call);
    if (silent != RC_NO_TARGET)
        return rc_call_do_try(call, silent, RC_NO_TARGET, RC_WHY_FIRST_ATTEMPT);
    if (first.is_worth_waiting && rc_call_may_queue(call))
        return rc_call_enqueue(call, 0);
    if (first.is_capable || call->needs == 0)
        return rc_call_do_stop(call, rc_call_unavailable_reason(&first), first.until_ms);
    rc_call_do_stop(call, RC_WHY_NONE_CAPABLE, 0);
    call->last.missing = first.missing;
    return call->last;
}

static rc_action begin(rc_call *call)
{
    uint64_t budget_ms = call->plan->policy->budget_ms;
    rc_retry_budget_on_request(&call->shared->retry_budget, call->now_ms);
    if (budget_ms < RC_UNLIMITED - call->now_ms && call->now_ms + budget_ms < call->deadline_at_ms)
        call->deadline_at_ms = call->now_ms + budget_ms;
    rc_call_note_arrival(call);
    return begin_search(call);
}

/* --- inputs --- */

static rc_action cancel(rc_call *call)
{
    rc_credential *credential = rc_shared_credential(call->shared, call->attempt.credential);
    if (call->state == RC_CALL_REFRESHING && credential)
        credential->is_refreshing = false;
    rc_call_leave_queue(call);
    rc_call_end_attempt(call, &call->attempt, RC_BREAKER_NEUTRAL, NULL, 0);
    return rc_call_do_stop(call, RC_WHY_CANCELLED, 0);
}

rc_action rc_call_begin(rc_call *call, uint64_t now_ms, uint64_t entropy)
{
    if (!enter(call, now_ms))
        return call->last;
    if (call->state == RC_CALL_NEW)
        call->spread_key = entropy;
    rc_call_run_queue(call->shared, call, call->now_ms); /* calls that already wait in the queue
                                                            start first */
    return leave(call, call->state == RC_CALL_NEW ? begin(call) : cancel(call));
}

rc_action rc_call_on_success(rc_call *call, uint64_t now_ms)
{
    if (!enter(call, now_ms))
        return call->last;
    if (call->state != RC_CALL_TRYING)
        return leave(call, cancel(call));
    rc_call_note_success(call, &call->attempt);
    rc_call_note_retry(call, true);
    return leave(call, rc_call_do_end(call, RC_DO_DELIVER, RC_WHY_SUCCEEDED));
}

rc_action rc_call_on_failure(rc_call *call, const rc_failure_facts *failure, uint64_t now_ms,
                             uint64_t entropy)
{
    if (!enter(call, now_ms))
        return call->last;
    if (call->state != RC_CALL_TRYING)
        return leave(call, cancel(call));
    call->failure = *failure;
    rc_call_note_retry(call, false);
    rc_call_end_attempt(call, &call->attempt, rc_call_breaker_outcome(failure), failure, entropy);
    rc_call_publish_failure(call, &call->attempt, failure);
    return leave(call, rc_call_decide(call, entropy));
}

rc_action rc_call_on_wake(rc_call *call, uint64_t now_ms, uint64_t entropy)
{
    if (!enter(call, now_ms))
        return call->last;
    if (call->is_granted) {
        call->is_granted = false;
        return leave(call, call->last);
    }
    if (call->state != RC_CALL_WAITING)
        return leave(call, cancel(call));
    if (call->is_refused || (call->ticket != RC_QUEUE_NONE && call->now_ms >= call->last.at_ms))
        return leave(call, rc_call_end_queueing(call));
    if (call->now_ms < call->last.at_ms)
        return leave(call, call->last);
    return leave(call, rc_call_resume(call, entropy));
}

rc_action rc_call_on_refreshed(rc_call *call, bool is_fresh, uint64_t now_ms, uint64_t entropy)
{
    if (!enter(call, now_ms))
        return call->last;
    if (call->state != RC_CALL_REFRESHING)
        return leave(call, cancel(call));
    rc_credential *credential = rc_shared_credential(call->shared, call->attempt.credential);
    if (credential)
        credential->is_refreshing = false;
    if (is_fresh && credential && credential->state == RC_CREDENTIAL_DEAD)
        rc_credential_revive(credential);
    if (is_fresh)
        return leave(call, rc_call_resume(call, entropy));
    if (credential)
        rc_call_kill_key(call, credential);
    return leave(call, rc_call_on_refresh_failed(call));
}

rc_action rc_call_on_unfit(rc_call *call, uint64_t now_ms)
{
    if (call->state == RC_CALL_DONE)
        return call->last;
    enter(call, now_ms);
    if (call->state != RC_CALL_TRYING || call->calls != 1)
        return leave(call, cancel(call));
    rc_call_end_attempt(call, &call->attempt, RC_BREAKER_NEUTRAL, NULL, 0);
    call->calls = 0;
    call->entry_attempts = 0;
    call->next_position = 0;
    call->spent_entries = 0;
    call->round = 0;
    call->attempt = (rc_call_attempt){
        .entry = call->first_entry, .target = RC_NO_TARGET, .credential = RC_NO_TARGET};
    call->state = RC_CALL_NEW;
    return leave(call, begin_search(call));
}

rc_action rc_call_on_cancel(rc_call *call, uint64_t now_ms)
{
    if (!enter(call, now_ms))
        return call->last;
    return leave(call, cancel(call));
}

void rc_call_on_commit(rc_call *call, uint64_t now_ms)
{
    call->is_committed = true;
    if (call->state != RC_CALL_TRYING)
        return;
    if (now_ms > call->now_ms)
        call->now_ms = now_ms;
    /* The first content of a response proves that a probe of the target or of the key has
     * succeeded. The rest of the response may take minutes, so the probe is not left open until its
     * end. */
    rc_shared_lock(call->shared);
    rc_call_clear_key(call, &call->attempt);
    rc_call_clear_target(call, &call->attempt);
    rc_call_earn_turns(call, &call->attempt);
    rc_target *target = rc_shared_target(call->shared, call->attempt.target);
    if (target && call->attempt.is_in_flight && call->attempt.admission == RC_BREAKER_PROBE)
        rc_breaker_on_end(&target->breaker, &call->shared->settings.breaker, RC_BREAKER_PROBE,
                          RC_BREAKER_SUCCEEDED, call->now_ms, 0);
    call->attempt.admission = RC_BREAKER_ADMITTED;
    rc_call_run_queue(call->shared, call, call->now_ms);
    rc_shared_unlock(call->shared);
}

void rc_call_on_limits(rc_call *call, const rc_limit_facts *facts, uint64_t now_ms)
{
    if (call->state != RC_CALL_TRYING)
        return;
    rc_shared_lock(call->shared);
    if (now_ms > call->now_ms)
        call->now_ms = now_ms;
    const rc_call_attempt *attempt = &call->attempt;
    const rc_target *target = rc_shared_target(call->shared, attempt->target);
    rc_rate_limits *learned =
        target ? rc_target_learned(call->shared, target, attempt->credential) : NULL;
    if (learned && attempt->is_in_flight) {
        rc_rate_limits_note(learned, facts, &attempt->mark, attempt->at_ms, call->now_ms);
        rc_call_run_queue(call->shared, call, call->now_ms);
    }
    rc_shared_unlock(call->shared);
}

uint16_t rc_call_hedge_entry(const rc_call *call, uint64_t now_ms)
{
    if (call->state != RC_CALL_TRYING)
        return RC_NO_TARGET;
    rc_call view = *call;
    view.skips = NULL;
    if (now_ms > view.now_ms)
        view.now_ms = now_ms;
    rc_shared_lock(call->shared);
    uint16_t entry = rc_call_find_next(&view, true).entry;
    rc_shared_unlock(call->shared);
    return entry;
}

uint16_t rc_call_standby_entry(const rc_call *call, uint64_t now_ms)
{
    if (call->calls == 0 || call->is_committed || call->is_unrepeatable)
        return RC_NO_TARGET;
    rc_call view = *call;
    view.skips = NULL;
    if (now_ms > view.now_ms)
        view.now_ms = now_ms;
    rc_shared_lock(call->shared);
    uint16_t entry = rc_call_find_next(&view, false).entry;
    rc_shared_unlock(call->shared);
    return entry;
}

bool rc_call_is_done(const rc_call *call)
{
    return call->state == RC_CALL_DONE;
}
