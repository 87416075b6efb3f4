/* rc_event_view: an event of ours (event.h), as somebody reads it who is told of it on a line.
 * What is not known is passed over, so that a newer gateway can tell more. */
#ifndef RC_REPORT_EVENT_VIEW_H
#define RC_REPORT_EVENT_VIEW_H

#include <recourse/buf.h>
#include <recourse/event.h>

/* The texts of one event, all of them. */
#define RC_EVENT_VIEW_SCRATCH_MAX ((size_t)32 << 10)

typedef struct rc_event_view {
    rc_event_type type;
    uint64_t attempt; /* numbers: 0 when the event has none */
    uint64_t max_attempts;
    uint64_t delay_ms;
    uint64_t input_tokens;
    uint64_t output_tokens;
    uint64_t cost_micro_usd;
    uint64_t total_micro_usd;
    bool is_success;
    rc_str error_message; /* texts: empty when the event has none; they view the room */
    rc_str final_error;
    rc_str from;
    rc_str to;
    rc_str model;
    rc_str provider;
    rc_str correlation_id; /* of the request that it is about */
    rc_str scope;          /* whose budget */
    uint64_t spent_micro_usd;
    uint64_t limit_micro_usd;
    rc_str kind; /* what is limited, and what is left of it */
    uint64_t remaining;
    uint64_t limit;
    uint64_t reset_ms;
} rc_event_view;

/* Reads one line of JSON. False: it is no event that is known here. json: borrows. room: borrows
 * until the event was used; RC_EVENT_VIEW_SCRATCH_MAX is enough for what we write, and a text that
 * does not fit is empty. */
bool rc_event_view_read(rc_str json, rc_buf *scratch, rc_event_view *ret_view);

#endif
