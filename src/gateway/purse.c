#include "gateway/purse.h"

#include <string.h>

#include "base/str.h"
#include "codec/datetime.h"

#define FIRST_ROOM 16u

/* Of the routes that lead to a target that is addressed directly, the first so many count. */
#define DIRECT_ROUTES_MAX 32u

_Static_assert(RC_CONFIG_BUDGETS_MAX + 1 + DIRECT_ROUTES_MAX <= RC_SPEND_ROWS_MAX,
               "a try can belong to all budgets");
_Static_assert((int)RC_EXCEED_WARN == (int)RC_SPEND_WARN &&
                   (int)RC_EXCEED_PAUSE == (int)RC_SPEND_PAUSE &&
                   (int)RC_EXCEED_FAIL == (int)RC_SPEND_FAIL,
               "the words of the configuration are those of rc_spend");

static void *get(const rc_alloc *alloc, size_t size)
{
    return alloc->get(alloc->ctx, size);
}

static void put(const rc_alloc *alloc, void *memory, size_t size)
{
    if (memory != NULL)
        alloc->put(alloc->ctx, memory, size);
}

static void take_lock(void *ctx)
{
    uv_mutex_lock(ctx);
}

static void give_lock(void *ctx)
{
    uv_mutex_unlock(ctx);
}

rc_status rc_purse_init(rc_purse *purse, const rc_alloc *alloc)
{
    memset(purse, 0, sizeof(*purse));
    purse->alloc = *alloc;
    if (uv_mutex_init(&purse->lock) != 0)
        return RC_E_NOMEM;
    rc_spend_init(&purse->spend, NULL, 0);
    rc_spend_set_lock(&purse->spend, &purse->lock, take_lock, give_lock);
    return RC_OK;
}

void rc_purse_done(rc_purse *purse)
{
    for (uint32_t i = 0; i < purse->row_count; i++)
        put(&purse->alloc, purse->rows[i].name, purse->rows[i].name_len);
    put(&purse->alloc, purse->rows, purse->row_room * sizeof(*purse->rows));
    put(&purse->alloc, purse->spend.rows, purse->row_room * sizeof(*purse->spend.rows));
    uv_mutex_destroy(&purse->lock);
    memset(purse, 0, sizeof(*purse));
}

/* ---- rows ---- */

/* A budget as the configuration has it. */
typedef struct budget {
    const char *kind;
    rc_str name;
    rc_spend_rule rule;
} budget;

static bool grow(rc_purse *purse)
{
    uint32_t room = purse->row_room == 0 ? FIRST_ROOM : 2 * purse->row_room;
    rc_purse_row *rows = get(&purse->alloc, room * sizeof(*rows));
    rc_spend_row *spent = get(&purse->alloc, room * sizeof(*spent));
    if (rows == NULL || spent == NULL) {
        put(&purse->alloc, rows, room * sizeof(*rows));
        put(&purse->alloc, spent, room * sizeof(*spent));
        return false;
    }
    rc_spend_row *old = purse->spend.rows;
    if (purse->row_count > 0)
        memcpy(rows, purse->rows, purse->row_count * sizeof(*rows));
    rc_spend_grow(&purse->spend, spent, room);
    put(&purse->alloc, old, purse->row_room * sizeof(*old));
    put(&purse->alloc, purse->rows, purse->row_room * sizeof(*rows));
    purse->rows = rows;
    purse->row_room = room;
    return true;
}

/* "client app" without the space between: no kind is the beginning of another. */
static bool is_named(const rc_purse_row *row, const budget *b)
{
    size_t kind_len = strlen(b->kind);
    return row->per == b->rule.per && row->name_len == kind_len + b->name.len &&
           memcmp(row->name, b->kind, kind_len) == 0 &&
           memcmp(row->name + kind_len, b->name.ptr, b->name.len) == 0;
}

/* The row of a budget, a new one if need be; RC_SPEND_NO_ROW: no memory. */
static uint32_t row_of(rc_purse *purse, const budget *b)
{
    for (uint32_t i = 0; i < purse->row_count; i++)
        if (is_named(&purse->rows[i], b))
            return i;
    if (purse->row_count == purse->row_room && !grow(purse))
        return RC_SPEND_NO_ROW;
    size_t kind_len = strlen(b->kind);
    rc_purse_row row = {.name_len = kind_len + b->name.len, .per = b->rule.per, .is_new = true};
    row.name = get(&purse->alloc, row.name_len);
    if (row.name == NULL)
        return RC_SPEND_NO_ROW;
    memcpy(row.name, b->kind, kind_len);
    memcpy(row.name + kind_len, b->name.ptr, b->name.len);
    purse->rows[purse->row_count] = row;
    return purse->row_count++;
}

/* ---- editions ---- */

static budget client_budget(const rc_config_client *client)
{
    return (budget){.kind = "client",
                    .name = client->name,
                    .rule = {.limit = client->budget_usd,
                             .per = RC_SPEND_MONTH,
                             .on_exceed = (rc_spend_exceed)client->on_exceed}};
}

static budget route_budget(const rc_config_route *route)
{
    return (budget){.kind = "route",
                    .name = route->model,
                    .rule = {.limit = route->budget_usd,
                             .per = RC_SPEND_MONTH,
                             .on_exceed = (rc_spend_exceed)route->on_exceed}};
}

static budget named_budget(const rc_config_budget *named)
{
    return (budget){.kind = "budget",
                    .name = named->name,
                    .rule = {.limit = named->limit_usd,
                             .per = (rc_spend_per)named->per,
                             .on_exceed = (rc_spend_exceed)named->on_exceed}};
}

static size_t budget_count(const rc_config *config)
{
    return config->client_count + config->route_count + config->budget_count;
}

/* All that a configuration may have, in order: of clients, of routes, those with a name. A limit of
 * 0 is none. */
static budget budget_at(const rc_config *config, size_t index)
{
    if (index < config->client_count)
        return client_budget(&config->clients[index]);
    index -= config->client_count;
    if (index < config->route_count)
        return route_budget(&config->routes[index]);
    return named_budget(&config->budgets[index - config->route_count]);
}

/* Never 0. */
static size_t rows_size(const rc_config *config)
{
    return (budget_count(config) + 1) * sizeof(uint32_t);
}

void rc_purse_edition_done(rc_purse_edition *edition)
{
    if (edition->config == NULL)
        return;
    put(&edition->alloc, edition->rows, rows_size(edition->config));
    memset(edition, 0, sizeof(*edition));
}

/* Memory for the edition, and a row for each of its budgets. */
static bool prepare(rc_purse *purse, rc_purse_edition *edition)
{
    const rc_config *config = edition->config;
    edition->rows = get(&purse->alloc, rows_size(config));
    if (edition->rows == NULL)
        return false;
    for (size_t i = 0; i < budget_count(config); i++) {
        budget b = budget_at(config, i);
        uint32_t row = RC_SPEND_NO_ROW;
        if (b.rule.limit > 0 && (row = row_of(purse, &b)) == RC_SPEND_NO_ROW)
            return false;
        edition->rows[i] = row;
    }
    return true;
}

/* Budgets that the edition does not have are no longer in force. Should one come back, it starts
 * from the store again. */
static bool retire_others(rc_purse *purse, int64_t now_unix_ms)
{
    bool wakes = false;
    for (uint32_t row = 0; row < purse->row_count; row++) {
        if (purse->rows[row].is_used)
            continue;
        wakes |= rc_spend_define(&purse->spend, row, NULL, now_unix_ms);
        purse->rows[row].is_new = true;
    }
    return wakes;
}

rc_status rc_purse_load(rc_purse *purse, const rc_config *config, const rc_prices *prices,
                        int64_t now_unix_ms, rc_purse_edition *ret_edition, bool *ret_wakes)
{
    rc_purse_edition edition = {.alloc = purse->alloc, .config = config, .prices = prices};
    bool wakes = false;
    if (!prepare(purse, &edition)) {
        rc_purse_edition_done(&edition);
        return RC_E_NOMEM;
    }
    for (uint32_t row = 0; row < purse->row_count; row++)
        purse->rows[row].is_used = false;
    for (size_t i = 0; i < budget_count(config); i++) {
        uint32_t row = edition.rows[i];
        budget b = budget_at(config, i);
        if (row == RC_SPEND_NO_ROW)
            continue;
        purse->rows[row].is_used = true;
        wakes |= rc_spend_define(&purse->spend, row, &b.rule, now_unix_ms);
    }
    wakes |= retire_others(purse, now_unix_ms);
    *ret_edition = edition;
    if (ret_wakes != NULL)
        *ret_wakes = wakes;
    return RC_OK;
}

/* ---- targets that are addressed directly ---- */

/* A provider may ignore the case of a model's name. */
static bool is_target(const rc_config *config, const rc_config_target *target, rc_str provider,
                      rc_str model, bool is_first)
{
    if (!rc_str_eq(config->providers[target->provider].name, provider))
        return false;
    return rc_str_eq(target->model, RC_STR("*")) ? is_first
                                                 : rc_str_eq_nocase(target->model, model);
}

/* Could a request that names no provider be sent to this target by the route? A target that is open
 * gets the model that the client named, so of those the first route that fits the model counts. */
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

/* Is that the name of a route, or does it stand for a provider whose target was addressed directly?
 * Then the route that leads to the target counts the try. */
static bool is_of_route(const rc_config *config, size_t index, rc_str route, rc_str target)
{
    const bool is_direct =
        rc_str_starts_with(target, route) && target.len > route.len && target.ptr[route.len] == '/';
    return rc_str_eq(config->routes[index].model, route) ||
           (is_direct && leads_to(config, index, target));
}

/* A pattern that is empty fits everything; case is ignored, as providers may do. */
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

/* ---- what was spent before ---- */

/* Does a budget count what was spent there? */
static bool is_counted(const rc_config *config, size_t index, const rc_store_spent *spent)
{
    if (index < config->client_count)
        return rc_str_eq(config->clients[index].name, spent->client);
    index -= config->client_count;
    if (index < config->route_count)
        return is_of_route(config, index, spent->route, spent->target);
    return is_matched(config, &config->budgets[index - config->route_count].match, spent->client,
                      spent->route, spent->target);
}

typedef struct recalling {
    rc_purse *purse;
    const rc_purse_edition *edition;
    int64_t now_unix_ms;
} recalling;

/* Had what was spent there no price, as far as the prices of today tell? */
static bool is_unpriced(const rc_purse_edition *edition, const rc_store_spent *spent)
{
    const rc_config *config = edition->config;
    const size_t slash = rc_str_find_byte(spent->target, '/', 0);
    if (spent->cost_usd_micro > 0 || slash == RC_STR_NPOS)
        return false;
    for (size_t i = 0; i < config->provider_count; i++) {
        const rc_config_provider *provider = &config->providers[i];
        const rc_str kind = rc_str_c(provider->kind->name);
        if (rc_str_eq(provider->name, rc_str_slice(spent->target, 0, slash)))
            return !rc_str_eq(kind, RC_STR("demo")) &&
                   rc_prices_find(edition->prices, kind, provider->name,
                                  rc_str_slice(spent->target, slash + 1, spent->target.len),
                                  0) == NULL;
    }
    return false;
}

static bool recall_row(void *ctx, const rc_store_spent *spent)
{
    const recalling *r = ctx;
    const bool has_none = is_unpriced(r->edition, spent);
    rc_spend *spend = &r->purse->spend;
    for (size_t i = 0; i < budget_count(r->edition->config); i++) {
        uint32_t row = r->edition->rows[i];
        if (row == RC_SPEND_NO_ROW || !r->purse->rows[row].is_new ||
            !is_counted(r->edition->config, i, spent))
            continue;
        rc_spend_recall(spend, row, spent->day, spent->cost_usd_micro, r->now_unix_ms);
        if (has_none)
            rc_spend_recall_unpriced(spend, row, spent->day, spent->attempts, r->now_unix_ms);
    }
    return true;
}

/* The first day that matters: of this month, unless a budget never renews. */
static int64_t first_day(const rc_purse *purse, const rc_purse_edition *edition,
                         int64_t now_unix_ms, bool *ret_has_new)
{
    rc_civil now = rc_civil_from_unix_ms(now_unix_ms);
    int64_t first = rc_spend_day(now_unix_ms) - now.day + 1;
    *ret_has_new = false;
    for (size_t i = 0; i < budget_count(edition->config); i++) {
        uint32_t row = edition->rows[i];
        if (row == RC_SPEND_NO_ROW || !purse->rows[row].is_new)
            continue;
        *ret_has_new = true;
        if (purse->rows[row].per == RC_SPEND_TOTAL)
            first = 0;
    }
    return first;
}

/* ---- what an operator raised ---- */

/* "month client app": a budget that is counted by another window is another. */
static void push_mark_name(rc_buf *buf, const budget *b)
{
    static const char *const pers[] = {"day ", "month ", "total "};
    rc_buf_push(buf, rc_str_c(pers[b->rule.per]));
    rc_buf_push(buf, rc_str_c(b->kind));
    rc_buf_push_byte(buf, ' ');
    rc_buf_push(buf, b->name);
}

static bool is_marked(const budget *b, rc_str name)
{
    char room[RC_PURSE_MARK_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof(room));
    push_mark_name(&text, b);
    return rc_buf_status(&text) == RC_OK && rc_str_eq(rc_buf_get(&text), name);
}

/* A mark of another window is of the past. To be told twice changes nothing. */
static bool recall_raise(void *ctx, const rc_store_mark *mark)
{
    const recalling *r = ctx;
    const rc_config *config = r->edition->config;
    for (size_t i = 0; mark->kind == RC_STORE_MARK_BUDGET && i < budget_count(config); i++) {
        uint32_t row = r->edition->rows[i];
        budget b = budget_at(config, i);
        rc_spend_state state;
        if (row == RC_SPEND_NO_ROW || !r->purse->rows[row].is_new || !is_marked(&b, mark->name))
            continue;
        if (rc_spend_look(&r->purse->spend, row, r->now_unix_ms, &state) &&
            mark->until_unix_ms == state.renews_unix_ms && mark->state <= RC_SPEND_MAX &&
            mark->state > state.raised)
            (void)rc_spend_raise(&r->purse->spend, row, mark->state - state.raised, r->now_unix_ms);
    }
    return true;
}

bool rc_purse_mark(rc_purse *purse, const rc_purse_edition *edition, uint32_t row,
                   int64_t now_unix_ms, char *name, rc_store_mark *ret_mark)
{
    rc_spend_state state;
    rc_buf text;
    rc_buf_init_fixed(&text, name, RC_PURSE_MARK_MAX);
    for (size_t i = 0; row != RC_SPEND_NO_ROW && i < budget_count(edition->config); i++) {
        if (edition->rows[i] != row)
            continue;
        budget b = budget_at(edition->config, i);
        push_mark_name(&text, &b);
        break;
    }
    if (rc_buf_status(&text) != RC_OK || rc_buf_get(&text).len == 0 ||
        !rc_spend_look(&purse->spend, row, now_unix_ms, &state) || state.raised == 0)
        return false;
    *ret_mark = (rc_store_mark){.kind = RC_STORE_MARK_BUDGET,
                                .name = rc_buf_get(&text),
                                .state = state.raised,
                                .until_unix_ms = state.renews_unix_ms};
    return true;
}

/* ---- after a restart ---- */

bool rc_purse_recall(rc_purse *purse, const rc_purse_edition *edition, rc_store *store,
                     int64_t now_unix_ms, rc_store_fault *fault)
{
    recalling r = {purse, edition, now_unix_ms};
    bool has_new;
    int64_t from_day = first_day(purse, edition, now_unix_ms, &has_new);
    if (!has_new)
        return true;
    bool is_read = rc_store_marks(store, recall_raise, &r, fault) &&
                   rc_store_spent_since(store, from_day, recall_row, &r, fault);
    for (size_t i = 0; is_read && i < budget_count(edition->config); i++)
        if (edition->rows[i] != RC_SPEND_NO_ROW)
            purse->rows[edition->rows[i]].is_new = false;
    return is_read;
}

/* ---- tries ---- */

static rc_str client_name(const rc_purse_edition *edition, size_t client)
{
    return client < edition->config->client_count ? edition->config->clients[client].name
                                                  : RC_STR("");
}

static rc_str route_name(const rc_purse_edition *edition, const rc_purse_try *what)
{
    if (what->route < edition->config->route_count)
        return edition->config->routes[what->route].model;
    return what->provider != NULL ? what->provider->name : RC_STR("");
}

/* The budgets of all routes that lead to a target, each once. */
static uint32_t direct_rows(const rc_config *config, const uint32_t *routes, rc_str target,
                            uint32_t *ret_rows)
{
    uint32_t count = 0;
    for (size_t i = 0; i < config->route_count && count < DIRECT_ROUTES_MAX; i++) {
        bool is_there = routes[i] == RC_SPEND_NO_ROW;
        for (uint32_t at = 0; at < count; at++)
            is_there = is_there || ret_rows[at] == routes[i];
        if (!is_there && leads_to(config, i, target))
            ret_rows[count++] = routes[i];
    }
    return count;
}

uint32_t rc_purse_rows(const rc_purse_edition *edition, const rc_purse_try *what,
                       uint32_t ret_rows[RC_SPEND_ROWS_MAX])
{
    const rc_config *config = edition->config;
    const uint32_t *routes = edition->rows + config->client_count;
    const uint32_t *budgets = routes + config->route_count;
    uint32_t count = 0;
    if (what->client < config->client_count && edition->rows[what->client] != RC_SPEND_NO_ROW)
        ret_rows[count++] = edition->rows[what->client];
    if (what->route < config->route_count && routes[what->route] != RC_SPEND_NO_ROW)
        ret_rows[count++] = routes[what->route];
    if (what->route >= config->route_count)
        count += direct_rows(config, routes, what->target, ret_rows + count);
    for (size_t i = 0; i < config->budget_count; i++)
        if (is_matched(config, &config->budgets[i].match, client_name(edition, what->client),
                       route_name(edition, what), what->target))
            ret_rows[count++] = budgets[i];
    return count;
}

uint64_t rc_purse_cost(const rc_purse_edition *edition, const rc_purse_try *what,
                       const rc_charge *charge)
{
    if (!charge->is_measured && !charge->is_estimated)
        return 0;
    const rc_config_price *price =
        rc_prices_find(edition->prices, rc_str_c(what->provider->kind->name), what->provider->name,
                       what->model, charge->input);
    return rc_price_cost(price, charge);
}

rc_spend_answer rc_purse_reserve(rc_purse *purse, const rc_purse_edition *edition,
                                 const rc_purse_try *what, int64_t now_unix_ms,
                                 rc_spend_hold *ret_hold, rc_spend_told *ret_told)
{
    uint32_t rows[RC_SPEND_ROWS_MAX];
    uint32_t count = rc_purse_rows(edition, what, rows);
    if (count == 0) {
        ret_hold->count = 0;
        if (ret_told != NULL)
            ret_told->count = 0;
        return (rc_spend_answer){.verdict = RC_SPEND_GRANTED, .row = RC_SPEND_NO_ROW};
    }
    rc_charge charge = rc_usage_foresee(what->request, RC_SPEND_DEFAULT_OUTPUT);
    return rc_spend_reserve(&purse->spend, rows, count, rc_purse_cost(edition, what, &charge),
                            now_unix_ms, ret_hold, ret_told);
}

bool rc_purse_settle(rc_purse *purse, rc_spend_hold *hold, uint64_t cost, rc_spend_told *ret_told)
{
    return rc_spend_settle(&purse->spend, hold, cost, ret_told);
}

void rc_purse_note_unpriced(rc_purse *purse, const rc_spend_hold *hold)
{
    rc_spend_note_unpriced(&purse->spend, hold);
}

bool rc_purse_release(rc_purse *purse, rc_spend_hold *hold)
{
    return rc_spend_release(&purse->spend, hold);
}

bool rc_purse_raise(rc_purse *purse, uint32_t row, uint64_t more, int64_t now_unix_ms)
{
    return rc_spend_raise(&purse->spend, row, more, now_unix_ms);
}

/* ---- for people ---- */

bool rc_purse_budget_at(rc_purse *purse, const rc_purse_edition *edition, size_t index,
                        int64_t now_unix_ms, rc_purse_budget *ret_budget)
{
    for (size_t i = 0; i < budget_count(edition->config); i++) {
        uint32_t row = edition->rows[i];
        if (row == RC_SPEND_NO_ROW || index-- > 0)
            continue;
        budget b = budget_at(edition->config, i);
        *ret_budget = (rc_purse_budget){.row = row, .kind = b.kind, .name = b.name};
        return rc_spend_look(&purse->spend, row, now_unix_ms, &ret_budget->state);
    }
    return false;
}

uint32_t rc_purse_find(const rc_purse_edition *edition, rc_str scope)
{
    size_t space = rc_str_find_byte(scope, ' ', 0);
    for (size_t i = 0; space != RC_STR_NPOS && i < budget_count(edition->config); i++) {
        budget b = budget_at(edition->config, i);
        if (rc_str_eq(rc_str_slice(scope, 0, space), rc_str_c(b.kind)) &&
            rc_str_eq(rc_str_slice(scope, space + 1, scope.len), b.name))
            return edition->rows[i];
    }
    return RC_SPEND_NO_ROW;
}

void rc_purse_scope(const rc_purse_edition *edition, uint32_t row, rc_buf *buf)
{
    for (size_t i = 0; i < budget_count(edition->config); i++) {
        if (edition->rows[i] != row || row == RC_SPEND_NO_ROW)
            continue;
        budget b = budget_at(edition->config, i);
        rc_buf_push(buf, rc_str_c(b.kind));
        rc_buf_push_byte(buf, ' ');
        rc_buf_push(buf, b.name);
        return;
    }
}
