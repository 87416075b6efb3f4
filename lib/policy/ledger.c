/* Ledger of money budgets: reserves the estimated cost of an attempt and settles the actual one.
 * Called by the gateway's budgets.c. */
#include "policy/ledger.h"

#include "base/str.h"
#include "codec/datetime.h"

#define DAY_MS INT64_C(86400000)

static void take_lock(const rc_ledger *ledger)
{
    if (ledger->lock)
        ledger->lock(ledger->lock_ctx);
}

static void give_lock(const rc_ledger *ledger)
{
    if (ledger->unlock)
        ledger->unlock(ledger->lock_ctx);
}

static rc_ledger_budget *budget_of(const rc_ledger *ledger, uint32_t budget)
{
    bool is_there = budget < ledger->budget_count && ledger->budgets[budget].is_in_force;
    return is_there ? &ledger->budgets[budget] : NULL;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    if (a > RC_LEDGER_AMOUNT_MAX)
        a = RC_LEDGER_AMOUNT_MAX;
    return b > RC_LEDGER_AMOUNT_MAX - a ? RC_LEDGER_AMOUNT_MAX : a + b;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* --- windows --- */

static int64_t clamp_time(int64_t unix_ms)
{
    if (unix_ms < 0)
        return 0;
    return unix_ms < RC_DATETIME_MAX_MS ? unix_ms : RC_DATETIME_MAX_MS;
}

int64_t rc_ledger_day(int64_t unix_ms)
{
    return clamp_time(unix_ms) / DAY_MS;
}

static int32_t month_of(int64_t unix_ms)
{
    rc_civil civil = rc_civil_from_unix_ms(clamp_time(unix_ms));
    return (civil.year - 1970) * 12 + civil.month - 1;
}

static int32_t window_of(rc_ledger_period period, int64_t unix_ms)
{
    switch (period) {
    case RC_LEDGER_DAY:
        return (int32_t)rc_ledger_day(unix_ms);
    case RC_LEDGER_MONTH:
        return month_of(unix_ms);
    case RC_LEDGER_TOTAL:
        break;
    }
    return 0;
}

/* Returns the first millisecond of a window. */
static int64_t start_of(rc_ledger_period period, int32_t window)
{
    if (period == RC_LEDGER_DAY)
        return window * DAY_MS;
    rc_civil civil = {.year = 1970 + window / 12, .month = 1 + window % 12, .day = 1};
    int64_t unix_ms;
    return rc_civil_to_unix_ms(&civil, &unix_ms) == RC_OK ? unix_ms : RC_DATETIME_MAX_MS;
}

int64_t rc_ledger_window_end(rc_ledger_period period, int64_t now_unix_ms)
{
    return period == RC_LEDGER_TOTAL ? 0 : start_of(period, window_of(period, now_unix_ms) + 1);
}

/* Moves the budget to the window of the given time. A time in the previous window changes nothing,
 * because the clock may have been set back by a second across midnight. */
static void renew(rc_ledger_budget *budget, int64_t now_unix_ms)
{
    int32_t window = window_of(budget->rule.period, now_unix_ms);
    if (window > budget->window) {
        budget->spent = 0;
        budget->unpriced = 0;
        budget->raised = 0;
        budget->notices = 0;
        budget->is_refusing = false;
    } else if (budget->window - window <= 1) {
        return;
    }
    budget->window = window;
}

static uint64_t limit_of(const rc_ledger_budget *budget)
{
    return budget->rule.limit > 0 ? add(budget->rule.limit, budget->raised) : 0;
}

/* --- notices --- */

static void add_notice(rc_ledger_budget *budget, uint32_t number, rc_ledger_notice_kind kind,
                       rc_ledger_notices *notices)
{
    if (budget->notices & (unsigned)kind)
        return;
    budget->notices |= (uint8_t)kind;
    if (notices && notices->count < RC_LEDGER_NOTICES_MAX)
        notices->list[notices->count++] = (rc_ledger_notice){
            .budget = number, .kind = kind, .spent = budget->spent, .limit = limit_of(budget)};
}

static bool has_spent(const rc_ledger_budget *budget, unsigned percent)
{
    uint64_t limit = limit_of(budget);
    /* Rounded up: otherwise 80 per cent of a limit of one millionth would be 0, and the notice
     * would come before anything is spent. */
    uint64_t part = limit / 100 * percent + (limit % 100 * percent + 99) / 100;
    return limit > 0 && budget->spent >= part;
}

static void add_spent_notices(rc_ledger_budget *budget, uint32_t number, rc_ledger_notices *notices)
{
    if (has_spent(budget, 80))
        add_notice(budget, number, RC_LEDGER_NEARLY_SPENT, notices);
    if (has_spent(budget, 100))
        add_notice(budget, number, RC_LEDGER_USED_UP, notices);
}

/* Called after the limit has changed: clears the notices whose condition no longer holds, so that
 * they can be published again. */
static void clear_notices(rc_ledger_budget *budget)
{
    if (!has_spent(budget, 80))
        budget->notices &= (uint8_t)~RC_LEDGER_NEARLY_SPENT;
    if (!has_spent(budget, 100))
        budget->notices &= (uint8_t) ~(RC_LEDGER_USED_UP | RC_LEDGER_PAUSED);
}

void rc_ledger_notice_event(const rc_ledger_notice *notice, rc_str scope, rc_event *ret_event)
{
    if (notice->kind == RC_LEDGER_PAUSED) {
        ret_event->type = RC_EVENT_TYPE_BUDGET_PAUSED;
        ret_event->as.budget_paused = (rc_event_budget_paused){
            .scope = scope, .spent_micro_usd = notice->spent, .limit_micro_usd = notice->limit};
        return;
    }
    ret_event->type = RC_EVENT_TYPE_BUDGET_WARNING;
    ret_event->as.budget_warning = (rc_event_budget_warning){
        .scope = scope, .spent_micro_usd = notice->spent, .limit_micro_usd = notice->limit};
}

/* --- budgets --- */

void rc_ledger_init(rc_ledger *ledger, rc_ledger_budget *budgets, uint32_t budget_count)
{
    *ledger = (rc_ledger){.budgets = budgets, .budget_count = budget_count};
    for (uint32_t i = 0; i < budget_count; i++)
        budgets[i] = (rc_ledger_budget){.is_in_force = false};
}

void rc_ledger_grow(rc_ledger *ledger, rc_ledger_budget *budgets, uint32_t budget_count)
{
    take_lock(ledger);
    for (uint32_t i = 0; i < budget_count; i++)
        budgets[i] = i < ledger->budget_count ? ledger->budgets[i]
                                              : (rc_ledger_budget){.is_in_force = false};
    ledger->budgets = budgets;
    ledger->budget_count = budget_count;
    give_lock(ledger);
}

void rc_ledger_set_lock(rc_ledger *ledger, void *ctx, void (*lock)(void *), void (*unlock)(void *))
{
    ledger->lock_ctx = ctx;
    ledger->lock = lock;
    ledger->unlock = unlock;
}

/* Returns whether paused attempts wait for this budget and money is available again. Clears
 * has_waiters, so that the first call returns true and the next one returns false. */
static bool take_waiters(rc_ledger_budget *budget)
{
    uint64_t limit = limit_of(budget);
    bool has_room = limit == 0 || add(budget->spent, budget->held) < limit || !budget->is_in_force;
    bool has_waiters = budget->has_waiters && has_room;
    if (has_waiters)
        budget->has_waiters = false;
    return has_waiters;
}

static void set_rule(rc_ledger_budget *budget, const rc_ledger_rule *rule, int64_t now_unix_ms)
{
    bool has_same_period = budget->is_in_force && budget->rule.period == rule->period;
    budget->rule = *rule;
    budget->is_in_force = true;
    if (has_same_period) {
        renew(budget, now_unix_ms);
    } else {
        budget->window = window_of(rule->period, now_unix_ms);
        budget->spent = 0;
        budget->unpriced = 0;
        budget->raised = 0;
        budget->notices = 0;
    }
    clear_notices(budget);
}

bool rc_ledger_define(rc_ledger *ledger, uint32_t budget, const rc_ledger_rule *rule,
                      int64_t now_unix_ms)
{
    bool has_waiters = false;
    take_lock(ledger);
    if (budget < ledger->budget_count) {
        rc_ledger_budget *r = &ledger->budgets[budget];
        if (rule)
            set_rule(r, rule, now_unix_ms);
        else
            r->is_in_force = false;
        has_waiters = take_waiters(r);
    }
    give_lock(ledger);
    return has_waiters;
}

/* Returns the budget if `day` lies in its current window; NULL if it does not, or if the budget is
 * not in force. */
static rc_ledger_budget *budget_of_day(const rc_ledger *ledger, uint32_t budget, int64_t day,
                                       int64_t now_unix_ms)
{
    rc_ledger_budget *r = budget_of(ledger, budget);
    if (!r || day < 0 || day > rc_ledger_day(RC_DATETIME_MAX_MS))
        return NULL;
    renew(r, now_unix_ms);
    return window_of(r->rule.period, day * DAY_MS) == r->window ? r : NULL;
}

void rc_ledger_restore(rc_ledger *ledger, uint32_t budget, int64_t day, uint64_t amount,
                       int64_t now_unix_ms)
{
    take_lock(ledger);
    rc_ledger_budget *r = budget_of_day(ledger, budget, day, now_unix_ms);
    if (r)
        r->spent = add(r->spent, amount);
    give_lock(ledger);
}

void rc_ledger_restore_unpriced(rc_ledger *ledger, uint32_t budget, int64_t day, uint64_t attempts,
                                int64_t now_unix_ms)
{
    take_lock(ledger);
    rc_ledger_budget *r = budget_of_day(ledger, budget, day, now_unix_ms);
    if (r)
        r->unpriced = add(r->unpriced, attempts);
    give_lock(ledger);
}

bool rc_ledger_raise(rc_ledger *ledger, uint32_t budget, uint64_t more, int64_t now_unix_ms)
{
    bool has_waiters = false;
    take_lock(ledger);
    rc_ledger_budget *r = budget_of(ledger, budget);
    if (r) {
        renew(r, now_unix_ms);
        r->raised = add(r->raised, more);
        r->is_refusing = false;
        clear_notices(r);
        has_waiters = take_waiters(r);
    }
    give_lock(ledger);
    return has_waiters;
}

bool rc_ledger_get_state(const rc_ledger *ledger, uint32_t budget, int64_t now_unix_ms,
                         rc_ledger_state *ret_state)
{
    take_lock(ledger);
    rc_ledger_budget *r = budget_of(ledger, budget);
    if (r) {
        renew(r, now_unix_ms);
        *ret_state = (rc_ledger_state){
            .rule = r->rule,
            .limit = limit_of(r),
            .spent = r->spent,
            .held = r->held,
            .raised = r->raised,
            .unpriced = r->unpriced,
            .renews_unix_ms =
                r->rule.period == RC_LEDGER_TOTAL ? 0 : start_of(r->rule.period, r->window + 1),
            .has_waiters = r->has_waiters,
            .is_refusing = r->is_refusing,
        };
    }
    give_lock(ledger);
    return r != NULL;
}

/* --- attempts --- */

/* Returns why the budget cannot take the amount; RC_WHY_NONE if the budget can take it, or has no
 * limit. */
static rc_reason refusal_reason(const rc_ledger_budget *budget, uint64_t amount)
{
    uint64_t limit = limit_of(budget);
    if (limit == 0 || add(add(budget->spent, budget->held), amount) <= limit)
        return RC_WHY_NONE;
    if (amount > limit)
        return RC_WHY_BUDGET_TOO_SMALL;
    return add(budget->spent, amount) > limit ? RC_WHY_BUDGET_SPENT : RC_WHY_BUDGET_HELD;
}

/* With on_exceed PAUSE, an attempt that costs more than the whole limit is refused, because waiting
 * would never help. */
static rc_ledger_verdict verdict_of(const rc_ledger_budget *budget, rc_reason reason)
{
    if (reason == RC_WHY_NONE || budget->rule.on_exceed == RC_LEDGER_WARN)
        return RC_LEDGER_GRANTED;
    if (budget->rule.on_exceed == RC_LEDGER_PAUSE && reason != RC_WHY_BUDGET_TOO_SMALL)
        return RC_LEDGER_WAIT;
    return RC_LEDGER_REFUSED;
}

/* Merges the verdict of one budget into the decision, which reports the strictest verdict. If
 * several budgets have the strictest verdict, the decision reports the first of them and the latest
 * of their renewal times. */
static void merge_verdict(rc_ledger_decision *decision, const rc_ledger_budget *budget,
                          uint32_t number, rc_ledger_verdict verdict, rc_reason reason)
{
    int64_t renews = budget->rule.period == RC_LEDGER_TOTAL
                         ? 0
                         : start_of(budget->rule.period, budget->window + 1);
    if (verdict > decision->verdict) {
        decision->verdict = verdict;
        decision->reason = reason;
        decision->budget = number;
        decision->spent = budget->spent;
        decision->held = budget->held;
        decision->limit = limit_of(budget);
        decision->renews_unix_ms = renews;
    } else if (verdict == decision->verdict && decision->renews_unix_ms > 0) {
        bool is_later = renews == 0 || renews > decision->renews_unix_ms;
        decision->renews_unix_ms = is_later ? renews : decision->renews_unix_ms;
    }
}

/* Adds a notice for the first pause or the first refusal in the current window. */
static void note_refusal(rc_ledger_budget *budget, uint32_t number, rc_ledger_verdict verdict,
                         rc_reason reason, rc_ledger_notices *notices)
{
    if (verdict == RC_LEDGER_WAIT) {
        budget->has_waiters = true;
        add_notice(budget, number, RC_LEDGER_PAUSED, notices);
    } else if (verdict == RC_LEDGER_REFUSED && reason != RC_WHY_BUDGET_TOO_SMALL) {
        add_notice(budget, number, RC_LEDGER_USED_UP, notices);
    }
}

static void reserve_in(rc_ledger_budget *budget, uint32_t number, uint64_t amount,
                       rc_ledger_reservation *reservation)
{
    budget->held = add(budget->held, amount);
    reservation->budgets[reservation->count] = number;
    reservation->windows[reservation->count++] = budget->window;
}

static rc_ledger_decision decide(rc_ledger *ledger, const uint32_t *budgets, uint32_t count,
                                 uint64_t amount, int64_t now_unix_ms, rc_ledger_notices *notices)
{
    rc_ledger_decision decision = {
        .verdict = RC_LEDGER_GRANTED, .budget = RC_LEDGER_NO_BUDGET, .requested = amount};
    for (uint32_t i = 0; i < count; i++) {
        rc_ledger_budget *budget = budget_of(ledger, budgets[i]);
        if (!budget)
            continue;
        renew(budget, now_unix_ms);
        rc_reason reason = refusal_reason(budget, amount);
        rc_ledger_verdict verdict = verdict_of(budget, reason);
        budget->is_refusing = verdict == RC_LEDGER_REFUSED;
        if (verdict == RC_LEDGER_GRANTED)
            continue;
        merge_verdict(&decision, budget, budgets[i], verdict, reason);
        note_refusal(budget, budgets[i], verdict, reason, notices);
    }
    return decision;
}

rc_ledger_decision rc_ledger_reserve(rc_ledger *ledger, const uint32_t *budgets, uint32_t count,
                                     uint64_t amount, int64_t now_unix_ms,
                                     rc_ledger_reservation *ret_reservation,
                                     rc_ledger_notices *ret_notices)
{
    if (count > RC_LEDGER_BUDGETS_MAX)
        count = RC_LEDGER_BUDGETS_MAX;
    if (amount > RC_LEDGER_AMOUNT_MAX)
        amount = RC_LEDGER_AMOUNT_MAX;
    if (ret_notices)
        ret_notices->count = 0;
    *ret_reservation = (rc_ledger_reservation){.amount = amount};
    take_lock(ledger);
    rc_ledger_decision decision = decide(ledger, budgets, count, amount, now_unix_ms, ret_notices);
    for (uint32_t i = 0; i < count && decision.verdict == RC_LEDGER_GRANTED; i++) {
        rc_ledger_budget *budget = budget_of(ledger, budgets[i]);
        if (budget)
            reserve_in(budget, budgets[i], amount, ret_reservation);
    }
    give_lock(ledger);
    return decision;
}

void rc_ledger_note_unpriced(rc_ledger *ledger, const rc_ledger_reservation *reservation)
{
    take_lock(ledger);
    for (uint32_t i = 0; i < reservation->count && i < RC_LEDGER_BUDGETS_MAX; i++) {
        rc_ledger_budget *budget = budget_of(ledger, reservation->budgets[i]);
        if (budget && budget->window == reservation->windows[i])
            budget->unpriced = add(budget->unpriced, 1);
    }
    give_lock(ledger);
}

static bool settle(rc_ledger *ledger, rc_ledger_reservation *reservation, uint64_t cost,
                   rc_ledger_notices *notices)
{
    bool has_waiters = false;
    take_lock(ledger);
    for (uint32_t i = 0; i < reservation->count && i < RC_LEDGER_BUDGETS_MAX; i++) {
        if (reservation->budgets[i] >= ledger->budget_count)
            continue;
        rc_ledger_budget *budget = &ledger->budgets[reservation->budgets[i]];
        budget->held = subtract(budget->held, reservation->amount);
        if (budget->window == reservation->windows[i])
            budget->spent = add(budget->spent, cost);
        if (budget->is_in_force)
            add_spent_notices(budget, reservation->budgets[i], notices);
        has_waiters = take_waiters(budget) || has_waiters;
    }
    give_lock(ledger);
    *reservation = (rc_ledger_reservation){.count = 0};
    return has_waiters;
}

bool rc_ledger_settle(rc_ledger *ledger, rc_ledger_reservation *reservation, uint64_t cost,
                      rc_ledger_notices *ret_notices)
{
    if (ret_notices)
        ret_notices->count = 0;
    return settle(ledger, reservation, cost, ret_notices);
}

bool rc_ledger_release(rc_ledger *ledger, rc_ledger_reservation *reservation)
{
    return settle(ledger, reservation, 0, NULL);
}

void rc_ledger_push_scope(rc_buf *buf, rc_str scope)
{
    rc_buf_push(buf,
                rc_str_starts_with(scope, RC_STR("budget ")) ? RC_STR("") : RC_STR("budget of "));
    rc_buf_push(buf, scope);
}

void rc_ledger_push_usd(rc_buf *buf, uint64_t amount)
{
    char text[1 + 20 + 1 + 6]; /* longest amount: sign, dollars, point, millionths */
    size_t at = sizeof text;
    uint64_t part = amount % 1000000;
    uint64_t dollars = amount / 1000000;
    size_t places = 6;
    for (; places > 2 && part % 10 == 0; places--)
        part /= 10;
    for (size_t i = 0; i < places; i++, part /= 10)
        text[--at] = (char)('0' + part % 10);
    text[--at] = '.';
    do {
        text[--at] = (char)('0' + dollars % 10);
        dollars /= 10;
    } while (dollars > 0);
    text[--at] = '$';
    rc_buf_push(buf, rc_str_make(text + at, sizeof text - at));
}

bool rc_ledger_validate(const rc_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->budget_count; i++) {
        const rc_ledger_budget *budget = &ledger->budgets[i];
        if (budget->spent > RC_LEDGER_AMOUNT_MAX || budget->held > RC_LEDGER_AMOUNT_MAX ||
            budget->raised > RC_LEDGER_AMOUNT_MAX || budget->window < 0 ||
            budget->rule.period > RC_LEDGER_TOTAL || budget->rule.on_exceed > RC_LEDGER_FAIL)
            return false;
    }
    return true;
}
