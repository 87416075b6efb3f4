/* rc_call: the decisions about one request, from its first attempt to its end. It performs no I/O:
 * the owner (gateway, exec, simulator) carries out each action and reports the result.
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
 * Every input returns one action with its reason. After a final action (DELIVER, COMPACT, STOP)
 * every further input returns the same final action and changes nothing, so that a late response or
 * a second cancel is harmless. An input that does not fit the state (a failure during a wait) ends
 * the call as on_cancel does. A now_ms before that of the latest input is replaced by the latter.
 *
 * docs/internals/call.md lists the decisions in their order.
 *
 * Invariants, checked by rc_call_validate and the fuzz target:
 *   C1  the attempts at one chain entry stay within its max_attempts, and all calls within
 *       max_calls (the first attempt is always allowed). A switch to another or a refreshed
 *       credential counts as a call, but not as an attempt
 *   C2  no request goes to a target before the time that its server's hint named
 *   C3  no action follows a final action
 *   C4  no attempt starts at or after the deadline, and no wait ends there
 *   C5  a failure that is not retryable leads to another attempt in three cases only: capacity
 *       (another credential or target), AuthFailed (once with the same credential, refreshed; or
 *       with another credential of the same target), ContextOverflow (the target named for it)
 *   C6  the chain is followed forward, except for OVERFLOW_TO_LARGER. An entry gets a further
 *       attempt only by WOKE (which may start a new round at the front of the chain),
 *       NEXT_CREDENTIAL or REFRESHED. The entry of a hedge counts as used
 *   C7  no attempt follows on_commit
 *   C8  an in-flight slot or a probe that was taken is released exactly once */
#ifndef RECOURSE_CALL_H
#define RECOURSE_CALL_H

#include <recourse/export.h>
#include <recourse/policy.h>
#include <recourse/reason.h>
#include <recourse/shared.h>

RC_BEGIN_DECLS

/* Capabilities that a request may need and a target may have. The owner may define further bits. */
enum {
    RC_NEED_STREAMING = 1,
    RC_NEED_TOOLS = 2,
    RC_NEED_VISION = 4,
    RC_NEED_STRUCTURED_OUTPUT = 8
};

/* One entry of a chain: a target and its limits. */
typedef struct rc_chain_entry {
    uint16_t target;       /* index in rc_shared */
    uint16_t max_attempts; /* attempts before the chain moves on; 0: one attempt per round, in as
                              many rounds as the policy's rule allows */
    uint32_t capabilities; /* RC_NEED_ bits that the target has; all bits set: not known, treated
                              as having everything */
} rc_chain_entry;

/* The chain and policy of a route; immutable, shared by any number of calls. */
typedef struct rc_plan {
    const rc_policy *policy;
    const rc_chain_entry *entries;
    uint16_t entry_count; /* at least 1 */
    uint16_t overflow_to; /* index of the entry for contexts that are too long; RC_NO_TARGET: none.
                             An index >= chain_count keeps the entry out of the chain. The entry is
                             not used if its target is the one whose window was too small. */
    uint16_t chain_count; /* entries [0 .. chain_count) are the chain; 0: all */
} rc_plan;

/* The next step that the owner must carry out. */
typedef enum rc_action_kind {
    RC_DO_TRY = 1,     /* send the request to target with credential; then on_success, on_failure */
    RC_DO_WAIT = 2,    /* wait until at_ms, then call on_wake */
    RC_DO_REFRESH = 3, /* obtain a fresh key for credential, then call on_refreshed */
    RC_DO_DELIVER = 4, /* final: the attempt succeeded */
    RC_DO_COMPACT = 5, /* final: the context must be shortened and sent as a new request */
    RC_DO_STOP = 6     /* final: report the failure */
} rc_action_kind;

/* One action with its reason. Members without a kind in their comment are set for every kind. */
typedef struct rc_action {
    rc_action_kind kind;
    rc_reason reason;
    uint16_t entry;           /* index in the plan: the entry used, waited for, or used last */
    uint16_t target;          /* that entry's target in rc_shared; RC_NO_TARGET: none was used */
    uint16_t credential;      /* index in rc_shared; RC_NO_TARGET: none */
    uint16_t from_entry;      /* entry before a switch; equal to entry without one */
    uint16_t from_credential; /* credential before a switch; equal to credential without one */
    bool is_retry_exhausted;  /* STOP: the report gets retry_exhausted. False if a layer with more
                                 time may still succeed (DELAY_TOO_LONG, WAIT_PAST_DEADLINE) */
    uint32_t attempt;         /* calls made so far, this attempt included */
    uint32_t max_attempts;    /* expected calls of the whole request: those made, plus the attempts
                                 left at this entry, at most max_calls. Never below attempt, nor
                                 below the number of the attempt that a WAIT or REFRESH leads to */
    uint64_t at_ms;           /* WAIT: its end. STOP: earliest time for a new call; 0: not known */
    uint64_t wait_ms;         /* WAIT: its length. STOP because a wait is too long: that length */
    uint64_t deadline_at_ms;  /* TRY: time by which the attempt must end; RC_UNLIMITED: none */
    uint64_t begin_by_ms;     /* TRY: time by which the response must begin, so that the next entry
                                 has time left; deadline_at_ms if there is no next entry */
    uint32_t missing;         /* STOP by NONE_CAPABLE: needs that no target meets; if every need is
                                 met by some target, the needs that the first target lacks */
} rc_action;

/* A chain entry that was skipped and the reason, for the audit. */
typedef struct rc_skip {
    uint16_t entry;
    rc_reason reason;
    uint64_t until_ms; /* end of the reason; 0: not known; RC_UNLIMITED: time does not end it */
} rc_skip;

#define RC_SKIPS_MAX 16

/* The chain entries that the call skipped while it handled its latest input, such as
 * rc_call_on_failure. */
typedef struct rc_skips {
    uint32_t count; /* all skips, including those beyond RC_SKIPS_MAX that are not in the list */
    rc_skip list[RC_SKIPS_MAX];
} rc_skips;

/* Options of one call. */
typedef struct rc_call_options {
    uint64_t deadline_at_ms; /* RC_UNLIMITED: none; the policy's budget_ms may set an earlier one */
    uint32_t needs;          /* RC_NEED_ bits */
    uint16_t first_entry;    /* chain index to begin at (see rc_chain). The entries before it
                                follow after the end. An index outside the chain counts as 0 */
    bool is_unrepeatable;    /* the request cannot be sent again, because its body was forwarded
                                without being stored. Every failure is final */
    uint32_t max_calls;      /* limit in addition to the policy's max_calls; 0: none */
    uint64_t max_wait_ms;    /* limit of the sum of all waits; 0: none */
    rc_skips *skips;         /* receives the skips of each input; may be NULL. Borrowed until the
                                call is done */
} rc_call_options;

/* One attempt, with the resources that must be released when it ends. */
typedef struct rc_call_attempt {
    uint16_t entry;
    uint16_t target;
    uint16_t credential; /* RC_NO_TARGET: none */
    uint8_t admission;   /* rc_breaker_admission */
    bool is_in_flight;   /* holds an in-flight slot of the target */
    bool is_key_probe;   /* tests a credential that was refused before */
    bool is_quota_probe; /* tests a credential whose quota was used up; no other call uses it */
    bool has_turn;       /* took a turn after a cooldown (cooldown.h) */
    bool is_let_through; /* its response has begun, and it has earned turns for other calls */
    uint64_t at_ms;      /* start of the attempt */
} rc_call_attempt;

/* The caller's storage, at most 256 bytes; the fields are private. */
typedef struct rc_call {
    const rc_plan *plan;
    rc_shared *shared;
    rc_skips *skips;
    uint64_t now_ms; /* time of the latest input; never decreases */
    uint64_t deadline_at_ms;
    uint64_t last_wait_ms;
    uint64_t not_before_ms; /* time named by the hint of the latest failure; 0: no hint */
    uint64_t spent_entries; /* bit set of the entries that later rounds leave out */
    uint64_t waits_left_ms; /* rest of max_wait_ms; RC_UNLIMITED: no limit */
    uint32_t max_calls;
    uint32_t needs;
    uint32_t calls;               /* calls made so far */
    uint32_t entry_attempts;      /* attempts at the current entry */
    uint16_t credential_switches; /* switches to another credential since the last wait */
    uint16_t round;               /* completed rounds through the chain */
    uint16_t first_entry;
    uint16_t next_position; /* first unused position of the chain, counted from first_entry */
    uint8_t state;
    uint8_t turn_waits;  /* waits for a turn; they do not count as attempts */
    uint8_t limit_waits; /* waits because another call met the limit again; not attempts either */
    bool is_alone;       /* no other entry meets the needs: assumed cooldowns do not apply */
    bool is_committed;
    bool is_unrepeatable;
    bool has_waited;
    bool is_round_next;      /* the wait leads to a new round at another entry than the latest */
    bool is_refreshed;       /* the current target's credential was refreshed once */
    bool went_to_larger;     /* the overflow target was used */
    rc_call_attempt attempt; /* the current or the latest attempt */
    rc_action last;
    rc_failure_facts failure; /* the latest failure */
} rc_call;

/* Starts a call. plan, shared: borrows until the call is done. options: copies; NULL for none. */
RC_API void rc_call_init(rc_call *call, const rc_plan *plan, rc_shared *shared,
                         const rc_call_options *options, uint64_t now_ms);

/* Returns the first action: TRY, or STOP if no entry is available. Then at_ms is the earliest time
 * at which one may be; for the reason CREDENTIALS_DEAD there is none, and owners report AuthFailed.
 * The call is counted as one request in the retry budget. */
RC_API rc_action rc_call_begin(rc_call *call, uint64_t now_ms, uint64_t entropy);

/* Report how the attempt ended. A success after the deadline is still delivered: ending an attempt
 * at deadline_at_ms is up to the owner. failure: copies. */
RC_API rc_action rc_call_on_success(rc_call *call, uint64_t now_ms);
RC_API rc_action rc_call_on_failure(rc_call *call, const rc_failure_facts *failure, uint64_t now_ms,
                                    uint64_t entropy);

/* Reports the end of the wait. Before the wait's at_ms the result is the same WAIT again. */
RC_API rc_action rc_call_on_wake(rc_call *call, uint64_t now_ms, uint64_t entropy);

/* Reports the end of the refresh. is_fresh: there is a new key; it is used next, but not before the
 * time named by a hint that came with the refusal. Otherwise the credential becomes DEAD, and
 * another credential of the target is used if there is one. */
RC_API rc_action rc_call_on_refreshed(rc_call *call, bool is_fresh, uint64_t now_ms,
                                      uint64_t entropy);

/* Ends the call in any state and releases its in-flight slot, probe and turn. */
RC_API rc_action rc_call_on_cancel(rc_call *call, uint64_t now_ms);

/* Reports that the first content was passed on to the client. From now on every failure is final; a
 * breaker probe counts as successful, and calls that wait after a cooldown get turns (cooldown.h).
 */
RC_API void rc_call_on_commit(rc_call *call, uint64_t now_ms);

/* Returns the next entry that is available now in addition to the current one, for hedging;
 * RC_NO_TARGET: none. */
RC_API uint16_t rc_call_hedge_entry(const rc_call *call, uint64_t now_ms);

/* Returns whether the latest action was final. */
RC_API bool rc_call_is_done(const rc_call *call);

/* Returns whether all fields are consistent. For tests and fuzzing. */
RC_API bool rc_call_validate(const rc_call *call);

/* rc_chain: the chain entry at which the calls of one route or session begin. */
typedef enum rc_revert {
    RC_REVERT_COOLDOWN_EXPIRY = 0, /* begin at the first entry again as soon as it is healthy */
    RC_REVERT_NEVER = 1            /* stay with the entry that last succeeded */
} rc_revert;

typedef struct rc_chain {
    rc_revert revert;
    uint16_t active; /* the entry that last succeeded */
} rc_chain;

/* Starts a chain state; the first call begins at entry 0. */
RC_API void rc_chain_init(rc_chain *chain, rc_revert revert);

/* Returns the first_entry for the options of the next call. */
RC_API uint16_t rc_chain_first(const rc_chain *chain);

/* Records that this entry delivered a call. An entry outside the chain, such as the overflow
 * target, changes nothing. plan: borrows. */
RC_API void rc_chain_on_success(rc_chain *chain, const rc_plan *plan, uint16_t entry);

/* Returns "cooldown-expiry" or "never"; "" for any other value. Gives a static string. */
RC_API const char *rc_revert_name(rc_revert revert);

RC_END_DECLS

#endif
