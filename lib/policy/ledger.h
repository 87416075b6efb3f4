/* rc_ledger: budgets of money, and what of them is spent or held.
 *
 *                 ┌── held ──┐
 *   reserve ─────►│  + what  │──── settle ───► spent          a try: first what it may cost,
 *                 │  it may  │                                then what it did cost
 *                 └── cost ──┘──── release ──► (nothing)
 *
 *   limit ──────────────────────────────────────────────┐
 *   [ spent ........ | held .... | still to be had ..... ]    of a window: day, month, or for ever
 *
 * A try is granted where spent + held + what it may cost stays within the limit, in every budget
 * that it belongs to, or in none. So a limit that refuses is overrun only by what tries in flight
 * cost more than was foreseen.
 *
 *   on_exceed   beyond the limit
 *   WARN        granted all the same
 *   PAUSE       to be asked again when the window renews, when the limit is raised, or when what is
 *               held was not needed
 *   FAIL        refused: BudgetExceeded
 *
 * News are for people: 80 and 100 per cent of a limit, once each in a window, and the first pause.
 *
 * Windows are of the calendar, in UTC. A try belongs to the window in which it was reserved, also
 * when it ends in the next. Money is in millionths of a dollar and never wraps. A clock that is set
 * back within one window changes nothing; further back, what is spent stays spent.
 *
 * Rows have numbers, for whoever names them; the storage is the caller's. With lock and unlock set,
 * any number of threads may use it. */
#ifndef RC_POLICY_LEDGER_H
#define RC_POLICY_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/event.h>
#include <recourse/reason.h>

/* Budgets that one try can belong to. */
#define RC_LEDGER_BUDGETS_MAX 64u
#define RC_LEDGER_NO_BUDGET UINT32_MAX

/* No amount is larger, and no sum of them: a million million dollars. */
#define RC_LEDGER_AMOUNT_MAX UINT64_C(1000000000000000000)

/* Tokens that an answer is foreseen to have when the request sets no limit of its own. */
#define RC_LEDGER_DEFAULT_OUTPUT_TOKENS 4096u

/* The numbers are those of the words in spec/config.def. */
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
    uint64_t limit; /* 0: none, it only counts */
    rc_ledger_period period;
    rc_ledger_exceed_action on_exceed;
} rc_ledger_rule;

/* The fields are private. */
typedef struct rc_ledger_budget {
    rc_ledger_rule rule;
    uint64_t raised; /* by an operator, for this window */
    uint64_t spent;
    uint64_t held;
    uint64_t unpriced; /* tries that have no price */
    int32_t window;    /* days or months since 1970; of TOTAL 0 */
    uint8_t notices;   /* bits of rc_ledger_notice_kind */
    bool has_waiters;  /* somebody was paused since there was last room */
    bool is_refusing;  /* the latest try was refused */
    bool is_in_force;  /* else it is a number that stands for nothing */
} rc_ledger_budget;

typedef struct rc_ledger {
    rc_ledger_budget *budgets;
    uint32_t budget_count;
    void *lock_ctx;
    void (*lock)(void *ctx); /* NULL: one thread alone uses it */
    void (*unlock)(void *ctx);
} rc_ledger;

typedef enum rc_ledger_notice_kind {
    RC_LEDGER_NEARLY_SPENT = 1, /* 80 per cent are spent */
    RC_LEDGER_USED_UP = 2,      /* 100 per cent are, or a try was the first to be refused */
    RC_LEDGER_PAUSED = 4        /* a try was the first to be paused */
} rc_ledger_notice_kind;

typedef struct rc_ledger_notice {
    uint32_t budget;
    rc_ledger_notice_kind kind;
    uint64_t spent;
    uint64_t limit; /* with what it was raised by */
} rc_ledger_notice;

/* One of each kind for each row at most. */
#define RC_LEDGER_NOTICES_MAX (3 * RC_LEDGER_BUDGETS_MAX)

typedef struct rc_ledger_notices {
    uint32_t count;
    rc_ledger_notice list[RC_LEDGER_NOTICES_MAX];
} rc_ledger_notices;

/* What one try holds. The caller's storage; a count of 0: nothing. */
typedef struct rc_ledger_reservation {
    uint32_t count;
    uint32_t budgets[RC_LEDGER_BUDGETS_MAX];
    int32_t windows[RC_LEDGER_BUDGETS_MAX];
    uint64_t amount;
} rc_ledger_reservation;

typedef enum rc_ledger_verdict {
    RC_LEDGER_GRANTED = 0,
    RC_LEDGER_WAIT = 1,   /* paused: ask again */
    RC_LEDGER_REFUSED = 2 /* BudgetExceeded */
} rc_ledger_verdict;

/* Why, with the numbers of the budget that decided. */
typedef struct rc_ledger_decision {
    rc_ledger_verdict verdict;
    rc_reason reason; /* RC_WHY_BUDGET_...; RC_WHY_NONE when it is granted */
    uint32_t budget;  /* RC_LEDGER_NO_BUDGET when it is granted */
    uint64_t requested;
    uint64_t spent;
    uint64_t held;
    uint64_t limit;
    int64_t renews_unix_ms; /* when all budgets that said no have renewed; 0: one never does */
} rc_ledger_decision;

/* What is known of a budget. */
typedef struct rc_ledger_state {
    rc_ledger_rule rule;
    uint64_t limit; /* with what it was raised by; 0: none */
    uint64_t spent;
    uint64_t held;
    uint64_t raised;
    uint64_t unpriced;      /* tries of this window that have no price, and did not count */
    int64_t renews_unix_ms; /* 0: never */
    bool has_waiters;
    bool is_refusing; /* the latest try was refused: no room was left for what it may cost */
} rc_ledger_state;

/* rows: the caller's array, borrowed until done with; none is in force. */
void rc_ledger_init(rc_ledger *ledger, rc_ledger_budget *budgets, uint32_t budget_count);

/* A larger array takes the place of the rows; what is known is copied. rows: borrows as above. */
void rc_ledger_grow(rc_ledger *ledger, rc_ledger_budget *budgets, uint32_t budget_count);

/* ctx: borrows until done with. */
void rc_ledger_set_lock(rc_ledger *ledger, void *ctx, void (*lock)(void *), void (*unlock)(void *));

/* A budget is in force, with this rule: what is spent and held stays, unless it is counted by
 * another window now. NULL: it no longer is; what is held is still settled. True: there may be room
 * for who was paused. All functions pass over rows that there are not. rule: copies. */
bool rc_ledger_define(rc_ledger *ledger, uint32_t budget, const rc_ledger_rule *rule,
                      int64_t now_unix_ms);

/* What was spent before the process began, on a day since 1970; counts if that is in the window. No
 * news. */
void rc_ledger_restore(rc_ledger *ledger, uint32_t budget, int64_t day, uint64_t amount,
                       int64_t now_unix_ms);

/* May a try that costs so much be sent? Granted: *ret_reservation holds the amount, to be settled
 * or
 * released; else it holds nothing. Rows that are not in force, and those behind
 * RC_LEDGER_BUDGETS_MAX,
 * do not count. rows: borrows. ret_notices: what is to be told; may be NULL. */
rc_ledger_decision rc_ledger_reserve(rc_ledger *ledger, const uint32_t *budgets, uint32_t count,
                                     uint64_t amount, int64_t now_unix_ms,
                                     rc_ledger_reservation *ret_reservation,
                                     rc_ledger_notices *ret_notices);

/* The try is over and has cost so much, which may be more than was held. The hold is empty then.
 * True: there may be room for who was paused. */
bool rc_ledger_settle(rc_ledger *ledger, rc_ledger_reservation *reservation, uint64_t cost,
                      rc_ledger_notices *ret_notices);

/* What the try used has no price: it is counted, in the windows of its hold. To be told before it
 * is settled. hold: borrows. */
void rc_ledger_note_unpriced(rc_ledger *ledger, const rc_ledger_reservation *reservation);

/* So many were on a day, before the process began; as rc_ledger_restore. */
void rc_ledger_restore_unpriced(rc_ledger *ledger, uint32_t budget, int64_t day, uint64_t attempts,
                                int64_t now_unix_ms);

/* It was not sent. */
bool rc_ledger_release(rc_ledger *ledger, rc_ledger_reservation *reservation);

/* An operator lets more be spent in this window. True as above. */
bool rc_ledger_raise(rc_ledger *ledger, uint32_t budget, uint64_t more, int64_t now_unix_ms);

/* False: the row is not in force. */
bool rc_ledger_get_state(const rc_ledger *ledger, uint32_t budget, int64_t now_unix_ms,
                         rc_ledger_state *ret_state);

/* The event for people: budget:warning or budget:paused. scope: whose budget; views. news: borrows.
 */
void rc_ledger_notice_event(const rc_ledger_notice *notice, rc_str scope, rc_event *ret_event);

/* When the window of a time ends; 0: never. The day of a time, since 1970. */
int64_t rc_ledger_window_end(rc_ledger_period period, int64_t now_unix_ms);
int64_t rc_ledger_day(int64_t unix_ms);

/* "$0.041": exact, with two decimals at least. */
void rc_ledger_push_usd(rc_buf *buf, uint64_t amount);

/* "budget of client app"; of one that has a name of its own, whose scope is "budget day", that. */
void rc_ledger_push_scope(rc_buf *buf, rc_str scope);

/* Is everything within its bounds? For tests and fuzzing. */
bool rc_ledger_validate(const rc_ledger *ledger);

#endif
