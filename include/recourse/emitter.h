/* rc_emitter: converts the actions of a call (call.h) to events.
 *
 * The owners of calls (gateway, exec, simulator) all use an emitter, so the same actions always
 * produce the same events.
 *
 *           TRY                WAIT, REFRESH, TRY: start
 *   QUIET ───────► TRYING ───────────────────────────► RETRYING ──┐ the TRY that was announced: -
 *     ▲              │ final: -                         │  ▲      │ WAIT, REFRESH, another TRY:
 *     └──────────────┴───────── final, close: end ◄─────┘  └──────┘ end, start; same WAIT: -
 *
 * In the diagram `start` is auto_retry_start, `end` is auto_retry_end and `-` is no event. In
 * addition a switch emits retry_fallback_applied or credential_switched, and the end of the call
 * may emit retry_fallback_succeeded or compaction_needed.
 *
 *   T1  every auto_retry_start has exactly one auto_retry_end with the same attempt, before the
 *       next start and no later than the end of the call
 *   T2  success is true only for a DELIVER; final_error is set only at the end of a failed call
 *   T3  seq increases by one from event to event
 *   T4  a repeated final action emits no events; the next TRY begins another call
 *
 * The two attempts of a hedge (hedge.h) count as one attempt of the call: the second one produces
 * no events. */
#ifndef RECOURSE_EMITTER_H
#define RECOURSE_EMITTER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/call.h>
#include <recourse/event.h>
#include <recourse/export.h>

RC_BEGIN_DECLS

/* The maximum number of events for one action. */
#define RC_EVENTS_MAX 3

/* An emitter in the caller's storage. Its fields are private. */
typedef struct rc_emitter {
    rc_str correlation_id;
    uint64_t *next_seq;
    bool is_begun;       /* the call has made its first TRY and has had no final action yet */
    bool is_retrying;    /* the latest auto_retry_start has no auto_retry_end yet */
    bool is_announced;   /* the next TRY is the one that the auto_retry_start announced */
    bool has_switched;   /* a retry_fallback_applied was emitted */
    uint16_t from_entry; /* entry at which the call began */
    uint32_t attempt;    /* attempt number in the latest auto_retry_start */
    uint64_t at_ms;      /* end of the announced WAIT; RC_UNLIMITED: no WAIT was announced */
} rc_emitter;

/* An action and the texts for its events. The texts are views and must be valid for as long as the
 * events are used. */
typedef struct rc_call_facts {
    rc_action action;
    rc_str error_message;   /* message of the latest failure, safe to show to users */
    rc_str report_id;       /* id of the latest failure's report */
    rc_str from;            /* name of the target of action.from_entry, such as "openai/gpt-4o" */
    rc_str to;              /* name of the target of action.entry */
    rc_str provider;        /* name of the provider of action.entry */
    rc_str from_credential; /* credential id, never a key */
    rc_str to_credential;   /* credential id, never a key */
    rc_str role;            /* purpose of the call as its owner names it: "default", "smol", the
                               name of a step */
    int64_t now_unix_ms;
} rc_call_facts;

/* Initialises an emitter. next_seq: borrows the sequence counter of the event stream for as long as
 * the emitter is used. Other writers may advance the counter between the emitter's events.
 * correlation_id: borrows for as long as the emitter is used. */
RC_API void rc_emitter_init(rc_emitter *emitter, rc_str correlation_id, uint64_t *next_seq);

/* Writes the events of one action, in their order, to `ret_events` and returns their number. facts:
 * borrows during the call; the events view its texts. */
RC_API size_t rc_emitter_on_action(rc_emitter *emitter, const rc_call_facts *facts,
                                   rc_event ret_events[RC_EVENTS_MAX]);

/* Ends a call that gets no final action because its owner shuts down. If the call's last
 * auto_retry_start has no auto_retry_end yet, this function writes it. Returns the number of
 * events. */
RC_API size_t rc_emitter_close(rc_emitter *emitter, int64_t now_unix_ms,
                               rc_event ret_events[RC_EVENTS_MAX]);

/* Returns whether an auto_retry_start has no auto_retry_end yet. */
RC_API bool rc_emitter_is_retrying(const rc_emitter *emitter);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_emitter_validate(const rc_emitter *emitter);

RC_END_DECLS

#endif
