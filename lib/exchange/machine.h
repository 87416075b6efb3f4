/* rc_exchange_machine: the life cycle of one client request, from its head to the last byte of the
 * response, as a step function. The machine does no I/O: its owner (the gateway, or a test) reports
 * each event as an input and carries out the effects that the step returns. Comments name inputs
 * and effects without their prefixes RC_INPUT_ and RC_EFFECT_.
 *
 *   READING ──► ATTEMPTING ── content ──► RESPONDING ─┐
 *      │         │ ▲  │ ▲                    │        ├─ end ──► RECORDING ──► ENDING ──► OVER
 *      │ refused │ │  │ └─ REFRESHING        failure  │          the record     the reply
 *      │         │ └─ WAITING, PAUSED                 │
 *      └─────────┴── an error of the gateway, or a whole response
 *
 * rc_call decides which target is tried next and when. rc_hedge decides whether a second attempt
 * starts while the first one is slow. The machine has two lanes, each for one attempt at a
 * provider: `current`, and another one that is used only during a hedge.
 *
 * The owner carries out the effects in their order, after the step has returned. An effect may have
 * a result (RESERVE, START, COMMIT, REFRESH, STORE), which the owner reports as the next input.
 * Inputs that are not possible in the state, such as the failure of a cancelled lane, are ignored.
 *
 * Invariants, checked by rc_exchange_validate, the model in tests/support/exchange_model.h and the
 * fuzz target:
 *   X1  CLOSE is the last effect, and there is exactly one
 *   X2  a lane that was started ends exactly once: by SETTLE or by CANCEL
 *   X3  a reservation that was granted is settled exactly once: by SETTLE or by CANCEL
 *   X4  after COMMIT no lane is reserved or started
 *   X5  REPLY follows the result of STORE, and nothing is written to the client between STORE and
 *       REPLY
 *   X6  COMMIT, STORE and REPLY occur at most once each
 *   X7  an ending that is an error has a report: FAULT, FAILED, REPORT or REFUSE came before
 *   X8  a state that waits for time has a due time, and a state without one waits for a lane, for
 *       the client or for the result of an effect
 *   X9  after the client is gone nothing is written: neither COMMIT nor a REPLY
 *   X10 when the machine is over, no lane runs and rc_call holds neither slot nor probe */
#ifndef RC_EXCHANGE_MACHINE_H
#define RC_EXCHANGE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/call.h>
#include <recourse/hedge.h>

#include "policy/deadline.h"
#include "policy/outcome.h"

/* Time in milliseconds that a stream has for its regular end after its terminator (its last event)
 * has arrived. */
#define RC_EXCHANGE_TAIL_MS 500u
/* Interval in milliseconds at which the cost of a paused attempt is reserved again. A paused
 * attempt therefore starts at most one interval after its budget was renewed, was raised or got
 * unused reservations back. */
#define RC_EXCHANGE_PAUSE_MS 250u
/* Minimum time in milliseconds that the store has to acknowledge a record, even if the deadline has
 * passed. */
#define RC_EXCHANGE_RECORD_MIN_MS 1000u
/* Maximum time in milliseconds that the store has to acknowledge a record; longer than the store's
 * own retries take. */
#define RC_EXCHANGE_RECORD_MAX_MS 30000u

typedef enum rc_exchange_state {
    RC_EXCHANGE_READING = 0,
    RC_EXCHANGE_ATTEMPTING = 1,
    RC_EXCHANGE_WAITING = 2,
    RC_EXCHANGE_RESPONDING = 3, /* Content is being sent to the client. */
    RC_EXCHANGE_RECORDING = 4,  /* The record is being stored. */
    RC_EXCHANGE_ENDING = 5,     /* The response is complete and is being sent. */
    RC_EXCHANGE_OVER = 6,
    RC_EXCHANGE_PAUSED = 7,    /* The attempt waits until a budget allows it. */
    RC_EXCHANGE_REFRESHING = 8 /* A fresh key is being read from its source. */
} rc_exchange_state;

/* The part of the reply that is sent to the client after the store has acknowledged the record. */
typedef enum rc_exchange_ending {
    RC_ENDING_NONE = 0,        /* No reply: the client disconnected before the call ended. */
    RC_ENDING_WHOLE = 1,       /* The whole response: head and body. */
    RC_ENDING_TAIL = 2,        /* The remaining part of a response that has begun. */
    RC_ENDING_ERROR = 3,       /* An error response of the gateway: head and body. */
    RC_ENDING_ERROR_EVENT = 4, /* An error of the gateway as an event of a stream. */
    RC_ENDING_ABORT = 5        /* No more bytes: the connection is cut, because the response has
                                * begun and its format cannot express an error. */
} rc_exchange_ending;

/* The state of one lane (one attempt at a provider). */
typedef enum rc_lane_state {
    RC_LANE_IDLE = 0,      /* The lane has no attempt. */
    RC_LANE_RESERVING = 1, /* The lane waits for the result of RESERVE, or for a budget. */
    RC_LANE_RUNNING = 2,
    RC_LANE_ENDED = 3 /* The attempt has ended and was settled; its data is still needed for
                       * reports. */
} rc_lane_state;

typedef struct rc_exchange_lane {
    uint8_t state; /* an rc_lane_state */
    uint8_t lane;  /* an rc_hedge_lane: the name of the lane in rc_hedge */
    uint16_t entry;
    uint16_t credential;
    uint64_t ends_at_ms; /* Time at which a stream whose terminator has arrived counts as ended,
                          * even if more data follows; RC_UNLIMITED: no terminator has arrived. */
} rc_exchange_lane;

/* ---- inputs ---- */

/* The result of RESERVE, which the owner reports as RESERVED. */
typedef enum rc_reserve_verdict {
    RC_RESERVE_GRANTED = 0,
    RC_RESERVE_WAIT = 1,      /* The budget does not allow the attempt now, but may allow it
                              * later. */
    RC_RESERVE_DENIED = 2,    /* The budget does not allow the attempt. */
    RC_RESERVE_NO_MEMORY = 3, /* The attempt could not be allocated. */
    RC_RESERVE_UNFIT = 4      /* The request cannot be expressed for the target of the entry. The
                               * owner has removed RC_NEED_TRANSLATION from the plan's entries. */
} rc_reserve_verdict;

/* The result of STORE or STORE_LATE, which the owner reports as STORED. */
typedef enum rc_store_verdict {
    RC_STORE_DONE = 0,    /* The record is acknowledged, or the response may be sent without a
                           * record. */
    RC_STORE_REFUSED = 1, /* The record was not stored: the reply is replaced by an error, for which
                           * the owner has built the report. */
    RC_STORE_CUT = 2      /* The error cannot be recorded either: the response is cut off. */
} rc_store_verdict;

typedef enum rc_exchange_input_kind {
    RC_INPUT_HEAD,       /* The request head has arrived. `limits` has the client's deadline. */
    RC_INPUT_REFUSED,    /* The owner refuses the request and has built the report. */
    RC_INPUT_RESPONDED,  /* The owner has sent a response that needs no attempt and no record. */
    RC_INPUT_BEGIN,      /* The request is complete, or enough of it has arrived to send it to a
                          * provider. */
    RC_INPUT_RESERVED,   /* The result of RESERVE. */
    RC_INPUT_CHOSEN,     /* This lane has a complete response: the other lane is cancelled. */
    RC_INPUT_CONTENT,    /* The first content for the client; also chooses the lane. */
    RC_INPUT_TERMINATED, /* The terminator of a stream has arrived. */
    RC_INPUT_COMPLETE,   /* The lane's response is complete and usable. */
    RC_INPUT_FAILED,     /* The lane failed; the owner has built the report. */
    RC_INPUT_FAULT,      /* The lane failed, and the cause is the gateway or the request, not the
                          * target. */
    RC_INPUT_REFRESHED,  /* The result of REFRESH. */
    RC_INPUT_STORED,     /* The result of STORE or STORE_LATE. */
    RC_INPUT_TIMER,      /* The time that rc_exchange_due_ms returned has been reached. */
    RC_INPUT_WAKE,       /* The queue has woken the call: it was granted an attempt or refused. */
    RC_INPUT_GONE,       /* The client has disconnected, or the response cannot be sent to it. */
    RC_INPUT_SENT,       /* The reply was sent. */
    RC_INPUT_DRAIN,      /* The gateway shuts down: a request without a complete response gets an
                          * error. */
    RC_INPUT_CLOSING     /* The gateway closes its connections: the exchange no longer waits for the
                          * store. */
} rc_exchange_input_kind;

/* The data with which a call begins. */
typedef struct rc_exchange_start {
    const rc_plan *plan; /* The chain and policy; borrowed until the machine is over. */
    rc_shared *shared;   /* The state that all calls share; borrowed until the machine is over. */
    rc_call_options options;
    uint64_t hedge_delay_ms; /* Delay before a hedge, in milliseconds; RC_UNLIMITED: no hedge. */
} rc_exchange_start;

typedef struct rc_exchange_input {
    rc_exchange_input_kind kind;
    uint8_t slot;         /* The lane; set for the inputs from RESERVED to FAULT. */
    uint8_t verdict;      /* RESERVED: an rc_reserve_verdict. STORED: an rc_store_verdict. */
    bool is_fresh;        /* REFRESHED: a new key was obtained. */
    bool is_stopping;     /* RESERVED: the gateway shuts down, so the attempt must not wait for a
                           * budget. */
    bool can_carry_error; /* CONTENT: the format of this response allows an error event after
                           * content. */
    rc_reason reason;     /* RESERVED: the reason for which the attempt was not granted. */
    const rc_failure_facts *facts;    /* FAILED: the facts of the failure; copies the struct. */
    const rc_exchange_start *start;   /* BEGIN: the data of the call; borrows during the step. */
    const rc_deadline_limits *limits; /* HEAD, BEGIN: the time limits; copies the struct. */
} rc_exchange_input;

/* ---- effects ---- */

typedef enum rc_exchange_effect_kind {
    RC_EFFECT_RESERVE,    /* Prepare an attempt in the slot and reserve its cost. Result: RESERVED.
                            * With is_again the attempt exists and was paused, and only its cost is
                            * reserved again. */
    RC_EFFECT_START,      /* Send the request of the lane to the provider. */
    RC_EFFECT_COMMIT,     /* Send the response head to the client; the content of the lane
                            * follows. */
    RC_EFFECT_SETTLE,     /* Add the lane's end to the exchange's ledger (its list of steps) and
                            * settle its reservation. */
    RC_EFFECT_CANCEL,     /* Stop the lane, add its end to the ledger, settle its reservation. */
    RC_EFFECT_FREE,       /* Free the attempt in the slot. */
    RC_EFFECT_END_STREAM, /* The stream has its terminator: stop reading it and judge the
                            * response. */
    RC_EFFECT_END_LATE,   /* The deadline has passed: stop the lane's attempt, then pass the input
                            * FAILED to the machine. */
    RC_EFFECT_BREAK,      /* Stop the lane's attempt, then pass the input FAULT with `outcome` to
                            * the machine. */
    RC_EFFECT_REFRESH,    /* Read the key from its source again. Result: REFRESHED. */
    RC_EFFECT_LOG_ACTION, /* Add `action` to the ledger and emit its events. */
    RC_EFFECT_LOG_HEDGE,  /* Add the start of a hedge to the ledger. */
    RC_EFFECT_LOG_SKIP,   /* Add a skipped entry to the ledger. */
    RC_EFFECT_LOG_CANCEL, /* Add to the ledger that the client disconnected. */
    RC_EFFECT_CUT_WAIT,   /* A wait ended early, or a wait in the queue ended: correct the length of
                            * the wait in the ledger. */
    RC_EFFECT_PAUSE,      /* The attempt waits for a budget. */
    RC_EFFECT_END_PAUSE,  /* The attempt no longer waits for a budget. With is_again the attempt
                            * continues. */
    RC_EFFECT_DELIVERED,  /* The call succeeded. */
    RC_EFFECT_REPORT,     /* Build the report of the call that `action` stopped. */
    RC_EFFECT_DENY,       /* Build the report of a refused reservation. */
    RC_EFFECT_REFUSE,     /* Build the report of `outcome`. at_ms: the planned end of a wait that
                            * ended early; 0: no such wait. */
    RC_EFFECT_REFUSE_LATE, /* Build the report of a deadline that passed while the body arrived. */
    RC_EFFECT_STORE,       /* Store the record. Result: STORED. */
    RC_EFFECT_STORE_LATE,  /* The store has not acknowledged the record by at_ms. Result: STORED,
                            * unless the acknowledgement is about to arrive. */
    RC_EFFECT_COUNT,       /* Count the request in the metrics, because its head is about to be
                            * freed. */
    RC_EFFECT_REPLY,       /* Count the request in the metrics and send the ending of the reply. */
    RC_EFFECT_CLOSE        /* Release all resources of the exchange. */
} rc_exchange_effect_kind;

typedef struct rc_exchange_effect {
    uint8_t kind; /* an rc_exchange_effect_kind */
    uint8_t slot;
    bool is_again;
    bool is_done; /* SETTLE: the response of the lane is complete. */
    uint16_t entry;
    uint16_t credential;
    uint16_t outcome; /* an rc_local_outcome */
    rc_reason reason;
    uint64_t at_ms;
} rc_exchange_effect;

#define RC_EFFECTS_MAX 8u

typedef struct rc_exchange_effects {
    uint32_t count;
    rc_exchange_effect list[RC_EFFECTS_MAX];
} rc_exchange_effects;

/* ---- the machine ---- */

/* The state of one exchange. The owner provides the storage, may read all members and must not
 * write any. */
typedef struct rc_exchange_machine {
    uint8_t state;   /* an rc_exchange_state */
    uint8_t ending;  /* an rc_exchange_ending; valid from the state RECORDING on */
    uint8_t current; /* slot of the current or latest attempt */
    bool is_hedged;  /* the second lane is in use */
    bool is_begun;   /* `call` was initialised */
    bool is_committed;
    bool can_carry_error;
    bool is_gone;
    bool has_polled;          /* The sockets were polled once more after the deadline. */
    uint32_t unsent_attempts; /* Number of attempts that rc_call counts although their requests were
                               * not sent. */
    rc_exchange_lane lanes[2];
    uint64_t hedge_delay_ms;
    uint64_t waits_from_ms;       /* Start of the wait in the states WAITING and PAUSED. */
    uint64_t reserve_again_at_ms; /* Time at which the cost of a paused attempt is reserved again;
                                   * RC_UNLIMITED: the result of RESERVE is awaited. */
    uint64_t poll_at_ms;          /* The deadline does not end an attempt before this time. */
    uint64_t record_by_ms;        /* Time by which the store must have acknowledged the record. */
    rc_action action; /* The latest action of rc_call. The action's member `attempt` counts only
                       * attempts that were sent. */
    rc_hedge hedge;
    rc_deadline_limits limits;
    /* Valid if is_begun is true. */
    rc_call call;
} rc_exchange_machine;

/* Initialises a machine in the state READING. */
void rc_exchange_machine_init(rc_exchange_machine *machine);

/* Handles one input. `effects`: receives the effects, which the owner must carry out in their
 * order. `entropy`: random bits for the length of waits. input: borrows during the call. */
void rc_exchange_step(rc_exchange_machine *machine, const rc_exchange_input *input, uint64_t now_ms,
                      uint64_t entropy, rc_exchange_effects *effects);

/* Returns the time at which the machine needs the input TIMER. RC_UNLIMITED: the machine does not
 * need this input. */
uint64_t rc_exchange_due_ms(const rc_exchange_machine *machine);

/* Returns whether an attempt runs in the lane `slot`. */
bool rc_exchange_is_running(const rc_exchange_machine *machine, uint8_t slot);

/* Returns whether the content of the lane in `slot` is being sent to the client. */
bool rc_exchange_is_responding(const rc_exchange_machine *machine, uint8_t slot);

/* Returns the name of a state for tests and messages as a static string. */
const char *rc_exchange_state_name(rc_exchange_state state);

/* Returns whether all members are consistent. For tests and fuzzing. */
bool rc_exchange_validate(const rc_exchange_machine *machine);

#endif
