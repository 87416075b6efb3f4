/* A ledger of money budgets whose time is noon of a day, and short functions for its operations. */
#ifndef TESTS_SUPPORT_SPEND_WORLD_H
#define TESTS_SUPPORT_SPEND_WORLD_H

#include "codec/datetime.h"
#include "policy/ledger.h"

#define BUDGETS 8

static rc_ledger_budget budgets[BUDGETS];
static rc_ledger ledger;
static rc_ledger_notices notices;

static inline int64_t at(const char *text)
{
    int64_t unix_ms = 0;
    assert_int_equal(rc_rfc3339_parse(rc_str_c(text), &unix_ms), RC_OK);
    return unix_ms;
}

#define NOON "2026-11-16T12:00:00Z"

static inline void start(void)
{
    rc_ledger_init(&ledger, budgets, BUDGETS);
}

static inline void define(uint32_t budget, uint64_t limit, rc_ledger_period period,
                          rc_ledger_exceed_action on_exceed)
{
    rc_ledger_rule rule = {.limit = limit, .period = period, .on_exceed = on_exceed};
    rc_ledger_define(&ledger, budget, &rule, at(NOON));
}

static inline rc_ledger_decision reserve_at(const uint32_t *list, uint32_t count, uint64_t amount,
                                            const char *when, rc_ledger_reservation *reservation)
{
    rc_ledger_decision decision =
        rc_ledger_reserve(&ledger, list, count, amount, at(when), reservation, &notices);
    assert_true(rc_ledger_validate(&ledger));
    return decision;
}

static inline rc_ledger_decision reserve(uint32_t budget, uint64_t amount,
                                         rc_ledger_reservation *reservation)
{
    return reserve_at(&budget, 1, amount, NOON, reservation);
}

static inline bool settle(rc_ledger_reservation *reservation, uint64_t cost)
{
    bool has_waiters = rc_ledger_settle(&ledger, reservation, cost, &notices);
    assert_true(rc_ledger_validate(&ledger));
    return has_waiters;
}

/* Reserves an amount, which must be granted, and settles the same amount. */
static inline void reserve_and_settle(uint32_t budget, uint64_t amount)
{
    rc_ledger_reservation reservation;
    assert_int_equal(reserve(budget, amount, &reservation).verdict, RC_LEDGER_GRANTED);
    settle(&reservation, amount);
}

static inline rc_ledger_state state_at(uint32_t budget, const char *when)
{
    rc_ledger_state state;
    assert_true(rc_ledger_get_state(&ledger, budget, at(when), &state));
    return state;
}

#endif
