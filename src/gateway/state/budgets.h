/* rc_budgets: the money budgets of a gateway, and the cost of attempts.
 *
 *   configuration ──► rc_budgets_snapshot: the budgets that an attempt belongs to, and its price
 *                        │
 *   attempt ─► reserve ──┴──► rc_ledger ◄── restore ── store: amounts spent before
 *              settle ───────────┘
 *
 * A budget has a row in rc_ledger, which is found by the budget's name and period ("client app",
 * per month). After a reload the same budget has the same row, so that attempts in flight are
 * settled in the row in which they were reserved. For one attempt:
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
 * now_unix_ms is the attempt's own time, record.unix_ms, so that the sums in the store fall into
 * the same periods. Any thread may call these functions, except where a function says otherwise. */
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

/* The name and state of a budget's row. Rows are never removed. The members are private. */
typedef struct rc_budgets_row {
    char *name;
    size_t name_len;
    rc_ledger_period per;
    bool needs_restore; /* The spent amount of this row has not been read from the store yet. */
    bool is_in_force;   /* The newest snapshot has this budget, so the budget can refuse
                         * attempts. */
} rc_budgets_row;

/* Lives in the caller's storage. The members are private. */
typedef struct rc_budgets {
    rc_alloc alloc;
    uv_mutex_t lock; /* Guards `ledger`. */
    rc_ledger ledger;
    rc_budgets_row *rows; /* Used only by the thread that calls rc_budgets_load and
                             rc_budgets_restore. */
    uint32_t row_count;
    uint32_t row_capacity;
} rc_budgets;

/* The budgets of one configuration snapshot. Immutable; read by any thread. */
typedef struct rc_budgets_snapshot {
    rc_alloc alloc;
    const rc_config *config;
    const rc_prices *prices;
    /* The rows of all clients, then of all routes, then of all named budgets, in the
     * configuration's order. RC_LEDGER_NO_BUDGET stands for a client or route without a budget. */
    uint32_t *rows;
} rc_budgets_snapshot;

/* One attempt at a target. */
typedef struct rc_budgets_attempt {
    size_t client; /* Index in the configuration. SIZE_MAX if no client is known. */
    size_t route;  /* Index in the configuration. SIZE_MAX if the client named the provider
                      directly. */
    rc_str target; /* "provider/model" */
    const rc_config_provider *provider;
    rc_str model;   /* The model that the provider gets. */
    rc_str request; /* The request body that is sent. */
} rc_budgets_attempt;

/* Initialises the budgets. alloc: copies the struct; it must be safe for use from each thread that
 * calls rc_budgets_load. After RC_E_NOMEM nothing needs to be freed. */
rc_status rc_budgets_init(rc_budgets *budgets, const rc_alloc *alloc);
/* Frees the budgets. rc_budgets_snapshot_done must have been called for all snapshots. */
void rc_budgets_done(rc_budgets *budgets);

/* Makes the snapshot of a configuration. The configuration's budgets come into force and all other
 * budgets go out of force. Only one thread at a time may call this function. config, prices:
 * borrows until rc_budgets_snapshot_done. ret_snapshot: gives the snapshot to the caller.
 * ret_wakes: receives true if a budget may now allow an attempt that waits for it; may be NULL.
 * After RC_E_NOMEM nothing has changed. */
rc_status rc_budgets_load(rc_budgets *budgets, const rc_config *config, const rc_prices *prices,
                          int64_t now_unix_ms, rc_budgets_snapshot *ret_snapshot, bool *ret_wakes);
void rc_budgets_snapshot_done(rc_budgets_snapshot *snapshot);

/* Reads the spent amounts and the operators' raises of new budgets from the store. Must be called
 * after rc_budgets_load and before the snapshot's first attempt. Returns false if the store could
 * not be read; the spent amounts of the new budgets then begin at zero. */
bool rc_budgets_restore(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, rc_store *store,
                        int64_t now_unix_ms, rc_store_fault *fault);

/* Writes the rows of the budgets that an attempt belongs to and returns their number. attempt:
 * borrows during the call. */
uint32_t rc_budgets_rows(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         uint32_t ret_rows[RC_LEDGER_BUDGETS_MAX]);

/* Reserves the maximum cost of the attempt by rc_ledger_reserve. attempt: borrows during the
 * call. */
rc_ledger_decision rc_budgets_reserve(rc_budgets *budgets, const rc_budgets_snapshot *snapshot,
                                      const rc_budgets_attempt *attempt, int64_t now_unix_ms,
                                      rc_ledger_reservation *ret_hold,
                                      rc_ledger_notices *ret_events);

/* rc_budgets_settle: ends the reservation of an attempt with its actual cost. rc_budgets_release:
 * ends the reservation of an attempt that was not sent. rc_budgets_raise: an operator raises the
 * limit. Each function returns true if a budget may now allow an attempt that waits for it. */
bool rc_budgets_settle(rc_budgets *budgets, rc_ledger_reservation *hold, uint64_t cost,
                       rc_ledger_notices *ret_events);
bool rc_budgets_release(rc_budgets *budgets, rc_ledger_reservation *hold);
/* Counts an attempt without a price; see rc_ledger_note_unpriced. */
void rc_budgets_note_unpriced(rc_budgets *budgets, const rc_ledger_reservation *hold);
bool rc_budgets_raise(rc_budgets *budgets, uint32_t row, uint64_t more, int64_t now_unix_ms);

/* Makes the entry for the store that saves an operator's raise of a budget: the amount, and the end
 * of the budget's period. name: space for RC_BUDGETS_RAISE_NAME_MAX bytes; ret_saved views (points
 * into) it. Returns false if no operator raised the budget. */
#define RC_BUDGETS_RAISE_NAME_MAX 1200
bool rc_budgets_get_raise(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, uint32_t row,
                          int64_t now_unix_ms, char *name, rc_saved_state *ret_saved);

/* Returns the cost of the attempt in millionths of a dollar; 0 for a target without a price.
 * attempt, charge: borrows during the call. */
uint64_t rc_budgets_cost(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         const rc_charge *charge);

/* One budget of a snapshot. */
typedef struct rc_budget_info {
    uint32_t row;
    const char *kind; /* "client", "route", "budget" */
    rc_str name;
    rc_ledger_state state;
} rc_budget_info;

/* Reads the index-th budget in the configuration's order. ret_budget views (points into) the
 * snapshot. Returns false if index is past the last budget. */
bool rc_budgets_at(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, size_t index,
                   int64_t now_unix_ms, rc_budget_info *ret_budget);

/* Returns the row of a scope such as "client app", "route gpt-4o*" or "budget all";
 * RC_LEDGER_NO_BUDGET if no budget has this scope. */
uint32_t rc_budgets_find(const rc_budgets_snapshot *snapshot, rc_str scope);

/* Appends the budget's scope as events show it: "client app". */
void rc_budgets_push_scope(const rc_budgets_snapshot *snapshot, uint32_t row, rc_buf *buf);

#endif
