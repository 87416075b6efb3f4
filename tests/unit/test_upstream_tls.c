/* TLS to providers: what is trusted, what is refused and how it is told. */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "support/tls_peer.h"
#include "support/upstream_peer.h"

#define OK_5 "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
#define DAY (24L * 60 * 60)

static identity authority;
static char authority_pem[4096];
static rc_tls *trust;
static peer server;
static world client;

static rc_resolve_answer to_loopback(void *ctx, const char *host, rc_addresses *ret_addresses)
{
    (void)ctx;
    (void)host;
    ret_addresses->count = 1;
    ret_addresses->list[0].v4 =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return RC_RESOLVE_FOUND;
}

static bool allow_all(void *ctx, const rc_origin *origin, const rc_address *address)
{
    (void)ctx;
    (void)origin;
    (void)address;
    return true;
}

static int make_authority(void **state)
{
    const char *why = NULL;
    (void)state;
    authority = identity_make(
        (identity_of){.name = "Test CA", .from_s = -DAY, .until_s = DAY, .is_ca = true});
    const rc_tls_settings settings = {
        .ca_pem = identity_pem(&authority, authority_pem, sizeof(authority_pem)),
        .is_without_system = true,
    };
    trust = rc_tls_new(&settings, &why);
    return trust == NULL ? -1 : 0;
}

static int free_authority(void **state)
{
    (void)state;
    rc_tls_free(trust);
    identity_free(&authority);
    return 0;
}

static void begin(SSL_CTX *tls, void (*script)(peer_conn *), const void *ctx)
{
    server = (peer){.tls = tls, .ctx = (void *)(uintptr_t)ctx};
    peer_start(&server, script);
    client.settings = rc_upstream_settings_default();
    client.settings.tls = trust;
    client.settings.resolve.hook = to_loopback;
    client.settings.allow = allow_all;
    world_open(&client);
}

static void finish(void)
{
    assert_true(world_close(&client));
    peer_stop(&server);
    SSL_CTX_free(server.tls);
}

static identity good_identity(void)
{
    return identity_make((identity_of){.name = "good",
                                       .names = "DNS:good.test,IP:127.0.0.1",
                                       .issuer = &authority,
                                       .from_s = -DAY,
                                       .until_s = DAY});
}

static void good_peers_are_trusted(void **state)
{
    static const char *const hosts[] = {"good.test", "127.0.0.1", "GOOD.test"};
    static const int versions[] = {0, TLS1_2_VERSION};
    identity shown = good_identity();
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        begin(tls_server_new(&shown, versions[i % 2]), peer_repeat, OK_5);
        rc_origin origin = origin_at("https", hosts[i / 2], server.port);
        for (int j = 0; j < 5; j++) {
            probe p = {0};
            probe_run(&p, &client, &origin);
            assert_int_equal(p.ends, 1);
            assert_string_equal(p.body, "hello");
            assert_int_equal(p.was_reused, j > 0);
            assert_true(p.is_kept);
        }
        assert_int_equal(rc_upstream_count(client.upstream).dialled, 1);
        finish();
    }
    identity_free(&shown);
}

typedef struct refused_case {
    const char *what;
    identity_of of;
    int max_version;
    const char *host;
    rc_upstream_kind kind;
    const char *shown; /* in the detail */
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

/* The detail says where, and what was shown; the day is the certificate's. */
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

static void bad_peers_are_refused_each_by_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused_cases) / sizeof(refused_cases[0]); i++) {
        identity_of of = refused_cases[i].of;
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
        (identity_of){.name = "Other CA", .from_s = -DAY, .until_s = DAY, .is_ca = true});
    identity shown = identity_make((identity_of){.name = "good",
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

static void the_system_alone_does_not_trust_a_test(void **state)
{
    identity shown = good_identity();
    probe p = {0};
    (void)state;
    begin(tls_server_new(&shown, 0), peer_repeat, OK_5);
    assert_true(world_close(&client));
    client.settings.tls = NULL;
    world_open(&client);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_run(&p, &client, &origin);
    check_refusal(&p, RC_UPSTREAM_TLS_UNTRUSTED);
    finish();
    identity_free(&shown);
}

/* Whatever a peer has written into its certificate, the detail is one line of a bounded length. */
static void names_of_strangers_are_made_harmless(void **state)
{
    char names[2048] = "DNS:a\x1b[31m.test,DNS:b\x7f-c.test";
    char subject[64] = "bad\r\n\x1b]0;x\x07\xff";
    probe p = {0};
    (void)state;
    for (size_t i = 0; i < 60; i++)
        strcat(names, ",DNS:a-rather-long-name.test");
    identity shown = identity_make((identity_of){
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

/* TLS 1.2 refuses in the handshake, 1.3 after it. */
static void a_peer_that_wants_a_certificate_is_told(void **state)
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
        /* What was sent behind the handshake may reset the connection before the alert is read. */
        if (i == 0 || p.failure.kind != RC_UPSTREAM_RESET)
            assert_int_equal(p.failure.kind, RC_UPSTREAM_TLS_CLIENT_CERTIFICATE);
        finish();
        assert_int_equal(server.requests, 0);
    }
    identity_free(&shown);
}

static void speak_plainly(peer_conn *conn)
{
    char bytes[2048];
    peer_read(conn, bytes, sizeof(bytes));
    peer_say(conn, "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    peer_drain(conn);
}

static void a_peer_without_tls_is_told(void **state)
{
    probe p = {0};
    (void)state;
    begin(NULL, speak_plainly, NULL);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_run(&p, &client, &origin);
    check_refusal(&p, RC_UPSTREAM_TLS_NOT_SPOKEN);
    finish();
}

/* The record of an alert: fatal, and its number. */
static void alert_with(peer_conn *conn)
{
    const unsigned char alert[] = {21, 3, 3, 0, 2, 2, (unsigned char)conn->of->number};
    char bytes[2048];
    peer_read(conn, bytes, sizeof(bytes));
    peer_write(conn, alert, sizeof(alert));
    peer_drain(conn);
}

static void alerts_are_told(void **state)
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

static void a_handshake_that_is_cut_is_no_failure_of_tls(void **state)
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

static void a_handshake_has_a_time_limit(void **state)
{
    probe p = {0};
    (void)state;
    begin(NULL, peer_drain, NULL);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_send(&p, &client, &origin, (rc_upstream_request){.connect_ms = 50});
    probe_wait(&p);
    assert_int_equal(p.failure.kind, RC_UPSTREAM_TLS_TIMEOUT);
    assert_int_equal(p.failure.transport, RC_TRANSPORT_TIMEOUT);
    assert_int_equal(p.failure.phase, RC_PHASE_CONNECT);
    finish();
}

static void one_each(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello");
}

static void sessions_go_on(void **state)
{
    static const int versions[] = {0, TLS1_2_VERSION};
    identity shown = good_identity();
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        begin(tls_server_new(&shown, versions[i]), one_each, NULL);
        rc_origin origin = origin_at("https", "good.test", server.port);
        for (int j = 0; j < 4; j++) {
            probe p = {0};
            probe_run(&p, &client, &origin);
            assert_int_equal(p.ends, 1);
            assert_false(p.was_reused);
        }
        assert_int_equal(rc_upstream_count(client.upstream).dialled, 4);
        assert_int_equal(rc_upstream_count(client.upstream).resumed, 3);
        finish();
    }
    identity_free(&shown);
}

/* Says the response, then ends rightly or just closes. */
static void until_the_end(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_say(conn, "HTTP/1.1 200 OK\r\n\r\nall of it?");
    if (conn->of->number == 1)
        SSL_set_quiet_shutdown(conn->ssl, 1);
}

static void only_a_goodbye_ends_a_body(void **state)
{
    identity shown = good_identity();
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        probe p = {0};
        begin(tls_server_new(&shown, 0), until_the_end, NULL);
        server.number = i;
        rc_origin origin = origin_at("https", "good.test", server.port);
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, i == 0 ? 1 : 0);
        assert_int_equal(p.failures, i == 0 ? 0 : 1);
        if (i == 1)
            assert_int_equal(p.failure.transport, RC_TRANSPORT_EOF);
        finish();
    }
    identity_free(&shown);
}

static void garble(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_say(conn, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello");
    const char junk[64] = {23, 3, 3, 0, 59};
    send(conn->fd, junk, sizeof(junk), MSG_NOSIGNAL);
    peer_wait(conn->of);
}

static void damaged_records_end_the_call(void **state)
{
    identity shown = good_identity();
    probe p = {0};
    (void)state;
    begin(tls_server_new(&shown, 0), garble, NULL);
    rc_origin origin = origin_at("https", "good.test", server.port);
    probe_run(&p, &client, &origin);
    assert_int_equal(p.failure.kind, RC_UPSTREAM_TLS_BROKEN);
    assert_int_equal(p.failure.phase, RC_PHASE_HEADERS);
    assert_int_equal(p.body_len, 5);
    finish();
    identity_free(&shown);
}

static void echo_much(peer_conn *conn)
{
    static const char block[65536];
    char bytes[16384];
    size_t got = 0;
    while (got < conn->of->number) {
        ssize_t len = peer_read(conn, bytes, sizeof(bytes));
        if (len <= 0)
            return;
        got += (size_t)len;
    }
    peer_say(conn, "HTTP/1.1 200 OK\r\ncontent-length: 6553600\r\n\r\n");
    for (int i = 0; i < 100; i++)
        if (!peer_write(conn, block, sizeof(block)))
            return;
    peer_drain(conn);
}

static void large_bodies_go_both_ways(void **state)
{
    identity shown = good_identity();
    size_t len = 6u << 20;
    char *body = calloc(1, len);
    const rc_str head = RC_STR("POST / HTTP/1.1\r\nhost: x\r\n\r\n");
    (void)state;
    for (int is_pushed = 0; is_pushed < 2; is_pushed++) {
        probe p = {0};
        begin(tls_server_new(&shown, 0), echo_much, NULL);
        server.number = len + head.len;
        rc_origin origin = origin_at("https", "good.test", server.port);
        rc_upstream_request request = {.head = head, .is_body_open = is_pushed != 0};
        if (!is_pushed)
            request.body = rc_str_make(body, len);
        probe_send(&p, &client, &origin, request);
        for (size_t at = 0; is_pushed && at < len; at += 1 << 16) {
            int drains = p.drains;
            if (rc_upstream_push(&p.call, rc_str_make(body + at, 1 << 16)) == RC_PUSH_FULL)
                while (p.drains == drains)
                    uv_run(&client.loop, UV_RUN_ONCE);
        }
        rc_upstream_finish(&p.call);
        probe_wait(&p);
        assert_int_equal(p.ends, 1);
        assert_int_equal(p.body_len, 6553600);
        assert_true(p.is_kept);
        finish();
    }
    identity_free(&shown);
    free(body);
}

static void bodies_in_pieces_share_records(void **state)
{
    static const size_t cuts[][2] = {{0, 0}, {5, 12}, {20000, 20001}, {50000, 50000}};
    static char body[50000];
    identity shown = good_identity();
    (void)state;
    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = peer_pattern(i);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        const size_t first = cuts[i][0];
        const size_t second = cuts[i][1];
        probe p = {0};
        begin(tls_server_new(&shown, 0), peer_check_pattern, OK_5);
        server.number = sizeof(body);
        rc_origin origin = origin_at("https", "good.test", server.port);
        probe_send(&p, &client, &origin,
                   (rc_upstream_request){
                       .head = RC_STR("POST / HTTP/1.1\r\nhost: x\r\n\r\n"),
                       .body = rc_str_make(body, first),
                       .more = {rc_str_make(body + first, second - first),
                                rc_str_make(body + second, sizeof(body) - second)},
                   });
        probe_wait(&p);
        assert_int_equal(p.ends, 1);
        finish();
    }
    identity_free(&shown);
}

static void a_stale_connection_is_replaced_silently(void **state)
{
    identity shown = good_identity();
    (void)state;
    begin(tls_server_new(&shown, 0), one_each, NULL);
    assert_true(world_close(&client));
    client.settings.look_after_ms = 0;
    world_open(&client);
    rc_origin origin = origin_at("https", "good.test", server.port);
    for (int i = 0; i < 4; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        while (atomic_load(&server.open) > 0)
            usleep(200);
        usleep(2000);
    }
    assert_int_equal(rc_upstream_count(client.upstream).dialled, 4);
    finish();
    identity_free(&shown);
}

static void bad_trust_is_refused(void **state)
{
    const rc_tls_settings cases[] = {
        {.ca_file = "/nonexistent/ca.pem"},
        {.ca_pem = RC_STR("not a certificate")},
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *why = NULL;
        assert_null(rc_tls_new(&cases[i], &why));
        assert_non_null(why);
    }
    rc_tls_free(NULL);
}

/* More than was promised: in the same breath, or later. Or a goodbye. */
static void say_too_much(peer_conn *conn)
{
    const int on = 1;
    const int off = 0;
    if (!peer_read_request(conn))
        return;
    setsockopt(conn->fd, IPPROTO_TCP, TCP_CORK, &on, sizeof(on));
    peer_say(conn, OK_5);
    if (conn->of->number == 0)
        peer_say(conn, "junk");
    setsockopt(conn->fd, IPPROTO_TCP, TCP_CORK, &off, sizeof(off));
    peer_wait(conn->of);
    if (conn->of->number == 1)
        peer_say(conn, "junk");
}

static void a_connection_that_says_too_much_is_closed(void **state)
{
    identity shown = good_identity();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        probe p = {0};
        begin(tls_server_new(&shown, 0), say_too_much, NULL);
        server.number = i;
        rc_origin origin = origin_at("https", "good.test", server.port);
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        assert_int_equal(p.is_kept, i > 0);
        atomic_store(&server.go, true);
        while (rc_upstream_count(client.upstream).connections > 0)
            uv_run(&client.loop, UV_RUN_ONCE);
        finish();
    }
    identity_free(&shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_peers_are_trusted),
        cmocka_unit_test(bad_peers_are_refused_each_by_its_name),
        cmocka_unit_test(an_unknown_issuer_is_not_trusted),
        cmocka_unit_test(the_system_alone_does_not_trust_a_test),
        cmocka_unit_test(names_of_strangers_are_made_harmless),
        cmocka_unit_test(a_peer_that_wants_a_certificate_is_told),
        cmocka_unit_test(a_peer_without_tls_is_told),
        cmocka_unit_test(alerts_are_told),
        cmocka_unit_test(a_handshake_that_is_cut_is_no_failure_of_tls),
        cmocka_unit_test(a_handshake_has_a_time_limit),
        cmocka_unit_test(sessions_go_on),
        cmocka_unit_test(only_a_goodbye_ends_a_body),
        cmocka_unit_test(damaged_records_end_the_call),
        cmocka_unit_test(a_connection_that_says_too_much_is_closed),
        cmocka_unit_test(large_bodies_go_both_ways),
        cmocka_unit_test(bodies_in_pieces_share_records),
        cmocka_unit_test(a_stale_connection_is_replaced_silently),
        cmocka_unit_test(bad_trust_is_refused),
    };
    return cmocka_run_group_tests(tests, make_authority, free_authority);
}
