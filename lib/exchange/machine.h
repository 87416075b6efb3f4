/* rc_exchange_machine: the life cycle of one client request, from its head to the last byte of the
 * response, as a step function. It does no I/O: the owner (the gateway's driver, a test) reports
 * what happened as an input and carries out the effects that the step returns.
 *
 *   READING ──► ATTEMPTING ── content ──► RESPONDING ─┐
 *      │         │ ▲  │ ▲                    │        ├─ end ──► RECORDING ──► ENDING ──► OVER
 *      │ refused │ │  │ └─ REFRESHING        failure  │          the record     the reply
 *      │         │ └─ WAITING, PAUSED                 │
 *      └─────────┴── an error of the gateway, or a whole response
 *
 * rc_call decides which target is tried next and when; rc_hedge decides about a second lane. The
 * machine has two lanes, each one upstream call: `current`, and the other one while a slow response
 * is hedged.
 *
 * The owner carries out the effects in their order, after the step has returned. An effect may have
 * a result (RESERVE, START, COMMIT, REFRESH, STORE): the owner reports it as the next input. Inputs
 * that do not fit the state, such as the failure of a lane that was cancelled, are ignored.
 *
 * Invariants, checked by rc_exchange_validate, the model in tests/support/exchange_model.h and the
 * fuzz target:
 *   X1  CLOSE is the last effect, and there is exactly one
 *   X2  a lane that was started ends exactly once: by SETTLE or by CANCEL
 *   X3  a reservation that was granted is settled exactly once, by the same effects
 *   X4  after COMMIT no lane is reserved or started
 *   X5  REPLY follows the answer to STORE, and nothing is written to the client between STORE and
 *       REPLY
 *   X6  COMMIT, STORE and REPLY occur at most once each
 *   X7  an ending that is an error has a report: FAULT, FAILED, REPORT or REFUSE came before
 *   X8  a state that waits for time has a due time, and a state without one waits for a lane, for
 *       the client or for the answer to an effect
 *   X9  after the client is gone nothing is written: neither COMMIT nor a REPLY
 *   X10 when the machine is over, no lane runs and rc_call holds neither slot nor probe
 */
#ifndef RC_EXCHANGE_MACHINE_H
#define RC_EXCHANGE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/call.h>
#include <recourse/hedge.h>

#include "policy/deadline.h"
#include "policy/outcome.h"

/* Wait for the orderly end of a stream after its terminator. */
#define RC_EXCHANGE_TAIL_MS 500u
/* How often a paused attempt tries to reserve again: the delay until it sees that a budget has
 * renewed, was raised, or has unused reservations back. */
#define RC_EXCHANGE_PAUSE_MS 250u
/* Least time for the store to acknowledge a record, also if the deadline has passed. */
#define RC_EXCHANGE_RECORD_MIN_MS 1000u
/* Maximum time for the store to acknowledge a record; longer than the store's own retries take. */
#define RC_EXCHANGE_RECORD_MAX_MS 30000u

typedef enum rc_exchange_state {
    RC_EXCHANGE_READING = 0,
    RC_EXCHANGE_ATTEMPTING = 1,
    RC_EXCHANGE_WAITING = 2,
    RC_EXCHANGE_RESPONDING = 3, /* Content is being sent to the client. */
    RC_EXCHANGE_RECORDING = 4,  /* The record is being stored. */
    RC_EXCHANGE_ENDING = 5,     /* The response is complete and is being sent. */
    RC_EXCHANGE_OVER = 6,
    RC_EXCHANGE_PAUSED = 7,    /* Waits until a budget allows the attempt. */
    RC_EXCHANGE_REFRESHING = 8 /* A fresh key is being read. */
} rc_exchange_state;

/* The part of the reply that remains to be sent once the record is acknowledged. */
typedef enum rc_exchange_ending {
    RC_ENDING_NONE = 0,        /* Nothing: the client left before the call had ended. */
    RC_ENDING_WHOLE = 1,       /* The response: head and body. */
    RC_ENDING_TAIL = 2,        /* The rest of a response that has begun. */
    RC_ENDING_ERROR = 3,       /* An error of our own: head and body. */
    RC_ENDING_ERROR_EVENT = 4, /* An error of our own as an event of a stream. */
    RC_ENDING_ABORT = 5        /* A cut of the connection: in any other response an error cannot be
                                * expressed. */
} rc_exchange_ending;

/* One upstream call of the exchange. */
typedef enum rc_lane_state {
    RC_LANE_IDLE = 0,      /* Never used, or freed. */
    RC_LANE_RESERVING = 1, /* Waits for the owner's answer, or for a budget. */
    RC_LANE_RUNNING = 2,
    RC_LANE_ENDED = 3 /* Settled; kept for the reports about it. */
} rc_lane_state;

typedef struct rc_exchange_lane {
    uint8_t state; /* rc_lane_state */
    uint8_t lane;  /* rc_hedge_lane: the name of the lane for rc_hedge. */
    uint16_t entry;
    uint16_t credential;
    uint64_t ends_at_ms; /* When a stream with a terminator counts as over, whatever still comes.
                          * RC_UNLIMITED: no terminator has arrived. */
} rc_exchange_lane;

/* ---- inputs ---- */

/* The owner's answer to RESERVE. */
typedef enum rc_reserve_verdict {
    RC_RESERVE_GRANTED = 0,
    RC_RESERVE_WAIT = 1,     /* The budget may allow the attempt later. */
    RC_RESERVE_DENIED = 2,   /* The budget does not allow it. */
    RC_RESERVE_NO_MEMORY = 3 /* The attempt could not be allocated. */
} rc_reserve_verdict;

/* The owner's answer to STORE and STORE_LATE. */
typedef enum rc_store_verdict {
    RC_STORE_DONE = 0,    /* Acknowledged, or the response may be sent without a record. */
    RC_STORE_REFUSED = 1, /* No record: the reply becomes an error, whose report the owner has. */
    RC_STORE_CUT = 2      /* Not even the changed outcome can be recorded: the response is cut. */
} rc_store_verdict;

typedef enum rc_exchange_input_kind {
    RC_INPUT_HEAD,       /* The body is awaited; limits: the client's deadline. */
    RC_INPUT_REFUSED,    /* The owner refuses the request and has its report. */
    RC_INPUT_RESPONDED,  /* The owner has sent a response that needs no attempt and no record. */
    RC_INPUT_BEGIN,      /* The request is complete, or complete enough to be sent. */
    RC_INPUT_RESERVED,   /* Answer to RESERVE. */
    RC_INPUT_CHOSEN,     /* This lane has a complete response: the other lane is cancelled. */
    RC_INPUT_CONTENT,    /* The first content for the client; also chooses the lane. */
    RC_INPUT_TERMINATED, /* The terminator of a stream has arrived. */
    RC_INPUT_COMPLETE,   /* The lane's response is complete and usable. */
    RC_INPUT_FAILED,     /* The lane failed; the owner has the report. */
    RC_INPUT_FAULT,      /* The lane failed for a reason of the gateway or of the request. */
    RC_INPUT_REFRESHED,  /* Answer to REFRESH. */
    RC_INPUT_STORED,     /* Answer to STORE or STORE_LATE. */
    RC_INPUT_TIMER,      /* The time of the last step's due_ms has come. */
    RC_INPUT_GONE,       /* The client is gone, or its response cannot be sent. */
    RC_INPUT_SENT,       /* The reply was sent. */
    RC_INPUT_DRAIN,      /* The gateway stops: the exchange ends with an error soon. */
    RC_INPUT_CLOSING     /* The gateway closes its connections: the store is not waited for. */
} rc_exchange_input_kind;

/* What a call needs to begin. */
typedef struct rc_exchange_start {
    const rc_plan *plan; /* Borrowed until the machine is over. */
    rc_shared *shared;   /* Borrowed until the machine is over. */
    rc_call_options options;
    uint64_t hedge_delay_ms; /* RC_UNLIMITED: no hedge. */
} rc_exchange_start;

typedef struct rc_exchange_input {
    rc_exchange_input_kind kind;
    uint8_t slot;         /* The lane: RESERVED to FAULT. */
    uint8_t verdict;      /* RESERVED: rc_reserve_verdict. STORED: rc_store_verdict. */
    bool is_fresh;        /* REFRESHED: there is a new key. */
    bool is_stopping;     /* RESERVED: the gateway stops, so that no budget is waited for. */
    bool can_carry_error; /* CONTENT: an error event can follow in this response. */
    rc_reason reason;     /* RESERVED: why it was not granted. */
    const rc_failure_facts *facts;    /* FAILED: copies. */
    const rc_exchange_start *start;   /* BEGIN: borrows. */
    const rc_deadline_limits *limits; /* HEAD, BEGIN: copies. */
} rc_exchange_input;

/* ---- effects ---- */

typedef enum rc_exchange_effect_kind {
    RC_EFFECT_RESERVE,     /* Prepare an attempt in the slot and reserve its cost. Answer: RESERVED.
                            * is_again: the attempt of a paused exchange tries once more. */
    RC_EFFECT_START,       /* Send the request. */
    RC_EFFECT_COMMIT,      /* Send the response head; the lane's content follows. */
    RC_EFFECT_SETTLE,      /* Add the lane's end to the ledger and settle its reservation. */
    RC_EFFECT_CANCEL,      /* Stop the lane, add that to the ledger, settle its reservation. */
    RC_EFFECT_FREE,        /* Free the attempt of the slot. */
    RC_EFFECT_END_STREAM,  /* The stream has its terminator: stop and judge it. */
    RC_EFFECT_END_LATE,    /* The deadline has passed: stop the lane and report FAILED. */
    RC_EFFECT_BREAK,       /* Stop the lane and report FAULT with `outcome`. */
    RC_EFFECT_REFRESH,     /* Read the key again. Answer: REFRESHED. */
    RC_EFFECT_LOG_ACTION,  /* Add `action` to the ledger and emit its events. */
    RC_EFFECT_LOG_HEDGE,   /* Add the start of a hedge to the ledger. */
    RC_EFFECT_LOG_SKIP,    /* Add a skipped entry to the ledger. */
    RC_EFFECT_LOG_CANCEL,  /* Add the client's departure to the ledger. */
    RC_EFFECT_CUT_WAIT,    /* A wait ended early: correct its length. */
    RC_EFFECT_PAUSE,       /* The attempt waits for a budget. */
    RC_EFFECT_END_PAUSE,   /* It no longer waits. is_again: the attempt continues. */
    RC_EFFECT_DELIVERED,   /* The call succeeded. */
    RC_EFFECT_REPORT,      /* Build the report of the call that `action` stopped. */
    RC_EFFECT_DENY,        /* Build the report of a refused reservation. */
    RC_EFFECT_REFUSE,      /* Build the report of `outcome`; at_ms: the end of a wait that was cut
                            * short, or 0. */
    RC_EFFECT_REFUSE_LATE, /* Build the report of a deadline that passed while the body arrived. */
    RC_EFFECT_STORE,       /* Store the record. Answer: STORED. */
    RC_EFFECT_STORE_LATE,  /* The record is not acknowledged; at_ms: when it was due. Answer:
                            * STORED, unless the acknowledgement is on its way. */
    RC_EFFECT_COUNT,       /* Count the request: the client's head is about to be freed. */
    RC_EFFECT_REPLY,       /* Count the request and send the rest of the response. */
    RC_EFFECT_CLOSE        /* Release everything. */
} rc_exchange_effect_kind;

typedef struct rc_exchange_effect {
    uint8_t kind; /* rc_exchange_effect_kind */
    uint8_t slot;
    bool is_again;
    bool is_done; /* SETTLE: the response is complete. */
    uint16_t entry;
    uint16_t credential;
    uint16_t outcome; /* rc_local_outcome */
    rc_reason reason;
    uint64_t at_ms;
} rc_exchange_effect;

#define RC_EFFECTS_MAX 8u

typedef struct rc_exchange_effects {
    uint32_t count;
    rc_exchange_effect list[RC_EFFECTS_MAX];
} rc_exchange_effects;

/* ---- the machine ---- */

/* Caller-allocated. The owner may read all members and writes none. */
typedef struct rc_exchange_machine {
    uint8_t state;   /* rc_exchange_state */
    uint8_t ending;  /* rc_exchange_ending; valid from RECORDING on. */
    uint8_t current; /* The slot of the current or latest attempt. */
    bool is_hedged;  /* The other slot runs, too. */
    bool is_begun;   /* rc_call is in use. */
    bool is_committed;
    bool can_carry_error;
    bool is_gone;
    bool has_polled;          /* Sockets were polled once more after the deadline. */
    uint32_t unsent_attempts; /* Attempts that rc_call counts although nothing was sent. */
    rc_exchange_lane lanes[2];
    uint64_t hedge_delay_ms;
    uint64_t waits_from_ms;       /* Start of the wait in the states WAITING and PAUSED. */
    uint64_t reserve_again_at_ms; /* When a paused attempt tries to reserve again. RC_UNLIMITED: it
                                   * waits for the answer. */
    uint64_t poll_at_ms;          /* Nothing counts as late before this time. */
    uint64_t record_by_ms;        /* When the store must have acknowledged the record. */
    rc_action action; /* The latest action of rc_call. `attempt` counts what was sent. */
    rc_hedge hedge;
    rc_deadline_limits limits;
    /* Valid if is_begun. */
    rc_call call;
} rc_exchange_machine;

/* Starts a machine in the state READING. */
void rc_exchange_machine_init(rc_exchange_machine *machine);

/* Handles one input. effects: filled with what the owner must do, in this order. entropy: random
 * bits for waits. input: borrows. */
void rc_exchange_step(rc_exchange_machine *machine, const rc_exchange_input *input, uint64_t now_ms,
                      uint64_t entropy, rc_exchange_effects *effects);

/* When the machine needs a TIMER input. RC_UNLIMITED: it needs none. */
uint64_t rc_exchange_due_ms(const rc_exchange_machine *machine);

/* True: this lane runs. */
bool rc_exchange_is_running(const rc_exchange_machine *machine, uint8_t slot);

/* True: this lane's content is being sent to the client. */
bool rc_exchange_is_responding(const rc_exchange_machine *machine, uint8_t slot);

/* Names for tests and messages; static. */
const char *rc_exchange_state_name(rc_exchange_state state);

/* Returns whether all members are consistent. For tests and fuzzing. */
bool rc_exchange_validate(const rc_exchange_machine *machine);

#endif
