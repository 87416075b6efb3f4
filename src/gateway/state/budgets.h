/* rc_budgets: the money budgets of a gateway, and the cost of attempts.
 *
 *   configuration ──► rc_budgets_snapshot: the budgets that an attempt belongs to, and its price
 *                        │
 *   attempt ─► reserve ──┴──► rc_ledger ◄── restore ── store: what was spent before
 *              settle ───────────┘
 *
 * A budget has a row of rc_ledger, found by its name and period ("client app", per month). A reload
 * gives the same budget the same row, and attempts in flight are settled where they were reserved.
 * For one attempt:
 *
 *   rc_budgets_attempt attempt = {.client = client, .route = index, .target = name, ...};
 *   rc_ledger_decision decision =
 *       rc_budgets_reserve(budgets, snapshot, &attempt, now_unix_ms, &hold, &notices);
 *   if (decision.verdict == RC_LEDGER_GRANTED) {
 *       ... send it ...
 *       rc_charge charge = rc_usage_charge(&usage, end, attempt.request);
 *       record.cost_usd_micro = rc_budgets_cost(snapshot, &attempt, &charge);
 *       rc_budgets_settle(budgets, &hold, record.cost_usd_micro, &notices);
 *   }
 *
 * now_unix_ms is the attempt's own time, record.unix_ms, so that the store's sums fall into the
 * same periods. Any thread may use it. */
#ifndef RC_GATEWAY_STATE_BUDGETS_H
#define RC_GATEWAY_STATE_BUDGETS_H

#include <uv.h>

#include <recourse/buf.h>

#include "policy/ledger.h"

typedef struct rc_charge rc_charge;
typedef struct rc_config rc_config;
typedef struct rc_config_provider rc_config_provider;
typedef struct rc_prices rc_prices;
typedef struct rc_saved_state rc_saved_state;
typedef struct rc_store rc_store;
typedef struct rc_store_fault rc_store_fault;

/* The name of a budget's row. Rows are never removed. Private. */
typedef struct rc_budgets_row {
    char *name;
    size_t name_len;
    rc_ledger_period per;
    bool needs_restore; /* The store has not been read for this row yet. */
    bool is_in_force;   /* The newest snapshot has this budget. */
} rc_budgets_row;

/* Caller's storage. The fields are private. */
typedef struct rc_budgets {
    rc_alloc alloc;
    uv_mutex_t lock; /* Guards ledger. */
    rc_ledger ledger;
    rc_budgets_row *rows; /* Used only by the thread that loads. */
    uint32_t row_count;
    uint32_t row_capacity;
} rc_budgets;

/* The budgets of one configuration snapshot. Immutable; read by any thread. */
typedef struct rc_budgets_snapshot {
    rc_alloc alloc;
    const rc_config *config;
    const rc_prices *prices;
    /* The row of each client, then of each route, then of each named budget, in the configuration's
     * order. RC_LEDGER_NO_BUDGET: it has no budget. */
    uint32_t *rows;
} rc_budgets_snapshot;

/* One attempt at a target. */
typedef struct rc_budgets_attempt {
    size_t client; /* Index in the configuration. SIZE_MAX: none. */
    size_t route;  /* Index in the configuration. SIZE_MAX: the provider was named directly. */
    rc_str target; /* "provider/model" */
    const rc_config_provider *provider;
    rc_str model;   /* The model that the provider gets. */
    rc_str request; /* The request body that is sent. */
} rc_budgets_attempt;

/* Initialises it. alloc: copies; must be safe for use from the threads that load. RC_E_NOMEM:
 * nothing is left to free. */
rc_status rc_budgets_init(rc_budgets *budgets, const rc_alloc *alloc);
/* Frees it. All snapshots must be done. */
void rc_budgets_done(rc_budgets *budgets);

/* Makes the snapshot of a configuration. Its budgets are in force from now on, others no longer.
 * Call from one thread at a time. config, prices: borrows until the snapshot is done. ret_snapshot:
 * gives. ret_wakes: true if a paused attempt may fit now; may be NULL. RC_E_NOMEM: nothing has
 * changed. */
rc_status rc_budgets_load(rc_budgets *budgets, const rc_config *config, const rc_prices *prices,
                          int64_t now_unix_ms, rc_budgets_snapshot *ret_snapshot, bool *ret_wakes);
void rc_budgets_snapshot_done(rc_budgets_snapshot *snapshot);

/* Reads from the store what was spent, and what an operator raised, for budgets that are new. Call
 * it after load and before the snapshot's first attempt. False: the store could not be read, and
 * the budgets begin at zero. */
bool rc_budgets_restore(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, rc_store *store,
                        int64_t now_unix_ms, rc_store_fault *fault);

/* Writes the rows of the budgets that an attempt belongs to and returns their number. attempt:
 * borrows. */
uint32_t rc_budgets_rows(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         uint32_t ret_rows[RC_LEDGER_BUDGETS_MAX]);

/* Reserves the most that the attempt may cost, as rc_ledger_reserve does. attempt: borrows. */
rc_ledger_decision rc_budgets_reserve(rc_budgets *budgets, const rc_budgets_snapshot *snapshot,
                                      const rc_budgets_attempt *attempt, int64_t now_unix_ms,
                                      rc_ledger_reservation *ret_hold,
                                      rc_ledger_notices *ret_events);

/* rc_budgets_settle: the attempt is over. rc_budgets_release: it was not sent. rc_budgets_raise: an
 * operator raises the limit. As in rc_ledger, true means that a paused attempt may fit now. */
bool rc_budgets_settle(rc_budgets *budgets, rc_ledger_reservation *hold, uint64_t cost,
                       rc_ledger_notices *ret_events);
bool rc_budgets_release(rc_budgets *budgets, rc_ledger_reservation *hold);
/* As rc_ledger_note_unpriced. */
void rc_budgets_note_unpriced(rc_budgets *budgets, const rc_ledger_reservation *hold);
bool rc_budgets_raise(rc_budgets *budgets, uint32_t row, uint64_t more, int64_t now_unix_ms);

/* Makes the saved state of a budget that an operator raised: the amount, and the end of its period.
 * name: RC_BUDGETS_RAISE_NAME_MAX bytes, which ret_saved views. False: it was not raised. */
#define RC_BUDGETS_RAISE_NAME_MAX 1200
bool rc_budgets_get_raise(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, uint32_t row,
                          int64_t now_unix_ms, char *name, rc_saved_state *ret_saved);

/* The cost in millionths of a dollar; 0 for a target without a price. attempt, charge: borrows. */
uint64_t rc_budgets_cost(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         const rc_charge *charge);

/* One budget of a snapshot. */
typedef struct rc_budget_info {
    uint32_t row;
    const char *kind; /* "client", "route", "budget" */
    rc_str name;
    rc_ledger_state state;
} rc_budget_info;

/* Gets the index-th budget in the configuration's order. ret_budget: views the snapshot. False:
 * past the end. */
bool rc_budgets_at(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, size_t index,
                   int64_t now_unix_ms, rc_budget_info *ret_budget);

/* The row of "client app", "route gpt-4o*" or "budget all". RC_LEDGER_NO_BUDGET: there is none. */
uint32_t rc_budgets_find(const rc_budgets_snapshot *snapshot, rc_str scope);

/* Appends the budget's scope as events show it: "client app". */
void rc_budgets_push_scope(const rc_budgets_snapshot *snapshot, uint32_t row, rc_buf *buf);

#endif
