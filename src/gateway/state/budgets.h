/* rc_budgets: the budgets of a gateway, and what tries cost.
 *
 *   configuration ──► edition: which budgets a try belongs to, and its prices
 *                        │
 *   try ──► reserve ─────┴──► rc_ledger ◄── recall ── store: what was spent before
 *           settle ──────────────┘
 *
 * A budget has a row of rc_ledger by its name and window ("client app", by the month), which is
 * good as long as the process: a reload gives the same budget the same row, and tries in flight are
 * settled where they were reserved. For one try:
 *
 *   rc_budgets_attempt what = {.client = job->client, .route = index, .target = name, ...};
 *   rc_ledger_decision answer = rc_budgets_reserve(purse, edition, &what, now, &hold, &told);
 *   if (answer.verdict == RC_LEDGER_GRANTED) {
 *       ... send it ...
 *       rc_charge charge = rc_usage_charge(&usage, end, what.request);
 *       record.cost_usd_micro = rc_budgets_cost(edition, &what, &charge);
 *       rc_budgets_settle(purse, &hold, record.cost_usd_micro, &told);
 *   }
 *
 * where now is the attempt's own time, record.unix_ms, so that the store's sums are of the same
 * windows. Any thread may use it. */
#ifndef RC_GATEWAY_STATE_BUDGETS_H
#define RC_GATEWAY_STATE_BUDGETS_H

#include <uv.h>

#include "config/prices/prices.h"
#include "policy/ledger.h"
#include "store/store.h"

/* A budget's name in rows that are never taken away. Private. */
typedef struct rc_budgets_row {
    char *name;
    size_t name_len;
    rc_ledger_period per;
    bool needs_restore; /* nothing was recalled for it */
    bool is_in_force;   /* by the newest edition */
} rc_budgets_row;

/* The caller's storage. The fields are private. */
typedef struct rc_budgets {
    rc_alloc alloc;
    uv_mutex_t lock; /* of spend */
    rc_ledger ledger;
    rc_budgets_row *rows; /* one thread at a time: whoever loads */
    uint32_t row_count;
    uint32_t row_capacity;
} rc_budgets;

/* What an edition of the configuration says of money. Read by any thread. */
typedef struct rc_budgets_snapshot {
    rc_alloc alloc;
    const rc_config *config;
    const rc_prices *prices;
    /* The row of each client, then of each route, then of each named budget, as config has them;
     * RC_LEDGER_NO_BUDGET: it has no budget. */
    uint32_t *rows;
} rc_budgets_snapshot;

/* One try at a target. */
typedef struct rc_budgets_attempt {
    size_t client; /* in the configuration; SIZE_MAX: none */
    size_t route;  /* in the configuration; SIZE_MAX: a provider's own */
    rc_str target; /* provider/model */
    const rc_config_provider *provider;
    rc_str model;   /* that the provider is asked for */
    rc_str request; /* the body that is sent */
} rc_budgets_attempt;

/* RC_E_NOMEM: nothing is left. alloc: copies; it must serve all threads that load. */
rc_status rc_budgets_init(rc_budgets *budgets, const rc_alloc *alloc);
/* Nobody uses it, and no edition is left. */
void rc_budgets_done(rc_budgets *budgets);

/* Takes over an edition: budgets that it has are in force from now on, others no longer. One thread
 * at a time. RC_E_NOMEM: nothing has changed. config, prices: borrow until the edition is done.
 * Gives in ret_snapshot. ret_wakes: somebody who was paused may have room; may be NULL. */
rc_status rc_budgets_load(rc_budgets *budgets, const rc_config *config, const rc_prices *prices,
                          int64_t now_unix_ms, rc_budgets_snapshot *ret_snapshot, bool *ret_wakes);
void rc_budgets_snapshot_done(rc_budgets_snapshot *snapshot);

/* What was spent before, and what an operator raised, for budgets that are new since the last time:
 * after load, and before the edition's first try. False: the store could not be read; the budgets
 * begin with nothing. */
bool rc_budgets_restore(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, rc_store *store,
                        int64_t now_unix_ms, rc_store_fault *fault);

/* The budgets that a try belongs to; gives how many. what: borrows. */
uint32_t rc_budgets_rows(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         uint32_t ret_rows[RC_LEDGER_BUDGETS_MAX]);

/* May it be sent? As rc_ledger_reserve, for what it may cost at most. what: borrows. */
rc_ledger_decision rc_budgets_reserve(rc_budgets *budgets, const rc_budgets_snapshot *snapshot,
                                      const rc_budgets_attempt *attempt, int64_t now_unix_ms,
                                      rc_ledger_reservation *ret_hold,
                                      rc_ledger_notices *ret_events);

/* It is over; it was not sent; an operator lets more be spent. As of rc_ledger: true when somebody
 * who was paused may have room. */
bool rc_budgets_settle(rc_budgets *budgets, rc_ledger_reservation *hold, uint64_t cost,
                       rc_ledger_notices *ret_events);
bool rc_budgets_release(rc_budgets *budgets, rc_ledger_reservation *hold);
/* As rc_ledger_note_unpriced. */
void rc_budgets_note_unpriced(rc_budgets *budgets, const rc_ledger_reservation *hold);
bool rc_budgets_raise(rc_budgets *budgets, uint32_t row, uint64_t more, int64_t now_unix_ms);

/* What a restart must not forget of a budget that an operator raised: by how much, until its window
 * ends. False: nothing. name: RC_BUDGETS_RAISE_NAME_MAX bytes, which the mark views. */
#define RC_BUDGETS_RAISE_NAME_MAX 1200
bool rc_budgets_get_raise(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, uint32_t row,
                          int64_t now_unix_ms, char *name, rc_saved_state *ret_mark);

/* In millionths of a dollar; nothing for a target without a price. what, charge: borrow. */
uint64_t rc_budgets_cost(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         const rc_charge *charge);

/* One budget of an edition. */
typedef struct rc_budget_info {
    uint32_t row;
    const char *kind; /* "client", "route", "budget" */
    rc_str name;
    rc_ledger_state state;
} rc_budget_info;

/* The budgets in force, in the configuration's order. False: past the end. Views the edition. */
bool rc_budgets_at(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, size_t index,
                   int64_t now_unix_ms, rc_budget_info *ret_budget);

/* The row of "client app", "route gpt-4o*" or "budget all"; RC_LEDGER_NO_BUDGET: there is none. */
uint32_t rc_budgets_find(const rc_budgets_snapshot *snapshot, rc_str scope);

/* Appends whose budget it is, as events say it: "client app". */
void rc_budgets_push_scope(const rc_budgets_snapshot *snapshot, uint32_t row, rc_buf *buf);

#endif
