/* A table of budgets at noon of a day, and short words for what is done with it. */
#ifndef TESTS_SUPPORT_SPEND_WORLD_H
#define TESTS_SUPPORT_SPEND_WORLD_H

#include "codec/datetime.h"
#include "core/spend.h"

#define ROWS 8

static rc_spend_row rows[ROWS];
static rc_spend spend;
static rc_spend_told told;

static inline int64_t at(const char *text)
{
    int64_t unix_ms = 0;
    assert_int_equal(rc_rfc3339_parse(rc_str_c(text), &unix_ms), RC_OK);
    return unix_ms;
}

#define NOON "2026-11-16T12:00:00Z"

static inline void start(void)
{
    rc_spend_init(&spend, rows, ROWS);
}

static inline void define(uint32_t row, uint64_t limit, rc_spend_per per, rc_spend_exceed on_exceed)
{
    rc_spend_rule rule = {.limit = limit, .per = per, .on_exceed = on_exceed};
    rc_spend_define(&spend, row, &rule, at(NOON));
}

static inline rc_spend_answer reserve_at(const uint32_t *list, uint32_t count, uint64_t amount,
                                         const char *when, rc_spend_hold *hold)
{
    rc_spend_answer answer = rc_spend_reserve(&spend, list, count, amount, at(when), hold, &told);
    assert_true(rc_spend_validate(&spend));
    return answer;
}

static inline rc_spend_answer reserve(uint32_t row, uint64_t amount, rc_spend_hold *hold)
{
    return reserve_at(&row, 1, amount, NOON, hold);
}

static inline bool settle(rc_spend_hold *hold, uint64_t cost)
{
    bool is_awaited = rc_spend_settle(&spend, hold, cost, &told);
    assert_true(rc_spend_validate(&spend));
    return is_awaited;
}

/* A try that is granted and costs what was foreseen. */
static inline void spend_it(uint32_t row, uint64_t amount)
{
    rc_spend_hold hold;
    assert_int_equal(reserve(row, amount, &hold).verdict, RC_SPEND_GRANTED);
    settle(&hold, amount);
}

static inline rc_spend_state look_at(uint32_t row, const char *when)
{
    rc_spend_state state;
    assert_true(rc_spend_look(&spend, row, at(when), &state));
    return state;
}

#endif
