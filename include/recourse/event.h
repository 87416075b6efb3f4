/* rc_event: what happens to a call, a flow or a session, told while it happens. The types and their
 * fields are in spec/events.def and docs/events.md.
 *
 * An event is a view: its strings and reports belong to whoever fills it in, and must live until it
 * is encoded. */
#ifndef RECOURSE_EVENT_H
#define RECOURSE_EVENT_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/event_types.h>
#include <recourse/export.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

typedef struct rc_event {
    rc_event_type type;
    uint64_t seq; /* rises by one from event to event of a stream */
    int64_t time_unix_ms;
    rc_str correlation_id; /* the same in all events of one call, run or session */
    rc_event_fields as;    /* the member of that type */
} rc_event;

/* "node:failed"; "" for NONE, "unknown" for a value that is not in the table. */
RC_API const char *rc_event_type_name(rc_event_type type);

/* NONE for a name that is not in the table. */
RC_API rc_event_type rc_event_type_parse(rc_str name);

/* Appends one line of JSON, a newline behind it: {"type","seq","time","correlation_id", and the
 * fields of the type in the table's order}. Every string passes the scrubber. A report stands in
 * the user's view; a SuppressedError is written by rc_suppressed_encode, with the whole report and
 * the report's id as the correlation id. event: borrows. RC_E_ARGUMENT, and nothing is appended: it
 * has no type of the table. Otherwise the buffer's status. */
RC_API rc_status rc_event_encode(const rc_event *event, rc_buf *buf);

RC_END_DECLS

#endif
