/* rc_stream_watch: classifies the events of a streamed response and decides how the stream ended.
 *
 *   event ──► step() ──► kinds: preamble, content, finish, terminator, error, ...
 *   end of the stream ──► end() ──► complete, truncated, empty, errored, damaged
 *
 * Before the first CONTENT event a client has nothing to show or use, so a failure can be retried
 * without the client noticing. The end is COMPLETE only if the dialect's terminator, or its
 * substitute in spec/stream_events.def, was received. The watch examines each event once, builds no
 * tree and does not allocate. */
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
    RC_STREAM_PREAMBLE = 1 << 0,   /* no content yet: a role, an empty delta, message_start */
    RC_STREAM_CONTENT = 1 << 1,    /* text, reasoning, a refusal, a tool call, audio, an image */
    RC_STREAM_FINISH = 1 << 2,     /* contains a finish reason */
    RC_STREAM_USAGE = 1 << 3,      /* contains token counts */
    RC_STREAM_TERMINATOR = 1 << 4, /* the last event of a successful response */
    RC_STREAM_ERROR = 1 << 5,
    RC_STREAM_KEEPALIVE = 1 << 6, /* comments, pings, blank lines */
    RC_STREAM_DAMAGED = 1 << 7,   /* its data is not JSON; the stream may continue */
    RC_STREAM_OTHER = 1 << 8      /* none of the above */
} rc_stream_kind;

/* Why the model stopped: the meanings in spec/finish.def. Up to LENGTH the response is usable. From
 * TOOL on there is no response, and the event is also an ERROR. */
typedef enum rc_stream_finish {
    RC_STREAM_FINISH_NONE,
    RC_STREAM_FINISH_UNKNOWN, /* a reason that is not in spec/finish.def */
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
    uint64_t content_bytes; /* length of the content as written in JSON, with escapes and
                               brackets */
    rc_str error;           /* ERROR: the value for rc_failure.event; views the event */
    bool is_loss;           /* DAMAGED: the event may have contained data that the client needs */
} rc_stream_event_info;

/* How a stream ended. Only COMPLETE is a success. */
typedef enum rc_stream_end {
    RC_STREAM_END_COMPLETE = 1,
    RC_STREAM_END_TRUNCATED, /* the response had begun, but its end is missing */
    RC_STREAM_END_EMPTY,     /* neither content nor a finish reason */
    RC_STREAM_END_ERRORED,   /* an error event, with or without a terminator after it */
    RC_STREAM_END_DAMAGED    /* the end is missing, and the last event is not JSON */
} rc_stream_end;

/* How the transport of the body ended. */
typedef enum rc_stream_body_end {
    RC_STREAM_BODY_CUT = 0,   /* the body was aborted */
    RC_STREAM_BODY_WHOLE = 1, /* the last chunk or all of content-length was received */
    RC_STREAM_BODY_CLOSED = 2 /* the body had no length and ended with the connection */
} rc_stream_body_end;

typedef struct rc_event_template rc_event_template; /* dialect/event_template.h */

/* The caller provides the storage. Callers may read the members that are not private, and must not
 * change any. */
typedef struct rc_stream_watch {
    rc_stream_dialect dialect;
    rc_event_template *template; /* template for events with content; NULL: none */
    uint64_t events;             /* events with data */
    uint64_t content_events;     /* events with content */
    uint64_t content_bytes;      /* sum of content_bytes of all events */
    uint64_t damaged; /* events whose data is not JSON, except an event that the end of the stream
                         cut */
    uint64_t lost;    /* damaged events that may have contained data that the client needs */
    rc_stream_finish finish;
    bool has_terminator;
    bool has_error;    /* an error event came before any terminator */
    rc_usage usage;    /* token counts, and the weight of the content */
    uint64_t begun;    /* choices that have begun, one bit each; bit 63 stands for all higher
                          numbers; this and all following members are private */
    uint64_t finished; /* choices with a finish reason and no content after it, one bit each */
    bool is_array;     /* the events are elements of an array, which must be closed */
    bool is_closed;    /* the array is closed */
    bool is_last_damaged;
    bool is_last_cut;                       /* the stream ended inside the last event */
    bool is_in_parts;                       /* an oversized event has begun and not ended */
    const struct rc_stream_type *part_type; /* type in the first bytes of the oversized event */
} rc_stream_watch;

/* Starts a watch. */
void rc_stream_watch_init(rc_stream_watch *watch, rc_stream_dialect dialect);

/* Sets a template, which speeds up the steps without changing their results. template: borrows
 * until the last step; several watches may share it. */
void rc_stream_watch_set_template(rc_stream_watch *watch, rc_event_template *template);

/* Classifies the next event. Every event that the parser returns must be passed, in order. event:
 * borrows during the call. */
void rc_stream_watch_step(rc_stream_watch *watch, const rc_stream_event *event,
                          rc_stream_event_info *ret_info);

/* Returns how the stream ended. A closed connection alone does not show that the body is complete;
 * the dialect's terminator does, or the finish reason if the dialect has no terminator. watch:
 * borrows during the call. */
rc_stream_end rc_stream_watch_end(const rc_stream_watch *watch, rc_stream_body_end body);

/* rc_stream_dialect_name returns the name of a dialect ("openai-chat"). rc_stream_dialect_parse
 * returns the dialect of a name; RC_STREAM_DIALECT_COUNT if the name is unknown. rc_stream_end_name
 * returns the name of an end ("complete"). Names are static strings. */
const char *rc_stream_dialect_name(rc_stream_dialect dialect);
rc_stream_dialect rc_stream_dialect_parse(rc_str name);
const char *rc_stream_end_name(rc_stream_end end);

#endif
