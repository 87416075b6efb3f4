/* rc_ledger: money budgets, with the amounts spent and reserved.
 *
 *                 ┌── held ──┐
 *   reserve ─────►│  + the   │──── settle ───► spent          an attempt: first its estimated cost,
 *                 │ estimated│                                then its actual cost
 *                 └── cost ──┘──── release ──► (nothing)
 *
 *   limit ──────────────────────────────────────────────┐
 *   [ spent ........ | held .... | available ........... ]    of a window: day, month or total
 *
 * An attempt is granted if spent + held + its estimated cost stays within the limit in every budget
 * that applies to it; otherwise no budget reserves anything. With PAUSE or FAIL, a limit is
 * therefore exceeded only if attempts in flight cost more than estimated.
 *
 *   on_exceed   beyond the limit
 *   WARN        the attempt is granted
 *   PAUSE       the attempt waits until the window renews, the limit is raised, or held money is
 *               released
 *   FAIL        the attempt is refused: BudgetExceeded
 *
 * Notices inform operators that 80 per cent of a limit are spent, that the limit is spent, and that
 * an attempt was paused for the first time. Each notice is given once in a window.
 *
 * Windows follow the calendar in UTC. An attempt belongs to the window in which it was reserved,
 * even if it ends in the next one. Amounts are millionths of a US dollar and saturate. If the clock
 * is set back by at most one window, nothing changes. If the clock is set back further, the budget
 * moves to the earlier window and its spent amount stays.
 *
 * The caller assigns the numbers of the budgets and provides the storage. If lock and unlock are
 * set, any number of threads may use the ledger. */
#ifndef RC_POLICY_LEDGER_H
#define RC_POLICY_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/event.h>
#include <recourse/reason.h>

/* Maximum number of budgets that apply to one attempt. */
#define RC_LEDGER_BUDGETS_MAX 64u
#define RC_LEDGER_NO_BUDGET UINT32_MAX

/* Upper bound of every amount and of every sum, in millionths of a US dollar: a million million
 * dollars. */
#define RC_LEDGER_AMOUNT_MAX UINT64_C(1000000000000000000)

/* Number of output tokens assumed for the estimate if the request sets no limit. */
#define RC_LEDGER_DEFAULT_OUTPUT_TOKENS 4096u

/* The values are the positions of the period names in spec/config.def. */
typedef enum rc_ledger_period {
    RC_LEDGER_DAY = 0,
    RC_LEDGER_MONTH = 1,
    RC_LEDGER_TOTAL = 2
} rc_ledger_period;

typedef enum rc_ledger_exceed_action {
    RC_LEDGER_WARN = 0,
    RC_LEDGER_PAUSE = 1,
    RC_LEDGER_FAIL = 2
} rc_ledger_exceed_action;

typedef struct rc_ledger_rule {
    uint64_t limit; /* Millionths of a US dollar; 0: the budget only counts and never refuses. */
    rc_ledger_period period;
    rc_ledger_exceed_action on_exceed;
} rc_ledger_rule;

/* One budget; its fields are private to ledger.c. */
typedef struct rc_ledger_budget {
    rc_ledger_rule rule;
    uint64_t raised; /* Amount by which an operator raised the limit for the current window. */
    uint64_t spent;
    uint64_t held;
    uint64_t unpriced; /* Number of attempts of the window whose price is not known. */
    int32_t window;    /* Number of the current day or month, counted from 1970; 0 for TOTAL. */
    uint8_t notices;   /* Notices of the current window that were already published: bits of
                          rc_ledger_notice_kind. */
    bool has_waiters;  /* At least one attempt was paused since money was last available. */
    bool is_refusing;  /* The latest attempt was refused. */
    bool is_in_force;  /* True if rc_ledger_define has assigned a rule to this number. */
} rc_ledger_budget;

typedef struct rc_ledger {
    rc_ledger_budget *budgets;
    uint32_t budget_count;
    void *lock_ctx;
    void (*lock)(void *ctx); /* NULL: only one thread uses the ledger. */
    void (*unlock)(void *ctx);
} rc_ledger;

typedef enum rc_ledger_notice_kind {
    RC_LEDGER_NEARLY_SPENT = 1, /* 80 per cent of the limit are spent. */
    RC_LEDGER_USED_UP = 2,      /* The limit is spent, or an attempt was refused for the first
                                   time. */
    RC_LEDGER_PAUSED = 4        /* An attempt was paused for the first time. */
} rc_ledger_notice_kind;

typedef struct rc_ledger_notice {
    uint32_t budget;
    rc_ledger_notice_kind kind;
    uint64_t spent;
    uint64_t limit; /* Limit of the window, including the amount by which an operator raised it. */
} rc_ledger_notice;

/* At most one notice of each kind per budget. */
#define RC_LEDGER_NOTICES_MAX (3 * RC_LEDGER_BUDGETS_MAX)

typedef struct rc_ledger_notices {
    uint32_t count;
    rc_ledger_notice list[RC_LEDGER_NOTICES_MAX];
} rc_ledger_notices;

/* The amount that one attempt holds in each of its budgets, in the caller's storage. `count` is 0
 * if nothing is held. */
typedef struct rc_ledger_reservation {
    uint32_t count;
    uint32_t budgets[RC_LEDGER_BUDGETS_MAX];
    int32_t windows[RC_LEDGER_BUDGETS_MAX];
    uint64_t amount;
} rc_ledger_reservation;

typedef enum rc_ledger_verdict {
    RC_LEDGER_GRANTED = 0,
    RC_LEDGER_WAIT = 1,   /* The attempt is paused: the caller reserves again later. */
    RC_LEDGER_REFUSED = 2 /* The attempt is refused: the client gets BudgetExceeded. */
} rc_ledger_verdict;

/* Result of a reservation, with the amounts of the budget that caused it. */
typedef struct rc_ledger_decision {
    rc_ledger_verdict verdict;
    rc_reason reason; /* RC_WHY_BUDGET_...; RC_WHY_NONE if the attempt was granted. */
    uint32_t budget;  /* Number of the budget that caused the result; RC_LEDGER_NO_BUDGET if
                         granted. */
    uint64_t requested;
    uint64_t spent;
    uint64_t held;
    uint64_t limit;
    int64_t renews_unix_ms; /* Time at which every budget that did not grant the attempt has
                               renewed; 0: a budget of these never renews. */
} rc_ledger_decision;

/* State of one budget, as shown to operators. */
typedef struct rc_ledger_state {
    rc_ledger_rule rule;
    uint64_t limit; /* Limit of the window, including the amount by which an operator raised it; 0:
                       none. */
    uint64_t spent;
    uint64_t held;
    uint64_t raised;
    uint64_t unpriced;      /* Number of attempts of this window whose price is not known; `spent`
                               does not include them. */
    int64_t renews_unix_ms; /* End of the window; 0: never. */
    bool has_waiters;
    bool is_refusing; /* The latest attempt was refused because its estimated cost exceeded the
                         available amount. */
} rc_ledger_state;

/* Initialises a ledger in which no budget is in force. budgets: borrows the caller's array until
 * the ledger is no longer used. */
void rc_ledger_init(rc_ledger *ledger, rc_ledger_budget *budgets, uint32_t budget_count);

/* Replaces the array with a larger one and copies the budgets into it. budgets: borrows the new
 * array, as rc_ledger_init does. */
void rc_ledger_grow(rc_ledger *ledger, rc_ledger_budget *budgets, uint32_t budget_count);

/* Sets the lock. ctx: borrows until the ledger is no longer used. */
void rc_ledger_set_lock(rc_ledger *ledger, void *ctx, void (*lock)(void *), void (*unlock)(void *));

/* Puts a budget in force with this rule. The held amount does not change; the spent amount does not
 * change if the period is the same. A `rule` of NULL ends the budget; amounts that it holds can
 * still be settled. Returns true if paused attempts may now be granted. All functions of the ledger
 * ignore budget numbers without a budget. rule: copies the struct. */
bool rc_ledger_define(rc_ledger *ledger, uint32_t budget, const rc_ledger_rule *rule,
                      int64_t now_unix_ms);

/* Adds an amount that was spent before the process started, if `day` (the number of days since
 * 1970) lies in the current window. Publishes no notices. */
void rc_ledger_restore(rc_ledger *ledger, uint32_t budget, int64_t day, uint64_t amount,
                       int64_t now_unix_ms);

/* Reserves the estimated cost of an attempt. If the attempt is granted, *ret_reservation holds the
 * amount until rc_ledger_settle or rc_ledger_release; otherwise *ret_reservation is empty. Budgets
 * not in force and those beyond RC_LEDGER_BUDGETS_MAX are ignored. budgets: borrows the array
 * during the call. ret_notices: receives the notices to publish; may be NULL. */
rc_ledger_decision rc_ledger_reserve(rc_ledger *ledger, const uint32_t *budgets, uint32_t count,
                                     uint64_t amount, int64_t now_unix_ms,
                                     rc_ledger_reservation *ret_reservation,
                                     rc_ledger_notices *ret_notices);

/* Ends an attempt with its actual cost, which may exceed the reserved amount, and empties the
 * reservation. Returns true if paused attempts may now be granted. */
bool rc_ledger_settle(rc_ledger *ledger, rc_ledger_reservation *reservation, uint64_t cost,
                      rc_ledger_notices *ret_notices);

/* Counts an attempt whose price is not known in the budgets and windows of its reservation. Called
 * before rc_ledger_settle. reservation: borrows during the call. */
void rc_ledger_note_unpriced(rc_ledger *ledger, const rc_ledger_reservation *reservation);

/* As rc_ledger_restore, but adds a number of attempts whose price is not known. */
void rc_ledger_restore_unpriced(rc_ledger *ledger, uint32_t budget, int64_t day, uint64_t attempts,
                                int64_t now_unix_ms);

/* Ends a reservation whose attempt was not sent. Returns true if paused attempts may now be
 * granted. */
bool rc_ledger_release(rc_ledger *ledger, rc_ledger_reservation *reservation);

/* Raises the limit of the current window, by order of an operator. Returns true if paused attempts
 * may now be granted. */
bool rc_ledger_raise(rc_ledger *ledger, uint32_t budget, uint64_t more, int64_t now_unix_ms);

/* Reads the state of a budget. Returns false, without writing *ret_state, if the budget is not in
 * force. */
bool rc_ledger_get_state(const rc_ledger *ledger, uint32_t budget, int64_t now_unix_ms,
                         rc_ledger_state *ret_state);

/* Builds the event budget:warning or budget:paused. The event views `scope`, the name of the
 * budget. notice: borrows during the call. */
void rc_ledger_notice_event(const rc_ledger_notice *notice, rc_str scope, rc_event *ret_event);

/* rc_ledger_window_end returns the end of the window that contains now_unix_ms; 0 if the window
 * never ends. rc_ledger_day returns the number of whole days from 1970 to unix_ms. */
int64_t rc_ledger_window_end(rc_ledger_period period, int64_t now_unix_ms);
int64_t rc_ledger_day(int64_t unix_ms);

/* Appends an amount as "$0.041": exact, with at least two decimals. */
void rc_ledger_push_usd(rc_buf *buf, uint64_t amount);

/* Appends "budget of client app". A scope that begins with "budget " already is the name of a
 * budget and is appended unchanged. */
void rc_ledger_push_scope(rc_buf *buf, rc_str scope);

/* Returns whether the bounds of all budgets hold. For tests and fuzzing. */
bool rc_ledger_validate(const rc_ledger *ledger);

#endif
