/* rc_emitter: turns the actions of a call (call.h) into its events, so that every owner of a call
 * tells the same story.
 *
 *           TRY                WAIT, REFRESH, TRY: start
 *   QUIET ───────► TRYING ───────────────────────────► RETRYING ──┐ the TRY that was announced: -
 *     ▲              │ final: -                         │  ▲      │ WAIT, REFRESH, another TRY:
 *     └──────────────┴───────── final, close: end ◄─────┘  └──────┘ end, start; same WAIT: -
 *
 * start is auto_retry_start, end is auto_retry_end. Beside them: retry_fallback_applied and
 * credential_switched at the switch, retry_fallback_succeeded and compaction_needed at the end.
 *
 *   T1  every auto_retry_start has exactly one auto_retry_end, of the same attempt, before the next
 *       start and before or at the end of the call
 *   T2  success is true at a DELIVER and nowhere else; final_error stands at the end of a call that
 *       did not work and nowhere else
 *   T3  seq rises by one from event to event
 *   T4  a final action that comes again tells nothing again; the TRY after it begins another call
 *
 * A hedge is one try of its call, and none of its own here. */
#ifndef RECOURSE_EMITTER_H
#define RECOURSE_EMITTER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/call.h>
#include <recourse/event.h>
#include <recourse/export.h>

RC_BEGIN_DECLS

/* Events that one action can make. */
#define RC_EVENTS_MAX 3

/* The caller's storage. The fields are private. */
typedef struct rc_emitter {
    rc_str correlation_id;
    uint64_t *next_seq;
    bool is_begun;       /* the call was told of, and not yet its end */
    bool is_retrying;    /* a start has no end yet */
    bool is_announced;   /* the next TRY is the one of that start */
    bool has_switched;   /* a fallback was told of */
    uint16_t from_entry; /* where the call began */
    uint32_t attempt;    /* of that start */
    uint64_t at_ms;      /* the end of the WAIT that is announced; RC_UNLIMITED: no WAIT */
} rc_emitter;

/* What happened, in the owner's words. Views; they must live as long as the events. */
typedef struct rc_call_facts {
    rc_action action;
    rc_str error_message; /* user-safe, of the latest failure */
    rc_str report_id;     /* of the latest failure */
    rc_str from;          /* the target of action.from_entry: "openai/gpt-4o" */
    rc_str to;            /* the target of action.entry */
    rc_str provider;      /* of action.entry */
    rc_str from_credential;
    rc_str to_credential; /* ids, never keys */
    rc_str role;          /* what the call is for: "default", "smol", a step's name */
    int64_t now_unix_ms;
} rc_call_facts;

/* next_seq: borrows the counter of the stream, which others may use between the teller's events;
 * correlation_id: borrows. Both until the teller is done with. */
RC_API void rc_emitter_init(rc_emitter *emitter, rc_str correlation_id, uint64_t *next_seq);

/* The events of one action, in their order; how many. news: borrows. */
RC_API size_t rc_emitter_on_action(rc_emitter *emitter, const rc_call_facts *facts,
                                   rc_event ret_events[RC_EVENTS_MAX]);

/* The call is given up without a final action (its owner ends): the auto_retry_end that is missing,
 * if one is. How many. */
RC_API size_t rc_emitter_close(rc_emitter *emitter, int64_t now_unix_ms,
                               rc_event ret_events[RC_EVENTS_MAX]);

/* Between an auto_retry_start and its end? */
RC_API bool rc_emitter_is_retrying(const rc_emitter *emitter);
RC_API bool rc_emitter_validate(const rc_emitter *emitter);

RC_END_DECLS

#endif
