/* Tests of connection faults in reports: each fault has its own rule and its own message, and only
 * a fault that may end within seconds is retried at the same target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/policy.h>
#include <recourse/stdlib.h>

#include "base/str.h"
#include "classify/connection.h"

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
     "exp's host name does not exist.", true},
    {RC_CONNECTION_DNS_FAILED, RC_CODE_CONNECTION_FAILED, "connect.dns.failed",
     "The DNS lookup of exp's host name failed.", true},
    {RC_CONNECTION_DNS_TIMEOUT, RC_CODE_NETWORK_TIMEOUT, "timeout.dns",
     "The DNS lookup of exp's host name did not finish in time.", true},
    {RC_CONNECTION_CONNECT_REFUSED, RC_CODE_CONNECTION_FAILED, "connect.refused",
     "exp's host refused the connection.", true},
    {RC_CONNECTION_CONNECT_UNREACHABLE, RC_CODE_CONNECTION_FAILED, "connect.unreachable",
     "exp's host is unreachable.", true},
    {RC_CONNECTION_CONNECT_FAILED, RC_CODE_CONNECTION_FAILED, "connect.failed",
     "The connection to exp's host failed.", true},
    {RC_CONNECTION_CONNECT_TIMEOUT, RC_CODE_NETWORK_TIMEOUT, "timeout.connect",
     "exp's host did not accept the connection in time.", true},
    {RC_CONNECTION_TLS_TIMEOUT, RC_CODE_NETWORK_TIMEOUT, "timeout.tls",
     "The TLS handshake with exp's host did not finish in time.", true},
    {RC_CONNECTION_TLS_EXPIRED, RC_CODE_CONNECTION_FAILED, "connect.tls.expired",
     "exp's certificate has expired: it was valid until 2025-01-01.", false},
    {RC_CONNECTION_TLS_NOT_YET_VALID, RC_CODE_CONNECTION_FAILED, "connect.tls.not_yet_valid",
     "exp's certificate is not valid yet: it is valid from 2025-01-01.", false},
    {RC_CONNECTION_TLS_SELF_SIGNED, RC_CODE_CONNECTION_FAILED, "connect.tls.self_signed",
     "exp's certificate is self-signed and not trusted by this machine.", false},
    {RC_CONNECTION_TLS_UNTRUSTED, RC_CODE_CONNECTION_FAILED, "connect.tls.untrusted",
     "The issuer of exp's certificate is not trusted by this machine.", false},
    {RC_CONNECTION_TLS_WRONG_HOST, RC_CODE_CONNECTION_FAILED, "connect.tls.wrong_host",
     "exp's certificate is for another host.", false},
    {RC_CONNECTION_TLS_REVOKED, RC_CODE_CONNECTION_FAILED, "connect.tls.revoked",
     "exp's certificate was revoked.", false},
    {RC_CONNECTION_TLS_CERTIFICATE, RC_CODE_CONNECTION_FAILED, "connect.tls.certificate",
     "exp's certificate is not acceptable.", false},
    {RC_CONNECTION_TLS_VERSION, RC_CODE_CONNECTION_FAILED, "connect.tls.version",
     "exp's host does not support TLS 1.2 or later.", false},
    {RC_CONNECTION_TLS_REFUSED, RC_CODE_CONNECTION_FAILED, "connect.tls.refused",
     "exp's host refused the TLS handshake.", false},
    {RC_CONNECTION_TLS_CLIENT_CERTIFICATE, RC_CODE_CONNECTION_FAILED,
     "connect.tls.client_certificate",
     "exp's host requires a client certificate, and Recourse sends none.", false},
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
        .provider_label = RC_STR("exp"),
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
    /* The chain continues at another target; the same target is retried only if a retry may
     * help. */
    const rc_failure_facts facts = rc_failure_facts_of(report);
    assert_true(facts.is_retryable);
    assert_int_equal(facts.is_retry_exhausted, !one->is_tried_again);
    rc_report_free(report);
}

static void each_fault_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        /* No part of the request was sent, so the chain also continues for a request that must not
         * be sent twice. */
        check_case(&cases[i], RC_REPLAY_YES);
        check_case(&cases[i], RC_REPLAY_NO);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(cases[i].message, cases[j].message);
            assert_string_not_equal(cases[i].rule, cases[j].rule);
        }
    }
}

/* ---- timeouts ---- */

typedef struct timer {
    rc_connection_fault fault;
    rc_phase phase;
    const char *rule;
    const char *message; /* expected message if the limit is 30 s */
    const char *limit;
} timer;

static const timer timers[] = {
    {RC_CONNECTION_DNS_TIMEOUT, RC_PHASE_CONNECT, "timeout.dns",
     "The DNS lookup of exp's host name did not finish within 30s (timeouts.connect_ms).",
     "timeouts.connect_ms"},
    {RC_CONNECTION_CONNECT_TIMEOUT, RC_PHASE_CONNECT, "timeout.connect",
     "exp's host did not accept the connection within 30s (timeouts.connect_ms).",
     "timeouts.connect_ms"},
    {RC_CONNECTION_TLS_TIMEOUT, RC_PHASE_CONNECT, "timeout.tls",
     "The TLS handshake with exp's host did not finish within 30s (timeouts.connect_ms).",
     "timeouts.connect_ms"},
    {RC_CONNECTION_SEND_TIMEOUT, RC_PHASE_SENT, "timeout.send",
     "exp accepted no more of the request within 30s (timeouts.idle_ms).", "timeouts.idle_ms"},
    {RC_CONNECTION_FIRST_BYTE_TIMEOUT, RC_PHASE_SENT, "timeout.first_byte",
     "exp did not begin its response within 30s (timeouts.first_byte_ms).",
     "timeouts.first_byte_ms"},
    {RC_CONNECTION_SHARE_TIMEOUT, RC_PHASE_SENT, "timeout.share",
     "exp did not begin its response within 30s (deadline_ms).", "deadline_ms"},
    {RC_CONNECTION_IDLE_TIMEOUT, RC_PHASE_HEADERS, "timeout.idle",
     "exp's response stopped: no data arrived within 30s (timeouts.idle_ms).", "timeouts.idle_ms"},
    {RC_CONNECTION_STALLED, RC_PHASE_HEADERS, "timeout.stall_early",
     "exp's stream stalled and was terminated: no data arrived within 30s (timeouts.idle_ms).",
     "timeouts.idle_ms"},
    {RC_CONNECTION_DEADLINE_CLIENT, RC_PHASE_SENT, "deadline.client",
     "The client's deadline passed: the response was not complete within 30s "
     "(x-recourse-deadline-ms).",
     "x-recourse-deadline-ms"},
    {RC_CONNECTION_ANNOUNCED_TIMEOUT, RC_PHASE_SENT, "deadline.announced_timeout",
     "The timeout that the client announced has passed: no response began within 30s "
     "(x-stainless-timeout).",
     "x-stainless-timeout"},
    {RC_CONNECTION_ANNOUNCED_READ_TIMEOUT, RC_PHASE_SENT, "deadline.announced_read_timeout",
     "The timeout that the client announced has passed: no response began within 30s "
     "(x-stainless-read-timeout).",
     "x-stainless-read-timeout"},
    {RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT, RC_PHASE_SENT, "deadline.announced_server_timeout",
     "The timeout that the client announced has passed: no response began within 30s "
     "(x-server-timeout).",
     "x-server-timeout"},
    {RC_CONNECTION_DEADLINE_ROUTE, RC_PHASE_SENT, "deadline.route",
     "The route's deadline passed: the response was not complete within 30s (deadline_ms).",
     "deadline_ms"},
    {RC_CONNECTION_DEADLINE_POLICY, RC_PHASE_SENT, "deadline.policy",
     "The policy's time budget is used up: the response was not complete within 30s (budget_ms).",
     "budget_ms"},
    {RC_CONNECTION_DEADLINE_BODY, RC_PHASE_SENT, "deadline.body",
     "The client's deadline passed: the request body did not arrive within 30s "
     "(x-recourse-deadline-ms).",
     "x-recourse-deadline-ms"},
};

static bool has_text(rc_str text, const char *part)
{
    return rc_str_find(text, rc_str_c(part), 0) != RC_STR_NPOS;
}

/* Asserts that the advice ends with the name of the setting, and the detail with its value. */
static void assert_limit(const rc_report *report, const char *limit, const char *time)
{
    char wanted[256];
    (void)snprintf(wanted, sizeof wanted, "To allow more time, raise %s.", limit);
    if (!rc_str_ends_with(rc_report_action_detail(report), rc_str_c(wanted)))
        fail_msg("%.*s", (int)rc_report_action_detail(report).len,
                 rc_report_action_detail(report).ptr);
    (void)snprintf(wanted, sizeof wanted, "; %s: %s", limit, time);
    if (!rc_str_ends_with(rc_report_detail(report), rc_str_c(wanted)))
        fail_msg("%.*s", (int)rc_report_detail(report).len, rc_report_detail(report).ptr);
}

static void each_timeout_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(timers); i++) {
        const timer *one = &timers[i];
        rc_failure failure = failure_of(one->fault);
        failure.phase = one->phase;
        failure.limit_ms = 30000;
        const rc_report *report = report_of(&failure);
        assert_int_equal(rc_report_code(report), RC_CODE_NETWORK_TIMEOUT);
        assert_text(rc_report_rule(report), one->rule);
        assert_text(rc_report_message(report), one->message);
        assert_limit(report, one->limit, "30s");
        assert_true(has_text(rc_report_detail(report), "api.x.com:443: in the system's words"));
        assert_true(rc_report_is_retryable(report));
        rc_report_free(report);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(one->message, timers[j].message);
            assert_string_not_equal(one->rule, timers[j].rule);
        }
    }
}

/* A timeout after content is reported as an interrupted stream, with the message of the timeout. */
static void a_stalled_stream_is_reported_as_a_timeout(void **state)
{
    rc_failure failure = failure_of(RC_CONNECTION_STALLED);
    (void)state;
    failure.phase = RC_PHASE_COMMITTED;
    failure.limit_ms = 1500;
    const rc_report *report = report_of(&failure);
    assert_int_equal(rc_report_code(report), RC_CODE_STREAM_INTERRUPTED);
    assert_text(rc_report_rule(report), "timeout.stall");
    assert_text(rc_report_message(report), "exp's stream stalled and was terminated: no data "
                                           "arrived within 1500ms (timeouts.idle_ms).");
    assert_true(has_text(rc_report_action_detail(report),
                         "the received part of the response is incomplete"));
    assert_limit(report, "timeouts.idle_ms", "1500ms");
    rc_report_free(report);

    failure.connection = RC_CONNECTION_IDLE_TIMEOUT;
    report = report_of(&failure);
    assert_int_equal(rc_report_code(report), RC_CODE_STREAM_INTERRUPTED);
    assert_text(rc_report_rule(report), "timeout.stream");
    assert_true(has_text(rc_report_message(report), "no data arrived within 1500ms"));
    rc_report_free(report);

    failure.transport = RC_TRANSPORT_EOF;
    failure.connection = RC_CONNECTION_CLOSED;
    report = report_of(&failure);
    assert_int_equal(rc_report_code(report), RC_CODE_STREAM_INTERRUPTED);
    assert_text(rc_report_message(report),
                "The response of exp was terminated early: it ended without its last part.");
    assert_false(has_text(rc_report_action_detail(report), "more time"));
    assert_false(has_text(rc_report_detail(report), "1500"));
    rc_report_free(report);
}

/* The message begins with the sentence that the request may have been carried out. */
static void an_unknown_outcome_names_its_timeout(void **state)
{
    rc_failure failure = failure_of(RC_CONNECTION_FIRST_BYTE_TIMEOUT);
    (void)state;
    failure.phase = RC_PHASE_SENT;
    failure.replay = RC_REPLAY_NO;
    failure.limit_ms = 60000;
    const rc_report *report = report_of(&failure);
    assert_int_equal(rc_report_code(report), RC_CODE_OUTCOME_UNKNOWN);
    assert_text(rc_report_message(report),
                "The request was sent, but it is not known whether exp carried it out. exp did not "
                "begin its response within 1m (timeouts.first_byte_ms).");
    assert_false(has_text(rc_report_action_detail(report), "more time"));
    assert_false(rc_report_is_retryable(report));
    rc_report_free(report);
}

static void a_deadline_is_described_like_a_timeout(void **state)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_builder builder;
    (void)state;
    rc_builder_init(&builder, &alloc, RC_CODE_DEADLINE_EXCEEDED);
    rc_connection_describe_deadline(&builder, RC_CONNECTION_DEADLINE_ROUTE, 7260000);
    const rc_report *report = rc_builder_finish(&builder);
    assert_text(
        rc_report_message(report),
        "The route's deadline passed: the response was not complete within 2h 1m (deadline_ms).");
    assert_limit(report, "deadline_ms", "2h 1m");
    rc_report_free(report);
    /* The limit is not rounded. */
    rc_builder_init(&builder, &alloc, RC_CODE_DEADLINE_EXCEEDED);
    rc_connection_describe_deadline(&builder, RC_CONNECTION_DEADLINE_POLICY, 7261000);
    report = rc_builder_finish(&builder);
    assert_limit(report, "budget_ms", "7261000ms");
    rc_report_free(report);
    /* A number outside the table adds no text. */
    rc_builder_init(&builder, &alloc, RC_CODE_DEADLINE_EXCEEDED);
    rc_connection_describe_deadline(&builder, (rc_connection_fault)9999, 1000);
    report = rc_builder_finish(&builder);
    assert_text(rc_report_message(report), "The call's deadline passed before the call finished.");
    rc_report_free(report);
}

/* Every named setting exists in the configuration or as a request header. */
static void named_limits_are_settings(void **state)
{
    static const char *const keys[] = {
#define RC_CONFIG_SECTION(section, path, text)
#define RC_CONFIG_CHOICE(...)
#define RC_CONFIG_KEY(section, key, TYPE, min, max, fallback, text) #section "." #key,
#define RC_CONFIG_OTHER(section, key, type, fallback, text) #section "." #key,
#include "spec/config.def"
    };
    (void)state;
    for (int number = 0; number < 200; number++) {
        const rc_connection_info *row = rc_connection_get((rc_connection_fault)number);
        if (row == NULL || row->limit_setting[0] == '\0' || row->limit_setting[0] == 'x')
            continue;
        rc_str limit = rc_str_c(row->limit_setting);
        const size_t plus = rc_str_find(limit, RC_STR(" + "), 0);
        limit = rc_str_slice(limit, 0, plus == RC_STR_NPOS ? limit.len : plus);
        size_t found = 0;
        for (size_t i = 0; i < COUNT(keys); i++) {
            const rc_str key = rc_str_c(keys[i]);
            const size_t dot = rc_str_find(key, RC_STR("."), 0);
            found += rc_str_eq(key, limit) || rc_str_eq(rc_str_slice(key, dot + 1, key.len), limit);
        }
        if (found == 0)
            fail_msg("no setting is called %s", row->limit_setting);
    }
}

/* The cases above contain every fault of connecting and every fault of a timeout. */
static void all_faults_are_covered(void **state)
{
    size_t told = 0;
    size_t timed = 0;
    (void)state;
    for (int number = 0; number < 200; number++) {
        const rc_connection_info *row = rc_connection_get((rc_connection_fault)number);
        told += row != NULL && row->message[0] != '\0' && number < RC_CONNECTION_SEND_TIMEOUT;
        timed += row != NULL && row->limit_setting[0] != '\0';
        /* A limit whose length is not known is not shown. */
        if (row != NULL && row->limit_setting[0] != '\0')
            assert_true(rc_str_ends_with(rc_str_c(row->message), RC_STR("in time")));
        if (row != NULL)
            assert_true(row->text[0] != '\0' && row->name[0] != '\0' &&
                        row->transport != RC_TRANSPORT_NONE);
    }
    assert_int_equal(told, COUNT(cases));
    assert_int_equal(timed, COUNT(timers));
    assert_null(rc_connection_get(RC_CONNECTION_NONE));
    assert_null(rc_connection_get((rc_connection_fault)9999));
}

static void unknown_data_is_omitted(void **state)
{
    rc_failure failure = failure_of(RC_CONNECTION_TLS_EXPIRED);
    (void)state;
    failure.provider_label = RC_STR("");
    failure.connection_detail = RC_STR("");
    failure.certificate_unix_ms = 0;
    const rc_report *report = report_of(&failure);
    assert_text(rc_report_message(report), "The provider's certificate has expired.");
    assert_text(rc_report_detail(report), "the certificate has expired");
    rc_report_free(report);
    /* A number that only a newer version defines is treated like no fault. */
    failure.connection = (rc_connection_fault)9999;
    report = report_of(&failure);
    assert_text(rc_report_rule(report), "connect.tls");
    assert_text(rc_report_message(report),
                "The connection to the provider could not be established.");
    rc_report_free(report);
}

/* Secrets are removed from a detail that comes from another server. */
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

/* The phase of the call decides, not the fault's message. */
static void the_phase_takes_precedence(void **state)
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
        /* A peer that refuses the connection without a client certificate has not read the
         * request. */
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

/* If the verdict is not retryable, the advice is not to retry. */
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
        cmocka_unit_test(each_fault_has_its_message),
        cmocka_unit_test(each_timeout_is_named),
        cmocka_unit_test(a_stalled_stream_is_reported_as_a_timeout),
        cmocka_unit_test(an_unknown_outcome_names_its_timeout),
        cmocka_unit_test(a_deadline_is_described_like_a_timeout),
        cmocka_unit_test(named_limits_are_settings),
        cmocka_unit_test(all_faults_are_covered),
        cmocka_unit_test(unknown_data_is_omitted),
        cmocka_unit_test(a_detail_is_scrubbed),
        cmocka_unit_test(the_phase_takes_precedence),
        cmocka_unit_test(advice_follows_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
