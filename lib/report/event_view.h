/* rc_event_view: an event (event.h) as its receiver reads it from a JSON line. Unknown members are
 * ignored, so that a newer gateway may send additional members. */
#ifndef RC_REPORT_EVENT_VIEW_H
#define RC_REPORT_EVENT_VIEW_H

#include <recourse/buf.h>
#include <recourse/event.h>

/* Size of a buffer that has space for all texts of one event, in bytes. */
#define RC_EVENT_VIEW_SCRATCH_MAX ((size_t)32 << 10)

typedef struct rc_event_view {
    rc_event_type type;
    uint64_t attempt; /* This number and all other numbers of the struct are 0 if the event does not
                         have the member. */
    uint64_t max_attempts;
    uint64_t delay_ms;
    uint64_t input_tokens;
    uint64_t output_tokens;
    uint64_t cost_micro_usd;
    uint64_t total_micro_usd;
    bool is_success;
    rc_str error_message; /* This text and all other texts of the struct view (point into)
                             `scratch`; empty if the event does not have the member. */
    rc_str final_error;
    rc_str from;
    rc_str to;
    rc_str model;
    rc_str provider;
    rc_str correlation_id; /* Id of the request that the event belongs to. */
    rc_str scope;          /* Name of the budget. */
    uint64_t spent_micro_usd;
    uint64_t limit_micro_usd;
    rc_str kind; /* Name of the provider's limit, whose state is in remaining, limit and
                    reset_ms. */
    uint64_t remaining;
    uint64_t limit;
    uint64_t reset_ms;
} rc_event_view;

/* Parses one line of JSON. Returns false if the line is not an event of a known type. json: borrows
 * during the call. scratch: borrows until *ret_view is no longer used. A buffer of
 * RC_EVENT_VIEW_SCRATCH_MAX bytes is large enough for every event that a gateway sends; a text that
 * does not fit is empty. */
bool rc_event_view_read(rc_str json, rc_buf *scratch, rc_event_view *ret_view);

#endif
