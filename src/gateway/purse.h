/* rc_purse: the budgets of a gateway, and what tries cost.
 *
 *   configuration ──► edition: which budgets a try belongs to, and its prices
 *                        │
 *   try ──► reserve ─────┴──► rc_spend ◄── recall ── store: what was spent before
 *           settle ──────────────┘
 *
 * A budget has a row of rc_spend by its name and window ("client app", by the month), which is good
 * as long as the process: a reload gives the same budget the same row, and tries in flight are
 * settled where they were reserved. For one try:
 *
 *   rc_purse_try what = {.client = job->client, .route = index, .target = name, ...};
 *   rc_spend_answer answer = rc_purse_reserve(purse, edition, &what, now, &hold, &told);
 *   if (answer.verdict == RC_SPEND_GRANTED) {
 *       ... send it ...
 *       rc_charge charge = rc_usage_charge(&usage, end, what.request);
 *       record.cost_usd_micro = rc_purse_cost(edition, &what, &charge);
 *       rc_purse_settle(purse, &hold, record.cost_usd_micro, &told);
 *   }
 *
 * where now is the attempt's own time, record.unix_ms, so that the store's sums are of the same
 * windows. Any thread may use it. */
#ifndef RC_GATEWAY_PURSE_H
#define RC_GATEWAY_PURSE_H

#include <uv.h>

#include "config/prices.h"
#include "core/spend.h"
#include "store/store.h"

/* A budget's name in rows that are never taken away. Private. */
typedef struct rc_purse_row {
    char *name;
    size_t name_len;
    rc_spend_per per;
    bool is_new;  /* nothing was recalled for it */
    bool is_used; /* by the newest edition */
} rc_purse_row;

/* The caller's storage. The fields are private. */
typedef struct rc_purse {
    rc_alloc alloc;
    uv_mutex_t lock; /* of spend */
    rc_spend spend;
    rc_purse_row *rows; /* one thread at a time: whoever loads */
    uint32_t row_count;
    uint32_t row_room;
} rc_purse;

/* What an edition of the configuration says of money. Read by any thread. */
typedef struct rc_purse_edition {
    rc_alloc alloc;
    const rc_config *config;
    const rc_prices *prices;
    /* The row of each client, then of each route, then of each named budget, as config has them;
     * RC_SPEND_NO_ROW: it has no budget. */
    uint32_t *rows;
} rc_purse_edition;

/* One try at a target. */
typedef struct rc_purse_try {
    size_t client; /* in the configuration; SIZE_MAX: none */
    size_t route;  /* in the configuration; SIZE_MAX: a provider's own */
    rc_str target; /* provider/model */
    const rc_config_provider *provider;
    rc_str model;   /* that the provider is asked for */
    rc_str request; /* the body that is sent */
} rc_purse_try;

/* RC_E_NOMEM: nothing is left. alloc: copies; it must serve all threads that load. */
rc_status rc_purse_init(rc_purse *purse, const rc_alloc *alloc);
/* Nobody uses it, and no edition is left. */
void rc_purse_done(rc_purse *purse);

/* Takes over an edition: budgets that it has are in force from now on, others no longer. One thread
 * at a time. RC_E_NOMEM: nothing has changed. config, prices: borrow until the edition is done.
 * Gives in ret_edition. ret_wakes: somebody who was paused may have room; may be NULL. */
rc_status rc_purse_load(rc_purse *purse, const rc_config *config, const rc_prices *prices,
                        int64_t now_unix_ms, rc_purse_edition *ret_edition, bool *ret_wakes);
void rc_purse_edition_done(rc_purse_edition *edition);

/* What was spent before, and what an operator raised, for budgets that are new since the last time:
 * after load, and before the edition's first try. False: the store could not be read; the budgets
 * begin with nothing. */
bool rc_purse_recall(rc_purse *purse, const rc_purse_edition *edition, rc_store *store,
                     int64_t now_unix_ms, rc_store_fault *fault);

/* The budgets that a try belongs to; gives how many. what: borrows. */
uint32_t rc_purse_rows(const rc_purse_edition *edition, const rc_purse_try *what,
                       uint32_t ret_rows[RC_SPEND_ROWS_MAX]);

/* May it be sent? As rc_spend_reserve, for what it may cost at most. what: borrows. */
rc_spend_answer rc_purse_reserve(rc_purse *purse, const rc_purse_edition *edition,
                                 const rc_purse_try *what, int64_t now_unix_ms,
                                 rc_spend_hold *ret_hold, rc_spend_told *ret_told);

/* It is over; it was not sent; an operator lets more be spent. As of rc_spend: true when somebody
 * who was paused may have room. */
bool rc_purse_settle(rc_purse *purse, rc_spend_hold *hold, uint64_t cost, rc_spend_told *ret_told);
bool rc_purse_release(rc_purse *purse, rc_spend_hold *hold);
/* As rc_spend_note_unpriced. */
void rc_purse_note_unpriced(rc_purse *purse, const rc_spend_hold *hold);
bool rc_purse_raise(rc_purse *purse, uint32_t row, uint64_t more, int64_t now_unix_ms);

/* What a restart must not forget of a budget that an operator raised: by how much, until its window
 * ends. False: nothing. name: RC_PURSE_MARK_MAX bytes, which the mark views. */
#define RC_PURSE_MARK_MAX 1200
bool rc_purse_mark(rc_purse *purse, const rc_purse_edition *edition, uint32_t row,
                   int64_t now_unix_ms, char *name, rc_store_mark *ret_mark);

/* In millionths of a dollar; nothing for a target without a price. what, charge: borrow. */
uint64_t rc_purse_cost(const rc_purse_edition *edition, const rc_purse_try *what,
                       const rc_charge *charge);

/* One budget of an edition. */
typedef struct rc_purse_budget {
    uint32_t row;
    const char *kind; /* "client", "route", "budget" */
    rc_str name;
    rc_spend_state state;
} rc_purse_budget;

/* The budgets in force, in the configuration's order. False: past the end. Views the edition. */
bool rc_purse_budget_at(rc_purse *purse, const rc_purse_edition *edition, size_t index,
                        int64_t now_unix_ms, rc_purse_budget *ret_budget);

/* The row of "client app", "route gpt-4o*" or "budget all"; RC_SPEND_NO_ROW: there is none. */
uint32_t rc_purse_find(const rc_purse_edition *edition, rc_str scope);

/* Appends whose budget it is, as events say it: "client app". */
void rc_purse_scope(const rc_purse_edition *edition, uint32_t row, rc_buf *buf);

#endif
