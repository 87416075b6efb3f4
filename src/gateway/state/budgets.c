/* rc_budgets: finds the budgets that an attempt belongs to, computes the attempt's cost, and
 * restores the spent amounts of the budgets after a restart. Called by hub.c, gateway_admin.c and
 * exchanges. */
#include "gateway/state/budgets.h"

#include <string.h>

#include "base/str.h"
#include "codec/datetime.h"
#include "config/config.h"
#include "config/prices/price.h"
#include "config/prices/prices.h"
#include "dialect/usage_charge.h"
#include "store/fault.h"
#include "store/record.h"
#include "store/store.h"

#define FIRST_CAPACITY 16u

/* Maximum number of routes whose budgets count an attempt at a target that a client names directly
 * ("provider/model"). Only routes that lead to this target count. */
#define DIRECT_ROUTES_MAX 32u

_Static_assert(RC_CONFIG_BUDGETS_MAX + 1 + DIRECT_ROUTES_MAX <= RC_LEDGER_BUDGETS_MAX,
               "an attempt can belong to all budgets");
_Static_assert((int)RC_EXCEED_WARN == (int)RC_LEDGER_WARN &&
                   (int)RC_EXCEED_PAUSE == (int)RC_LEDGER_PAUSE &&
                   (int)RC_EXCEED_FAIL == (int)RC_LEDGER_FAIL,
               "the configuration's values equal those of rc_ledger");

static void *get(const rc_alloc *alloc, size_t size)
{
    return alloc->get(alloc->ctx, size);
}

static void put(const rc_alloc *alloc, void *memory, size_t size)
{
    if (memory != NULL)
        alloc->put(alloc->ctx, memory, size);
}

static void lock_mutex(void *ctx)
{
    uv_mutex_lock(ctx);
}

static void unlock_mutex(void *ctx)
{
    uv_mutex_unlock(ctx);
}

rc_status rc_budgets_init(rc_budgets *budgets, const rc_alloc *alloc)
{
    memset(budgets, 0, sizeof(*budgets));
    budgets->alloc = *alloc;
    if (uv_mutex_init(&budgets->lock) != 0)
        return RC_E_NOMEM;
    rc_ledger_init(&budgets->ledger, NULL, 0);
    rc_ledger_set_lock(&budgets->ledger, &budgets->lock, lock_mutex, unlock_mutex);
    return RC_OK;
}

void rc_budgets_done(rc_budgets *budgets)
{
    for (uint32_t i = 0; i < budgets->row_count; i++)
        put(&budgets->alloc, budgets->rows[i].name, budgets->rows[i].name_len);
    put(&budgets->alloc, budgets->rows, budgets->row_capacity * sizeof(*budgets->rows));
    put(&budgets->alloc, budgets->ledger.budgets,
        budgets->row_capacity * sizeof(*budgets->ledger.budgets));
    uv_mutex_destroy(&budgets->lock);
    memset(budgets, 0, sizeof(*budgets));
}

/* ---- rows ---- */

/* One budget of the configuration, with the client or route that it limits. */
typedef struct budget {
    const char *kind;
    rc_str name;
    rc_ledger_rule rule;
} budget;

static bool grow(rc_budgets *budgets)
{
    uint32_t capacity = budgets->row_capacity == 0 ? FIRST_CAPACITY : 2 * budgets->row_capacity;
    rc_budgets_row *rows = get(&budgets->alloc, capacity * sizeof(*rows));
    rc_ledger_budget *spent = get(&budgets->alloc, capacity * sizeof(*spent));
    if (rows == NULL || spent == NULL) {
        put(&budgets->alloc, rows, capacity * sizeof(*rows));
        put(&budgets->alloc, spent, capacity * sizeof(*spent));
        return false;
    }
    rc_ledger_budget *old = budgets->ledger.budgets;
    if (budgets->row_count > 0)
        memcpy(rows, budgets->rows, budgets->row_count * sizeof(*rows));
    rc_ledger_grow(&budgets->ledger, spent, capacity);
    put(&budgets->alloc, old, budgets->row_capacity * sizeof(*old));
    put(&budgets->alloc, budgets->rows, budgets->row_capacity * sizeof(*rows));
    budgets->rows = rows;
    budgets->row_capacity = capacity;
    return true;
}

/* Whether the row has the name of this budget. A row's name is "clientapp": kind and name without a
 * space. The name is unambiguous, because no kind is a prefix of another kind. */
static bool is_named(const rc_budgets_row *row, const budget *b)
{
    size_t kind_len = strlen(b->kind);
    return row->per == b->rule.period && row->name_len == kind_len + b->name.len &&
           memcmp(row->name, b->kind, kind_len) == 0 &&
           memcmp(row->name + kind_len, b->name.ptr, b->name.len) == 0;
}

/* Returns the row of a budget and adds the row if it is missing. Returns RC_LEDGER_NO_BUDGET if
 * memory runs out. */
static uint32_t row_of(rc_budgets *budgets, const budget *b)
{
    for (uint32_t i = 0; i < budgets->row_count; i++)
        if (is_named(&budgets->rows[i], b))
            return i;
    if (budgets->row_count == budgets->row_capacity && !grow(budgets))
        return RC_LEDGER_NO_BUDGET;
    size_t kind_len = strlen(b->kind);
    rc_budgets_row row = {
        .name_len = kind_len + b->name.len, .per = b->rule.period, .needs_restore = true};
    row.name = get(&budgets->alloc, row.name_len);
    if (row.name == NULL)
        return RC_LEDGER_NO_BUDGET;
    memcpy(row.name, b->kind, kind_len);
    memcpy(row.name + kind_len, b->name.ptr, b->name.len);
    budgets->rows[budgets->row_count] = row;
    return budgets->row_count++;
}

/* ---- snapshots ---- */

static budget client_budget(const rc_config_client *client)
{
    return (budget){.kind = "client",
                    .name = client->name,
                    .rule = {.limit = client->budget_usd,
                             .period = RC_LEDGER_MONTH,
                             .on_exceed = (rc_ledger_exceed_action)client->on_exceed}};
}

static budget route_budget(const rc_config_route *route)
{
    return (budget){.kind = "route",
                    .name = route->model,
                    .rule = {.limit = route->budget_usd,
                             .period = RC_LEDGER_MONTH,
                             .on_exceed = (rc_ledger_exceed_action)route->on_exceed}};
}

static budget named_budget(const rc_config_budget *named)
{
    return (budget){.kind = "budget",
                    .name = named->name,
                    .rule = {.limit = named->limit_usd,
                             .period = (rc_ledger_period)named->per,
                             .on_exceed = (rc_ledger_exceed_action)named->on_exceed}};
}

static size_t budget_count(const rc_config *config)
{
    return config->client_count + config->route_count + config->budget_count;
}

/* Returns the budget at an index. Clients come first, then routes, then named budgets. A client or
 * route without a budget has the limit 0. */
static budget budget_at(const rc_config *config, size_t index)
{
    if (index < config->client_count)
        return client_budget(&config->clients[index]);
    index -= config->client_count;
    if (index < config->route_count)
        return route_budget(&config->routes[index]);
    return named_budget(&config->budgets[index - config->route_count]);
}

/* Returns the size of the array of rows in bytes. The array has one spare element, because an
 * allocation of 0 bytes may return NULL. */
static size_t rows_size(const rc_config *config)
{
    return (budget_count(config) + 1) * sizeof(uint32_t);
}

void rc_budgets_snapshot_done(rc_budgets_snapshot *snapshot)
{
    if (snapshot->config == NULL)
        return;
    put(&snapshot->alloc, snapshot->rows, rows_size(snapshot->config));
    memset(snapshot, 0, sizeof(*snapshot));
}

/* Allocates the snapshot's rows and finds or adds a row for each of its budgets. */
static bool prepare(rc_budgets *budgets, rc_budgets_snapshot *snapshot)
{
    const rc_config *config = snapshot->config;
    snapshot->rows = get(&budgets->alloc, rows_size(config));
    if (snapshot->rows == NULL)
        return false;
    for (size_t i = 0; i < budget_count(config); i++) {
        budget b = budget_at(config, i);
        uint32_t row = RC_LEDGER_NO_BUDGET;
        if (b.rule.limit > 0 && (row = row_of(budgets, &b)) == RC_LEDGER_NO_BUDGET)
            return false;
        snapshot->rows[i] = row;
    }
    return true;
}

/* Takes the budgets that the new snapshot lacks out of force. If a later snapshot has such a budget
 * again, rc_budgets_restore reads the budget's spent amount from the store again. */
static bool retire_others(rc_budgets *budgets, int64_t now_unix_ms)
{
    bool wakes = false;
    for (uint32_t row = 0; row < budgets->row_count; row++) {
        if (budgets->rows[row].is_in_force)
            continue;
        wakes |= rc_ledger_define(&budgets->ledger, row, NULL, now_unix_ms);
        budgets->rows[row].needs_restore = true;
    }
    return wakes;
}

rc_status rc_budgets_load(rc_budgets *budgets, const rc_config *config, const rc_prices *prices,
                          int64_t now_unix_ms, rc_budgets_snapshot *ret_snapshot, bool *ret_wakes)
{
    rc_budgets_snapshot snapshot = {.alloc = budgets->alloc, .config = config, .prices = prices};
    bool wakes = false;
    if (!prepare(budgets, &snapshot)) {
        rc_budgets_snapshot_done(&snapshot);
        return RC_E_NOMEM;
    }
    for (uint32_t row = 0; row < budgets->row_count; row++)
        budgets->rows[row].is_in_force = false;
    for (size_t i = 0; i < budget_count(config); i++) {
        uint32_t row = snapshot.rows[i];
        budget b = budget_at(config, i);
        if (row == RC_LEDGER_NO_BUDGET)
            continue;
        budgets->rows[row].is_in_force = true;
        wakes |= rc_ledger_define(&budgets->ledger, row, &b.rule, now_unix_ms);
    }
    wakes |= retire_others(budgets, now_unix_ms);
    *ret_snapshot = snapshot;
    if (ret_wakes != NULL)
        *ret_wakes = wakes;
    return RC_OK;
}

/* ---- targets that clients name directly ---- */

/* Whether a chain entry sends requests to this provider and model. The case of letters in model
 * names is ignored, because a provider may ignore it. is_first: this route is the first one that
 * matches the model. */
static bool is_target(const rc_config *config, const rc_config_target *target, rc_str provider,
                      rc_str model, bool is_first)
{
    if (!rc_str_eq(config->providers[target->provider].name, provider))
        return false;
    return rc_str_eq(target->model, RC_STR("*")) ? is_first
                                                 : rc_str_eq_nocase(target->model, model);
}

/* Whether the route could send a request for a plain model name (without a provider) to this
 * target. A chain entry with the model "*" gets the client's model, so it counts only in the first
 * route that matches this model. */
static bool leads_to(const rc_config *config, size_t index, rc_str target)
{
    const rc_config_route *route = &config->routes[index];
    const size_t slash = rc_str_find_byte(target, '/', 0);
    if (slash == RC_STR_NPOS || slash + 1 == target.len)
        return false;
    const rc_str provider = rc_str_slice(target, 0, slash);
    const rc_str model = rc_str_slice(target, slash + 1, target.len);
    const bool is_first = rc_config_route_find(config, model) == route;
    for (size_t i = 0; i < route->chain_count; i++)
        if (is_target(config, &route->chain[i], provider, model, is_first))
            return true;
    return route->has_overflow_to &&
           is_target(config, &route->overflow_to, provider, model, is_first);
}

/* Whether a recorded usage belongs to the configured route number `index`. `route` is the route's
 * pattern as recorded. If a client named the target directly, `route` is the name of a provider;
 * then the usage belongs to each configured route that leads to the target. */
static bool is_of_route(const rc_config *config, size_t index, rc_str route, rc_str target)
{
    const bool is_direct =
        rc_str_starts_with(target, route) && target.len > route.len && target.ptr[route.len] == '/';
    return rc_str_eq(config->routes[index].model, route) ||
           (is_direct && leads_to(config, index, target));
}

/* Whether the pattern matches the text. An empty pattern matches everything. The case of letters is
 * ignored, because providers may ignore it. */
static bool fits(rc_str pattern, rc_str text)
{
    return pattern.len == 0 || rc_glob_matches_nocase(pattern, text);
}

static bool fits_route(const rc_config *config, rc_str pattern, rc_str route, rc_str target)
{
    if (fits(pattern, route))
        return true;
    for (size_t i = 0; i < config->route_count; i++)
        if (rc_glob_matches(pattern, config->routes[i].model) &&
            is_of_route(config, i, route, target))
            return true;
    return false;
}

static bool is_matched(const rc_config *config, const rc_config_match *match, rc_str client,
                       rc_str route, rc_str target)
{
    return fits(match->client, client) && fits(match->target, target) &&
           fits_route(config, match->route, route, target);
}

/* ---- restoring what was spent ---- */

/* Whether the budget at this index counts this usage. */
static bool is_counted(const rc_config *config, size_t index, const rc_store_daily_usage *spent)
{
    if (index < config->client_count)
        return rc_str_eq(config->clients[index].name, spent->client);
    index -= config->client_count;
    if (index < config->route_count)
        return is_of_route(config, index, spent->route, spent->target);
    return is_matched(config, &config->budgets[index - config->route_count].match, spent->client,
                      spent->route, spent->target);
}

typedef struct restoring {
    rc_budgets *budgets;
    const rc_budgets_snapshot *snapshot;
    int64_t now_unix_ms;
} restoring;

/* Whether a recorded usage has no cost because its target has no price in the current price
 * list. */
static bool is_unpriced(const rc_budgets_snapshot *snapshot, const rc_store_daily_usage *spent)
{
    const rc_config *config = snapshot->config;
    const size_t slash = rc_str_find_byte(spent->target, '/', 0);
    if (spent->cost_usd_micro > 0 || slash == RC_STR_NPOS)
        return false;
    for (size_t i = 0; i < config->provider_count; i++) {
        const rc_config_provider *provider = &config->providers[i];
        const rc_str kind = rc_str_c(provider->kind->name);
        if (rc_str_eq(provider->name, rc_str_slice(spent->target, 0, slash)))
            return !rc_str_eq(kind, RC_STR("demo")) &&
                   rc_prices_find(snapshot->prices, kind, provider->name,
                                  rc_str_slice(spent->target, slash + 1, spent->target.len),
                                  0) == NULL;
    }
    return false;
}

static bool restore_row(void *ctx, const rc_store_daily_usage *spent)
{
    const restoring *r = ctx;
    const bool is_unpriced_target = is_unpriced(r->snapshot, spent);
    rc_ledger *spend = &r->budgets->ledger;
    for (size_t i = 0; i < budget_count(r->snapshot->config); i++) {
        uint32_t row = r->snapshot->rows[i];
        if (row == RC_LEDGER_NO_BUDGET || !r->budgets->rows[row].needs_restore ||
            !is_counted(r->snapshot->config, i, spent))
            continue;
        rc_ledger_restore(spend, row, spent->day, spent->cost_usd_micro, r->now_unix_ms);
        if (is_unpriced_target)
            rc_ledger_restore_unpriced(spend, row, spent->day, spent->attempts, r->now_unix_ms);
    }
    return true;
}

/* Returns the first day to read from the store: the first of this month, or 0 if a budget never
 * renews. */
static int64_t first_day(const rc_budgets *budgets, const rc_budgets_snapshot *snapshot,
                         int64_t now_unix_ms, bool *ret_has_new)
{
    rc_civil now = rc_civil_from_unix_ms(now_unix_ms);
    int64_t first = rc_ledger_day(now_unix_ms) - now.day + 1;
    *ret_has_new = false;
    for (size_t i = 0; i < budget_count(snapshot->config); i++) {
        uint32_t row = snapshot->rows[i];
        if (row == RC_LEDGER_NO_BUDGET || !budgets->rows[row].needs_restore)
            continue;
        *ret_has_new = true;
        if (budgets->rows[row].per == RC_LEDGER_TOTAL)
            first = 0;
    }
    return first;
}

/* ---- restoring the limits that an operator raised ---- */

/* Appends the name of a raise, such as "month client app". The period is part of the name, because
 * a budget with another period is another budget. */
static void push_raise_name(rc_buf *buf, const budget *b)
{
    static const char *const periods[] = {"day ", "month ", "total "};
    rc_buf_push(buf, rc_str_c(periods[b->rule.period]));
    rc_buf_push(buf, rc_str_c(b->kind));
    rc_buf_push_byte(buf, ' ');
    rc_buf_push(buf, b->name);
}

static bool has_raise_name(const budget *b, rc_str name)
{
    char scratch[RC_BUDGETS_RAISE_NAME_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    push_raise_name(&text, b);
    return rc_buf_status(&text) == RC_OK && rc_str_eq(rc_buf_get(&text), name);
}

/* Restores the amount by which an operator raised a budget. Raises of earlier periods are ignored.
 * Restoring the same raise twice has no further effect. */
static bool restore_raise(void *ctx, const rc_saved_state *saved)
{
    const restoring *r = ctx;
    const rc_config *config = r->snapshot->config;
    for (size_t i = 0; saved->kind == RC_SAVED_STATE_BUDGET && i < budget_count(config); i++) {
        uint32_t row = r->snapshot->rows[i];
        budget b = budget_at(config, i);
        rc_ledger_state state;
        if (row == RC_LEDGER_NO_BUDGET || !r->budgets->rows[row].needs_restore ||
            !has_raise_name(&b, saved->name))
            continue;
        if (rc_ledger_get_state(&r->budgets->ledger, row, r->now_unix_ms, &state) &&
            saved->until_unix_ms == state.renews_unix_ms && saved->value <= RC_LEDGER_AMOUNT_MAX &&
            saved->value > state.raised)
            (void)rc_ledger_raise(&r->budgets->ledger, row, saved->value - state.raised,
                                  r->now_unix_ms);
    }
    return true;
}

bool rc_budgets_get_raise(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, uint32_t row,
                          int64_t now_unix_ms, char *name, rc_saved_state *ret_saved)
{
    rc_ledger_state state;
    rc_buf text;
    rc_buf_init_fixed(&text, name, RC_BUDGETS_RAISE_NAME_MAX);
    for (size_t i = 0; row != RC_LEDGER_NO_BUDGET && i < budget_count(snapshot->config); i++) {
        if (snapshot->rows[i] != row)
            continue;
        budget b = budget_at(snapshot->config, i);
        push_raise_name(&text, &b);
        break;
    }
    if (rc_buf_status(&text) != RC_OK || rc_buf_get(&text).len == 0 ||
        !rc_ledger_get_state(&budgets->ledger, row, now_unix_ms, &state) || state.raised == 0)
        return false;
    *ret_saved = (rc_saved_state){.kind = RC_SAVED_STATE_BUDGET,
                                  .name = rc_buf_get(&text),
                                  .value = state.raised,
                                  .until_unix_ms = state.renews_unix_ms};
    return true;
}

/* ---- restoring ---- */

bool rc_budgets_restore(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, rc_store *store,
                        int64_t now_unix_ms, rc_store_fault *fault)
{
    restoring r = {budgets, snapshot, now_unix_ms};
    bool has_new;
    int64_t from_day = first_day(budgets, snapshot, now_unix_ms, &has_new);
    if (!has_new)
        return true;
    bool is_read = rc_store_saved_states(store, restore_raise, &r, fault) &&
                   rc_store_daily_usage_since(store, from_day, restore_row, &r, fault);
    for (size_t i = 0; is_read && i < budget_count(snapshot->config); i++)
        if (snapshot->rows[i] != RC_LEDGER_NO_BUDGET)
            budgets->rows[snapshot->rows[i]].needs_restore = false;
    return is_read;
}

/* ---- attempts ---- */

static rc_str client_name(const rc_budgets_snapshot *snapshot, size_t client)
{
    return client < snapshot->config->client_count ? snapshot->config->clients[client].name
                                                   : RC_STR("");
}

static rc_str route_name(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt)
{
    if (attempt->route < snapshot->config->route_count)
        return snapshot->config->routes[attempt->route].model;
    return attempt->provider != NULL ? attempt->provider->name : RC_STR("");
}

/* Writes the budget rows of the routes that lead to a target, each row once, and returns their
 * number. */
static uint32_t direct_rows(const rc_config *config, const uint32_t *routes, rc_str target,
                            uint32_t *ret_rows)
{
    uint32_t count = 0;
    for (size_t i = 0; i < config->route_count && count < DIRECT_ROUTES_MAX; i++) {
        bool is_skipped = routes[i] == RC_LEDGER_NO_BUDGET;
        for (uint32_t at = 0; at < count; at++)
            is_skipped = is_skipped || ret_rows[at] == routes[i];
        if (!is_skipped && leads_to(config, i, target))
            ret_rows[count++] = routes[i];
    }
    return count;
}

uint32_t rc_budgets_rows(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         uint32_t ret_rows[RC_LEDGER_BUDGETS_MAX])
{
    const rc_config *config = snapshot->config;
    const uint32_t *routes = snapshot->rows + config->client_count;
    const uint32_t *budgets = routes + config->route_count;
    uint32_t count = 0;
    if (attempt->client < config->client_count &&
        snapshot->rows[attempt->client] != RC_LEDGER_NO_BUDGET)
        ret_rows[count++] = snapshot->rows[attempt->client];
    if (attempt->route < config->route_count && routes[attempt->route] != RC_LEDGER_NO_BUDGET)
        ret_rows[count++] = routes[attempt->route];
    if (attempt->route >= config->route_count)
        count += direct_rows(config, routes, attempt->target, ret_rows + count);
    for (size_t i = 0; i < config->budget_count; i++)
        if (is_matched(config, &config->budgets[i].match, client_name(snapshot, attempt->client),
                       route_name(snapshot, attempt), attempt->target))
            ret_rows[count++] = budgets[i];
    return count;
}

uint64_t rc_budgets_cost(const rc_budgets_snapshot *snapshot, const rc_budgets_attempt *attempt,
                         const rc_charge *charge)
{
    if (!charge->is_measured && !charge->is_estimated)
        return 0;
    const rc_config_price *price =
        rc_prices_find(snapshot->prices, rc_str_c(attempt->provider->kind->name),
                       attempt->provider->name, attempt->model, charge->input);
    return rc_price_cost(price, charge);
}

rc_ledger_decision rc_budgets_reserve(rc_budgets *budgets, const rc_budgets_snapshot *snapshot,
                                      const rc_budgets_attempt *attempt, int64_t now_unix_ms,
                                      rc_ledger_reservation *ret_hold,
                                      rc_ledger_notices *ret_events)
{
    uint32_t rows[RC_LEDGER_BUDGETS_MAX];
    uint32_t count = rc_budgets_rows(snapshot, attempt, rows);
    if (count == 0) {
        ret_hold->count = 0;
        if (ret_events != NULL)
            ret_events->count = 0;
        return (rc_ledger_decision){.verdict = RC_LEDGER_GRANTED, .budget = RC_LEDGER_NO_BUDGET};
    }
    rc_charge charge = rc_usage_charge_max(attempt->request, RC_LEDGER_DEFAULT_OUTPUT_TOKENS);
    return rc_ledger_reserve(&budgets->ledger, rows, count,
                             rc_budgets_cost(snapshot, attempt, &charge), now_unix_ms, ret_hold,
                             ret_events);
}

bool rc_budgets_settle(rc_budgets *budgets, rc_ledger_reservation *hold, uint64_t cost,
                       rc_ledger_notices *ret_events)
{
    return rc_ledger_settle(&budgets->ledger, hold, cost, ret_events);
}

void rc_budgets_note_unpriced(rc_budgets *budgets, const rc_ledger_reservation *hold)
{
    rc_ledger_note_unpriced(&budgets->ledger, hold);
}

bool rc_budgets_release(rc_budgets *budgets, rc_ledger_reservation *hold)
{
    return rc_ledger_release(&budgets->ledger, hold);
}

bool rc_budgets_raise(rc_budgets *budgets, uint32_t row, uint64_t more, int64_t now_unix_ms)
{
    return rc_ledger_raise(&budgets->ledger, row, more, now_unix_ms);
}

/* ---- display ---- */

bool rc_budgets_at(rc_budgets *budgets, const rc_budgets_snapshot *snapshot, size_t index,
                   int64_t now_unix_ms, rc_budget_info *ret_budget)
{
    for (size_t i = 0; i < budget_count(snapshot->config); i++) {
        uint32_t row = snapshot->rows[i];
        if (row == RC_LEDGER_NO_BUDGET || index-- > 0)
            continue;
        budget b = budget_at(snapshot->config, i);
        *ret_budget = (rc_budget_info){.row = row, .kind = b.kind, .name = b.name};
        return rc_ledger_get_state(&budgets->ledger, row, now_unix_ms, &ret_budget->state);
    }
    return false;
}

uint32_t rc_budgets_find(const rc_budgets_snapshot *snapshot, rc_str scope)
{
    size_t space = rc_str_find_byte(scope, ' ', 0);
    for (size_t i = 0; space != RC_STR_NPOS && i < budget_count(snapshot->config); i++) {
        budget b = budget_at(snapshot->config, i);
        if (rc_str_eq(rc_str_slice(scope, 0, space), rc_str_c(b.kind)) &&
            rc_str_eq(rc_str_slice(scope, space + 1, scope.len), b.name))
            return snapshot->rows[i];
    }
    return RC_LEDGER_NO_BUDGET;
}

void rc_budgets_push_scope(const rc_budgets_snapshot *snapshot, uint32_t row, rc_buf *buf)
{
    for (size_t i = 0; i < budget_count(snapshot->config); i++) {
        if (snapshot->rows[i] != row || row == RC_LEDGER_NO_BUDGET)
            continue;
        budget b = budget_at(snapshot->config, i);
        rc_buf_push(buf, rc_str_c(b.kind));
        rc_buf_push_byte(buf, ' ');
        rc_buf_push(buf, b.name);
        return;
    }
}
