/* Tests of TLS to providers: trust, session resumption, records, close_notify. */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/tls_fixture.h"

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
    assert_int_equal(p.failure.limit_ms, 50);
    assert_int_equal(p.failure.phase, RC_PHASE_CONNECT);
    finish();
}

static void one_each(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello");
}

static void sessions_are_resumed(void **state)
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

/* Sends the response, then ends with close_notify or only closes the connection. */
static void until_the_end(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_say(conn, "HTTP/1.1 200 OK\r\n\r\nall of it?");
    if (conn->of->number == 1)
        SSL_set_quiet_shutdown(conn->ssl, 1);
}

static void only_close_notify_ends_a_body(void **state)
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
    assert_true(fixture_close(&client));
    client.settings.stale_check_ms = 0;
    fixture_open(&client);
    rc_origin origin = origin_at("https", "good.test", server.port);
    for (int i = 0; i < 4; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        while (atomic_load(&server.open) > 0)
            usleep(200);
    }
    assert_int_equal(rc_upstream_count(client.upstream).dialled, 4);
    finish();
    identity_free(&shown);
}

static void unreadable_trust_settings_are_refused(void **state)
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

/* Sends more bytes than declared, in the same segment or later; or a close_notify. */
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

static void a_connection_with_extra_bytes_is_closed(void **state)
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
        cmocka_unit_test(a_handshake_has_a_time_limit),
        cmocka_unit_test(sessions_are_resumed),
        cmocka_unit_test(only_close_notify_ends_a_body),
        cmocka_unit_test(damaged_records_end_the_call),
        cmocka_unit_test(a_connection_with_extra_bytes_is_closed),
        cmocka_unit_test(large_bodies_go_both_ways),
        cmocka_unit_test(bodies_in_pieces_share_records),
        cmocka_unit_test(a_stale_connection_is_replaced_silently),
        cmocka_unit_test(unreadable_trust_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, make_authority, free_authority);
}
