/* rc_call: a state machine that makes the decisions about one request, from its first attempt to
 * its end. rc_call performs no I/O. The owner of a call (gateway, exec, simulator) carries out each
 * action and reports the result.
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
 * Every input (a call of rc_call_begin or of an rc_call_on_ function) returns one action with its
 * reason. After a final action (DELIVER, COMPACT, STOP) every further input returns the same final
 * action and changes nothing, so a late response or a second cancel is harmless. An input that is
 * not possible in the state, such as a failure during a wait, ends the call as rc_call_on_cancel
 * does. If now_ms is earlier than the time of the latest input, the time of the latest input is
 * used instead.
 *
 * docs/internals/call.md lists the steps of a decision in their order.
 *
 * Invariants, checked by rc_call_validate and the fuzz target:
 *   C1  the attempts at one chain entry stay within its max_attempts, and all calls within
 *       max_calls (the first attempt is always allowed). A switch to another or a refreshed
 *       credential counts as a call, but not as an attempt
 *   C2  no request is sent to a target before the retry time that its provider named
 *   C3  no action follows a final action
 *   C4  no attempt starts, and no wait ends, at or after the deadline
 *   C5  a failure that is not retryable leads to another attempt in four cases only: capacity
 *       (another credential or target), AuthFailed (once with the same credential, refreshed; or
 *       with another credential of the same target), ContextOverflow (the target named for it),
 *       and the codes of plan.fallback_on (the next entry)
 *   C6  the chain is followed forward, except for OVERFLOW_TO_LARGER and within a group, whose
 *       members are used in any order. An entry gets a further attempt only by WOKE (which may
 *       start a new round at the front of the chain), NEXT_CREDENTIAL or REFRESHED. The entry of a
 *       hedge counts as used
 *   C7  no attempt follows on_commit
 *   C8  an in-flight slot or a probe that was taken is released exactly once */
#ifndef RECOURSE_CALL_H
#define RECOURSE_CALL_H

#include <recourse/chain.h>
#include <recourse/export.h>
#include <recourse/policy.h>
#include <recourse/reason.h>
#include <recourse/shared.h>

RC_BEGIN_DECLS

/* Capabilities that a request may need and a target may have. The owner of the calls may define
 * further bits. */
enum {
    RC_NEED_STREAMING = 1,
    RC_NEED_TOOLS = 2,
    RC_NEED_VISION = 4,
    RC_NEED_STRUCTURED_OUTPUT = 8,
    RC_NEED_TRANSLATION = 128 /* the request can be expressed in the API of the target; the owner
                                 clears the bit of entries for which this is not so */
};

/* The next step that the owner must carry out. */
typedef enum rc_action_kind {
    RC_DO_TRY = 1,     /* send the request to `target` with `credential`; then call
                          rc_call_on_success or rc_call_on_failure */
    RC_DO_WAIT = 2,    /* wait until at_ms, then call rc_call_on_wake. With is_queued the call
                          waits in the queue of rc_shared, and rc_call_on_wake must also be called
                          after the wake function of rc_queue_owner was called for this call */
    RC_DO_REFRESH = 3, /* obtain a fresh key for `credential`, then call rc_call_on_refreshed */
    RC_DO_DELIVER = 4, /* final: the attempt succeeded, deliver its response */
    RC_DO_COMPACT = 5, /* final: the context is too long; it must be shortened and sent as a new
                          request */
    RC_DO_STOP = 6     /* final: report the failure to the client */
} rc_action_kind;

/* One action with its reason. A member whose comment begins with kinds of action, such as STOP, is
 * set for these kinds only. The other members are set for every kind. */
typedef struct rc_action {
    rc_action_kind kind;
    rc_reason reason;
    uint16_t entry;           /* index in the plan of the entry that the action uses or waits for,
                                 or that was used last */
    uint16_t target;          /* index in rc_shared of the target of `entry`; RC_NO_TARGET: no
                                 target was used */
    uint16_t credential;      /* index in rc_shared of the credential; RC_NO_TARGET: none */
    uint16_t from_entry;      /* index of the entry before a switch; equal to `entry` if there was
                                 no switch */
    uint16_t from_credential; /* index of the credential before a switch; equal to `credential` if
                                 there was no switch */
    bool is_retry_exhausted;  /* STOP: the report must be marked retry_exhausted; false if an outer
                                 layer with more time may still succeed (reasons DELAY_TOO_LONG,
                                 WAIT_PAST_DEADLINE) */
    bool is_queued;           /* WAIT: the call waits in the queue; at_ms is the time at which it
                                 leaves the queue at the latest */
    uint32_t attempt;         /* number of calls made so far, including this attempt */
    uint32_t max_attempts;    /* expected number of calls of the whole request: the calls made plus
                                 the attempts left at this entry, at most max_calls. At least
                                 `attempt`; for a WAIT or REFRESH, at least the number of the
                                 attempt that follows */
    uint64_t at_ms;           /* WAIT: end of the wait. STOP: earliest time at which a new call may
                                 succeed; 0: not known */
    uint64_t wait_ms;         /* WAIT: length of the wait; of a queued call the expected length, or
                                 the longest one if none is known. STOP because a wait would be too
                                 long: length of that wait */
    uint64_t deadline_at_ms;  /* TRY: time by which the attempt must end; RC_UNLIMITED: none */
    uint64_t begin_by_ms;     /* TRY: time by which the response must begin, so that time is left
                                 for the next entry; deadline_at_ms if there is no next entry */
    uint32_t missing;         /* STOP with the reason NONE_CAPABLE: RC_NEED_ bits that no target
                                 has; if every bit is one that some target has, the bits that the
                                 first target lacks */
} rc_action;

/* A chain entry that the call did not use, and the reason, for the audit. */
typedef struct rc_skip {
    uint16_t entry;
    rc_reason reason;
    uint64_t until_ms; /* time at which the reason no longer holds; 0: not known; RC_UNLIMITED: the
                          reason holds until an operator acts */
} rc_skip;

#define RC_SKIPS_MAX 16

/* The chain entries that the call skipped while it handled its latest input, such as
 * rc_call_on_failure. */
typedef struct rc_skips {
    uint32_t count; /* number of all skips; `list` has only the first RC_SKIPS_MAX */
    rc_skip list[RC_SKIPS_MAX];
} rc_skips;

/* Options of one call. */
typedef struct rc_call_options {
    uint64_t deadline_at_ms; /* time at which the call must end; RC_UNLIMITED: none; the policy's
                                budget_ms may set an earlier deadline */
    uint32_t needs;          /* RC_NEED_ bits of the capabilities that the request needs */
    uint16_t first_entry;    /* chain index at which the call begins (see rc_chain). After the last
                                entry of the chain the call continues with entry 0. An index outside
                                the chain is replaced by 0, and an index within a group by the
                                group's first entry */
    uint64_t sticky_key;     /* hash of the user or session whose calls use the same member of a
                                group (rc_chain_entry.is_sticky); 0: none */
    bool is_unrepeatable;    /* the request cannot be sent again, because its body was forwarded
                                without being stored; every failure is therefore final */
    uint32_t max_calls;      /* a limit of the number of calls in addition to the policy's
                                max_calls; 0: none */
    uint64_t max_wait_ms;    /* limit of the sum of all waits in milliseconds; 0: no limit */
    bool never_queues;       /* `wait: off`: the call does not wait in the queue of rc_shared, and
                                its first attempt does not wait for a closed target */
    bool never_learns;       /* `learn: off`: the call ignores learned rate limits */
    uint64_t client;         /* identifies the client; requests with the same value wait in the same
                                line of the queue */
    uint32_t bytes;          /* memory in bytes that the request occupies while it waits in the
                                queue */
    void *owner;             /* passed to rc_queue_owner.wake */
    uint32_t tokens_in;      /* estimated number of tokens of the request; 0: not known */
    uint32_t tokens_out;     /* estimated number of tokens of the response; 0: not known */
    rc_skips *skips;         /* the call writes the skips of each input to this object, which it
                                borrows until it is done; NULL: skips are not recorded */
} rc_call_options;

/* One attempt, with the resources that must be released when it ends. */
typedef struct rc_call_attempt {
    uint16_t entry;
    uint16_t target;
    uint16_t credential; /* index in rc_shared; RC_NO_TARGET: none */
    uint8_t admission;   /* the breaker's decision about the attempt, an rc_breaker_admission */
    bool is_in_flight;   /* the attempt uses an in-flight slot of the target */
    bool is_key_probe;   /* the attempt tests a credential that the provider rejected before */
    bool is_quota_probe; /* the attempt tests a credential whose quota was exhausted; meanwhile no
                            other call uses the credential */
    bool has_turn;       /* the attempt took a turn, a permission to start after a cooldown
                            (cooldown.h) */
    bool is_let_through; /* the response has begun, and the attempt has earned turns for other
                            calls */
    uint64_t at_ms;      /* start of the attempt */
    uint32_t index;      /* index of the attempt in rc_admission */
    rc_limit_mark mark;  /* mark of the attempt's start in rc_rate_limits */
} rc_call_attempt;

/* The state of one call in the caller's storage, at most 384 bytes; the fields are private. A call
 * must not be moved while it waits in the queue. */
typedef struct rc_call {
    const rc_plan *plan;
    rc_shared *shared;
    rc_skips *skips;
    uint64_t now_ms; /* time of the latest input; never decreases */
    uint64_t deadline_at_ms;
    uint64_t last_wait_ms;
    uint64_t not_before_ms; /* time that the provider named for a retry after the latest failure; 0:
                               none */
    uint64_t spent_entries; /* bit set of the entries that are left out in later rounds (passes over
                               the chain) */
    uint64_t waits_left_ms; /* remaining part of max_wait_ms; RC_UNLIMITED: no limit */
    uint64_t client;
    void *owner;
    uint64_t queued_at_ms; /* start of the current or latest wait in the queue */
    uint64_t sticky_key;
    uint64_t spread_key;    /* random key by which groups choose their members */
    uint32_t tried_members; /* bit set of the used members of the group at next_position */
    uint32_t bytes;
    uint32_t tokens_in;
    uint32_t tokens_out;
    uint32_t ticket; /* the call's entry in the queue; RC_QUEUE_NONE: the call is not in the
                        queue */
    uint32_t max_calls;
    uint32_t needs;
    uint32_t calls;               /* number of calls made so far */
    uint32_t entry_attempts;      /* number of attempts at the current entry */
    uint16_t credential_switches; /* number of switches to another credential since the last wait */
    uint16_t round;               /* number of completed rounds (passes over the chain) */
    uint16_t first_entry;
    uint16_t next_position; /* first unused position of the chain, counted from first_entry; of a
                               group with unused members, the position of its first entry */
    uint8_t state;
    uint8_t turn_waits;  /* number of waits for a turn; these waits do not count as attempts */
    uint8_t limit_waits; /* number of waits because another call met the rate limit again; these
                            waits do not count as attempts */
    bool is_alone;       /* no other entry has the needed capabilities, so assumed cooldowns are
                            ignored */
    bool is_committed;
    bool is_unrepeatable;
    bool has_waited;
    bool is_round_next;      /* the current wait ends with a new round, which begins at another
                                entry than the latest one */
    bool is_refreshed;       /* the credential of the current target was refreshed once */
    bool went_to_larger;     /* the entry for contexts that are too long was used */
    bool may_queue;          /* the call may wait in the queue */
    bool never_learns;       /* the call ignores learned rate limits */
    bool is_granted;         /* the queue granted the latest action, a TRY, and the owner has not
                                been given that action yet */
    bool is_refused;         /* the queue refused the call, and the owner has not been given the
                                STOP yet */
    bool is_displaced;       /* the queue refused the call to make space for another one */
    rc_call_attempt attempt; /* the current or the latest attempt */
    rc_action last;
    rc_failure_facts failure; /* the latest failure */
} rc_call;

/* Initialises a call. plan, shared: borrows until the call is done. options: copies the struct;
 * NULL: the call has no options. */
RC_API void rc_call_init(rc_call *call, const rc_plan *plan, rc_shared *shared,
                         const rc_call_options *options, uint64_t now_ms);

/* Returns the first action: TRY, or STOP if no entry is available. The member at_ms of a STOP is
 * the earliest time at which an entry may be available. For the reason CREDENTIALS_DEAD at_ms is 0,
 * and the owner reports AuthFailed. The retry budget counts the call as one request. */
RC_API rc_action rc_call_begin(rc_call *call, uint64_t now_ms, uint64_t entropy);

/* Both functions report how the attempt ended. A success after the deadline is delivered all the
 * same: the owner, not rc_call, ends an attempt at deadline_at_ms. failure: copies the struct. */
RC_API rc_action rc_call_on_success(rc_call *call, uint64_t now_ms);
RC_API rc_action rc_call_on_failure(rc_call *call, const rc_failure_facts *failure, uint64_t now_ms,
                                    uint64_t entropy);

/* Reports the end of an RC_DO_WAIT. If now_ms is before the WAIT's at_ms, the same WAIT is returned
 * again. */
RC_API rc_action rc_call_on_wake(rc_call *call, uint64_t now_ms, uint64_t entropy);

/* Reports the end of an RC_DO_REFRESH. is_fresh: a new key was obtained. The new key is used for
 * the next attempt, which does not start before the time that the provider named with the
 * rejection. If no new key was obtained, the credential becomes DEAD, and the call continues with
 * another credential of the target, if the target has one. */
RC_API rc_action rc_call_on_refreshed(rc_call *call, bool is_fresh, uint64_t now_ms,
                                      uint64_t entropy);

/* Reports that the first attempt was not sent, because its request cannot be expressed for the
 * entry. The owner must have removed RC_NEED_TRANSLATION from the capabilities of this entry, and
 * of every other entry for which the request cannot be expressed. The attempt does not count, and
 * the search for the first entry begins again. After another attempt of the call was sent, the call
 * is cancelled instead. */
RC_API rc_action rc_call_on_unfit(rc_call *call, uint64_t now_ms);

/* Ends the call in any state and releases its in-flight slot, probe and turn. */
RC_API rc_action rc_call_on_cancel(rc_call *call, uint64_t now_ms);

/* Reports that the first content was passed on to the client. Every later failure is final. A
 * breaker probe succeeds at this moment, and the attempt earns turns for calls that wait after a
 * cooldown (cooldown.h). */
RC_API void rc_call_on_commit(rc_call *call, uint64_t now_ms);

/* Reports the rate limits that the headers of the current attempt's response state. Must be called
 * before the other inputs of this attempt. facts: borrows during the call. */
RC_API void rc_call_on_limits(rc_call *call, const rc_limit_facts *facts, uint64_t now_ms);

/* Returns the next entry that a hedge (hedge.h) could use now in addition to the current entry;
 * RC_NO_TARGET if no entry is possible. */
RC_API uint16_t rc_call_hedge_entry(const rc_call *call, uint64_t now_ms);

/* Returns the next entry that the call would try if plan.fallback_on contained the code of the
 * latest failure; RC_NO_TARGET if no entry is left. Used in the report of a call that stopped. */
RC_API uint16_t rc_call_standby_entry(const rc_call *call, uint64_t now_ms);

/* Returns whether the latest action was final. */
RC_API bool rc_call_is_done(const rc_call *call);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_call_validate(const rc_call *call);

RC_END_DECLS

#endif
