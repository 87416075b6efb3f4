/* rc_event_view: an event (event.h) as its receiver reads it from a JSON line. Unknown members are
 * ignored, so that a newer gateway can send more. */
#ifndef RC_REPORT_EVENT_VIEW_H
#define RC_REPORT_EVENT_VIEW_H

#include <recourse/buf.h>
#include <recourse/event.h>

/* Buffer size that holds all texts of one event. */
#define RC_EVENT_VIEW_SCRATCH_MAX ((size_t)32 << 10)

typedef struct rc_event_view {
    rc_event_type type;
    uint64_t attempt; /* Each number in this struct is 0 if the event has no such member. */
    uint64_t max_attempts;
    uint64_t delay_ms;
    uint64_t input_tokens;
    uint64_t output_tokens;
    uint64_t cost_micro_usd;
    uint64_t total_micro_usd;
    bool is_success;
    rc_str error_message; /* Each text in this struct is empty if the event has no such member, and
                             views (points into) `scratch`. */
    rc_str final_error;
    rc_str from;
    rc_str to;
    rc_str model;
    rc_str provider;
    rc_str correlation_id; /* Id of the request that the event belongs to. */
    rc_str scope;          /* Name of the budget. */
    uint64_t spent_micro_usd;
    uint64_t limit_micro_usd;
    rc_str kind; /* Name of the provider's limit; remaining, limit and reset_ms are its state. */
    uint64_t remaining;
    uint64_t limit;
    uint64_t reset_ms;
} rc_event_view;

/* Parses one line of JSON. Returns false if the line is not an event of a known type. json: borrows
 * during the call. scratch: borrows until *ret_view is no longer used. RC_EVENT_VIEW_SCRATCH_MAX
 * bytes hold the texts of every event that a gateway sends; a text that does not fit is empty. */
bool rc_event_view_read(rc_str json, rc_buf *scratch, rc_event_view *ret_view);

#endif
