/* Event emitter: turns the actions of a call (try, wait, stop) into events for programs. Called by
 * the gateway's exchange_events.c and `recourse exec`. */
#include <recourse/emitter.h>

/* Final error of a call that was cancelled during a wait. */
#define CANCELLED RC_STR("Retry cancelled")

/* The events of one action while they are collected. */
typedef struct emission {
    rc_emitter *emitter;
    int64_t now_unix_ms;
    rc_event *events;
    size_t count;
} emission;

static rc_event *add_event(emission *t, rc_event_type type)
{
    rc_event *event = &t->events[t->count++];
    *event = (rc_event){
        .type = type,
        .seq = (*t->emitter->next_seq)++,
        .time_unix_ms = t->now_unix_ms,
        .correlation_id = t->emitter->correlation_id,
    };
    return event;
}

static void end_retry(emission *t, bool success, rc_str final_error)
{
    if (!t->emitter->is_retrying)
        return;
    rc_event_auto_retry_end *end = &add_event(t, RC_EVENT_TYPE_AUTO_RETRY_END)->as.auto_retry_end;
    end->success = success;
    end->attempt = t->emitter->attempt;
    end->final_error = final_error;
    t->emitter->is_retrying = false;
}

static void start_retry(emission *t, const rc_call_facts *facts)
{
    const rc_action *action = &facts->action;
    rc_event_auto_retry_start *start =
        &add_event(t, RC_EVENT_TYPE_AUTO_RETRY_START)->as.auto_retry_start;
    /* The attempt number of a TRY action is that of the attempt that begins. A WAIT or REFRESH is
     * followed by the attempt with the next number. */
    t->emitter->attempt = action->kind == RC_DO_TRY ? action->attempt : action->attempt + 1;
    start->attempt = t->emitter->attempt;
    start->max_attempts = action->max_attempts;
    start->delay_ms = action->kind == RC_DO_WAIT ? action->wait_ms : 0;
    start->error_message = facts->error_message;
    start->report_id = facts->report_id;
    t->emitter->is_retrying = true;
    t->emitter->is_announced = action->kind != RC_DO_TRY;
    t->emitter->at_ms = action->kind == RC_DO_WAIT ? action->at_ms : RC_UNLIMITED;
}

/* A change of target also changes the credential, but only the event about the target is
 * emitted. */
static void emit_switch(emission *t, const rc_call_facts *facts)
{
    const rc_action *action = &facts->action;
    if (action->from_entry != action->entry) {
        rc_event_retry_fallback_applied *applied =
            &add_event(t, RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED)->as.retry_fallback_applied;
        applied->from = facts->from;
        applied->to = facts->to;
        applied->role = facts->role;
        t->emitter->has_switched = true;
    } else if (action->from_credential != action->credential) {
        rc_event_credential_switched *switched =
            &add_event(t, RC_EVENT_TYPE_CREDENTIAL_SWITCHED)->as.credential_switched;
        switched->provider = facts->provider;
        switched->from = facts->from_credential;
        switched->to = facts->to_credential;
    }
}

static void begin_call(emission *t, const rc_call_facts *facts)
{
    t->emitter->is_begun = true;
    t->emitter->from_entry = facts->action.from_entry;
    emit_switch(t, facts);
}

static void try_again(emission *t, const rc_call_facts *facts)
{
    if (t->emitter->is_announced) {
        t->emitter->is_announced = false;
        emit_switch(t, facts);
        return;
    }
    end_retry(t, false, RC_STR(""));
    emit_switch(t, facts);
    start_retry(t, facts);
}

static void on_attempt(emission *t, const rc_call_facts *facts)
{
    if (!t->emitter->is_begun)
        begin_call(t, facts);
    else
        try_again(t, facts);
}

/* Returns whether the action is the same WAIT again, which a call returns if it is woken too early.
 * For a repeated WAIT no second event is emitted. */
static bool is_repeated_wait(const rc_emitter *emitter, const rc_action *action)
{
    return emitter->is_announced && action->kind == RC_DO_WAIT && action->at_ms == emitter->at_ms &&
           action->attempt + 1 == emitter->attempt;
}

/* A wait or refresh before the first attempt is not a retry, so no event is emitted. */
static void on_pause(emission *t, const rc_call_facts *facts)
{
    if (!t->emitter->is_begun || is_repeated_wait(t->emitter, &facts->action))
        return;
    end_retry(t, false, RC_STR(""));
    emit_switch(t, facts);
    start_retry(t, facts);
}

static void forget_call(rc_emitter *emitter)
{
    emitter->is_begun = false;
    emitter->is_announced = false;
    emitter->has_switched = false;
    emitter->attempt = 0;
}

static void on_deliver(emission *t, const rc_call_facts *facts)
{
    end_retry(t, true, RC_STR(""));
    if (t->emitter->has_switched && facts->action.entry != t->emitter->from_entry) {
        rc_event_retry_fallback_succeeded *succeeded =
            &add_event(t, RC_EVENT_TYPE_RETRY_FALLBACK_SUCCEEDED)->as.retry_fallback_succeeded;
        succeeded->model = facts->to;
        succeeded->role = facts->role;
    }
    forget_call(t->emitter);
}

static rc_str final_error(const rc_call_facts *facts)
{
    if (facts->action.reason == RC_WHY_CANCELLED)
        return CANCELLED;
    if (!rc_str_is_empty(facts->error_message))
        return facts->error_message;
    const char *text = rc_reason_text(facts->action.reason);
    return text[0] != '\0' ? rc_str_c(text) : RC_STR("the call failed");
}

static void on_stop(emission *t, const rc_call_facts *facts)
{
    end_retry(t, false, final_error(facts));
    forget_call(t->emitter);
}

static void on_compact(emission *t, const rc_call_facts *facts)
{
    if (!t->emitter->is_begun)
        return;
    on_stop(t, facts);
    rc_event_compaction_needed *needed =
        &add_event(t, RC_EVENT_TYPE_COMPACTION_NEEDED)->as.compaction_needed;
    needed->model = facts->to;
    needed->error_message = facts->error_message;
    needed->report_id = facts->report_id;
}

void rc_emitter_init(rc_emitter *emitter, rc_str correlation_id, uint64_t *next_seq)
{
    *emitter = (rc_emitter){.correlation_id = correlation_id};
    emitter->next_seq = next_seq;
}

size_t rc_emitter_on_action(rc_emitter *emitter, const rc_call_facts *facts,
                            rc_event ret_events[RC_EVENTS_MAX])
{
    emission t = {.emitter = emitter, .now_unix_ms = facts->now_unix_ms, .events = ret_events};
    switch (facts->action.kind) {
    case RC_DO_TRY:
        on_attempt(&t, facts);
        break;
    case RC_DO_WAIT:
    case RC_DO_REFRESH:
        on_pause(&t, facts);
        break;
    case RC_DO_DELIVER:
        on_deliver(&t, facts);
        break;
    case RC_DO_COMPACT:
        on_compact(&t, facts);
        break;
    case RC_DO_STOP:
        on_stop(&t, facts);
        break;
    }
    return t.count;
}

size_t rc_emitter_close(rc_emitter *emitter, int64_t now_unix_ms,
                        rc_event ret_events[RC_EVENTS_MAX])
{
    emission t = {.emitter = emitter, .now_unix_ms = now_unix_ms, .events = ret_events};
    end_retry(&t, false, CANCELLED);
    forget_call(emitter);
    return t.count;
}

bool rc_emitter_is_retrying(const rc_emitter *emitter)
{
    return emitter->is_retrying;
}

bool rc_emitter_validate(const rc_emitter *emitter)
{
    if (emitter->next_seq == NULL)
        return false;
    if (!emitter->is_begun)
        return !emitter->is_retrying && !emitter->is_announced && !emitter->has_switched;
    return emitter->is_retrying || !emitter->is_announced;
}
