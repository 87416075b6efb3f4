/* rc_stream_watch: what the events of an answer mean, and how the answer as a whole ended.
 *
 *   event ──► step() ──► kinds: is this still preamble? content? the end? an error?
 *   end of the stream ──► end() ──► complete, truncated, empty, errored, damaged
 *
 * Until an event is CONTENT, a client has nothing to show or use, so a failure can be retried
 * unseen. The end is COMPLETE only if the dialect's terminator has come, or what stands for it: see
 * spec/stream_events.def. No tree, no allocation; an event is looked at once. */
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

/* Bits: an event can be several of them. */
typedef enum rc_stream_kind {
    RC_STREAM_PREAMBLE = 1 << 0,   /* nothing in it yet: a role, an empty delta, message_start */
    RC_STREAM_CONTENT = 1 << 1,    /* text, reasoning, a refusal, a tool call, audio, an image */
    RC_STREAM_FINISH = 1 << 2,     /* says why the model stopped */
    RC_STREAM_USAGE = 1 << 3,      /* counts tokens */
    RC_STREAM_TERMINATOR = 1 << 4, /* the last event of a good answer */
    RC_STREAM_ERROR = 1 << 5,
    RC_STREAM_KEEPALIVE = 1 << 6, /* comments, pings, blank lines */
    RC_STREAM_DAMAGED = 1 << 7,   /* its data is no JSON; the stream may go on */
    RC_STREAM_OTHER = 1 << 8      /* nothing of the above */
} rc_stream_kind;

/* Why the model stopped: the meanings of spec/finish.def. Up to LENGTH there is an answer; from
 * TOOL on there is none, and the event is an ERROR. */
typedef enum rc_stream_finish {
    RC_STREAM_FINISH_NONE,
    RC_STREAM_FINISH_UNKNOWN, /* a reason that is not listed */
    RC_STREAM_FINISH_GOOD,
    RC_STREAM_FINISH_LENGTH,
    RC_STREAM_FINISH_FILTER,
    RC_STREAM_FINISH_REFUSAL,
    RC_STREAM_FINISH_CONTEXT,
    RC_STREAM_FINISH_TOOL,
    RC_STREAM_FINISH_ERROR
} rc_stream_finish;

/* What one event is. */
typedef struct rc_stream_event_info {
    unsigned kinds; /* of rc_stream_kind; never 0 */
    rc_stream_finish finish;
    rc_str finish_text;     /* as the provider spells it; views the event */
    uint64_t content_bytes; /* as written in JSON: escapes and a container's brackets included */
    rc_str error;           /* of an ERROR: what rc_failure.event wants; views the event */
    bool is_loss;           /* of a DAMAGED event: it may have had what a client needs */
} rc_stream_event_info;

/* How a stream ended. Only COMPLETE is a success. */
typedef enum rc_stream_end {
    RC_STREAM_END_COMPLETE = 1,
    RC_STREAM_END_TRUNCATED, /* it had begun, and its end is missing */
    RC_STREAM_END_EMPTY,     /* neither content nor a finish reason */
    RC_STREAM_END_ERRORED,   /* an error came, with or without a terminator behind it */
    RC_STREAM_END_DAMAGED    /* the end is missing, and the last event is no JSON */
} rc_stream_end;

/* What the transport knows of the body's end. */
typedef enum rc_stream_body_end {
    RC_STREAM_BODY_CUT = 0,   /* it was broken off */
    RC_STREAM_BODY_WHOLE = 1, /* the last chunk has come, or all of content-length */
    RC_STREAM_BODY_CLOSED = 2 /* it goes to the end of the connection, whatever has ended that */
} rc_stream_body_end;

typedef struct rc_event_template rc_event_template; /* codec/stream_mould.h */

/* The caller's storage. Read what is not private, change nothing. */
typedef struct rc_stream_watch {
    rc_stream_dialect dialect;
    rc_event_template *template; /* of content; NULL: there is none */
    uint64_t events;             /* with data */
    uint64_t content_events;
    uint64_t content_bytes; /* see rc_stream_event_info */
    uint64_t damaged;       /* events whose data is no JSON; one that the end cuts off is none */
    uint64_t lost;          /* of these, the ones that may have had what a client needs */
    rc_stream_finish finish;
    bool has_terminator;
    bool has_error;    /* before any terminator */
    rc_usage usage;    /* what was counted, and the weight of the content */
    uint64_t begun;    /* private from here on: a bit for each choice (the 64th for the rest) */
    uint64_t finished; /* choices behind whose finish reason nothing has come */
    bool is_array;     /* elements of an array that has to be closed */
    bool is_closed;
    bool is_last_damaged;
    bool is_last_cut;                       /* the end came inside of the last event */
    bool is_in_parts;                       /* of an oversized event */
    const struct rc_stream_type *part_type; /* by the first bytes of the last oversized event */
} rc_stream_watch;

void rc_stream_watch_init(rc_stream_watch *watch, rc_stream_dialect dialect);

/* Makes the steps quicker, and changes nothing of what they give. mould: borrows until the last
 * step; other watches may have the same. */
void rc_stream_watch_set_template(rc_stream_watch *watch, rc_event_template *template);

/* What the event is; to be given every event that a reader gives, in order. event: borrows. */
void rc_stream_watch_step(rc_stream_watch *watch, const rc_stream_event *event,
                          rc_stream_event_info *ret_info);

/* How the stream ended, now that it has. A connection that closes does not say that the body is
 * whole: the dialect's terminator does, or the finish reason where the dialect has none. watch:
 * borrows. */
rc_stream_end rc_stream_watch_end(const rc_stream_watch *watch, rc_stream_body_end body);

/* "openai-chat", "complete", ...; and a dialect back (RC_STREAM_DIALECT_COUNT: there is no such
 * one). Give static strings. */
const char *rc_stream_dialect_name(rc_stream_dialect dialect);
rc_stream_dialect rc_stream_dialect_parse(rc_str name);
const char *rc_stream_end_name(rc_stream_end end);

#endif
