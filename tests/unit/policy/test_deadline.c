/* Tests of deadlines: the limit that ends a call first, and whether an attempt had enough time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/policy.h>

#include "policy/deadline.h"

static const rc_deadline_limits calm = {
    .received_ms = 1000,
    .called_ms = 1200,
    .route_ms = 60000,
    .route_policy_ms = RC_UNLIMITED,
    .policy_ms = RC_UNLIMITED,
    .is_called = true,
};

static void expect(const rc_deadline_limits *limits, rc_connection_fault fault, uint64_t at_ms)
{
    const rc_deadline deadline = rc_deadline_of(limits);
    assert_int_equal(deadline.fault, fault);
    assert_int_equal(deadline.at_ms, at_ms);
}

static void without_other_limits_the_deadline_of_the_route_applies(void **state)
{
    (void)state;
    expect(&calm, RC_CONNECTION_DEADLINE_ROUTE, 61200);
    assert_int_equal(rc_deadline_of_client(&calm), RC_UNLIMITED);
}

static void
the_deadline_of_the_client_counts_from_the_first_byte_and_replaces_the_routes(void **state)
{
    rc_deadline_limits limits = calm;
    (void)state;
    limits.client_ms = 500;
    expect(&limits, RC_CONNECTION_DEADLINE_CLIENT, 1500);
    limits.client_ms = 90000; /* the client's deadline is longer than the route's; the caller has
                                 limited it already */
    expect(&limits, RC_CONNECTION_DEADLINE_CLIENT, 91000);
}

static void an_announced_timeout_applies_until_the_response_begins(void **state)
{
    rc_deadline_limits limits = calm;
    (void)state;
    limits.announced_ms = 10000;
    expect(&limits, RC_CONNECTION_ANNOUNCED_TIMEOUT, 11200);
    limits.announced_by = RC_ANNOUNCED_READ_TIMEOUT;
    expect(&limits, RC_CONNECTION_ANNOUNCED_READ_TIMEOUT, 11200);
    limits.announced_by = RC_ANNOUNCED_SERVER_TIMEOUT;
    expect(&limits, RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT, 11200);
    limits.is_committed = true;
    expect(&limits, RC_CONNECTION_DEADLINE_ROUTE, 61200);
}

static void the_budget_of_either_policy_can_end_the_call_first(void **state)
{
    rc_deadline_limits limits = calm;
    (void)state;
    limits.policy_ms = 7000;
    expect(&limits, RC_CONNECTION_DEADLINE_POLICY, 8200);
    limits.route_policy_ms = 3000; /* the limit of the route's policy applies although the client
                                      chose another policy */
    expect(&limits, RC_CONNECTION_DEADLINE_POLICY, 4200);
}

static void a_limit_beyond_the_range_of_the_clock_is_ignored(void **state)
{
    rc_deadline_limits limits = calm;
    (void)state;
    limits.called_ms = RC_UNLIMITED - 100;
    limits.route_ms = 50;
    limits.policy_ms = RC_UNLIMITED - 1;
    expect(&limits, RC_CONNECTION_DEADLINE_ROUTE, RC_UNLIMITED - 50);
}

static void while_the_body_arrives_only_the_clients_deadline_applies(void **state)
{
    rc_deadline_limits limits = calm;
    (void)state;
    limits.is_called = false;
    expect(&limits, RC_CONNECTION_DEADLINE_BODY, RC_UNLIMITED);
    limits.client_ms = 700;
    expect(&limits, RC_CONNECTION_DEADLINE_BODY, 1700);
}

static void a_short_client_deadline_does_not_count_against_the_target(void **state)
{
    rc_deadline_limits limits = calm;
    (void)state;
    limits.client_ms = 500;
    assert_false(rc_deadline_was_fair(&limits, 499));
    assert_true(rc_deadline_was_fair(&limits, 10000)); /* a long time without a response counts,
                                                          whoever set the deadline */
    limits.client_ms = 0;
    limits.policy_ms = 4000; /* with a limit that the operator set, half of it is sufficient */
    assert_false(rc_deadline_was_fair(&limits, 1999));
    assert_true(rc_deadline_was_fair(&limits, 2000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_other_limits_the_deadline_of_the_route_applies),
        cmocka_unit_test(
            the_deadline_of_the_client_counts_from_the_first_byte_and_replaces_the_routes),
        cmocka_unit_test(an_announced_timeout_applies_until_the_response_begins),
        cmocka_unit_test(the_budget_of_either_policy_can_end_the_call_first),
        cmocka_unit_test(a_limit_beyond_the_range_of_the_clock_is_ignored),
        cmocka_unit_test(while_the_body_arrives_only_the_clients_deadline_applies),
        cmocka_unit_test(a_short_client_deadline_does_not_count_against_the_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
