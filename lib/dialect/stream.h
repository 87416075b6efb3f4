/* rc_stream_watch: classifies the events of a streamed response and decides how the stream ended.
 *
 *   event ──► step() ──► kinds: preamble, content, finish, terminator, error, ...
 *   end of the stream ──► end() ──► complete, truncated, empty, errored, damaged
 *
 * Before the first CONTENT event a client has received nothing that it can show or use, so a
 * failure can be retried without the client noticing. The end is COMPLETE only if the dialect's
 * terminator, or its substitute in spec/stream_events.def, was received. The watch examines each
 * event once, builds no tree and does not allocate. */
#ifndef RC_DIALECT_STREAM_H
#define RC_DIALECT_STREAM_H

#include <recourse/str.h>

#include "codec/stream_event.h"
#include "dialect/usage.h"

typedef enum rc_stream_dialect {
#define RC_STREAM_DIALECT(ID, name, ROOT, TYPED, done, finish, ENDS) RC_STREAM_##ID,
#include "spec/stream_events.def"
    RC_STREAM_DIALECT_COUNT
} rc_stream_dialect;

/* The kinds of an event, as bits; an event can have several. */
typedef enum rc_stream_kind {
    RC_STREAM_PREAMBLE = 1 << 0,   /* nothing that a client can use yet: a role, an empty delta,
                                      message_start */
    RC_STREAM_CONTENT = 1 << 1,    /* text, reasoning, a refusal, a tool call, audio or an image */
    RC_STREAM_FINISH = 1 << 2,     /* contains a finish reason */
    RC_STREAM_USAGE = 1 << 3,      /* contains token counts */
    RC_STREAM_TERMINATOR = 1 << 4, /* is the last event of a successful response */
    RC_STREAM_ERROR = 1 << 5,
    RC_STREAM_KEEPALIVE = 1 << 6, /* comments, pings or blank lines */
    RC_STREAM_DAMAGED = 1 << 7,   /* the event's data is not JSON; the stream may continue */
    RC_STREAM_OTHER = 1 << 8      /* none of the kinds above */
} rc_stream_kind;

/* The reason for which the model stopped, one of the meanings in spec/finish.def. With the values
 * up to LENGTH the response is usable. With the values from TOOL on the response is unusable, and
 * the event is also an ERROR. */
typedef enum rc_stream_finish {
    RC_STREAM_FINISH_NONE,
    RC_STREAM_FINISH_UNKNOWN, /* a finish reason that is not in spec/finish.def */
    RC_STREAM_FINISH_GOOD,
    RC_STREAM_FINISH_LENGTH,
    RC_STREAM_FINISH_FILTER,
    RC_STREAM_FINISH_REFUSAL,
    RC_STREAM_FINISH_CONTEXT,
    RC_STREAM_FINISH_TOOL,
    RC_STREAM_FINISH_ERROR
} rc_stream_finish;

/* The classification of one event. */
typedef struct rc_stream_event_info {
    unsigned kinds; /* rc_stream_kind bits; never 0 */
    rc_stream_finish finish;
    rc_str finish_text;     /* finish reason as the provider spells it; views the event */
    uint64_t content_bytes; /* length of the content as it is written in JSON, including escapes and
                               brackets */
    rc_str error;           /* ERROR: the value for rc_failure.event; views the event */
    bool is_loss;           /* DAMAGED: the event may have contained data that the client needs */
} rc_stream_event_info;

/* How a stream ended. Only COMPLETE is a success. */
typedef enum rc_stream_end {
    RC_STREAM_END_COMPLETE = 1,
    RC_STREAM_END_TRUNCATED, /* the response has begun, but its end is missing */
    RC_STREAM_END_EMPTY,     /* the stream has neither content nor a finish reason */
    RC_STREAM_END_ERRORED,   /* the stream has an error event, with or without a terminator after
                                it */
    RC_STREAM_END_DAMAGED    /* the end is missing, and the data of the last event is not JSON */
} rc_stream_end;

/* How the transport of the body ended. */
typedef enum rc_stream_body_end {
    RC_STREAM_BODY_CUT = 0,   /* the body was cut off */
    RC_STREAM_BODY_WHOLE = 1, /* the last chunk, or all bytes of content-length, were received */
    RC_STREAM_BODY_CLOSED = 2 /* the body had no length and ended when the connection was closed */
} rc_stream_body_end;

typedef struct rc_event_template rc_event_template; /* defined in dialect/event_template.h */

/* The state of a watch. The caller provides the storage, may read the members that are not private,
 * and must not change any member. */
typedef struct rc_stream_watch {
    rc_stream_dialect dialect;
    rc_event_template *template; /* template for events with content (event_template.h); NULL:
                                    none */
    uint64_t events;             /* number of events with data */
    uint64_t content_events;     /* number of events with content */
    uint64_t content_bytes;      /* sum of content_bytes of all events */
    uint64_t damaged; /* number of events whose data is not JSON; the last event is not counted if
                         the end of the stream cut it off */
    uint64_t lost;    /* number of damaged events that may have contained data that the client
                         needs */
    rc_stream_finish finish;
    bool has_terminator;
    bool has_error;    /* an error event arrived, and no terminator before it */
    rc_usage usage;    /* token counts, and the weight of the content */
    uint64_t begun;    /* choices that have content, one bit each; bit 63 stands for index 63 and
                          above; this and all following members are private */
    uint64_t finished; /* choices with a finish reason and no content after that, one bit each */
    bool is_array;     /* the events are elements of an array, which needs a closing bracket */
    bool is_closed;    /* the closing bracket of the array was received */
    bool is_last_damaged;
    bool is_last_cut;                       /* the stream ended inside the last event */
    bool is_in_parts;                       /* a part of an oversized event was received, but not
                                               its end */
    const struct rc_stream_type *part_type; /* type of the oversized event, found in its first
                                               bytes */
} rc_stream_watch;

/* Initialises a watch. */
void rc_stream_watch_init(rc_stream_watch *watch, rc_stream_dialect dialect);

/* Sets a template, which makes the steps faster without changing their results. template: borrows
 * until the last step; several watches may share a template. */
void rc_stream_watch_set_template(rc_stream_watch *watch, rc_event_template *template);

/* Classifies the next event. The caller passes every event that the parser returns, in order.
 * event: borrows during the call. */
void rc_stream_watch_step(rc_stream_watch *watch, const rc_stream_event *event,
                          rc_stream_event_info *ret_info);

/* Returns how the stream ended. That the connection was closed is not evidence of a complete body;
 * the dialect's terminator is, or the finish reason if the dialect has no terminator. watch:
 * borrows during the call. */
rc_stream_end rc_stream_watch_end(const rc_stream_watch *watch, rc_stream_body_end body);

/* rc_stream_dialect_name returns the name of a dialect ("openai-chat"). rc_stream_dialect_parse
 * returns the dialect with a name; RC_STREAM_DIALECT_COUNT if the name is unknown.
 * rc_stream_end_name returns the name of an end ("complete"). Names are static strings. */
const char *rc_stream_dialect_name(rc_stream_dialect dialect);
rc_stream_dialect rc_stream_dialect_parse(rc_str name);
const char *rc_stream_end_name(rc_stream_end end);

#endif
