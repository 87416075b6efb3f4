#include <recourse/teller.h>

/* The words that people are used to when a wait was broken off. */
#define CANCELLED RC_STR("Retry cancelled")

/* Events of one input, as they are collected. */
typedef struct telling {
    rc_teller *teller;
    int64_t now_unix_ms;
    rc_event *events;
    size_t count;
} telling;

static rc_event *add(telling *t, rc_event_type type)
{
    rc_event *event = &t->events[t->count++];
    *event = (rc_event){
        .type = type,
        .seq = (*t->teller->next_seq)++,
        .time_unix_ms = t->now_unix_ms,
        .correlation_id = t->teller->correlation_id,
    };
    return event;
}

static void end_retry(telling *t, bool success, rc_str final_error)
{
    if (!t->teller->is_retrying)
        return;
    rc_event_auto_retry_end *end = &add(t, RC_EVENT_TYPE_AUTO_RETRY_END)->as.auto_retry_end;
    end->success = success;
    end->attempt = t->teller->attempt;
    end->final_error = final_error;
    t->teller->is_retrying = false;
}

static void start_retry(telling *t, const rc_news *news)
{
    const rc_action *action = &news->action;
    rc_event_auto_retry_start *start = &add(t, RC_EVENT_TYPE_AUTO_RETRY_START)->as.auto_retry_start;
    /* A TRY counts itself; the others come before the try that they lead to. */
    t->teller->attempt = action->what == RC_DO_TRY ? action->attempt : action->attempt + 1;
    start->attempt = t->teller->attempt;
    start->max_attempts = action->max_attempts;
    start->delay_ms = action->what == RC_DO_WAIT ? action->wait_ms : 0;
    start->error_message = news->error_message;
    start->report_id = news->report_id;
    t->teller->is_retrying = true;
    t->teller->is_announced = action->what != RC_DO_TRY;
    t->teller->at_ms = action->what == RC_DO_WAIT ? action->at_ms : RC_UNLIMITED;
}

/* Another target brings its own credentials: that is one switch and not two. */
static void tell_switch(telling *t, const rc_news *news)
{
    const rc_action *action = &news->action;
    if (action->from_entry != action->entry) {
        rc_event_retry_fallback_applied *applied =
            &add(t, RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED)->as.retry_fallback_applied;
        applied->from = news->from;
        applied->to = news->to;
        applied->role = news->role;
        t->teller->has_switched = true;
    } else if (action->from_credential != action->credential) {
        rc_event_credential_switched *switched =
            &add(t, RC_EVENT_TYPE_CREDENTIAL_SWITCHED)->as.credential_switched;
        switched->provider = news->provider;
        switched->from = news->from_credential;
        switched->to = news->to_credential;
    }
}

static void begin_call(telling *t, const rc_news *news)
{
    t->teller->is_begun = true;
    t->teller->from_entry = news->action.from_entry;
    tell_switch(t, news);
}

static void try_again(telling *t, const rc_news *news)
{
    if (t->teller->is_announced) {
        t->teller->is_announced = false;
        tell_switch(t, news);
        return;
    }
    end_retry(t, false, RC_STR(""));
    tell_switch(t, news);
    start_retry(t, news);
}

static void on_try(telling *t, const rc_news *news)
{
    if (!t->teller->is_begun)
        begin_call(t, news);
    else
        try_again(t, news);
}

/* Who wakes a call too early gets the WAIT that was announced. */
static bool is_told(const rc_teller *teller, const rc_action *action)
{
    return teller->is_announced && action->what == RC_DO_WAIT && action->at_ms == teller->at_ms &&
           action->attempt + 1 == teller->attempt;
}

/* A wait or a refresh without a call before it has nothing to repeat. */
static void on_pause(telling *t, const rc_news *news)
{
    if (!t->teller->is_begun || is_told(t->teller, &news->action))
        return;
    end_retry(t, false, RC_STR(""));
    tell_switch(t, news);
    start_retry(t, news);
}

static void forget_call(rc_teller *teller)
{
    teller->is_begun = false;
    teller->is_announced = false;
    teller->has_switched = false;
    teller->attempt = 0;
}

static void on_deliver(telling *t, const rc_news *news)
{
    end_retry(t, true, RC_STR(""));
    if (t->teller->has_switched && news->action.entry != t->teller->from_entry) {
        rc_event_retry_fallback_succeeded *succeeded =
            &add(t, RC_EVENT_TYPE_RETRY_FALLBACK_SUCCEEDED)->as.retry_fallback_succeeded;
        succeeded->model = news->to;
        succeeded->role = news->role;
    }
    forget_call(t->teller);
}

static rc_str final_error(const rc_news *news)
{
    if (news->action.reason == RC_WHY_CANCELLED)
        return CANCELLED;
    if (!rc_str_is_empty(news->error_message))
        return news->error_message;
    const char *text = rc_reason_text(news->action.reason);
    return text[0] != '\0' ? rc_str_c(text) : RC_STR("the call failed");
}

static void on_stop(telling *t, const rc_news *news)
{
    end_retry(t, false, final_error(news));
    forget_call(t->teller);
}

static void on_compact(telling *t, const rc_news *news)
{
    if (!t->teller->is_begun)
        return;
    on_stop(t, news);
    rc_event_compaction_needed *needed =
        &add(t, RC_EVENT_TYPE_COMPACTION_NEEDED)->as.compaction_needed;
    needed->model = news->to;
    needed->error_message = news->error_message;
    needed->report_id = news->report_id;
}

void rc_teller_init(rc_teller *teller, rc_str correlation_id, uint64_t *next_seq)
{
    *teller = (rc_teller){.correlation_id = correlation_id};
    teller->next_seq = next_seq;
}

size_t rc_teller_on_action(rc_teller *teller, const rc_news *news,
                           rc_event ret_events[RC_EVENTS_MAX])
{
    telling t = {.teller = teller, .now_unix_ms = news->now_unix_ms, .events = ret_events};
    switch (news->action.what) {
    case RC_DO_TRY:
        on_try(&t, news);
        break;
    case RC_DO_WAIT:
    case RC_DO_REFRESH:
        on_pause(&t, news);
        break;
    case RC_DO_DELIVER:
        on_deliver(&t, news);
        break;
    case RC_DO_COMPACT:
        on_compact(&t, news);
        break;
    case RC_DO_STOP:
        on_stop(&t, news);
        break;
    }
    return t.count;
}

size_t rc_teller_close(rc_teller *teller, int64_t now_unix_ms, rc_event ret_events[RC_EVENTS_MAX])
{
    telling t = {.teller = teller, .now_unix_ms = now_unix_ms, .events = ret_events};
    end_retry(&t, false, CANCELLED);
    forget_call(teller);
    return t.count;
}

bool rc_teller_is_retrying(const rc_teller *teller)
{
    return teller->is_retrying;
}

bool rc_teller_validate(const rc_teller *teller)
{
    if (teller->next_seq == NULL)
        return false;
    if (!teller->is_begun)
        return !teller->is_retrying && !teller->is_announced && !teller->has_switched;
    return teller->is_retrying || !teller->is_announced;
}
