/* rc_spend: budgets of money, and what of them is spent or held.
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
#ifndef RC_CORE_SPEND_H
#define RC_CORE_SPEND_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/event.h>
#include <recourse/reason.h>

/* Budgets that one try can belong to. */
#define RC_SPEND_ROWS_MAX 64u
#define RC_SPEND_NO_ROW UINT32_MAX

/* No amount is larger, and no sum of them: a million million dollars. */
#define RC_SPEND_MAX UINT64_C(1000000000000000000)

/* Tokens that an answer is foreseen to have when the request sets no limit of its own. */
#define RC_SPEND_DEFAULT_OUTPUT 4096u

/* The numbers are those of the words in spec/config.def. */
typedef enum rc_spend_per {
    RC_SPEND_DAY = 0,
    RC_SPEND_MONTH = 1,
    RC_SPEND_TOTAL = 2
} rc_spend_per;

typedef enum rc_spend_exceed {
    RC_SPEND_WARN = 0,
    RC_SPEND_PAUSE = 1,
    RC_SPEND_FAIL = 2
} rc_spend_exceed;

typedef struct rc_spend_rule {
    uint64_t limit; /* 0: none, it only counts */
    rc_spend_per per;
    rc_spend_exceed on_exceed;
} rc_spend_rule;

/* The fields are private. */
typedef struct rc_spend_row {
    rc_spend_rule rule;
    uint64_t raised; /* by an operator, for this window */
    uint64_t spent;
    uint64_t held;
    uint64_t unpriced; /* tries that have no price */
    int32_t window;    /* days or months since 1970; of TOTAL 0 */
    uint8_t told;      /* bits of rc_spend_news_kind */
    bool is_awaited;   /* somebody was paused since there was last room */
    bool is_refusing;  /* the latest try was refused */
    bool is_in_force;  /* else it is a number that stands for nothing */
} rc_spend_row;

typedef struct rc_spend {
    rc_spend_row *rows;
    uint32_t row_count;
    void *lock_ctx;
    void (*lock)(void *ctx); /* NULL: one thread alone uses it */
    void (*unlock)(void *ctx);
} rc_spend;

typedef enum rc_spend_news_kind {
    RC_SPEND_NEARLY = 1,  /* 80 per cent are spent */
    RC_SPEND_USED_UP = 2, /* 100 per cent are, or a try was the first to be refused */
    RC_SPEND_PAUSED = 4   /* a try was the first to be paused */
} rc_spend_news_kind;

typedef struct rc_spend_news {
    uint32_t row;
    rc_spend_news_kind kind;
    uint64_t spent;
    uint64_t limit; /* with what it was raised by */
} rc_spend_news;

/* One of each kind for each row at most. */
#define RC_SPEND_NEWS_MAX (3 * RC_SPEND_ROWS_MAX)

typedef struct rc_spend_told {
    uint32_t count;
    rc_spend_news list[RC_SPEND_NEWS_MAX];
} rc_spend_told;

/* What one try holds. The caller's storage; a count of 0: nothing. */
typedef struct rc_spend_hold {
    uint32_t count;
    uint32_t rows[RC_SPEND_ROWS_MAX];
    int32_t windows[RC_SPEND_ROWS_MAX];
    uint64_t amount;
} rc_spend_hold;

typedef enum rc_spend_verdict {
    RC_SPEND_GRANTED = 0,
    RC_SPEND_WAIT = 1,   /* paused: ask again */
    RC_SPEND_REFUSED = 2 /* BudgetExceeded */
} rc_spend_verdict;

/* Why, with the numbers of the budget that decided. */
typedef struct rc_spend_answer {
    rc_spend_verdict verdict;
    rc_reason reason; /* RC_WHY_BUDGET_...; RC_WHY_NONE when it is granted */
    uint32_t row;     /* RC_SPEND_NO_ROW when it is granted */
    uint64_t asked;
    uint64_t spent;
    uint64_t held;
    uint64_t limit;
    int64_t renews_unix_ms; /* when all budgets that said no have renewed; 0: one never does */
} rc_spend_answer;

/* What is known of a budget. */
typedef struct rc_spend_state {
    rc_spend_rule rule;
    uint64_t limit; /* with what it was raised by; 0: none */
    uint64_t spent;
    uint64_t held;
    uint64_t raised;
    uint64_t unpriced;      /* tries of this window that have no price, and did not count */
    int64_t renews_unix_ms; /* 0: never */
    bool is_awaited;
    bool is_refusing; /* the latest try was refused: no room was left for what it may cost */
} rc_spend_state;

/* rows: the caller's array, borrowed until done with; none is in force. */
void rc_spend_init(rc_spend *spend, rc_spend_row *rows, uint32_t row_count);

/* A larger array takes the place of the rows; what is known is copied. rows: borrows as above. */
void rc_spend_grow(rc_spend *spend, rc_spend_row *rows, uint32_t row_count);

/* ctx: borrows until done with. */
void rc_spend_set_lock(rc_spend *spend, void *ctx, void (*lock)(void *), void (*unlock)(void *));

/* A budget is in force, with this rule: what is spent and held stays, unless it is counted by
 * another window now. NULL: it no longer is; what is held is still settled. True: there may be room
 * for who was paused. All functions pass over rows that there are not. rule: copies. */
bool rc_spend_define(rc_spend *spend, uint32_t row, const rc_spend_rule *rule, int64_t now_unix_ms);

/* What was spent before the process began, on a day since 1970; counts if that is in the window. No
 * news. */
void rc_spend_recall(rc_spend *spend, uint32_t row, int64_t day, uint64_t amount,
                     int64_t now_unix_ms);

/* May a try that costs so much be sent? Granted: *ret_hold holds the amount, to be settled or
 * released; else it holds nothing. Rows that are not in force, and those behind RC_SPEND_ROWS_MAX,
 * do not count. rows: borrows. ret_told: what is to be told; may be NULL. */
rc_spend_answer rc_spend_reserve(rc_spend *spend, const uint32_t *rows, uint32_t count,
                                 uint64_t amount, int64_t now_unix_ms, rc_spend_hold *ret_hold,
                                 rc_spend_told *ret_told);

/* The try is over and has cost so much, which may be more than was held. The hold is empty then.
 * True: there may be room for who was paused. */
bool rc_spend_settle(rc_spend *spend, rc_spend_hold *hold, uint64_t cost, rc_spend_told *ret_told);

/* What the try used has no price: it is counted, in the windows of its hold. To be told before it
 * is settled. hold: borrows. */
void rc_spend_note_unpriced(rc_spend *spend, const rc_spend_hold *hold);

/* So many were on a day, before the process began; as rc_spend_recall. */
void rc_spend_recall_unpriced(rc_spend *spend, uint32_t row, int64_t day, uint64_t tries,
                              int64_t now_unix_ms);

/* It was not sent. */
bool rc_spend_release(rc_spend *spend, rc_spend_hold *hold);

/* An operator lets more be spent in this window. True as above. */
bool rc_spend_raise(rc_spend *spend, uint32_t row, uint64_t more, int64_t now_unix_ms);

/* False: the row is not in force. */
bool rc_spend_look(const rc_spend *spend, uint32_t row, int64_t now_unix_ms,
                   rc_spend_state *ret_state);

/* The event for people: budget:warning or budget:paused. scope: whose budget; views. news: borrows.
 */
void rc_spend_event(const rc_spend_news *news, rc_str scope, rc_event *ret_event);

/* When the window of a time ends; 0: never. The day of a time, since 1970. */
int64_t rc_spend_renews(rc_spend_per per, int64_t now_unix_ms);
int64_t rc_spend_day(int64_t unix_ms);

/* "$0.041": exact, with two decimals at least. */
void rc_spend_push_usd(rc_buf *buf, uint64_t amount);

/* "budget of client app"; of one that has a name of its own, whose scope is "budget day", that. */
void rc_spend_push_scope(rc_buf *buf, rc_str scope);

/* Is everything within its bounds? For tests and fuzzing. */
bool rc_spend_validate(const rc_spend *spend);

#endif
