/* rc_call: one request, from its first try to its end. It decides; whoever owns it carries out.
 *
 *            begin                on_failure: WAIT
 *   (new) ─────────► TRYING ───────────────────────► WAITING
 *                    │ │ ▲ ▲                          │  │
 *     on_success ────┘ │ │ └────── on_wake: TRY ──────┘  │ on_wake, on_cancel: STOP
 *     on_cancel ───────┤ └──────── on_failure: TRY       │
 *     on_failure: STOP │ └──────── on_failure: REFRESH ─► REFRESHING ─ on_refreshed: TRY, STOP
 *                      ▼                                 ▼
 *                    DONE ◄──────────────────────────────┘
 *
 * Every input gives one action with its reason. After a final action (DELIVER, COMPACT, STOP) every
 * further input gives the same final action again and changes nothing, so that a late answer or a
 * second cancel is harmless. An input that the state does not expect (a failure during a wait) ends
 * the call as on_cancel does. A time before that of the latest input counts as that time.
 *
 * The order of the decisions is in docs/internals/call.md.
 *
 * Invariants, checked by rc_call_validate and the fuzz target:
 *   C1  tries at one target <= its tries; calls <= max_calls (the first try always may). Another
 *       credential and a refreshed one are calls, and no tries
 *   C2  no target is asked before its server's hint
 *   C3  nothing after a final action
 *   C4  no try starts at or after the deadline, no wait ends there
 *   C5  a failure that is not retryable leads to no other try, but for capacity (another credential
 *       or target), AuthFailed (one try of the same credential, refreshed; another credential of
 *       the same target), ContextOverflow (another target that is named for it)
 *   C6  the chain moves forward, but for OVERFLOW_TO_LARGER; an entry is asked again only by WOKE,
 *       which may begin a new round at the front of the chain, NEXT_CREDENTIAL, REFRESHED. A
 *       hedge's entry counts as asked
 *   C7  after on_commit no other try
 *   C8  what was taken (in-flight place, probe) is given back exactly once */
#ifndef RECOURSE_CALL_H
#define RECOURSE_CALL_H

#include <recourse/export.h>
#include <recourse/policy.h>
#include <recourse/reason.h>
#include <recourse/shared.h>

RC_BEGIN_DECLS

/* What a request needs and a target has: any bits the owner gives meaning to; these are ours. */
enum {
    RC_NEED_STREAMING = 1,
    RC_NEED_TOOLS = 2,
    RC_NEED_VISION = 4,
    RC_NEED_STRUCTURED_OUTPUT = 8
};

/* One place of a chain. */
typedef struct rc_chain_entry {
    uint16_t target;       /* in rc_shared */
    uint16_t max_attempts; /* so many before the next entry; 0: the next entry is asked at once, and
                              this one again in the next round, as often as the policy says */
    uint32_t capabilities; /* what it has; all bits set: not known, taken for everything */
} rc_chain_entry;

/* A route: any number of calls share one. */
typedef struct rc_plan {
    const rc_policy *policy;
    const rc_chain_entry *entries;
    uint16_t entry_count; /* at least 1 */
    uint16_t overflow_to; /* the entry for too long contexts; RC_NO_TARGET: none. One that the chain
                              itself should not use stands at or behind chain_count. One with the
                              target whose window was too small is not asked. */
    uint16_t chain_count; /* entries [0 .. chain_count) are the chain; 0: all */
} rc_plan;

typedef enum rc_action_kind {
    RC_DO_TRY = 1,     /* ask target with credential now; tell on_success or on_failure */
    RC_DO_WAIT = 2,    /* until at_ms, then on_wake */
    RC_DO_REFRESH = 3, /* get a fresh key for credential, then on_refreshed */
    RC_DO_DELIVER = 4, /* final: it worked */
    RC_DO_COMPACT = 5, /* final: shorten the context, then it is another request */
    RC_DO_STOP = 6     /* final: tell the failure */
} rc_action_kind;

typedef struct rc_action {
    rc_action_kind kind;
    rc_reason reason;
    uint16_t entry;      /* of the plan; the one asked, waited for or last asked */
    uint16_t target;     /* its target in rc_shared; RC_NO_TARGET: none was asked */
    uint16_t credential; /* in rc_shared; RC_NO_TARGET: none */
    uint16_t from_entry; /* before a switch; else as entry */
    uint16_t from_credential;
    bool is_retry_exhausted; /* of a STOP: report it as such. False where waiting longer than this
                                call may (DELAY_TOO_LONG, WAIT_PAST_DEADLINE) could still help */
    uint32_t attempt;        /* calls made so far, this try included */
    uint32_t max_attempts;   /* calls of the whole request as far as is known: those made, and what
                                this target's tries and max_calls leave. Never below attempt, nor
                                below the attempt that a WAIT or REFRESH leads to */
    uint64_t at_ms;          /* WAIT: its end. STOP: when to come back, 0: not known */
    uint64_t wait_ms;        /* WAIT: how long; STOP by a too long wait: how long it would be */
    uint64_t deadline_at_ms; /* TRY: when it must have ended; RC_UNLIMITED */
    uint64_t begin_by_ms;    /* TRY: when its answer must have begun, so that the next entry still
                                has time; deadline_at_ms where there is no next entry */
    uint32_t missing;        /* STOP by NONE_CAPABLE: what nobody has; if each need is met by one or
                                the other, what the first target lacks */
} rc_action;

/* A target that was passed over, for the audit. */
typedef struct rc_skip {
    uint16_t entry;
    rc_reason reason;
    uint64_t until_ms; /* 0: not known; RC_UNLIMITED: not by itself */
} rc_skip;

#define RC_SKIPS_MAX 16

/* The skips of the latest input; more than fit are counted. */
typedef struct rc_skips {
    uint32_t count;
    rc_skip list[RC_SKIPS_MAX];
} rc_skips;

typedef struct rc_call_options {
    uint64_t deadline_at_ms; /* RC_UNLIMITED: none; the policy's budget_ms may be earlier */
    uint32_t needs;          /* RC_NEED_ */
    uint16_t first_entry;    /* where the chain begins: see rc_chain. The entries before it come
                                after its end. One that is not of the chain: 0 */
    bool is_unrepeatable;    /* the request cannot be sent a second time: its body was passed on as
                                it came. Every failure is final */
    uint32_t max_calls;      /* no more than so many, whatever the policy says; 0: the policy's */
    uint64_t max_wait_ms;    /* of all waits together; 0: no limit beside the policy's */
    rc_skips *skips;         /* NULL: nobody wants to know. Borrowed until the call is done. */
} rc_call_options;

/* A try: what it asks, and what of it has to be given back. */
typedef struct rc_call_attempt {
    uint16_t entry;
    uint16_t target;
    uint16_t credential; /* RC_NO_TARGET: none */
    uint8_t admission;   /* rc_breaker_admission */
    bool is_in_flight;   /* a place of the target is taken */
    bool is_key_probe;   /* the credential was refused before: it may be again */
    bool is_quota_probe; /* its quota was used up before: nobody else asks with it meanwhile */
    bool has_turn;       /* it waited, and goes before the others that did */
    bool is_let_through; /* its answer has begun: others have their turn */
    uint64_t at_ms;      /* when it began */
} rc_call_attempt;

/* The caller's storage, at most 256 bytes; the fields are private. */
typedef struct rc_call {
    const rc_plan *plan;
    rc_shared *shared;
    rc_skips *skips;
    uint64_t now_ms; /* of the latest input: time never runs back */
    uint64_t deadline_at_ms;
    uint64_t last_wait_ms;
    uint64_t not_before_ms; /* as the server of the latest failure said; 0: it did not */
    uint64_t spent_entries; /* bits of the entries that no later round asks again */
    uint64_t waits_left_ms; /* of the waits that it may make; RC_UNLIMITED */
    uint32_t max_calls;
    uint32_t needs;
    uint32_t calls;               /* made so far */
    uint32_t entry_attempts;      /* at the present entry */
    uint16_t credential_switches; /* other credentials asked since the last wait */
    uint16_t round;               /* how often the whole chain was asked before */
    uint16_t first_entry;
    uint16_t
        next_position; /* of the chain, from first_entry on: all before were asked or passed over */
    uint8_t state;
    uint8_t turn_waits;  /* waits for a turn, and */
    uint8_t limit_waits; /* waits for a limit that others met again: both are no tries */
    bool is_alone;       /* no other entry has what the request needs: guesses do not count */
    bool is_committed;
    bool is_unrepeatable;
    bool has_waited;
    bool is_round_next; /* the wait is for another entry than the latest: its hint does not count */
    bool is_refreshed;  /* the present target's credential was refreshed once */
    bool went_to_larger;     /* the overflow's target was asked */
    rc_call_attempt attempt; /* the present try, or the latest one */
    rc_action last;
    rc_failure_facts failure; /* the latest failure */
} rc_call;

/* plan, shared: borrow until the call is done. options: copies, NULL for none. */
RC_API void rc_call_init(rc_call *call, const rc_plan *plan, rc_shared *shared,
                         const rc_call_options *options, uint64_t now_ms);

/* The first action: TRY, or STOP when there is nothing to ask: then at_ms is the earliest time at
 * which there may be, or the reason is CREDENTIALS_DEAD, which owners tell as AuthFailed. It counts
 * as a request to the retry budget. */
RC_API rc_action rc_call_begin(rc_call *call, uint64_t now_ms, uint64_t entropy);

/* How a try ended. An answer that comes after the deadline is still delivered: whoever owns the
 * call ends a try at deadline_at_ms. why: copies. */
RC_API rc_action rc_call_on_success(rc_call *call, uint64_t now_ms);
RC_API rc_action rc_call_on_failure(rc_call *call, const rc_failure_facts *failure, uint64_t now_ms,
                                    uint64_t entropy);

/* The wait is over. Before its at_ms it is the same WAIT again. */
RC_API rc_action rc_call_on_wake(rc_call *call, uint64_t now_ms, uint64_t entropy);

/* The refresh ended: there is a fresh key, or there is none and the credential is dead. The fresh
 * one is tried, not before a hint that came with the refusal; instead of a dead one, another
 * credential of the target. */
RC_API rc_action rc_call_on_refreshed(rc_call *call, bool is_fresh, uint64_t now_ms,
                                      uint64_t entropy);

/* Ends the call in any state and gives back what it holds. */
RC_API rc_action rc_call_on_cancel(rc_call *call, uint64_t now_ms);

/* The first content was passed on: from now on a failure is final, a breaker that was probed knows
 * that its target is back, and calls that wait behind this one have their turn (cooldown.h). */
RC_API void rc_call_on_commit(rc_call *call, uint64_t now_ms);

/* The next entry that could be asked now beside the present one, for hedging; RC_NO_TARGET: none.
 */
RC_API uint16_t rc_call_hedge_entry(const rc_call *call, uint64_t now_ms);

/* Was the latest action a final one? */
RC_API bool rc_call_is_done(const rc_call *call);

/* Is everything within its bounds? For tests and fuzzing. */
RC_API bool rc_call_validate(const rc_call *call);

/* rc_chain: where the calls of one route or session begin. */
typedef enum rc_revert {
    RC_REVERT_COOLDOWN_EXPIRY = 0, /* at the first target, as soon as it is healthy */
    RC_REVERT_NEVER = 1            /* stay with the one that last worked */
} rc_revert;

typedef struct rc_chain {
    rc_revert revert;
    uint16_t active; /* the entry that last worked */
} rc_chain;

/* Begins at the first entry. */
RC_API void rc_chain_init(rc_chain *chain, rc_revert revert);

/* The first_entry of the next call. */
RC_API uint16_t rc_chain_first(const rc_chain *chain);

/* A call of this chain was delivered by the entry. One that is not of the chain, as the target for
 * too long contexts, changes nothing. plan: borrows. */
RC_API void rc_chain_on_success(rc_chain *chain, const rc_plan *plan, uint16_t entry);

/* "cooldown-expiry", "never"; "" for what is not in the list. */
RC_API const char *rc_revert_name(rc_revert revert);

RC_END_DECLS

#endif
