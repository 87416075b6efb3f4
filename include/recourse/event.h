/* rc_event: one event of a call, a flow or a session. spec/events.def and docs/events.md list the
 * types and their fields.
 *
 * An event is a view: its strings and reports belong to the code that fills it in and must be valid
 * until the event is encoded. */
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
    uint64_t seq; /* increases by one from event to event of a stream */
    int64_t time_unix_ms;
    rc_str correlation_id; /* the same in all events of one call, run or session */
    rc_event_fields as;    /* the fields; the union member that belongs to `type` is set */
} rc_event;

/* Returns the name of a type, such as "node:failed". The name of RC_EVENT_TYPE_NONE is "", the name
 * of a value that is not in the table "unknown". The result is a static string. */
RC_API const char *rc_event_type_name(rc_event_type type);

/* Returns the type with this name; RC_EVENT_TYPE_NONE if no type has the name. */
RC_API rc_event_type rc_event_type_parse(rc_str name);

/* Appends one line of JSON and a newline: {"type","seq","time","correlation_id", and the fields of
 * the type in the order of spec/events.def}. Every string passes through the scrubber. A report in
 * the event is written in the user view. A SuppressedError is written as rc_suppressed_encode does:
 * with the whole report, and with the report's id as the correlation id. event: borrows during the
 * call. Returns RC_E_ARGUMENT and appends nothing if the type is not in the table; otherwise the
 * buffer's status. */
RC_API rc_status rc_event_encode(const rc_event *event, rc_buf *buf);

RC_END_DECLS

#endif
