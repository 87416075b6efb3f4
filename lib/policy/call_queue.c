/* Calls in the waiting queue of rc_shared: adds calls to the queue, removes them, and chooses the
 * call that gets an attempt when a target opens. Called by the other call*.c files, hedge.c and the
 * owner of the queue. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

/* --- owner --- */

void rc_shared_set_queue(rc_shared *shared, rc_queue *queue, const rc_queue_owner *owner)
{
    rc_shared_lock(shared);
    shared->queue = queue;
    shared->queue_owner = owner ? *owner : (rc_queue_owner){0};
    shared->queue_run_at_ms = RC_UNLIMITED;
    rc_shared_unlock(shared);
}

/* Notifies the owner of a call that the queue has granted or refused. `self` is the call whose
 * input runs now; its owner is not notified, because the input returns the action. */
static void wake(const rc_call *call, const rc_call *self)
{
    const rc_queue_owner *owner = &call->shared->queue_owner;
    if (call != self && owner->wake)
        owner->wake(owner->ctx, call->owner);
}

/* --- entering and leaving --- */

bool rc_call_may_queue(const rc_call *call)
{
    return call->may_queue && call->shared->queue && !call->is_committed &&
           call->plan->policy->enabled;
}

/* Returns the first target of the chain that has the needed capabilities; NULL: no target has
 * them. */
static rc_target *first_target(const rc_call *call)
{
    for (uint16_t i = 0; i < rc_plan_chain_count(call->plan); i++) {
        const rc_chain_entry *row = &call->plan->entries[i];
        if ((call->needs & ~row->capabilities) == 0)
            return rc_shared_target(call->shared, row->target);
    }
    return NULL;
}

void rc_call_note_arrival(const rc_call *call)
{
    rc_target *target = first_target(call);
    if (target)
        rc_admission_on_arrival(&target->admission, call->now_ms);
}

void rc_call_note_retry(const rc_call *call, bool is_success)
{
    if (call->calls > 1 && rc_call_may_queue(call))
        rc_retry_budget_on_retry(&call->shared->retry_budget, is_success, call->now_ms);
}

/* Returns a number for the list of targets that the call can use. Calls with the same number wait
 * in the same line. */
static uint64_t line_of(const rc_call *call)
{
    uint64_t line = call->is_alone;
    for (uint16_t i = 0; i < rc_plan_chain_count(call->plan); i++) {
        const rc_chain_entry *row = &call->plan->entries[i];
        if ((call->needs & ~row->capabilities) == 0)
            line = (line ^ row->target) * UINT64_C(0x100000001b3) + 1;
    }
    return line;
}

/* Returns the time by which a call must start so that a response that takes took_ms ends before the
 * deadline. */
static uint64_t start_by_ms(const rc_call *call, uint64_t took_ms, uint64_t leave_ms)
{
    if (call->deadline_at_ms == RC_UNLIMITED)
        return leave_ms;
    uint64_t at_ms = call->deadline_at_ms > took_ms ? call->deadline_at_ms - took_ms : 0;
    return at_ms < leave_ms ? at_ms : leave_ms;
}

static uint64_t leave_at_ms(const rc_call *call)
{
    uint64_t at_ms = call->deadline_at_ms == RC_UNLIMITED ? RC_UNLIMITED - 1
                     : call->deadline_at_ms > 0           ? call->deadline_at_ms - 1
                                                          : 0;
    if (call->waits_left_ms < RC_UNLIMITED - call->now_ms &&
        call->now_ms + call->waits_left_ms < at_ms)
        at_ms = call->now_ms + call->waits_left_ms;
    return at_ms;
}

/* Ends a call that cannot get an attempt in time. */
static rc_action stop_waiting(rc_call *call, rc_reason reason, uint64_t opens_at_ms)
{
    return rc_call_do_stop(call, call->calls == 0 ? RC_WHY_ALL_UNAVAILABLE : reason, opens_at_ms);
}

static void refuse(rc_call *call, const rc_call *self)
{
    call->ticket = RC_QUEUE_NONE;
    call->is_refused = true;
    wake(call, self);
}

/* Refuses a call whose place in the queue is taken by `self`. */
static void displace(rc_call *call, const rc_call *self)
{
    call->is_displaced = true;
    refuse(call, self);
}

/* Returns the earliest time at which an entry may open for a call that waits in the queue; 0: now,
 * or not known, because it depends on other calls. */
static uint64_t opens_ms(const rc_call *call)
{
    rc_call view = *call;
    view.skips = NULL;
    rc_call_search search = rc_call_find_queued(&view);
    return search.entry == RC_NO_TARGET && !search.is_busy ? search.until_ms : 0;
}

rc_action rc_call_enqueue(rc_call *call, uint64_t opens_at_ms)
{
    if (opens_at_ms == 0)
        opens_at_ms = opens_ms(call);
    rc_queue *queue = call->shared->queue;
    const rc_target *target = first_target(call);
    uint64_t usual_ms = target ? target->admission.service_ms : 0;
    uint64_t slow_ms = target ? target->admission.service_slow_ms : 0;
    uint64_t leave_ms = leave_at_ms(call);
    leave_ms = start_by_ms(call, usual_ms / 2, leave_ms);
    void *refused = NULL;
    if (leave_ms <= call->now_ms || (opens_at_ms != RC_UNLIMITED && opens_at_ms > leave_ms))
        return stop_waiting(call, RC_WHY_STARTS_TOO_LATE, opens_at_ms);
    rc_queue_request request = {.item = call,
                                .line = line_of(call),
                                .client = call->client,
                                .start_by_ms = start_by_ms(call, slow_ms, leave_ms),
                                .leave_at_ms = leave_ms,
                                .bytes = call->bytes,
                                .is_again = call->calls > 0};
    rc_queue_result result = rc_queue_push(queue, &request, &call->ticket, &refused);
    if (result == RC_QUEUE_FULL) {
        call->ticket = RC_QUEUE_NONE;
        return rc_call_do_stop(call, RC_WHY_QUEUE_FULL, opens_at_ms);
    }
    if (result == RC_QUEUE_REPLACED)
        displace(refused, call);
    call->queued_at_ms = call->now_ms;
    call->has_waited = true;
    return rc_call_do_queue(call, leave_ms, opens_at_ms);
}

/* Adds the time in the queue to the waiting time of the call. */
static void note_waited(rc_call *call)
{
    uint64_t waited_ms = call->now_ms - call->queued_at_ms;
    if (call->waits_left_ms != RC_UNLIMITED)
        call->waits_left_ms -= waited_ms < call->waits_left_ms ? waited_ms : call->waits_left_ms;
}

void rc_call_leave_queue(rc_call *call)
{
    if (call->ticket == RC_QUEUE_NONE)
        return;
    rc_queue_remove(call->shared->queue, call->ticket);
    call->ticket = RC_QUEUE_NONE;
    note_waited(call);
}

rc_action rc_call_end_queueing(rc_call *call)
{
    rc_call_leave_queue(call);
    call->is_refused = false;
    rc_call_search first = rc_call_find_first(call); /* notes why each target is closed */
    if (call->is_displaced)
        return rc_call_do_stop(call, RC_WHY_QUEUE_FULL, first.until_ms);
    return stop_waiting(call, RC_WHY_STARTS_TOO_LATE, first.until_ms);
}

/* --- grants --- */

/* Returns the result of the search for the entry that the queued call may try now. */
static rc_call_search search_for(const rc_call *call, uint64_t now_ms)
{
    rc_call view = *call;
    view.skips = NULL;
    if (now_ms > view.now_ms)
        view.now_ms = now_ms;
    return rc_call_find_queued(&view);
}

static void grant(rc_call *call, uint16_t entry, const rc_call *self, uint64_t now_ms)
{
    rc_queue_grant(call->shared->queue, call->ticket);
    call->ticket = RC_QUEUE_NONE;
    if (now_ms > call->now_ms)
        call->now_ms = now_ms;
    note_waited(call);
    call->is_granted = call != self;
    bool stays = entry == call->attempt.entry && rc_call_may_stay(call);
    /* Unless the call stays at its entry, the search along the chain begins again at the first. */
    if (call->calls > 0 && !stays) {
        uint16_t next = rc_call_next_round(call);
        uint32_t max = rc_policy_rule(call->plan->policy, call->failure.code)->max_attempts;
        call->round = next < max ? next : call->round;
        rc_call_restart_chain(call);
    }
    rc_call_do_try(call, entry, RC_NO_TARGET, RC_WHY_GRANTED);
    wake(call, self);
}

/* Returns whether a probe of the entry would be the last attempt that the call has left. Such a
 * call leaves the probes to other calls until its latest start, so that probes alone do not end
 * it. */
static bool is_last_probe(const rc_call *call, uint16_t entry, uint64_t now_ms,
                          uint64_t *ret_until_ms)
{
    const rc_target *target = rc_shared_target(call->shared, call->plan->entries[entry].target);
    if (!target || call->calls + 1 < rc_call_max_calls(call))
        return false;
    *ret_until_ms = start_by_ms(call, target->admission.service_slow_ms, call->last.at_ms);
    return now_ms < *ret_until_ms;
}

/* The call of a line that gets an attempt next. */
typedef struct line_choice {
    rc_call *call;     /* NULL: no call of the line may start now. */
    uint16_t entry;    /* Set if `call` is not NULL: the entry that the call tries. */
    uint64_t until_ms; /* Set if `call` is NULL: the earliest time at which a call may start; 0: not
                        * known. */
} line_choice;

/* Chooses the call that probes a target that is DOWN. */
static line_choice choose_prober(const rc_queue *queue, uint32_t line, rc_call *head,
                                 uint16_t entry, uint64_t now_ms)
{
    rc_call *prober = rc_queue_item(queue, rc_queue_prober(queue, line));
    uint64_t until_ms = 0;
    uint64_t head_until_ms = 0;
    if (search_for(prober, now_ms).entry == entry &&
        prober->plan->entries[entry].target == head->plan->entries[entry].target &&
        !is_last_probe(prober, entry, now_ms, &until_ms))
        return (line_choice){.call = prober, .entry = entry};
    if (!is_last_probe(head, entry, now_ms, &head_until_ms))
        return (line_choice){.call = head, .entry = entry};
    if (until_ms == 0 || head_until_ms < until_ms)
        until_ms = head_until_ms;
    return (line_choice){.until_ms = until_ms};
}

/* Chooses the newest call of a line whose head must not start yet, because the provider named a
 * time for the head's next attempt. The target may be open for the other calls, for example because
 * an operator cleared it. head_until_ms: the time at which the head may start. */
static line_choice choose_past(const rc_queue *queue, uint32_t line, uint64_t head_until_ms,
                               uint64_t now_ms)
{
    rc_call *newest = rc_queue_item(queue, rc_queue_prober(queue, line));
    rc_call_search search = search_for(newest, now_ms);
    if (search.entry == RC_NO_TARGET)
        return (line_choice){.until_ms = search.until_ms > 0 && search.until_ms < head_until_ms
                                             ? search.until_ms
                                             : head_until_ms};
    const rc_target *target =
        rc_shared_target(newest->shared, newest->plan->entries[search.entry].target);
    uint64_t until_ms = 0;
    if (target && target->admission.state == RC_ADMISSION_DOWN &&
        is_last_probe(newest, search.entry, now_ms, &until_ms))
        return (line_choice){.until_ms = until_ms < head_until_ms ? until_ms : head_until_ms};
    return (line_choice){.call = newest, .entry = search.entry};
}

static line_choice choose(const rc_queue *queue, uint32_t line, uint64_t now_ms)
{
    uint32_t first = rc_queue_head(queue, line);
    if (first == RC_QUEUE_NONE)
        return (line_choice){0};
    rc_call *head = rc_queue_item(queue, first);
    rc_call_search search = search_for(head, now_ms);
    if (search.entry == RC_NO_TARGET)
        return now_ms < head->not_before_ms ? choose_past(queue, line, search.until_ms, now_ms)
                                            : (line_choice){.until_ms = search.until_ms};
    const rc_target *target =
        rc_shared_target(head->shared, head->plan->entries[search.entry].target);
    if (target && target->admission.state == RC_ADMISSION_DOWN)
        return choose_prober(queue, line, head, search.entry, now_ms);
    return (line_choice){.call = head, .entry = search.entry};
}

/* Grants one attempt to the first call in the order of the queue that has an open target. Returns
 * false if no call can start. */
static bool grant_one(rc_shared *shared, const rc_call *self, uint64_t now_ms)
{
    const rc_queue *queue = shared->queue;
    uint32_t best = RC_QUEUE_NONE;
    line_choice chosen = {0};
    for (uint32_t line = 0; line < queue->line_count; line++) {
        if (queue->lines[line].count == 0 ||
            (best != RC_QUEUE_NONE && !rc_queue_is_before(queue, line, best)))
            continue;
        line_choice choice = choose(queue, line, now_ms);
        if (!choice.call)
            continue;
        best = line;
        chosen = choice;
    }
    if (best == RC_QUEUE_NONE)
        return false;
    grant(chosen.call, chosen.entry, self, now_ms);
    return true;
}

/* Refuses the calls whose targets will not open by waiting any more, for example because an
 * operator took the targets out of service, and the calls that can use no target. */
static void refuse_hopeless(rc_queue *queue, const rc_call *self, uint64_t now_ms)
{
    for (uint32_t line = 0; line < queue->line_count; line++) {
        uint32_t head = rc_queue_head(queue, line);
        while (head != RC_QUEUE_NONE) {
            rc_call *call = rc_queue_item(queue, head);
            rc_call_search found = search_for(call, now_ms);
            if (found.entry != RC_NO_TARGET || (found.is_capable && found.is_worth_waiting))
                break;
            rc_queue_remove(queue, head);
            refuse(call, self);
            head = rc_queue_head(queue, line);
        }
    }
}

/* Returns the earliest time at which a queued call may start or must leave the queue. */
static uint64_t next_run_ms(const rc_shared *shared, uint64_t now_ms)
{
    const rc_queue *queue = shared->queue;
    uint64_t at_ms = rc_queue_next_ms(queue);
    for (uint32_t line = 0; line < queue->line_count; line++) {
        uint64_t opens_ms = choose(queue, line, now_ms).until_ms;
        if (opens_ms > 0 && opens_ms < at_ms)
            at_ms = opens_ms;
    }
    return at_ms > now_ms ? at_ms : now_ms + 1;
}

/* Records in all admissions that no call waits any more, so targets that are RECOVERING are UP. */
static void relax(rc_shared *shared)
{
    for (uint16_t i = 0; i < shared->target_count; i++)
        rc_admission_relax(&shared->targets[i].admission);
}

static void announce_run(rc_shared *shared, uint64_t now_ms)
{
    uint64_t at_ms = shared->queue->count > 0 ? next_run_ms(shared, now_ms) : RC_UNLIMITED;
    if (at_ms == shared->queue_run_at_ms)
        return;
    if (at_ms == RC_UNLIMITED)
        relax(shared);
    shared->queue_run_at_ms = at_ms;
    if (shared->queue_owner.run_at)
        shared->queue_owner.run_at(shared->queue_owner.ctx, at_ms);
}

void rc_call_run_queue(rc_shared *shared, const rc_call *self, uint64_t now_ms)
{
    rc_queue *queue = shared->queue;
    if (!queue || (queue->count == 0 && shared->queue_run_at_ms == RC_UNLIMITED))
        return;
    uint32_t overdue = rc_queue_overdue(queue, now_ms);
    while (overdue != RC_QUEUE_NONE) {
        rc_call *call = rc_queue_item(queue, overdue);
        rc_queue_remove(queue, overdue);
        refuse(call, self);
        overdue = rc_queue_overdue(queue, now_ms);
    }
    while (grant_one(shared, self, now_ms))
        continue;
    refuse_hopeless(queue, self, now_ms);
    announce_run(shared, now_ms);
}

void rc_shared_run_queue(rc_shared *shared, uint64_t now_ms, uint64_t entropy)
{
    (void)entropy;
    rc_shared_lock(shared);
    rc_call_run_queue(shared, NULL, now_ms);
    rc_shared_unlock(shared);
}
