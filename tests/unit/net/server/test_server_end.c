/* Tests of how requests and connections end: disconnects, cut responses, slow clients, a stopping
 * server. */
#include <poll.h>

#include "support/server_fixture.h"

static rc_server_settings brief_settings(void)
{
    rc_server_settings settings = rc_server_settings_default;
    settings.linger_ms = 200;
    return settings;
}

static void hold(rc_str request)
{
    client_open();
    client_send(request);
    UNTIL(fixture.held != NULL);
}

/* The handler aborts the response itself, so no callback follows. */
static void abort_held(void)
{
    rc_responder_abort(fixture.held);
    fixture.held = NULL;
    fixture.pending--;
}

static void reset_client(void)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fixture.client.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    client_close();
}

static void a_disconnect_is_noticed_at_once(void **state)
{
    (void)state;
    fixture_start(NULL);
    hold(RC_STR("GET /hold" HOST "\r\n")); /* the client disconnects before the response */
    client_close();
    UNTIL(has_logged("gone:"));
    assert_string_equal(fixture.log, "/hold whole gone:CLIENT");

    forget(); /* the client disconnects in the middle of the response */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
    rc_responder_write(fixture.held, RC_STR("part"));
    UNTIL(got("part"));
    client_close();
    UNTIL(has_logged("gone:"));
    assert_string_equal(fixture.log, "/hold whole gone:CLIENT");

    forget(); /* the client disconnects with a reset */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    reset_client();
    UNTIL(has_logged("gone:CLIENT"));

    forget(); /* the client disconnects after its next request was received */
    hold(RC_STR("GET /hold" HOST "\r\nGET /hello" HOST "\r\n"));
    client_close();
    UNTIL(has_logged("gone:CLIENT"));

    forget(); /* the client disconnects while it sends the body */
    hold(RC_STR("POST /hold" HOST "Content-Length: 9\r\n\r\nhal"));
    client_close();
    UNTIL(has_logged("gone:"));
    assert_string_equal(fixture.log, "/hold gone:CLIENT");

    forget(); /* the client disconnects without a request, and inside a head: no callback is
               * called */
    client_open();
    client_close();
    client_open();
    client_send(RC_STR("GET /hel"));
    UNTIL(fixture.server.stats.connections == 1);
    client_close();
    UNTIL(fixture.server.stats.connections == 0);
    assert_string_equal(fixture.log, "");
    fixture_end();
}

/* A response that was cut off is recognisably incomplete, whatever its framing is. */
static void a_cut_response_is_incomplete(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    fixture_start(&settings);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
    rc_responder_write(fixture.held, RC_STR("part"));
    abort_held();
    UNTIL(fixture.client.is_at_end);
    assert_true(got("4\r\npart\r\n"));
    assert_false(got("0\r\n\r\n"));
    client_close();

    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_LENGTH, .length = 9});
    rc_responder_write(fixture.held, RC_STR("part"));
    abort_held();
    UNTIL(fixture.client.is_at_end);
    assert_true(got("\r\n\r\npart"));
    client_close();

    hold(RC_STR("GET /hold HTTP/1.0\r\n\r\n"));
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_UNTIL_CLOSE});
    rc_responder_write(fixture.held, RC_STR("part"));
    UNTIL(got("part"));
    abort_held();
    UNTIL(fixture.client.is_at_end);
    assert_true(fixture.client.is_reset);
    client_close();

    hold(RC_STR("GET /hold" HOST "\r\n")); /* the response is aborted before its head */
    abort_held();
    UNTIL(fixture.client.is_at_end);
    assert_true(fixture.client.is_reset);
    assert_int_equal(fixture.client.got_len, 0);
    assert_false(has_logged("gone"));
    assert_false(has_logged("done"));
    fixture_end();
}

static void a_wrong_length_is_not_sent(void **state)
{
    (void)state;
    rc_response_head answer = {.status = 200, .framing = RC_HTTP1_LENGTH, .length = 4};
    fixture_start(NULL);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_responder_begin(fixture.held, &answer);
    rc_responder_write(fixture.held, RC_STR("abc"));
    rc_responder_end(fixture.held);
    UNTIL(fixture.client.is_at_end);
    assert_true(fixture.client.is_reset);
    assert_string_equal(fixture.log, "/hold whole gone:LENGTH");
    client_close();

    forget();
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_responder_begin(fixture.held, &answer);
    assert_false(rc_responder_write(fixture.held, RC_STR("abcde")));
    UNTIL(fixture.client.is_at_end);
    assert_false(got("abcde"));
    assert_string_equal(fixture.log, "/hold whole gone:LENGTH");
    client_close();

    forget(); /* rc_responder_end is called without a begin */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_responder_end(fixture.held);
    UNTIL(fixture.client.is_at_end);
    assert_string_equal(fixture.log, "/hold whole gone:LENGTH");
    fixture_end();
}

static void a_client_may_shut_down_after_a_whole_response(void **state)
{
    (void)state;
    static char large[7 << 20];
    memset(large, 'l', sizeof(large));
    rc_server_settings settings = brief_settings();
    fixture_start(&settings);
    fixture.rcvbuf = 4096;
    hold(RC_STR("GET /hold" HOST "\r\n"));
    fixture.client.got_max = 0; /* the client does not read */
    rc_responder_send(fixture.held, 200, NULL, 0, rc_str_make(large, sizeof(large)));
    for (int i = 0; i < 20; i++)
        turn();
    assert_false(has_logged("done"));
    shutdown(fixture.client.fd, SHUT_WR);
    for (int i = 0; i < 20; i++)
        turn();
    fixture.client.got_max = GOT_MAX;
    UNTIL(fixture.client.is_at_end);
    assert_true(fixture.client.got_len > sizeof(large));
    assert_string_equal(fixture.log, "/hold whole done");
    fixture_end();
}

/* Writes until rc_responder_write returns false. */
static size_t write_until_full(rc_responder *x)
{
    static char piece[10000];
    size_t written = sizeof(piece);
    while (rc_responder_write(x, rc_str_make(piece, sizeof(piece))))
        written += sizeof(piece);
    return written;
}

static void a_slow_reader_stops_the_handler(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    settings.write_idle_ms = 300;
    fixture_start(&settings);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    fixture.client.got_max = 0;
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
    write_until_full(fixture.held);
    for (int i = 0; i < 100 && has_logged("drained"); i++) { /* the kernel's buffers fill first */
        forget();
        write_until_full(fixture.held);
        turn();
    }
    assert_false(has_logged("drained"));
    assert_true(fixture.memory.live_bytes < (256 << 10) + (192 << 10));
    uint64_t sent = rc_responder_sent_bytes(fixture.held);
    assert_true(sent > 0);
    assert_true(rc_responder_unsent_bytes(fixture.held) > 0);
    fixture.client.got_max = GOT_MAX; /* the client reads again */
    UNTIL(has_logged("drained"));
    assert_true(rc_responder_sent_bytes(fixture.held) > sent);
    assert_non_null(fixture.held);
    forget();
    write_until_full(fixture.held);
    fixture.client.got_max = 0; /* the client stops reading */
    for (int i = 0; i < PATIENCE && !has_logged("gone"); i++) {
        if (has_logged("drained")) {
            forget();
            write_until_full(fixture.held);
        }
        turn();
    }
    assert_true(has_logged("gone:WRITE_TIMEOUT"));
    fixture_end();
}

static size_t long_left;

static void write_on(void *ctx, rc_responder *x)
{
    static char piece[50000];
    (void)ctx;
    memset(piece, 'p', sizeof(piece));
    bool goes_on = true;
    while (long_left > 0 && goes_on) {
        size_t len = long_left < sizeof(piece) ? long_left : sizeof(piece);
        long_left -= len;
        goes_on = rc_responder_write(x, rc_str_make(piece, len));
    }
    if (long_left == 0)
        rc_responder_end(x);
}

static void a_long_response_is_streamed(void **state)
{
    (void)state;
    rc_server_handler own = handler;
    own.on_drained = write_on;
    fixture_start(NULL);
    fixture.server.handler = &own;
    hold(RC_STR("GET /hold" HOST "\r\n"));
    long_left = 12 << 20;
    rc_responder_begin(
        fixture.held,
        &(rc_response_head){.status = 200, .framing = RC_HTTP1_LENGTH, .length = long_left});
    write_on(NULL, fixture.held);
    UNTIL(has_logged("done") && fixture.client.got_len > 12 << 20);
    assert_true(fixture.memory.peak_bytes < 1 << 20);
    assert_int_equal(memcmp(fixture.client.got + fixture.client.got_len - 4, "pppp", 4), 0);
    fixture_end();
}

static void a_handler_that_does_not_stop_loses_the_connection(void **state)
{
    (void)state;
    static char piece[100000];
    rc_server_settings settings = brief_settings();
    settings.write_max_bytes = 1 << 20;
    fixture_start(&settings);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    fixture.client.got_max = 0;
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
    for (int i = 0; i < 1000; i++)
        rc_responder_write(fixture.held, rc_str_make(piece, sizeof(piece)));
    assert_true(fixture.memory.live_bytes < 2 << 20);
    UNTIL(has_logged("gone:OVERFLOW"));
    fixture_end();
}

/* Sends as much as the socket buffers of both sides accept. */
static size_t send_all_that_fits(size_t most)
{
    static char piece[64 << 10];
    size_t sent = 0;
    memset(piece, 'x', sizeof(piece));
    while (sent < most) {
        size_t len = most - sent < sizeof(piece) ? most - sent : sizeof(piece);
        ssize_t part = send(fixture.client.fd, piece, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (part <= 0)
            break;
        sent += (size_t)part;
    }
    return sent;
}

/* The buffer for bytes that a client sends early is full; its disconnect is detected all the
 * same. */
static void a_client_that_sent_too_much_is_still_checked(void **state)
{
    (void)state;
    fixture_start(NULL);
    hold(RC_STR("POST /paused" HOST "Content-Length: 80000\r\n\r\n"));
    assert_int_equal(send_all_that_fits(80000), 80000);
    for (int i = 0; i < 100; i++)
        turn();
    close(fixture.client.fd);
    fixture.client.fd = -1;
    fixture.client.is_at_end = true;
    UNTIL(has_logged("/paused gone:CLIENT"));

    forget(); /* Requests that were not started are dropped, and their memory is freed. */
    fixture.client.is_at_end = false;
    hold(RC_STR("GET /hold" HOST "\r\n"));
    for (size_t sent = 0, i = 0; sent < (8 << 20) && i < PATIENCE; i++) {
        sent += send_all_that_fits((8 << 20) - sent);
        turn();
    }
    assert_true(fixture.memory.live_bytes < 1 << 20);
    rc_responder_send(fixture.held, 200, NULL, 0, RC_STR("last"));
    UNTIL(got("Connection: close\r\n\r\nlast"));
    UNTIL(has_logged("done"));
    client_close();

    forget(); /* A client that keeps sending is disconnected. */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    for (int i = 0; i < PATIENCE && !has_logged("gone"); i++) {
        (void)send_all_that_fits(1 << 20);
        turn();
    }
    assert_true(has_logged("gone:CLIENT"));
    fixture_end();
}

static void a_slow_body_closes_the_connection(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    settings.head_ms = 60;
    settings.body_idle_ms = 70;
    settings.keep_alive_ms = 80;
    fixture_start(&settings);
    client_open(); /* the client sends no byte */
    UNTIL(fixture.client.is_at_end);
    assert_int_equal(fixture.client.got_len, 0);
    client_close();

    client_open(); /* a head that arrives byte by byte and does not end */
    client_send(RC_STR("GET /hello" HOST));
    for (int i = 0; i < PATIENCE && !fixture.client.is_at_end; i++) {
        client_send(RC_STR("X"));
        turn();
        client_read();
    }
    assert_true(got("HTTP/1.1 408 "));
    assert_string_equal(fixture.log, "");
    client_close();

    client_open(); /* a body that stops */
    client_send(RC_STR("POST /echo" HOST "Content-Length: 5\r\n\r\nhe"));
    UNTIL(fixture.client.is_at_end);
    assert_true(got("HTTP/1.1 408 "));
    assert_string_equal(fixture.log, "/echo gone:BODY_TIMEOUT");
    client_close();

    forget(); /* a body that arrives too slowly */
    client_open();
    client_send(RC_STR("POST /echo" HOST "Content-Length: 5000\r\n\r\n"));
    for (int i = 0; i < PATIENCE / 100 && !fixture.client.is_at_end; i++) {
        client_send(RC_STR("x"));
        (void)poll(NULL, 0, 10);
        turn();
        client_read();
    }
    assert_true(got("HTTP/1.1 408 "));
    assert_string_equal(fixture.log, "/echo gone:BODY_TIMEOUT");
    client_close();

    forget(); /* a body that continues after the response */
    client_open();
    client_send(RC_STR("POST /early" HOST "Content-Length: 50\r\n\r\nhe"));
    UNTIL(fixture.client.is_at_end);
    assert_true(got("early"));
    assert_string_equal(fixture.log, "/early done");
    client_close();

    forget(); /* a body that stops after the response has begun */
    hold(RC_STR("POST /hold" HOST "Content-Length: 5\r\n\r\nhe"));
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
    UNTIL(fixture.client.is_at_end);
    assert_true(fixture.client.is_reset);
    assert_string_equal(fixture.log, "/hold gone:BODY_TIMEOUT");
    client_close();

    forget(); /* the next request does not arrive */
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(fixture.client.is_at_end);
    assert_true(got("hello"));
    assert_false(got("408"));

    forget(); /* No limit applies while the handler prepares a response or has paused the body. */
    client_close();
    hold(RC_STR("POST /paused" HOST "Content-Length: 5\r\n\r\nhe"));
    uint64_t later_ms = uv_now(&fixture.loop) + 300;
    UNTIL(uv_now(&fixture.loop) > later_ms);
    assert_string_equal(fixture.log, "/paused");
    assert_non_null(fixture.held);
    fixture_end();
}

/* The last part of the body arrives while the loop does not run, and the deadline has passed when
 * the loop runs again. */
static void a_paused_body_is_not_slow(void **state)
{
    (void)state;
    static const char *const halves[][2] = {
        {"GET /hello" HOST, "\r\n"},
        {"POST /hello" HOST "Content-Length: 5\r\n\r\nhe", "llo"},
    };
    rc_server_settings settings = brief_settings();
    settings.head_ms = 2000;
    settings.body_idle_ms = 2000;
    fixture_start(&settings);
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        forget();
        client_open();
        client_send(rc_str_c(halves[i][0]));
        UNTIL(fixture.server.stats.accepted == i + 1);
        turn();
        client_send(rc_str_c(halves[i][1]));
        (void)poll(NULL, 0, 2100);
        UNTIL(fixture.client.got_len > 0);
        assert_true(got("HTTP/1.1 200 "));
        client_close();
    }
    fixture_end();
}

static void stopping_lets_requests_finish(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    fixture_start(&settings);
    int idle = connect_client();
    int fresh = connect_client();
    assert_int_equal(send(idle, "GET /hello" HOST "\r\n", 32, 0), 32);
    UNTIL(has_logged("done") && fixture.server.stats.connections == 2);
    hold(RC_STR("POST /hold" HOST "Content-Length: 2\r\n\r\na"));
    rc_server_stop(&fixture.server);
    rc_server_stop(&fixture.server);
    UNTIL(fixture.server.stats.connections == 1);
    char bytes[256];
    assert_true(recv(idle, bytes, sizeof(bytes), 0) > 0);
    assert_int_equal(recv(idle, bytes, sizeof(bytes), 0), 0);
    assert_int_equal(recv(fresh, bytes, sizeof(bytes), 0), 0);
    close(idle);
    close(fresh);
    assert_false(fixture.is_stopped);
    client_send(RC_STR("bGET /hello" HOST "\r\n"));
    UNTIL(has_logged("/hold whole"));
    rc_responder_send(fixture.held, 200, NULL, 0, RC_STR("held"));
    UNTIL(fixture.is_stopped && fixture.client.is_at_end);
    assert_true(got("Connection: close\r\n\r\nheld"));
    assert_string_equal(fixture.log, "/hello whole done /hold whole done");
    fixture_end();
}

/* A request that was sent before the server stops is served, even if it waits in the kernel's
 * queue. */
static void stopping_serves_requests_already_sent(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    rc_server_stop(&fixture.server);
    UNTIL(fixture.is_stopped && fixture.client.is_at_end);
    assert_true(got("Connection: close\r\n\r\nhello"));
    fixture_end();
}

static void closing_cuts_everything(void **state)
{
    (void)state;
    fixture_start(NULL);
    hold(RC_STR("POST /hold" HOST "Content-Length: 2\r\n\r\na"));
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
    rc_responder_write(fixture.held, RC_STR("part"));
    rc_server_close(&fixture.server);
    UNTIL(fixture.is_stopped && fixture.client.is_at_end);
    assert_true(fixture.client.is_reset);
    assert_string_equal(fixture.log, "/hold gone:SERVER");
    fixture_end();
}

/* One end of a socket pair has no address. */
static void a_connection_may_be_adopted(void **state)
{
    int ends[2];
    char byte;
    (void)state;
    fixture_start_with(NULL, false);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_true(rc_server_adopt(&fixture.server, ends[1]));
    fixture.client.fd = ends[0];
    fixture.client.is_at_end = false;
    client_send(RC_STR("GET /hello HTTP/1.1\r\nhost: x\r\n\r\n"));
    UNTIL(got("HTTP/1.1 200"));
    /* A stopping server does not adopt a connection; it closes the descriptor. */
    rc_server_stop(&fixture.server);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_false(rc_server_adopt(&fixture.server, ends[1]));
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    fixture_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disconnect_is_noticed_at_once),
        cmocka_unit_test(a_cut_response_is_incomplete),
        cmocka_unit_test(a_wrong_length_is_not_sent),
        cmocka_unit_test(a_client_may_shut_down_after_a_whole_response),
        cmocka_unit_test(a_slow_reader_stops_the_handler),
        cmocka_unit_test(a_long_response_is_streamed),
        cmocka_unit_test(a_handler_that_does_not_stop_loses_the_connection),
        cmocka_unit_test(a_client_that_sent_too_much_is_still_checked),
        cmocka_unit_test(a_slow_body_closes_the_connection),
        cmocka_unit_test(a_paused_body_is_not_slow),
        cmocka_unit_test(stopping_lets_requests_finish),
        cmocka_unit_test(stopping_serves_requests_already_sent),
        cmocka_unit_test(closing_cuts_everything),
        cmocka_unit_test(a_connection_may_be_adopted),
    };
    return FIXTURE_RUN(tests);
}
