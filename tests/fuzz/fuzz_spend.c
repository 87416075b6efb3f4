/* Budgets of money under any order of tries, times, limits and restarts, beside a model that knows
 * every try: what is held is the sum of what tries in flight hold, what is spent is the sum of what
 * was settled in the window, and a limit that says no was right to.
 *
 *   steps of four bytes: what, which budgets and try, how much, how late */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/spend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROWS 4u
#define TRIES 8u
#define STEP_BYTES 4

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

typedef struct world {
    rc_spend spend;
    rc_spend_row rows[ROWS];
    rc_spend_hold holds[TRIES];
    uint64_t held[ROWS];
    uint64_t spent[ROWS]; /* in the window that the row is in */
    int64_t now_unix_ms;
} world;

/* When the row moved on, nothing is spent in its window. */
static void follow(world *w, uint32_t row, int32_t before)
{
    if (w->rows[row].window > before)
        w->spent[row] = 0;
}

static void check_rows(world *w)
{
    check(rc_spend_validate(&w->spend));
    for (uint32_t i = 0; i < ROWS; i++) {
        check(w->rows[i].held == w->held[i]);
        if (w->rows[i].is_in_force)
            check(w->rows[i].spent == w->spent[i]);
    }
}

static void check_told(const rc_spend_told *told)
{
    check(told->count <= RC_SPEND_NEWS_MAX);
    for (uint32_t i = 0; i < told->count; i++)
        check(told->list[i].row < ROWS && told->list[i].limit > 0);
}

static uint64_t limit_of(const rc_spend_row *row)
{
    return row->rule.limit > 0 ? row->rule.limit + row->raised : UINT64_MAX;
}

/* Every budget that may say no has room for the amount. */
static bool has_room(const world *w, const uint32_t *rows, uint64_t amount)
{
    for (uint32_t i = 0; i < 2; i++) {
        const rc_spend_row *row = rows[i] < ROWS ? &w->rows[rows[i]] : NULL;
        if (row && row->is_in_force && row->rule.on_exceed != RC_SPEND_WARN &&
            row->spent + row->held + amount > limit_of(row))
            return false;
    }
    return true;
}

static void reserve(world *w, const uint8_t *step)
{
    rc_spend_hold *hold = &w->holds[step[1] % TRIES];
    /* a budget that is named twice would hold twice: whoever names them does not */
    uint32_t first = step[1] / 8u % 5u;
    uint32_t rows[] = {first, (first + 1 + step[1] / 64u) % 5u};
    int32_t before[ROWS];
    if (hold->count > 0)
        return;
    for (uint32_t i = 0; i < ROWS; i++)
        before[i] = w->rows[i].window;
    rc_spend_told told;
    rc_spend_answer answer =
        rc_spend_reserve(&w->spend, rows, 2, step[2], w->now_unix_ms, hold, &told);
    check_told(&told);
    for (uint32_t i = 0; i < ROWS; i++)
        follow(w, i, before[i]);
    for (uint32_t i = 0; i < hold->count; i++)
        w->held[hold->rows[i]] += step[2];
    bool is_granted = answer.verdict == RC_SPEND_GRANTED;
    check(is_granted == (answer.reason == RC_WHY_NONE));
    check(is_granted == (answer.row == RC_SPEND_NO_ROW));
    check(is_granted || hold->count == 0);
    if (!is_granted) {
        check(!has_room(w, rows, step[2]));
        check(answer.spent + answer.held + answer.asked > answer.limit);
        check(answer.verdict == RC_SPEND_REFUSED || answer.asked <= answer.limit);
    }
}

static void settle(world *w, const uint8_t *step)
{
    rc_spend_hold *hold = &w->holds[step[1] % TRIES];
    rc_spend_told told;
    uint64_t cost = step[0] & 1 ? step[2] : 0;
    for (uint32_t i = 0; i < hold->count; i++) {
        uint32_t row = hold->rows[i];
        w->held[row] -= hold->amount;
        if (w->rows[row].window == hold->windows[i])
            w->spent[row] += cost;
    }
    if (step[0] & 1) {
        rc_spend_settle(&w->spend, hold, cost, &told);
        check_told(&told);
    } else {
        rc_spend_release(&w->spend, hold);
    }
    check(hold->count == 0);
}

static void define(world *w, const uint8_t *step)
{
    uint32_t row = step[1] % ROWS;
    rc_spend_row before = w->rows[row];
    rc_spend_rule rule = {.limit = step[2] * 4u,
                          .per = (rc_spend_per)(step[1] / 4u % 3u),
                          .on_exceed = (rc_spend_exceed)(step[1] / 12u % 3u)};
    bool is_over = step[1] >= 250;
    rc_spend_define(&w->spend, row, is_over ? NULL : &rule, w->now_unix_ms);
    if (!is_over && (!before.is_in_force || before.rule.per != rule.per))
        w->spent[row] = 0;
    else if (!is_over)
        follow(w, row, before.window);
}

static void step_on(world *w, const uint8_t *step)
{
    uint32_t row = step[1] % ROWS;
    int32_t before = w->rows[row].window;
    rc_spend_state seen;
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
        rc_spend_raise(&w->spend, row, step[2], w->now_unix_ms);
        follow(w, row, before);
        if (rc_spend_look(&w->spend, row, w->now_unix_ms, &seen))
            check(seen.rule.per == RC_SPEND_TOTAL ? seen.renews_unix_ms == 0
                                                  : seen.renews_unix_ms > 0);
        break;
    }
    check_rows(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t hour = 3600000;
    world w = {.now_unix_ms = INT64_C(1794830400000)};
    rc_spend_init(&w.spend, w.rows, ROWS);
    for (size_t at = 0; at + STEP_BYTES <= size; at += STEP_BYTES) {
        int64_t late = data[at + 3];
        /* mostly onwards; now and then back, by hours or by months */
        if (late >= 250)
            w.now_unix_ms -= (late - 249) * (late & 1 ? 700 : 1) * hour;
        else
            w.now_unix_ms += late / 4 * hour;
        step_on(&w, data + at);
    }
    return 0;
}
