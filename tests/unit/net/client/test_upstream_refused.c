/* Tests of TLS to providers: the peers that are rejected, and the failure for each. */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "support/tls_fixture.h"

typedef struct refused_case {
    const char *what;
    identity_options of;
    int max_version;
    const char *host;
    rc_upstream_kind kind;
    const char *shown; /* text that the detail must contain */
} refused_case;

static const refused_case refused_cases[] = {
    {"expired",
     {.names = "DNS:good.test", .from_s = -2 * DAY, .until_s = -DAY, .issuer = &authority},
     0,
     "good.test",
     RC_UPSTREAM_TLS_EXPIRED,
     ": certificate has expired; the certificate is for good.test; its subject is bad; its issuer "
     "is "
     "Test CA; it is valid from "},
    {"not yet valid",
     {.names = "DNS:good.test", .from_s = DAY, .until_s = 2 * DAY, .issuer = &authority},
     0,
     "good.test",
     RC_UPSTREAM_TLS_NOT_YET_VALID,
     ": certificate is not yet valid; the certificate is for good.test"},
    {"self-signed",
     {.names = "DNS:good.test", .from_s = -DAY, .until_s = DAY},
     0,
     "good.test",
     RC_UPSTREAM_TLS_SELF_SIGNED,
     "; its issuer is bad"},
    {"wrong host",
     {.names = "DNS:other.test,DNS:*.more.test,IP:::1",
      .from_s = -DAY,
      .until_s = DAY,
      .issuer = &authority},
     0,
     "good.test",
     RC_UPSTREAM_TLS_WRONG_HOST,
     "; the certificate is for other.test, *.more.test, ::1; "},
    {"wrong address",
     {.names = "IP:10.0.0.1", .from_s = -DAY, .until_s = DAY, .issuer = &authority},
     0,
     "127.0.0.1",
     RC_UPSTREAM_TLS_WRONG_HOST,
     "; the certificate is for 10.0.0.1; "},
    {"partial wildcard",
     {.names = "DNS:g*.test", .from_s = -DAY, .until_s = DAY, .issuer = &authority},
     0,
     "good.test",
     RC_UPSTREAM_TLS_WRONG_HOST,
     "; the certificate is for g*.test; "},
    {"TLS 1.1",
     {.names = "DNS:good.test", .from_s = -DAY, .until_s = DAY, .issuer = &authority},
     TLS1_1_VERSION,
     "good.test",
     RC_UPSTREAM_TLS_VERSION,
     "protocol version"},
};

static void check_refusal(const probe *p, rc_upstream_kind kind)
{
    assert_int_equal(p->failures, 1);
    assert_int_equal(p->failure.kind, kind);
    assert_int_equal(p->failure.transport, RC_TRANSPORT_TLS);
    assert_int_equal(p->failure.phase, RC_PHASE_CONNECT);
    assert_int_equal(p->failure.bytes_sent, 0);
    assert_true(strlen(p->failure.text) > 0);
    assert_int_equal(rc_upstream_count(client.upstream).connections, 0);
}

/* Checks that the detail names the host and the facts of the certificate, with the certificate's
 * date. */
static void check_shown(const probe *p, const refused_case *one)
{
    char where[64];
    const int64_t now_ms = (int64_t)time(NULL) * 1000;
    const long from_now_s =
        one->kind == RC_UPSTREAM_TLS_NOT_YET_VALID ? one->of.from_s : one->of.until_s;
    print_message("%s\n", p->detail);
    snprintf(where, sizeof(where), "%s:%u: ", one->host, server.port);
    assert_memory_equal(p->detail, where, strlen(where));
    assert_non_null(strstr(p->detail, one->shown));
    if (one->kind == RC_UPSTREAM_TLS_VERSION)
        assert_int_equal(p->failure.certificate_unix_ms, 0);
    else
        assert_true(llabs(p->failure.certificate_unix_ms - now_ms - from_now_s * 1000) < 600000);
}

static void each_bad_certificate_has_its_own_failure_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused_cases) / sizeof(refused_cases[0]); i++) {
        identity_options of = refused_cases[i].of;
        probe p = {0};
        of.name = "bad";
        identity shown = identity_make(of);
        begin(tls_server_new(&shown, refused_cases[i].max_version), peer_repeat, OK_5);
        rc_origin origin = origin_at("https", refused_cases[i].host, server.port);
        probe_run(&p, &client, &origin);
        print_message("%s: %s\n", refused_cases[i].what, p.failure.text);
        check_refusal(&p, refused_cases[i].kind);
        check_shown(&p, &refused_cases[i]);
        finish();
        assert_int_equal(server.requests, 0);
        identity_free(&shown);
    }
}

static void an_unknown_issuer_is_not_trusted(void **state)
{
    identity other = identity_make(
        (identity_options){.name = "Other CA", .from_s = -DAY, .until_s = DAY, .is_ca = true});
    identity shown = identity_make((identity_options){.name = "good",
                                                      .names = "DNS:good.test",
                                                      .issuer = &other,
                                                      .from_s = -DAY,
                                                      .until_s = DAY});
    probe p = {0};
    (void)state;
    begin(tls_server_new(&shown, 0), peer_repeat, OK_5);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_run(&p, &client, &origin);
    check_refusal(&p, RC_UPSTREAM_TLS_UNTRUSTED);
    finish();
    identity_free(&shown);
    identity_free(&other);
}

static void the_system_store_does_not_trust_a_test_authority(void **state)
{
    identity shown = good_identity();
    probe p = {0};
    (void)state;
    begin(tls_server_new(&shown, 0), peer_repeat, OK_5);
    assert_true(fixture_close(&client));
    client.settings.tls = NULL;
    fixture_open(&client);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_run(&p, &client, &origin);
    check_refusal(&p, RC_UPSTREAM_TLS_UNTRUSTED);
    finish();
    identity_free(&shown);
}

/* Whatever a peer's certificate contains, the detail is one line of limited length. */
static void names_in_certificates_are_sanitised(void **state)
{
    char names[2048] = "DNS:a\x1b[31m.test,DNS:b\x7f-c.test";
    char subject[64] = "bad\r\n\x1b]0;x\x07\xff";
    probe p = {0};
    (void)state;
    for (size_t i = 0, at = strlen(names); i < 60; i++)
        at += (size_t)snprintf(names + at, sizeof(names) - at, ",DNS:a-rather-long-name.test");
    identity shown = identity_make((identity_options){
        .name = subject, .names = names, .from_s = -DAY, .until_s = DAY, .issuer = &authority});
    begin(tls_server_new(&shown, 0), peer_repeat, OK_5);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_run(&p, &client, &origin);
    check_refusal(&p, RC_UPSTREAM_TLS_WRONG_HOST);
    print_message("%s\n", p.detail);
    assert_non_null(strstr(p.detail, "the certificate is for a?[31m.test, b?-c.test, a-rather"));
    assert_non_null(strstr(p.detail, "its subject is bad???]0;x???; "));
    assert_true(strlen(p.detail) < 512);
    for (const char *c = p.detail; *c != '\0'; c++)
        assert_true(*c >= ' ' && *c <= '~');
    finish();
    identity_free(&shown);
}

/* A peer with TLS 1.2 rejects the client during the handshake, a peer with TLS 1.3 after it. */
static void a_peer_that_requires_a_certificate_is_a_failure(void **state)
{
    static const int versions[] = {TLS1_2_VERSION, 0};
    identity shown = good_identity();
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        probe p = {0};
        SSL_CTX *tls = tls_server_new(&shown, versions[i]);
        SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
        begin(tls, peer_repeat, OK_5);
        rc_origin origin = origin_at("https", "good.test", server.port);
        probe_run(&p, &client, &origin);
        print_message("%s\n", p.detail);
        assert_int_equal(p.failures, 1);
        /* Bytes sent after the handshake may cause a reset before the alert is read. */
        if (i == 0 || p.failure.kind != RC_UPSTREAM_RESET)
            assert_int_equal(p.failure.kind, RC_UPSTREAM_TLS_CLIENT_CERTIFICATE);
        finish();
        assert_int_equal(server.requests, 0);
    }
    identity_free(&shown);
}

static void respond_without_tls(peer_conn *conn)
{
    char bytes[2048];
    peer_read(conn, bytes, sizeof(bytes));
    peer_say(conn, "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    peer_drain(conn);
}

static void a_peer_without_tls_is_a_failure(void **state)
{
    probe p = {0};
    (void)state;
    begin(NULL, respond_without_tls, NULL);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_run(&p, &client, &origin);
    check_refusal(&p, RC_UPSTREAM_TLS_NOT_SPOKEN);
    finish();
}

/* Sends a fatal alert with the given number. */
static void alert_with(peer_conn *conn)
{
    const unsigned char alert[] = {21, 3, 3, 0, 2, 2, (unsigned char)conn->of->number};
    char bytes[2048];
    peer_read(conn, bytes, sizeof(bytes));
    peer_write(conn, alert, sizeof(alert));
    peer_drain(conn);
}

static void alerts_are_failures(void **state)
{
    static const struct {
        size_t number;
        rc_upstream_kind kind;
    } cases[] = {
        {40, RC_UPSTREAM_TLS_REFUSED}, {112, RC_UPSTREAM_TLS_REFUSED},
        {70, RC_UPSTREAM_TLS_VERSION}, {80, RC_UPSTREAM_TLS_ALERT},
        {42, RC_UPSTREAM_TLS_ALERT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        probe p = {0};
        begin(NULL, alert_with, NULL);
        server.number = cases[i].number;
        rc_origin origin = origin_at("https", "good.test", server.port);
        probe_run(&p, &client, &origin);
        print_message("%zu: %s\n", cases[i].number, p.failure.text);
        check_refusal(&p, cases[i].kind);
        finish();
    }
}

static void close_at_once(peer_conn *conn)
{
    char bytes[2048];
    peer_read(conn, bytes, sizeof(bytes));
    if (conn->of->number == 1)
        peer_cut(conn);
}

static void a_cut_handshake_is_a_connection_failure(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        probe p = {0};
        begin(NULL, close_at_once, NULL);
        server.number = i;
        rc_origin origin = origin_at("https", "good.test", server.port);
        probe_run(&p, &client, &origin);
        assert_int_equal(p.failures, 1);
        assert_int_equal(p.failure.transport, i == 1 ? RC_TRANSPORT_RESET : RC_TRANSPORT_EOF);
        assert_int_equal(p.failure.kind, i == 1 ? RC_UPSTREAM_TLS_RESET : RC_UPSTREAM_TLS_CLOSED);
        assert_non_null(strstr(p.detail, " during the TLS handshake"));
        assert_int_equal(p.failure.phase, RC_PHASE_CONNECT);
        finish();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bad_certificate_has_its_own_failure_kind),
        cmocka_unit_test(an_unknown_issuer_is_not_trusted),
        cmocka_unit_test(the_system_store_does_not_trust_a_test_authority),
        cmocka_unit_test(names_in_certificates_are_sanitised),
        cmocka_unit_test(a_peer_that_requires_a_certificate_is_a_failure),
        cmocka_unit_test(a_peer_without_tls_is_a_failure),
        cmocka_unit_test(alerts_are_failures),
        cmocka_unit_test(a_cut_handshake_is_a_connection_failure),
    };
    return cmocka_run_group_tests(tests, make_authority, free_authority);
}
