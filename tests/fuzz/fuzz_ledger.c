/* Budgets under any order of attempts, times, limits and restarts, compared with a model that
 * stores every attempt: the reserved amount is the sum of the attempts in flight, the spent amount
 * is the sum of the settled attempts in the window, and every refusal is correct.
 *
 *   steps of four bytes: kind, budgets and attempt, amount, time */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "policy/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BUDGETS 4u
#define ATTEMPTS 8u
#define STEP_BYTES 4

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

typedef struct model {
    rc_ledger ledger;
    rc_ledger_budget budgets[BUDGETS];
    rc_ledger_reservation reservations[ATTEMPTS];
    uint64_t held[BUDGETS];
    uint64_t spent[BUDGETS]; /* amount that was settled in the current window of each budget */
    int64_t now_unix_ms;
} model;

/* If the budget has entered a new window, no amount is spent in it. */
static void follow(model *w, uint32_t budget, int32_t before)
{
    if (w->budgets[budget].window > before)
        w->spent[budget] = 0;
}

static void check_budgets(model *w)
{
    check(rc_ledger_validate(&w->ledger));
    for (uint32_t i = 0; i < BUDGETS; i++) {
        check(w->budgets[i].held == w->held[i]);
        if (w->budgets[i].is_in_force)
            check(w->budgets[i].spent == w->spent[i]);
    }
}

static void check_notices(const rc_ledger_notices *notices)
{
    check(notices->count <= RC_LEDGER_NOTICES_MAX);
    for (uint32_t i = 0; i < notices->count; i++)
        check(notices->list[i].budget < BUDGETS && notices->list[i].limit > 0);
}

static uint64_t limit_of(const rc_ledger_budget *budget)
{
    return budget->rule.limit > 0 ? budget->rule.limit + budget->raised : UINT64_MAX;
}

/* Returns whether every budget that may refuse the attempt has enough left for the amount. */
static bool has_room(const model *w, const uint32_t *budgets, uint64_t amount)
{
    for (uint32_t i = 0; i < 2; i++) {
        const rc_ledger_budget *budget = budgets[i] < BUDGETS ? &w->budgets[budgets[i]] : NULL;
        if (budget && budget->is_in_force && budget->rule.on_exceed != RC_LEDGER_WARN &&
            budget->spent + budget->held + amount > limit_of(budget))
            return false;
    }
    return true;
}

static void reserve(model *w, const uint8_t *step)
{
    rc_ledger_reservation *reservation = &w->reservations[step[1] % ATTEMPTS];
    /* the two budgets differ, because a budget that is named twice would reserve the amount
     * twice */
    uint32_t first = step[1] / 8u % 5u;
    uint32_t budgets[] = {first, (first + 1 + step[1] / 64u) % 5u};
    int32_t before[BUDGETS];
    if (reservation->count > 0)
        return;
    for (uint32_t i = 0; i < BUDGETS; i++)
        before[i] = w->budgets[i].window;
    rc_ledger_notices notices;
    rc_ledger_decision decision =
        rc_ledger_reserve(&w->ledger, budgets, 2, step[2], w->now_unix_ms, reservation, &notices);
    check_notices(&notices);
    for (uint32_t i = 0; i < BUDGETS; i++)
        follow(w, i, before[i]);
    for (uint32_t i = 0; i < reservation->count; i++)
        w->held[reservation->budgets[i]] += step[2];
    bool is_granted = decision.verdict == RC_LEDGER_GRANTED;
    check(is_granted == (decision.reason == RC_WHY_NONE));
    check(is_granted == (decision.budget == RC_LEDGER_NO_BUDGET));
    check(is_granted || reservation->count == 0);
    if (!is_granted) {
        check(!has_room(w, budgets, step[2]));
        check(decision.spent + decision.held + decision.requested > decision.limit);
        check(decision.verdict == RC_LEDGER_REFUSED || decision.requested <= decision.limit);
    }
}

static void settle(model *w, const uint8_t *step)
{
    rc_ledger_reservation *reservation = &w->reservations[step[1] % ATTEMPTS];
    rc_ledger_notices notices;
    uint64_t cost = step[0] & 1 ? step[2] : 0;
    for (uint32_t i = 0; i < reservation->count; i++) {
        uint32_t budget = reservation->budgets[i];
        w->held[budget] -= reservation->amount;
        if (w->budgets[budget].window == reservation->windows[i])
            w->spent[budget] += cost;
    }
    if (step[0] & 1) {
        rc_ledger_settle(&w->ledger, reservation, cost, &notices);
        check_notices(&notices);
    } else {
        rc_ledger_release(&w->ledger, reservation);
    }
    check(reservation->count == 0);
}

static void define(model *w, const uint8_t *step)
{
    uint32_t budget = step[1] % BUDGETS;
    rc_ledger_budget before = w->budgets[budget];
    rc_ledger_rule rule = {.limit = step[2] * 4u,
                           .period = (rc_ledger_period)(step[1] / 4u % 3u),
                           .on_exceed = (rc_ledger_exceed_action)(step[1] / 12u % 3u)};
    bool is_over = step[1] >= 250;
    rc_ledger_define(&w->ledger, budget, is_over ? NULL : &rule, w->now_unix_ms);
    if (!is_over && (!before.is_in_force || before.rule.period != rule.period))
        w->spent[budget] = 0;
    else if (!is_over)
        follow(w, budget, before.window);
}

static void step_on(model *w, const uint8_t *step)
{
    uint32_t budget = step[1] % BUDGETS;
    int32_t before = w->budgets[budget].window;
    rc_ledger_state state;
    switch (step[0] % 8u) {
    case 0:
    case 1:
    case 2:
        reserve(w, step);
        break;
    case 3:
    case 4:
    case 5:
        settle(w, step);
        break;
    case 6:
        define(w, step);
        break;
    default:
        rc_ledger_raise(&w->ledger, budget, step[2], w->now_unix_ms);
        follow(w, budget, before);
        if (rc_ledger_get_state(&w->ledger, budget, w->now_unix_ms, &state))
            check(state.rule.period == RC_LEDGER_TOTAL ? state.renews_unix_ms == 0
                                                       : state.renews_unix_ms > 0);
        break;
    }
    check_budgets(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t hour = 3600000;
    model w = {.now_unix_ms = INT64_C(1794830400000)};
    rc_ledger_init(&w.ledger, w.budgets, BUDGETS);
    for (size_t at = 0; at + STEP_BYTES <= size; at += STEP_BYTES) {
        int64_t late = data[at + 3];
        /* the time mostly advances; sometimes it goes back by hours or months */
        if (late >= 250)
            w.now_unix_ms -= (late - 249) * (late & 1 ? 700 : 1) * hour;
        else
            w.now_unix_ms += late / 4 * hour;
        step_on(&w, data + at);
    }
    return 0;
}
