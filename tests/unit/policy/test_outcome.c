/* Tests of outcomes that no provider reported: every row can be shown to a client, and the codes
 * that depend on the stage at which a call ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "policy/outcome.h"

static void every_row_has_a_known_code_and_a_whole_sentence(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RC_LOCAL_OUTCOME_COUNT; i++) {
        const rc_local_outcome_row *row = rc_local_outcome_get((rc_local_outcome)i);
        assert_non_null(rc_code_get(row->code));
        assert_true(row->status == 0 || (row->status >= 400 && row->status <= 599));
        assert_true(row->message.len == 0 || rc_str_ends_with(row->message, RC_STR(".")));
    }
}

static void a_call_that_stops_before_its_first_attempt_has_the_code_of_its_reason(void **state)
{
    static const struct {
        rc_reason reason;
        uint32_t missing;
        rc_code code;
    } cases[] = {
        {RC_WHY_NONE_CAPABLE, RC_NEED_STREAMING | RC_NEED_VISION, RC_CODE_MISSING_STREAMING},
        {RC_WHY_NONE_CAPABLE, RC_NEED_TOOLS, RC_CODE_MISSING_TOOL_CALLING},
        {RC_WHY_NONE_CAPABLE, RC_NEED_VISION, RC_CODE_MISSING_VISION},
        {RC_WHY_NONE_CAPABLE, RC_NEED_STRUCTURED_OUTPUT, RC_CODE_MISSING_STRUCTURED_OUTPUT},
        {RC_WHY_NONE_CAPABLE, 0, RC_CODE_UNSUPPORTED_FEATURE},
        {RC_WHY_DEADLINE_PASSED, 0, RC_CODE_DEADLINE_EXCEEDED},
        {RC_WHY_ALL_UNAVAILABLE, 0, RC_CODE_QUOTA_EXHAUSTED},
        {RC_WHY_CREDENTIALS_DEAD, 0, RC_CODE_QUOTA_EXHAUSTED},
        {RC_WHY_CANCELLED, 0, RC_CODE_OVERLOADED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rc_action action = {.reason = cases[i].reason, .missing = cases[i].missing};
        const rc_stopped_call call = {.action = &action, .unavailable = {.used_up = 1}};
        assert_int_equal(rc_outcome_of_stop(&call), cases[i].code);
    }
}

static void a_call_that_was_attempted_has_the_code_of_its_cause_or_of_the_deadline(void **state)
{
    const rc_action action = {.reason = RC_WHY_NOT_RETRYABLE};
    rc_stopped_call call = {.action = &action, .is_attempted = true};
    (void)state;
    assert_int_equal(rc_outcome_of_stop(&call), RC_CODE_NONE);
    call.is_late = true;
    assert_int_equal(rc_outcome_of_stop(&call), RC_CODE_DEADLINE_EXCEEDED);
}

static void a_route_without_the_endpoint_s_interface_lacks_a_feature(void **state)
{
    const rc_action action = {.reason = RC_WHY_NONE_CAPABLE, .missing = RC_NEED_VISION};
    const rc_stopped_call call = {.action = &action, .is_other_interface = true};
    (void)state;
    assert_int_equal(rc_outcome_of_stop(&call), RC_CODE_UNSUPPORTED_FEATURE);
}

static void the_target_that_opens_first_names_the_code_unless_an_operator_is_needed(void **state)
{
    static const struct {
        rc_unavailable_causes causes;
        bool needs_operator;
        rc_code code;
    } cases[] = {
        {{.used_up = 2, .refused = 1}, true, RC_CODE_QUOTA_EXHAUSTED},
        {{.refused = 1}, true, RC_CODE_AUTH_FAILED},
        {{.used_up = 1, .other = 1, .first = RC_CODE_PROVIDER_5XX}, false, RC_CODE_PROVIDER_5XX},
        {{.refused = 1, .other = 1}, false, RC_CODE_OVERLOADED},
        {{.first = RC_CODE_RATE_LIMITED}, false, RC_CODE_RATE_LIMITED},
        {{0}, false, RC_CODE_OVERLOADED},
    };
    const rc_action action = {.reason = RC_WHY_ALL_UNAVAILABLE};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rc_stopped_call call = {.action = &action, .unavailable = cases[i].causes};
        assert_int_equal(rc_outcome_needs_operator(&cases[i].causes), cases[i].needs_operator);
        assert_int_equal(rc_outcome_of_stop(&call), cases[i].code);
    }
}

static void the_keys_that_are_usable_soonest_name_the_code_of_their_target(void **state)
{
    uint32_t counts[RC_CREDENTIAL_DEAD + 1] = {[RC_CREDENTIAL_DEAD] = 1};
    (void)state;
    assert_int_equal(rc_outcome_of_keys(counts), RC_CODE_AUTH_FAILED);
    counts[RC_CREDENTIAL_EXHAUSTED] = 1;
    assert_int_equal(rc_outcome_of_keys(counts), RC_CODE_QUOTA_EXHAUSTED);
    counts[RC_CREDENTIAL_COOLING] = 1;
    assert_int_equal(rc_outcome_of_keys(counts), RC_CODE_RATE_LIMITED);
}

static void a_request_that_times_out_may_be_sent_again(void **state)
{
    static const struct {
        int status;
        rc_code code;
    } cases[] = {{400, RC_CODE_INVALID_REQUEST},   {408, RC_CODE_NETWORK_TIMEOUT},
                 {413, RC_CODE_REQUEST_TOO_LARGE}, {414, RC_CODE_REQUEST_TOO_LARGE},
                 {431, RC_CODE_REQUEST_TOO_LARGE}, {505, RC_CODE_INVALID_REQUEST}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(rc_local_outcome_get(rc_outcome_of_refusal(cases[i].status))->code,
                         cases[i].code);
}

static void a_complete_response_of_an_unsafe_request_leaves_its_outcome_unknown(void **state)
{
    (void)state;
    assert_int_equal(rc_outcome_of_response(RC_CODE_CONTENT_FILTER, true), RC_CODE_CONTENT_FILTER);
    assert_int_equal(rc_outcome_of_response(RC_CODE_CONTENT_FILTER, false),
                     RC_CODE_OUTCOME_UNKNOWN);
}

static void a_retryable_failure_of_an_unsafe_request_leaves_its_outcome_unknown(void **state)
{
    (void)state;
    assert_int_equal(rc_outcome_of_attempt(RC_CODE_OVERLOADED, true), RC_CODE_OUTCOME_UNKNOWN);
    assert_int_equal(rc_outcome_of_attempt(RC_CODE_OVERLOADED, false), RC_CODE_OVERLOADED);
    assert_int_equal(rc_outcome_of_attempt(RC_CODE_INTERNAL, true), RC_CODE_INTERNAL);
}

static void an_unusable_success_is_malformed_or_unknown(void **state)
{
    rc_local_outcome outcome = RC_LOCAL_OUTCOME_COUNT;
    (void)state;
    assert_true(rc_outcome_of_unusable(RC_CODE_UNCLASSIFIED, true, &outcome));
    assert_int_equal(outcome, RC_LOCAL_UNREADABLE);
    assert_true(rc_outcome_of_unusable(RC_CODE_UNCLASSIFIED, false, &outcome));
    assert_int_equal(outcome, RC_LOCAL_UNREADABLE_AND_DONE);
    assert_true(rc_outcome_of_unusable(RC_CODE_MALFORMED_RESPONSE, false, &outcome));
    assert_int_equal(outcome, RC_LOCAL_UNREADABLE_AND_DONE);
    /* If the response names a failure, this failure is reported. */
    assert_false(rc_outcome_of_unusable(RC_CODE_MALFORMED_RESPONSE, true, &outcome));
    assert_false(rc_outcome_of_unusable(RC_CODE_QUOTA_EXHAUSTED, false, &outcome));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_known_code_and_a_whole_sentence),
        cmocka_unit_test(a_call_that_stops_before_its_first_attempt_has_the_code_of_its_reason),
        cmocka_unit_test(a_call_that_was_attempted_has_the_code_of_its_cause_or_of_the_deadline),
        cmocka_unit_test(a_route_without_the_endpoint_s_interface_lacks_a_feature),
        cmocka_unit_test(the_target_that_opens_first_names_the_code_unless_an_operator_is_needed),
        cmocka_unit_test(the_keys_that_are_usable_soonest_name_the_code_of_their_target),
        cmocka_unit_test(a_request_that_times_out_may_be_sent_again),
        cmocka_unit_test(a_complete_response_of_an_unsafe_request_leaves_its_outcome_unknown),
        cmocka_unit_test(a_retryable_failure_of_an_unsafe_request_leaves_its_outcome_unknown),
        cmocka_unit_test(an_unusable_success_is_malformed_or_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
