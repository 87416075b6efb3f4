/* How exchanges and connections end: clients that leave, cut answers, slow clients, a server that
 * stops. */
#include <poll.h>

#include "support/server_world.h"

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
    UNTIL(world.held != NULL);
}

/* The handler cuts it off itself, so it is told nothing. */
static void abort_held(void)
{
    rc_exchange_abort(world.held);
    world.held = NULL;
    world.told--;
}

static void reset_client(void)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(world.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    client_close();
}

static void a_client_that_leaves_is_seen_at_once(void **state)
{
    (void)state;
    world_start(NULL);
    hold(RC_STR("GET /hold" HOST "\r\n")); /* before the answer */
    client_close();
    UNTIL(has_logged("gone:"));
    assert_string_equal(world.log, "/hold whole gone:CLIENT");

    forget(); /* in the midst of it */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_exchange_begin(world.held, &(rc_answer){.status = 200, .framing = RC_HTTP1_CHUNKED});
    rc_exchange_write(world.held, RC_STR("part"));
    UNTIL(got("part"));
    client_close();
    UNTIL(has_logged("gone:"));
    assert_string_equal(world.log, "/hold whole gone:CLIENT");

    forget(); /* by a reset */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    reset_client();
    UNTIL(has_logged("gone:CLIENT"));

    forget(); /* with the next request already there */
    hold(RC_STR("GET /hold" HOST "\r\nGET /hello" HOST "\r\n"));
    client_close();
    UNTIL(has_logged("gone:CLIENT"));

    forget(); /* while sending */
    hold(RC_STR("POST /hold" HOST "Content-Length: 9\r\n\r\nhal"));
    client_close();
    UNTIL(has_logged("gone:"));
    assert_string_equal(world.log, "/hold gone:CLIENT");

    forget(); /* without anything, and in a head: nobody needs to know */
    client_open();
    client_close();
    client_open();
    client_send(RC_STR("GET /hel"));
    UNTIL(world.server.stats.connections == 1);
    client_close();
    UNTIL(world.server.stats.connections == 0);
    assert_string_equal(world.log, "");
    world_end();
}

/* Whatever its form, a cut answer is not a whole one. */
static void a_cut_answer_is_not_whole(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    world_start(&settings);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_exchange_begin(world.held, &(rc_answer){.status = 200, .framing = RC_HTTP1_CHUNKED});
    rc_exchange_write(world.held, RC_STR("part"));
    abort_held();
    UNTIL(world.is_at_end);
    assert_true(got("4\r\npart\r\n"));
    assert_false(got("0\r\n\r\n"));
    client_close();

    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_exchange_begin(world.held,
                      &(rc_answer){.status = 200, .framing = RC_HTTP1_LENGTH, .length = 9});
    rc_exchange_write(world.held, RC_STR("part"));
    abort_held();
    UNTIL(world.is_at_end);
    assert_true(got("\r\n\r\npart"));
    client_close();

    hold(RC_STR("GET /hold HTTP/1.0\r\n\r\n"));
    rc_exchange_begin(world.held, &(rc_answer){.status = 200, .framing = RC_HTTP1_UNTIL_CLOSE});
    rc_exchange_write(world.held, RC_STR("part"));
    UNTIL(got("part"));
    abort_held();
    UNTIL(world.is_at_end);
    assert_true(world.is_reset);
    client_close();

    hold(RC_STR("GET /hold" HOST "\r\n")); /* before anything */
    abort_held();
    UNTIL(world.is_at_end);
    assert_true(world.is_reset);
    assert_int_equal(world.got_len, 0);
    assert_false(has_logged("gone"));
    assert_false(has_logged("done"));
    world_end();
}

static void a_wrong_length_is_not_sent(void **state)
{
    (void)state;
    rc_answer answer = {.status = 200, .framing = RC_HTTP1_LENGTH, .length = 4};
    world_start(NULL);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_exchange_begin(world.held, &answer);
    rc_exchange_write(world.held, RC_STR("abc"));
    rc_exchange_end(world.held);
    UNTIL(world.is_at_end);
    assert_true(world.is_reset);
    assert_string_equal(world.log, "/hold whole gone:LENGTH");
    client_close();

    forget();
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_exchange_begin(world.held, &answer);
    assert_false(rc_exchange_write(world.held, RC_STR("abcde")));
    UNTIL(world.is_at_end);
    assert_false(got("abcde"));
    assert_string_equal(world.log, "/hold whole gone:LENGTH");
    client_close();

    forget(); /* an end without a beginning */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    rc_exchange_end(world.held);
    UNTIL(world.is_at_end);
    assert_string_equal(world.log, "/hold whole gone:LENGTH");
    world_end();
}

static void a_client_may_shut_its_side_behind_a_whole_answer(void **state)
{
    (void)state;
    static char large[7 << 20];
    memset(large, 'l', sizeof(large));
    rc_server_settings settings = brief_settings();
    world_start(&settings);
    world.rcvbuf = 4096;
    hold(RC_STR("GET /hold" HOST "\r\n"));
    world.got_max = 0; /* does not read */
    rc_exchange_answer(world.held, 200, NULL, 0, rc_str_make(large, sizeof(large)));
    for (int i = 0; i < 20; i++)
        turn();
    assert_false(has_logged("done"));
    shutdown(world.fd, SHUT_WR);
    for (int i = 0; i < 20; i++)
        turn();
    world.got_max = GOT_MAX;
    UNTIL(world.is_at_end);
    assert_true(world.got_len > sizeof(large));
    assert_string_equal(world.log, "/hold whole done");
    world_end();
}

/* Writes until it is told to stop. */
static size_t write_all_that_goes(rc_exchange *x)
{
    static char piece[10000];
    size_t written = sizeof(piece);
    while (rc_exchange_write(x, rc_str_make(piece, sizeof(piece))))
        written += sizeof(piece);
    return written;
}

static void a_slow_reader_stops_the_handler(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    settings.write_idle_ms = 300;
    world_start(&settings);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    world.got_max = 0;
    rc_exchange_begin(world.held, &(rc_answer){.status = 200, .framing = RC_HTTP1_CHUNKED});
    write_all_that_goes(world.held);
    for (int i = 0; i < 100 && has_logged("drained"); i++) { /* the kernel's buffers fill first */
        forget();
        write_all_that_goes(world.held);
        turn();
    }
    assert_false(has_logged("drained"));
    assert_true(world.memory.live_bytes < (256 << 10) + (192 << 10));
    uint64_t sent = rc_exchange_sent_bytes(world.held);
    assert_true(sent > 0);
    assert_true(rc_exchange_unsent_bytes(world.held) > 0);
    world.got_max = GOT_MAX; /* it reads again */
    UNTIL(has_logged("drained"));
    assert_true(rc_exchange_sent_bytes(world.held) > sent);
    assert_non_null(world.held);
    forget();
    write_all_that_goes(world.held);
    world.got_max = 0; /* and no more */
    for (int i = 0; i < PATIENCE && !has_logged("gone"); i++) {
        if (has_logged("drained")) {
            forget();
            write_all_that_goes(world.held);
        }
        turn();
    }
    assert_true(has_logged("gone:WRITE_TIMEOUT"));
    world_end();
}

static size_t long_left;

static void write_on(void *ctx, rc_exchange *x)
{
    static char piece[50000];
    (void)ctx;
    memset(piece, 'p', sizeof(piece));
    bool goes_on = true;
    while (long_left > 0 && goes_on) {
        size_t len = long_left < sizeof(piece) ? long_left : sizeof(piece);
        long_left -= len;
        goes_on = rc_exchange_write(x, rc_str_make(piece, len));
    }
    if (long_left == 0)
        rc_exchange_end(x);
}

static void a_long_answer_flows(void **state)
{
    (void)state;
    rc_server_handler own = handler;
    own.on_drained = write_on;
    world_start(NULL);
    world.server.handler = &own;
    hold(RC_STR("GET /hold" HOST "\r\n"));
    long_left = 12 << 20;
    rc_exchange_begin(world.held,
                      &(rc_answer){.status = 200, .framing = RC_HTTP1_LENGTH, .length = long_left});
    write_on(NULL, world.held);
    UNTIL(has_logged("done") && world.got_len > 12 << 20);
    assert_true(world.memory.peak_bytes < 1 << 20);
    assert_int_equal(memcmp(world.got + world.got_len - 4, "pppp", 4), 0);
    world_end();
}

static void a_handler_that_does_not_stop_loses_the_connection(void **state)
{
    (void)state;
    static char piece[100000];
    rc_server_settings settings = brief_settings();
    settings.write_max_bytes = 1 << 20;
    world_start(&settings);
    hold(RC_STR("GET /hold" HOST "\r\n"));
    world.got_max = 0;
    rc_exchange_begin(world.held, &(rc_answer){.status = 200, .framing = RC_HTTP1_CHUNKED});
    for (int i = 0; i < 1000; i++)
        rc_exchange_write(world.held, rc_str_make(piece, sizeof(piece)));
    assert_true(world.memory.live_bytes < 2 << 20);
    UNTIL(has_logged("gone:OVERFLOW"));
    world_end();
}

/* As much as the two systems take. */
static size_t pour(size_t most)
{
    static char piece[64 << 10];
    size_t sent = 0;
    memset(piece, 'x', sizeof(piece));
    while (sent < most) {
        size_t len = most - sent < sizeof(piece) ? most - sent : sizeof(piece);
        ssize_t part = send(world.fd, piece, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (part <= 0)
            break;
        sent += (size_t)part;
    }
    return sent;
}

/* What is kept of a client that sends ahead is full: its leaving is seen all the same. */
static void a_client_that_sent_too_much_is_looked_after(void **state)
{
    (void)state;
    world_start(NULL);
    hold(RC_STR("POST /paused" HOST "Content-Length: 80000\r\n\r\n"));
    assert_int_equal(pour(80000), 80000);
    for (int i = 0; i < 100; i++)
        turn();
    close(world.fd);
    world.fd = -1;
    world.is_at_end = true;
    UNTIL(has_logged("/paused gone:CLIENT"));

    forget(); /* requests that were not begun are let go of, and memory with them */
    world.is_at_end = false;
    hold(RC_STR("GET /hold" HOST "\r\n"));
    for (size_t sent = 0, i = 0; sent < (8 << 20) && i < PATIENCE; i++) {
        sent += pour((8 << 20) - sent);
        turn();
    }
    assert_true(world.memory.live_bytes < 1 << 20);
    rc_exchange_answer(world.held, 200, NULL, 0, RC_STR("last"));
    UNTIL(got("Connection: close\r\n\r\nlast"));
    UNTIL(has_logged("done"));
    client_close();

    forget(); /* and whoever sends on and on is let go of, too */
    hold(RC_STR("GET /hold" HOST "\r\n"));
    for (int i = 0; i < PATIENCE && !has_logged("gone"); i++) {
        (void)pour(1 << 20);
        turn();
    }
    assert_true(has_logged("gone:CLIENT"));
    world_end();
}

static void what_comes_too_slowly_is_closed(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    settings.head_ms = 60;
    settings.body_idle_ms = 70;
    settings.keep_alive_ms = 80;
    world_start(&settings);
    client_open(); /* nothing at all */
    UNTIL(world.is_at_end);
    assert_int_equal(world.got_len, 0);
    client_close();

    client_open(); /* a head, byte by byte, without an end */
    client_send(RC_STR("GET /hello" HOST));
    for (int i = 0; i < PATIENCE && !world.is_at_end; i++) {
        client_send(RC_STR("X"));
        turn();
        client_read();
    }
    assert_true(got("HTTP/1.1 408 "));
    assert_string_equal(world.log, "");
    client_close();

    client_open(); /* a body */
    client_send(RC_STR("POST /echo" HOST "Content-Length: 5\r\n\r\nhe"));
    UNTIL(world.is_at_end);
    assert_true(got("HTTP/1.1 408 "));
    assert_string_equal(world.log, "/echo gone:BODY_TIMEOUT");
    client_close();

    forget(); /* a body that comes, but hardly */
    client_open();
    client_send(RC_STR("POST /echo" HOST "Content-Length: 5000\r\n\r\n"));
    for (int i = 0; i < PATIENCE / 100 && !world.is_at_end; i++) {
        client_send(RC_STR("x"));
        (void)poll(NULL, 0, 10);
        turn();
        client_read();
    }
    assert_true(got("HTTP/1.1 408 "));
    assert_string_equal(world.log, "/echo gone:BODY_TIMEOUT");
    client_close();

    forget(); /* a body behind the answer */
    client_open();
    client_send(RC_STR("POST /early" HOST "Content-Length: 50\r\n\r\nhe"));
    UNTIL(world.is_at_end);
    assert_true(got("early"));
    assert_string_equal(world.log, "/early done");
    client_close();

    forget(); /* a body with the answer begun */
    hold(RC_STR("POST /hold" HOST "Content-Length: 5\r\n\r\nhe"));
    rc_exchange_begin(world.held, &(rc_answer){.status = 200, .framing = RC_HTTP1_CHUNKED});
    UNTIL(world.is_at_end);
    assert_true(world.is_reset);
    assert_string_equal(world.log, "/hold gone:BODY_TIMEOUT");
    client_close();

    forget(); /* the next request */
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(world.is_at_end);
    assert_true(got("hello"));
    assert_false(got("408"));

    forget(); /* an answer that takes its time is the handler's affair; so is a paused body */
    client_close();
    hold(RC_STR("POST /paused" HOST "Content-Length: 5\r\n\r\nhe"));
    uint64_t later_ms = uv_now(&world.loop) + 300;
    UNTIL(uv_now(&world.loop) > later_ms);
    assert_string_equal(world.log, "/paused");
    assert_non_null(world.held);
    world_end();
}

/* The rest comes while nobody looks, and the time is over when somebody does. */
static void what_came_during_a_pause_is_not_too_slow(void **state)
{
    (void)state;
    static const char *const halves[][2] = {
        {"GET /hello" HOST, "\r\n"},
        {"POST /hello" HOST "Content-Length: 5\r\n\r\nhe", "llo"},
    };
    rc_server_settings settings = brief_settings();
    settings.head_ms = 2000;
    settings.body_idle_ms = 2000;
    world_start(&settings);
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        forget();
        client_open();
        client_send(rc_str_c(halves[i][0]));
        UNTIL(world.server.stats.accepted == i + 1);
        turn();
        client_send(rc_str_c(halves[i][1]));
        (void)poll(NULL, 0, 2100);
        UNTIL(world.got_len > 0);
        assert_true(got("HTTP/1.1 200 "));
        client_close();
    }
    world_end();
}

static void stopping_lets_requests_finish(void **state)
{
    (void)state;
    rc_server_settings settings = brief_settings();
    world_start(&settings);
    int idle = connect_client();
    int fresh = connect_client();
    assert_int_equal(send(idle, "GET /hello" HOST "\r\n", 32, 0), 32);
    UNTIL(has_logged("done") && world.server.stats.connections == 2);
    hold(RC_STR("POST /hold" HOST "Content-Length: 2\r\n\r\na"));
    rc_server_stop(&world.server);
    rc_server_stop(&world.server);
    UNTIL(world.server.stats.connections == 1);
    char bytes[256];
    assert_true(recv(idle, bytes, sizeof(bytes), 0) > 0);
    assert_int_equal(recv(idle, bytes, sizeof(bytes), 0), 0);
    assert_int_equal(recv(fresh, bytes, sizeof(bytes), 0), 0);
    close(idle);
    close(fresh);
    assert_false(world.is_stopped);
    client_send(RC_STR("bGET /hello" HOST "\r\n"));
    UNTIL(has_logged("/hold whole"));
    rc_exchange_answer(world.held, 200, NULL, 0, RC_STR("held"));
    UNTIL(world.is_stopped && world.is_at_end);
    assert_true(got("Connection: close\r\n\r\nheld"));
    assert_string_equal(world.log, "/hello whole done /hold whole done");
    world_end();
}

/* A request that was sent before the stop is served, also one that waits in the kernel. */
static void stopping_serves_what_was_sent(void **state)
{
    (void)state;
    world_start(NULL);
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    rc_server_stop(&world.server);
    UNTIL(world.is_stopped && world.is_at_end);
    assert_true(got("Connection: close\r\n\r\nhello"));
    world_end();
}

static void closing_cuts_everything(void **state)
{
    (void)state;
    world_start(NULL);
    hold(RC_STR("POST /hold" HOST "Content-Length: 2\r\n\r\na"));
    rc_exchange_begin(world.held, &(rc_answer){.status = 200, .framing = RC_HTTP1_CHUNKED});
    rc_exchange_write(world.held, RC_STR("part"));
    rc_server_close(&world.server);
    UNTIL(world.is_stopped && world.is_at_end);
    assert_true(world.is_reset);
    assert_string_equal(world.log, "/hold gone:SERVER");
    world_end();
}

/* A pair of sockets: whoever has the other end needs no address. */
static void a_connection_may_be_adopted(void **state)
{
    int ends[2];
    char byte;
    (void)state;
    world_start_with(NULL, false);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_true(rc_server_adopt(&world.server, ends[1]));
    world.fd = ends[0];
    world.is_at_end = false;
    client_send(RC_STR("GET /hello HTTP/1.1\r\nhost: x\r\n\r\n"));
    UNTIL(got("HTTP/1.1 200"));
    /* One that is to stop takes none, and lets go of it. */
    rc_server_stop(&world.server);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_false(rc_server_adopt(&world.server, ends[1]));
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_leaves_is_seen_at_once),
        cmocka_unit_test(a_cut_answer_is_not_whole),
        cmocka_unit_test(a_wrong_length_is_not_sent),
        cmocka_unit_test(a_client_may_shut_its_side_behind_a_whole_answer),
        cmocka_unit_test(a_slow_reader_stops_the_handler),
        cmocka_unit_test(a_long_answer_flows),
        cmocka_unit_test(a_handler_that_does_not_stop_loses_the_connection),
        cmocka_unit_test(a_client_that_sent_too_much_is_looked_after),
        cmocka_unit_test(what_comes_too_slowly_is_closed),
        cmocka_unit_test(what_came_during_a_pause_is_not_too_slow),
        cmocka_unit_test(stopping_lets_requests_finish),
        cmocka_unit_test(stopping_serves_what_was_sent),
        cmocka_unit_test(closing_cuts_everything),
        cmocka_unit_test(a_connection_may_be_adopted),
    };
    return WORLD_RUN(tests);
}
