/* The upstream client with providers that fail at every byte, owners that cancel at every moment,
 * and failing allocations: each call ends exactly once with the right result, and nothing leaks. */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/tls/tls.h"
#include "support/fail_alloc.h"
#include "support/tls_peer.h"
#include "support/upstream_peer.h"

#define OK_5 "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
#define DAY (24L * 60 * 60)
#define HOUR (60u * 60 * 1000)

static peer server;
static fixture client;
static rc_origin origin;

static void begin(SSL_CTX *tls, void (*script)(peer_conn *), const void *ctx)
{
    server = (peer){.ctx = (void *)(uintptr_t)ctx, .tls = tls};
    peer_start(&server, script);
    fixture_open(&client);
    origin = origin_at(tls != NULL ? "https" : "http", "127.0.0.1", server.port);
}

static void finish(void)
{
    assert_true(fixture_close(&client));
    peer_stop(&server);
    SSL_CTX_free(server.tls);
    client.settings.alloc.get = NULL;
}

static const char *const samples[] = {
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 62\r\n\r\n"
    "{\"id\":\"1\",\"choices\":[{\"message\":{\"content\":\"twelve words.\"}}]}",
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    "e\r\ndata: {\"a\":1}\n\r\n1c;x=y\r\ndata: {\"b\":\"two words\"}\n\n12\n\r\n0\r\nx-end: "
    "1\r\n\r\n",
};

/* Sends the first N bytes of the response on the Nth connection, then ends the connection. */
static void cut_at_index(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_write(conn, conn->of->ctx, (size_t)conn->index);
    if (conn->of->number == 1)
        peer_cut(conn);
}

static void cut_everywhere(SSL_CTX *tls, const char *sample, bool is_reset)
{
    size_t len = strlen(sample);
    const char *head_end = strstr(sample, "\r\n\r\n");
    size_t head_len = (size_t)(head_end + 4 - sample);
    begin(tls, cut_at_index, sample);
    server.number = is_reset ? 1 : 0;
    for (size_t at = 0; at < len; at++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 0);
        assert_int_equal(p.failures, 1);
        if (p.failure.transport != (is_reset ? RC_TRANSPORT_RESET : RC_TRANSPORT_EOF))
            print_message("at %zu: %s\n", at, p.failure.text);
        assert_int_equal(p.failure.transport, is_reset ? RC_TRANSPORT_RESET : RC_TRANSPORT_EOF);
        assert_int_equal(p.failure.phase, at == 0 ? RC_PHASE_SENT : RC_PHASE_HEADERS);
        assert_int_equal(p.failure.bytes_received, at);
        assert_int_equal(p.heads, at >= head_len ? 1 : 0);
        assert_true(p.body_len <= (at < head_len ? 0 : at - head_len));
        assert_int_equal(p.failure.body_bytes, p.body_len);
        assert_int_equal(rc_upstream_count(client.upstream).connections, 0);
    }
    probe whole = {0};
    probe_run(&whole, &client, &origin);
    assert_int_equal(whole.ends, 1);
    finish();
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int is_reset = 0; is_reset < 2; is_reset++)
            cut_everywhere(NULL, samples[i], is_reset != 0);
}

/* Sends a body that ends with the connection, then resets the connection. The reset must not count
 * as the end of the body. */
static void cut_behind_the_body(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_say(conn, "HTTP/1.1 200 OK\r\n\r\nhello");
    peer_cut(conn);
}

static void a_reset_ends_no_body(void **state)
{
    (void)state;
    begin(NULL, cut_behind_the_body, NULL);
    for (int i = 0; i < 50; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 0);
        assert_int_equal(p.failure.transport, RC_TRANSPORT_RESET);
        assert_int_equal(p.failure.phase, RC_PHASE_HEADERS);
    }
    finish();
}

static identity authority;
static rc_tls *trust;

static int make_authority(void **state)
{
    static char pem[4096];
    const char *why = NULL;
    (void)state;
    authority = identity_make((identity_options){.name = "localhost",
                                                 .names = "IP:127.0.0.1",
                                                 .from_s = -DAY,
                                                 .until_s = DAY,
                                                 .is_ca = true});
    const rc_tls_settings settings = {.ca_pem = identity_pem(&authority, pem, sizeof(pem)),
                                      .is_without_system = true};
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

static void with_tls(void)
{
    client.settings = rc_upstream_settings_default();
    client.settings.tls = trust;
}

static void cut_at_every_byte_of_tls(void **state)
{
    (void)state;
    with_tls();
    cut_everywhere(tls_server_new(&authority, 0), samples[1], false);
}

/* Sends the first of->number bytes of the response, then waits. */
static void stall_at(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_write(conn, conn->of->ctx, conn->of->number);
    peer_drain(conn);
}

/* Returns the failure of a call to a peer that stops after `at` bytes. */
static rc_upstream_failure request_silent_peer(size_t at, uint32_t limit_ms)
{
    probe p = {0};
    begin(NULL, stall_at, samples[1]);
    server.number = at;
    probe_send(&p, &client, &origin,
               (rc_upstream_request){.first_byte_ms = limit_ms, .idle_ms = limit_ms});
    probe_wait(&p);
    finish();
    return p.failure;
}

static void a_silent_peer_is_left(void **state)
{
    (void)state;
    for (size_t at = 0; at < strlen(samples[1]); at += 9) {
        /* The head and the chunk's size do not count as bytes of the body. */
        const size_t before = (size_t)(strstr(samples[1], "data: ") - samples[1]);
        const rc_upstream_kind kind =
            at > before ? RC_UPSTREAM_IDLE_TIMEOUT : RC_UPSTREAM_FIRST_BYTE_TIMEOUT;
        const rc_phase phase = at == 0 ? RC_PHASE_SENT : RC_PHASE_HEADERS;
        rc_upstream_failure failure = {0};
        /* On a busy machine the peer may not have written yet when the limit passes, so the call is
         * repeated with higher limits. */
        for (uint32_t limit_ms = 15; limit_ms < 10000; limit_ms *= 4) {
            failure = request_silent_peer(at, limit_ms);
            if (failure.kind == kind && failure.phase == phase)
                break;
        }
        assert_int_equal(failure.kind, kind);
        assert_int_equal(failure.transport, RC_TRANSPORT_TIMEOUT);
        assert_int_equal(failure.phase, phase);
    }
}

/* Sends a head that never ends, byte by byte. */
static void drip_head(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_say(conn, "HTTP/1.1 200 OK\r\nx: ");
    while (peer_say(conn, "y"))
        usleep(1000);
}

static void a_dripping_head_is_cut(void **state)
{
    probe p = {0};
    (void)state;
    begin(NULL, drip_head, NULL);
    probe_send(&p, &client, &origin, (rc_upstream_request){.first_byte_ms = 50});
    probe_wait(&p);
    assert_int_equal(p.failure.kind, RC_UPSTREAM_FIRST_BYTE_TIMEOUT);
    assert_int_equal(p.failure.phase, RC_PHASE_HEADERS);
    finish();
}

static void only_wait(peer_conn *conn)
{
    peer_wait(conn->of);
}

static void a_peer_that_takes_nothing_is_left(void **state)
{
    size_t len = 32u << 20;
    char *body = calloc(1, len);
    (void)state;
    for (int is_tls = 0; is_tls < 2; is_tls++) {
        probe p = {0};
        with_tls();
        begin(is_tls ? tls_server_new(&authority, 0) : NULL, only_wait, NULL);
        probe_send(&p, &client, &origin,
                   (rc_upstream_request){.body = rc_str_make(body, len), .idle_ms = 30});
        probe_wait(&p);
        assert_int_equal(p.failure.kind, RC_UPSTREAM_SEND_TIMEOUT);
        assert_int_equal(p.failure.phase, RC_PHASE_SENT);
        assert_true(p.failure.bytes_sent > 0 && p.failure.bytes_sent < len);
        finish();
    }
    free(body);
}

/* Closes the connection without a response while the body of the request arrives. */
static void leave_during_body(peer_conn *conn)
{
    char bytes[4096];
    peer_read(conn, bytes, sizeof(bytes));
    peer_cut(conn);
}

static void a_peer_that_closes_during_the_body_is_a_failure(void **state)
{
    size_t len = 32u << 20;
    char *body = calloc(1, len);
    probe p = {0};
    (void)state;
    begin(NULL, leave_during_body, NULL);
    probe_send(&p, &client, &origin, (rc_upstream_request){.body = rc_str_make(body, len)});
    probe_wait(&p);
    assert_int_equal(p.failure.transport, RC_TRANSPORT_RESET);
    assert_int_equal(p.failure.phase, RC_PHASE_SENT);
    finish();
    free(body);
}

/* Runs a number of iterations of the loop. */
static void turn(int turns)
{
    for (int i = 0; i < turns; i++) {
        uv_run(&client.loop, UV_RUN_NOWAIT);
        usleep(300);
    }
}

/* The owner may cancel a call in every state of the call. */
static void owners_may_leave_at_any_moment(void **state)
{
    (void)state;
    for (int is_tls = 0; is_tls < 2; is_tls++) {
        with_tls();
        begin(is_tls ? tls_server_new(&authority, 0) : NULL, peer_repeat, samples[1]);
        for (int turns = 0; turns < 40; turns++) {
            probe p = {0};
            assert_int_equal(probe_start(&p, &client, &origin), RC_UPSTREAM_NONE);
            turn(turns % 20);
            bool was_over = probe_is_over(&p);
            rc_upstream_cancel(&p.call);
            rc_upstream_cancel(&p.call);
            assert_false(rc_upstream_is_live(&p.call));
            int heads = p.heads;
            turn(3);
            assert_int_equal(probe_is_over(&p), was_over);
            assert_int_equal(p.heads, heads);
            assert_int_equal(rc_upstream_count(client.upstream).calls, 0);
        }
        finish();
    }
}

static void owners_may_leave_inside_callbacks(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        probe p = {.cancels_in_head = i % 2 == 0, .cancels_in_body = i % 2 == 1};
        with_tls();
        begin(i >= 2 ? tls_server_new(&authority, 0) : NULL, peer_repeat, samples[1]);
        assert_int_equal(probe_start(&p, &client, &origin), RC_UPSTREAM_NONE);
        while (rc_upstream_is_live(&p.call))
            uv_run(&client.loop, UV_RUN_ONCE);
        assert_false(probe_is_over(&p));
        assert_int_equal(p.pieces, i % 2);
        assert_int_equal(rc_upstream_count(client.upstream).connections, 0);
        finish();
    }
    rc_upstream_call never = {0};
    rc_upstream_cancel(&never);
    rc_upstream_pause(&never);
    rc_upstream_resume(&never);
    rc_upstream_finish(&never);
    assert_int_equal(rc_upstream_push(&never, RC_STR("x")), RC_PUSH_OK);
}

static void closing_ends_every_call_once(void **state)
{
    (void)state;
    for (int turns = 0; turns < 12; turns++) {
        static probe p[12];
        memset(p, 0, sizeof(p));
        with_tls();
        client.settings.max_connections = 4;
        begin(turns % 2 ? tls_server_new(&authority, 0) : NULL, peer_repeat, samples[0]);
        for (size_t i = 0; i < 12; i++)
            assert_int_equal(probe_start(&p[i], &client, &origin), RC_UPSTREAM_NONE);
        turn(turns);
        finish();
        for (size_t i = 0; i < 12; i++) {
            assert_int_equal(p[i].ends + p[i].failures, 1);
            assert_true(p[i].ends == 1 || p[i].failure.kind == RC_UPSTREAM_SHUTDOWN);
        }
    }
}

/* A peer whose behaviour depends on the numbers of the connection and of the request. */
static void moods(peer_conn *conn)
{
    for (int i = 0; peer_read_request(conn); i++) {
        switch ((conn->index * 7 + i) % 9) {
        case 0:
            return;
        case 1:
            peer_cut(conn);
            return;
        case 2:
            peer_write(conn, samples[0], 30);
            return;
        case 3:
            peer_say(conn, samples[1]);
            return;
        case 4:
            peer_say(conn, OK_5 "junk");
            break;
        default:
            if (!peer_say(conn, samples[i % 2]))
                return;
        }
    }
}

static void anything_goes(SSL_CTX *tls)
{
    static probe p[24];
    uint32_t random = 12345;
    int started = 0;
    int over = 0;
    memset(p, 0, sizeof(p));
    with_tls();
    client.settings.max_connections = 6;
    client.settings.max_idle = 3;
    client.settings.max_requests = 5;
    client.settings.max_queued = 6;
    begin(tls, moods, NULL);
    while (started < 1500 && server.count < PEER_CONNECTIONS_MAX - 8) {
        random = random * 1664525u + 1013904223u;
        probe *one = &p[(random >> 8) % 24];
        switch (random >> 28) {
        case 0:
            rc_upstream_cancel(&one->call);
            break;
        case 1:
            rc_upstream_pause(&one->call);
            break;
        case 2:
            for (size_t i = 0; i < 24; i++)
                rc_upstream_resume(&p[i].call);
            uv_run(&client.loop, UV_RUN_NOWAIT);
            break;
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
            turn(1);
            break;
        default:
            if (rc_upstream_is_live(&one->call))
                break;
            over += one->ends + one->failures;
            assert_true(one->ends + one->failures <= 1);
            *one = (probe){.cancels_in_head = (random & 31) == 1,
                           .cancels_in_body = (random & 31) == 2};
            started += probe_start(one, &client, &origin) == RC_UPSTREAM_NONE ? 1 : 0;
        }
        assert_true(rc_upstream_count(client.upstream).connections <= 6);
    }
    print_message("%d of %d came to an end\n", over, started);
    assert_true(over > started / 4);
    finish();
    for (size_t i = 0; i < 24; i++)
        assert_false(rc_upstream_is_live(&p[i].call));
}

static void anything_at_any_time(void **state)
{
    (void)state;
    anything_goes(NULL);
    anything_goes(tls_server_new(&authority, 0));
}

/* Responds to each request with a head that arrives in two pieces. */
static void two_pieces(peer_conn *conn)
{
    while (peer_read_request(conn)) {
        peer_write(conn, OK_5, 20);
        usleep(1000);
        if (!peer_say(conn, &OK_5[20]))
            return;
    }
}

static size_t starve(bool is_tls, size_t fail_at, bool for_good)
{
    static fail_alloc memory;
    memory = (fail_alloc){0};
    with_tls();
    client.settings.alloc = fail_alloc_of(&memory);
    begin(is_tls ? tls_server_new(&authority, 0) : NULL, two_pieces, NULL);
    memory.calls = 0;
    memory.fail_at = fail_at;
    memory.for_good = for_good;
    int good = 0;
    for (int i = 0; i < 3; i++) {
        probe p = {0};
        const rc_str head = RC_STR("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n");
        rc_upstream_kind kind = probe_send(
            &p, &client, &origin, (rc_upstream_request){.head = head, .is_body_open = true});
        if (kind != RC_UPSTREAM_NONE) {
            assert_int_equal(kind, RC_UPSTREAM_NO_MEMORY);
            continue;
        }
        if (rc_upstream_push(&p.call, RC_STR("hello")) == RC_PUSH_REFUSED) {
            rc_upstream_cancel(&p.call);
            continue;
        }
        rc_upstream_finish(&p.call);
        probe_wait(&p);
        assert_int_equal(p.ends + p.failures, 1);
        if (p.failures == 1)
            assert_int_equal(p.failure.kind, RC_UPSTREAM_NO_MEMORY);
        good += p.ends;
    }
    /* the two pieces of a head may arrive in one read, which needs fewer allocations */
    assert_int_equal(good == 3, fail_at == 0 || memory.calls < fail_at);
    finish();
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    return memory.calls;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int is_tls = 0; is_tls < 2; is_tls++) {
        size_t calls = starve(is_tls != 0, 0, false);
        assert_true(calls >= 5 && calls < 100);
        for (size_t at = 1; at <= calls; at++) {
            starve(is_tls != 0, at, false);
            starve(is_tls != 0, at, true);
        }
    }
}

/* If there is no memory for the bytes that the kernel does not accept, the call fails from the
 * loop, with the right kind of failure. */
static void memory_runs_out_while_sending(void **state)
{
    size_t len = 16u << 20;
    char *body = calloc(1, len);
    bool has_starved = false;
    (void)state;
    for (size_t at = 1; at < 20; at++) {
        fail_alloc memory = {0};
        probe p = {0};
        with_tls();
        client.settings.alloc = fail_alloc_of(&memory);
        begin(at % 2 ? tls_server_new(&authority, 0) : NULL, only_wait, NULL);
        memory.calls = 0;
        memory.fail_at = at / 2 + 1;
        memory.for_good = true;
        rc_upstream_kind kind =
            probe_send(&p, &client, &origin,
                       (rc_upstream_request){
                           .body = rc_str_make(body, len), .idle_ms = 30, .first_byte_ms = HOUR});
        if (kind == RC_UPSTREAM_NONE) {
            probe_wait(&p);
            kind = p.failure.kind;
        }
        assert_true(kind == RC_UPSTREAM_NO_MEMORY || kind == RC_UPSTREAM_SEND_TIMEOUT);
        has_starved |= kind == RC_UPSTREAM_NO_MEMORY && p.failure.phase == RC_PHASE_SENT;
        finish();
        assert_int_equal(memory.live, 0);
    }
    assert_true(has_starved);
    free(body);
}

static void close_each(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
}

static void memory_runs_out_when_the_turn_comes(void **state)
{
    fail_alloc memory = {0};
    probe p[3] = {0};
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.max_connections = 1;
    client.settings.alloc = fail_alloc_of(&memory);
    begin(NULL, close_each, NULL);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(probe_start(&p[i], &client, &origin), RC_UPSTREAM_NONE);
    memory.fail_at = memory.calls + 1;
    memory.for_good = true;
    probe_wait(&p[0]);
    assert_int_equal(p[0].ends, 1);
    for (size_t i = 1; i < 3; i++) {
        probe_wait(&p[i]);
        assert_int_equal(p[i].failure.kind, RC_UPSTREAM_NO_MEMORY);
    }
    finish();
    assert_int_equal(memory.live, 0);
}

static rc_upstream_kind started_late;

static void start_again(void *ctx, const rc_upstream_failure *failure)
{
    probe_on_failure(ctx, failure);
    started_late = probe_start(ctx, &client, &origin);
}

static void nothing_starts_during_the_end(void **state)
{
    const rc_upstream_handler handler = {.on_failure = start_again};
    const rc_upstream_request request = {.head = RC_STR("GET / HTTP/1.1\r\nhost: x\r\n\r\n")};
    probe p = {.of = &client};
    (void)state;
    begin(NULL, peer_drain, NULL);
    started_late = RC_UPSTREAM_NONE;
    rc_upstream_start(&p.call, client.upstream, &origin, &request, &handler, &p);
    finish();
    assert_int_equal(p.failures, 1);
    assert_int_equal(started_late, RC_UPSTREAM_SHUTDOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(a_reset_ends_no_body),
        cmocka_unit_test(cut_at_every_byte_of_tls),
        cmocka_unit_test(a_silent_peer_is_left),
        cmocka_unit_test(a_dripping_head_is_cut),
        cmocka_unit_test(a_peer_that_takes_nothing_is_left),
        cmocka_unit_test(a_peer_that_closes_during_the_body_is_a_failure),
        cmocka_unit_test(owners_may_leave_at_any_moment),
        cmocka_unit_test(owners_may_leave_inside_callbacks),
        cmocka_unit_test(closing_ends_every_call_once),
        cmocka_unit_test(anything_at_any_time),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(memory_runs_out_while_sending),
        cmocka_unit_test(memory_runs_out_when_the_turn_comes),
        cmocka_unit_test(nothing_starts_during_the_end),
    };
    return cmocka_run_group_tests(tests, make_authority, free_authority);
}
