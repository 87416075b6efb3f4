/* Why a connection failed, as a report: each reason has its own rule and its own words, and only
 * what may pass in seconds is tried again at the same place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/policy.h>
#include <recourse/stdlib.h>

#include "base/str.h"
#include "core/connection.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct expected {
    rc_connection_fault fault;
    rc_code code;
    const char *rule;
    const char *message;
    bool is_tried_again;
} expected;

static const expected cases[] = {
    {RC_CONNECTION_DNS_UNKNOWN, RC_CODE_CONNECTION_FAILED, "connect.dns.unknown",
     "The name of exp's host is not known.", true},
    {RC_CONNECTION_DNS_FAILED, RC_CODE_CONNECTION_FAILED, "connect.dns.failed",
     "The name of exp's host could not be looked up.", true},
    {RC_CONNECTION_DNS_TIMEOUT, RC_CODE_NETWORK_TIMEOUT, "timeout.dns",
     "The name of exp's host was not found in time.", true},
    {RC_CONNECTION_CONNECT_REFUSED, RC_CODE_CONNECTION_FAILED, "connect.refused",
     "exp's host refused the connection.", true},
    {RC_CONNECTION_CONNECT_UNREACHABLE, RC_CODE_CONNECTION_FAILED, "connect.unreachable",
     "There is no way to exp's host.", true},
    {RC_CONNECTION_CONNECT_FAILED, RC_CODE_CONNECTION_FAILED, "connect.failed",
     "The connection to exp's host failed.", true},
    {RC_CONNECTION_CONNECT_TIMEOUT, RC_CODE_NETWORK_TIMEOUT, "timeout.connect",
     "exp's host did not take the connection in time.", true},
    {RC_CONNECTION_TLS_TIMEOUT, RC_CODE_NETWORK_TIMEOUT, "timeout.tls",
     "The TLS handshake with exp's host did not end in time.", true},
    {RC_CONNECTION_TLS_EXPIRED, RC_CODE_CONNECTION_FAILED, "connect.tls.expired",
     "exp's certificate has expired: it was valid until 2025-01-01.", false},
    {RC_CONNECTION_TLS_NOT_YET_VALID, RC_CODE_CONNECTION_FAILED, "connect.tls.not_yet_valid",
     "exp's certificate is not valid yet: it is valid from 2025-01-01.", false},
    {RC_CONNECTION_TLS_SELF_SIGNED, RC_CODE_CONNECTION_FAILED, "connect.tls.self_signed",
     "exp's certificate is self-signed, and nothing here trusts it.", false},
    {RC_CONNECTION_TLS_UNTRUSTED, RC_CODE_CONNECTION_FAILED, "connect.tls.untrusted",
     "The issuer of exp's certificate is not trusted here.", false},
    {RC_CONNECTION_TLS_WRONG_HOST, RC_CODE_CONNECTION_FAILED, "connect.tls.wrong_host",
     "exp's certificate is for another host.", false},
    {RC_CONNECTION_TLS_REVOKED, RC_CODE_CONNECTION_FAILED, "connect.tls.revoked",
     "exp's certificate was revoked.", false},
    {RC_CONNECTION_TLS_CERTIFICATE, RC_CODE_CONNECTION_FAILED, "connect.tls.certificate",
     "exp's certificate is not acceptable.", false},
    {RC_CONNECTION_TLS_VERSION, RC_CODE_CONNECTION_FAILED, "connect.tls.version",
     "exp's host speaks no TLS of version 1.2 or above.", false},
    {RC_CONNECTION_TLS_REFUSED, RC_CODE_CONNECTION_FAILED, "connect.tls.refused",
     "exp's host refused the TLS handshake.", false},
    {RC_CONNECTION_TLS_CLIENT_CERTIFICATE, RC_CODE_CONNECTION_FAILED,
     "connect.tls.client_certificate", "exp's host wants a client certificate, and none is sent.",
     false},
    {RC_CONNECTION_TLS_NOT_SPOKEN, RC_CODE_CONNECTION_FAILED, "connect.tls.not_spoken",
     "exp's host does not speak TLS at this port.", false},
    {RC_CONNECTION_TLS_ALERT, RC_CODE_CONNECTION_FAILED, "connect.tls.alert",
     "exp's host ended TLS with an alert.", true},
    {RC_CONNECTION_TLS_BROKEN, RC_CODE_CONNECTION_FAILED, "connect.tls.broken",
     "TLS with exp's host failed.", true},
    {RC_CONNECTION_TLS_RESET, RC_CODE_CONNECTION_RESET, "connect.tls.reset",
     "exp's host reset the connection during the TLS handshake.", true},
    {RC_CONNECTION_TLS_CLOSED, RC_CODE_CONNECTION_RESET, "connect.tls.closed",
     "exp's host closed the connection during the TLS handshake.", true},
};

/* 2025-01-01T12:00:00Z */
#define NOON INT64_C(1735732800000)

static rc_failure failure_of(rc_connection_fault fault)
{
    return (rc_failure){
        .called = RC_STR("exp"),
        .transport = rc_connection_get(fault)->transport,
        .phase = RC_PHASE_CONNECT,
        .connection = fault,
        .connection_detail = RC_STR("api.x.com:443: in the system's words"),
        .certificate_unix_ms = NOON,
    };
}

static const rc_report *report_of(const rc_failure *failure)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    return rc_classify(failure, NULL, &alloc);
}

static void assert_text(rc_str text, const char *wanted)
{
    if (!rc_str_eq(text, rc_str_c(wanted)))
        fail_msg("\"%.*s\" in place of \"%s\"", (int)text.len, text.ptr, wanted);
}

static void check_case(const expected *one, rc_replay replay)
{
    rc_failure failure = failure_of(one->fault);
    failure.replay = replay;
    const rc_report *report = report_of(&failure);
    assert_int_equal(rc_report_code(report), one->code);
    assert_text(rc_report_rule(report), one->rule);
    assert_text(rc_report_message(report), one->message);
    assert_text(rc_report_detail(report), "api.x.com:443: in the system's words");
    assert_text(rc_report_action_detail(report), rc_connection_get(one->fault)->advice);
    assert_true(rc_report_action_detail(report).len > 0);
    /* A chain goes on; the same target is asked again only where that may help. */
    const rc_setback setback = rc_setback_of(report);
    assert_true(setback.is_retryable);
    assert_int_equal(setback.is_retry_exhausted, !one->is_tried_again);
    rc_report_free(report);
}

static void each_reason_has_its_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        /* Nothing was sent: what must not be sent twice goes on as well. */
        check_case(&cases[i], RC_REPLAY_YES);
        check_case(&cases[i], RC_REPLAY_NO);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(cases[i].message, cases[j].message);
            assert_string_not_equal(cases[i].rule, cases[j].rule);
        }
    }
}

/* All that are about making a connection are above. */
static void none_is_forgotten(void **state)
{
    size_t told = 0;
    (void)state;
    for (int number = 0; number < 200; number++) {
        const rc_connection_info *row = rc_connection_get((rc_connection_fault)number);
        told += row != NULL && row->message[0] != '\0';
        if (row != NULL)
            assert_true(row->text[0] != '\0' && row->name[0] != '\0' &&
                        row->transport != RC_TRANSPORT_NONE);
    }
    assert_int_equal(told, COUNT(cases));
    assert_null(rc_connection_get(RC_CONNECTION_NONE));
    assert_null(rc_connection_get((rc_connection_fault)9999));
}

static void what_is_not_known_is_left_out(void **state)
{
    rc_failure failure = failure_of(RC_CONNECTION_TLS_EXPIRED);
    (void)state;
    failure.called = RC_STR("");
    failure.connection_detail = RC_STR("");
    failure.certificate_unix_ms = 0;
    const rc_report *report = report_of(&failure);
    assert_text(rc_report_message(report), "The provider's certificate has expired.");
    assert_text(rc_report_detail(report), "the certificate has expired");
    rc_report_free(report);
    /* A number of a newer version is none. */
    failure.connection = (rc_connection_fault)9999;
    report = report_of(&failure);
    assert_text(rc_report_rule(report), "connect.tls");
    assert_text(rc_report_message(report), "No connection to the provider could be made.");
    rc_report_free(report);
}

/* What was passed on by a stranger is scrubbed as everything is. */
static void a_detail_is_scrubbed(void **state)
{
    rc_failure failure = failure_of(RC_CONNECTION_TLS_WRONG_HOST);
    (void)state;
    failure.connection_detail = RC_STR(
        "x.test:443: hostname mismatch; its subject is sk-proj-abcdefghijklmnopqrstuvwxyz0123");
    const rc_report *report = report_of(&failure);
    assert_int_equal(rc_str_find(rc_report_detail(report), RC_STR("abcdefghijklmnop"), 0),
                     RC_STR_NPOS);
    rc_report_free(report);
}

/* How far it had come goes before the words of the connection. */
static void what_was_sent_counts_first(void **state)
{
    static const struct {
        rc_connection_fault fault;
        rc_phase phase;
        rc_replay replay;
        rc_code code;
    } sent[] = {
        {RC_CONNECTION_TLS_BROKEN, RC_PHASE_SENT, RC_REPLAY_NO, RC_CODE_OUTCOME_UNKNOWN},
        {RC_CONNECTION_TLS_ALERT, RC_PHASE_SENT, RC_REPLAY_NO, RC_CODE_OUTCOME_UNKNOWN},
        {RC_CONNECTION_TLS_BROKEN, RC_PHASE_SENT, RC_REPLAY_YES, RC_CODE_CONNECTION_FAILED},
        {RC_CONNECTION_TLS_BROKEN, RC_PHASE_HEADERS, RC_REPLAY_YES, RC_CODE_STREAM_INTERRUPTED},
        {RC_CONNECTION_TLS_BROKEN, RC_PHASE_COMMITTED, RC_REPLAY_YES, RC_CODE_STREAM_INTERRUPTED},
        /* Who is refused for want of a certificate was not heard. */
        {RC_CONNECTION_TLS_CLIENT_CERTIFICATE, RC_PHASE_SENT, RC_REPLAY_NO,
         RC_CODE_CONNECTION_FAILED},
        {RC_CONNECTION_RESET, RC_PHASE_SENT, RC_REPLAY_NO, RC_CODE_OUTCOME_UNKNOWN},
        {RC_CONNECTION_RESET, RC_PHASE_SENT, RC_REPLAY_YES, RC_CODE_CONNECTION_RESET},
        {RC_CONNECTION_CLOSED, RC_PHASE_HEADERS, RC_REPLAY_YES, RC_CODE_STREAM_INTERRUPTED},
        {RC_CONNECTION_FIRST_BYTE_TIMEOUT, RC_PHASE_SENT, RC_REPLAY_NO, RC_CODE_OUTCOME_UNKNOWN},
        {RC_CONNECTION_FIRST_BYTE_TIMEOUT, RC_PHASE_SENT, RC_REPLAY_YES, RC_CODE_NETWORK_TIMEOUT},
        {RC_CONNECTION_IDLE_TIMEOUT, RC_PHASE_COMMITTED, RC_REPLAY_YES, RC_CODE_STREAM_INTERRUPTED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(sent); i++) {
        rc_failure failure = failure_of(sent[i].fault);
        failure.phase = sent[i].phase;
        failure.replay = sent[i].replay;
        failure.connection_detail = RC_STR("");
        const rc_report *report = report_of(&failure);
        assert_int_equal(rc_report_code(report), sent[i].code);
        assert_text(rc_report_detail(report), rc_connection_get(sent[i].fault)->text);
        rc_report_free(report);
    }
}

/* A verdict that takes the retry away does not advise one. */
static void advice_follows_the_verdict(void **state)
{
    static const rc_failure failures[] = {
        {.status = 200, .body = RC_STR_INIT("<html><title>Welcome</title><body>Hi</body></html>")},
        {.transport = RC_TRANSPORT_TLS,
         .body = RC_STR_INIT("SSL: CERTIFICATE_VERIFY_FAILED certificate has expired")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(failures); i++) {
        const rc_report *report = report_of(&failures[i]);
        assert_false(rc_report_is_retryable(report));
        assert_int_equal(rc_report_action(report), RC_ACTION_CHECK_CONFIG);
        assert_int_equal(rc_str_find(rc_report_action_detail(report), RC_STR("ry again"), 0),
                         RC_STR_NPOS);
        rc_report_free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason_has_its_words),
        cmocka_unit_test(none_is_forgotten),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(a_detail_is_scrubbed),
        cmocka_unit_test(what_was_sent_counts_first),
        cmocka_unit_test(advice_follows_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
