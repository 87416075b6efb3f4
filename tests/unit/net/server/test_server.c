/* Tests of the HTTP/1.1 server on real sockets: framing, pipelining, 100 Continue, early
 * responses. */
#include "support/server_fixture.h"

#include <sys/stat.h>

static void a_request_gets_a_response(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("\r\n\r\nhello"));
    assert_string_equal(fixture.log, "/hello whole done");
    fixture.client.got[fixture.client.got_len] = '\0';
    assert_string_equal(fixture.client.got, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                                            "Content-Length: 5\r\n\r\nhello");
    client_send(RC_STR("OPTIONS /hello" HOST "\r\n"));
    UNTIL(got_count("hello") == 2);
    assert_false(fixture.client.is_at_end);
    assert_int_equal(rc_server_get_stats(&fixture.server)->requests, 2);
    assert_int_equal(rc_server_get_stats(&fixture.server)->connections, 1);
    fixture_end();
}

/* The result does not depend on the pieces in which the bytes arrive. */
static void the_result_does_not_depend_on_the_pieces_received(void **state)
{
    (void)state;
    static const char text[] = "POST /echo" HOST "Content-Length: 11\r\n\r\nhello world"
                               "POST /echo" HOST "Transfer-Encoding: chunked\r\n\r\n"
                               "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nT: u\r\n\r\n"
                               "GET /hello" HOST "\r\n";
    static const char answers[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world"
        "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nabcdefg"
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";
    const size_t len = sizeof(text) - 1;
    for (size_t step = 1; step <= len; step += step < 8 ? 1 : 29) {
        fixture_start(NULL);
        client_open();
        for (size_t at = 0; at < len; at += step) {
            client_send(rc_str_make(text + at, len - at < step ? len - at : step));
            uint64_t accepted = fixture.server.stats.accepted;
            for (int i = 0; i < 2 || accepted == 0; i++) {
                turn();
                accepted = fixture.server.stats.accepted;
            }
        }
        UNTIL(fixture.client.got_len >= sizeof(answers) - 1);
        assert_int_equal(fixture.client.got_len, sizeof(answers) - 1);
        assert_memory_equal(fixture.client.got, answers, sizeof(answers) - 1);
        assert_string_equal(fixture.log, "/echo whole done /echo whole done /hello whole done");
        fixture_end();
    }
}

static void pipelined_requests_are_served_in_turn(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\nPOST /hold" HOST "Content-Length: 2\r\n\r\nab"
                       "GET /hello" HOST "\r\nPOST /echo" HOST "Content-Length: 3\r\n\r\nxyz"
                       "GET /hello" HOST "\r\n"));
    UNTIL(fixture.held != NULL && got("hello") && has_logged("/hold whole"));
    for (int i = 0; i < 5; i++)
        turn();
    assert_string_equal(fixture.log, "/hello whole done /hold whole");
    rc_responder_send(fixture.held, 200, NULL, 0, RC_STR("held"));
    UNTIL(got_count("hello") == 3);
    assert_true(got("held"));
    assert_true(got("xyz"));
    assert_string_equal(fixture.log, "/hello whole done /hold whole done /hello whole done "
                                     "/echo whole done /hello whole done");
    fixture_end();
}

static void input_before_the_response_is_limited(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hold" HOST "\r\n"));
    UNTIL(fixture.held != NULL);
    static char flood[1 << 16];
    memset(flood, 'x', sizeof(flood));
    memcpy(flood, "GET /x", 6);
    /* Sends until the kernel accepts no more bytes, because the server stops reading. */
    size_t sent = 0;
    int stuck = 0;
    while (stuck < 50) {
        ssize_t some = send(fixture.client.fd, flood, sizeof(flood), MSG_DONTWAIT | MSG_NOSIGNAL);
        stuck = some > 0 ? 0 : stuck + 1;
        sent += some > 0 ? (size_t)some : 0;
        turn();
    }
    assert_true(sent > 200000);
    assert_true(fixture.memory.live_bytes < 300000);
    rc_responder_send(fixture.held, 200, NULL, 0, RC_STR("held"));
    UNTIL(fixture.client.is_at_end);
    assert_true(got("held"));
    assert_true(got("HTTP/1.1 414"));
    fixture_end();
}

static void continue_is_sent_when_the_body_is_wanted(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("POST /echo" HOST "Expect: 100-Continue\r\nContent-Length: 4\r\n\r\n"));
    UNTIL(got("\r\n\r\n"));
    assert_int_equal(fixture.client.got_len, 25);
    assert_true(got("HTTP/1.1 100 Continue\r\n\r\n"));
    client_send(RC_STR("body"));
    UNTIL(got("\r\n\r\nbody"));

    forget(); /* While the body is paused, 100 Continue is not sent. */
    client_send(RC_STR("POST /paused" HOST "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
    UNTIL(fixture.held != NULL);
    for (int i = 0; i < 5; i++)
        turn();
    client_read();
    assert_int_equal(fixture.client.got_len, 0);
    rc_responder_resume_body(fixture.held);
    UNTIL(got("100 Continue\r\n\r\n"));
    client_send(RC_STR("more"));
    UNTIL(has_logged("whole"));
    assert_memory_equal(fixture.body, "more", 4);
    rc_responder_send(fixture.held, 200, NULL, 0, RC_STR("ok"));
    UNTIL(got("ok"));

    forget(); /* If the body arrived with the head, 100 Continue is not sent, either. */
    client_send(RC_STR("POST /echo" HOST "Expect: 100-continue\r\nContent-Length: 4\r\n\r\nbody"));
    UNTIL(got("body"));
    assert_false(got("100 Continue"));

    forget(); /* A final response is sent in place of 100 Continue: the client need not send the
               * body, so the connection is closed. */
    client_send(RC_STR("POST /early" HOST "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
    UNTIL(fixture.client.is_at_end);
    assert_false(got("100 Continue"));
    assert_true(got("Connection: close\r\n\r\nearly"));
    fixture_end();
}

static void some_responses_have_no_body(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("HEAD /hello" HOST "\r\n"));
    UNTIL(got("\r\n\r\n"));
    client_send(RC_STR("GET /empty" HOST "\r\n"));
    UNTIL(got("204 No Content\r\n\r\n"));
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got_count("hello") == 1);
    assert_int_equal(got_count("Content-Length: 5\r\n\r\n"), 2);
    assert_false(got("nothing"));
    assert_false(got("Content-Length: 7"));
    fixture_end();
}

static void http_1_0_connections_are_closed(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    UNTIL(fixture.client.is_at_end);
    assert_false(fixture.client.is_reset);
    assert_true(got("Connection: close\r\n\r\nhello"));
    client_close();
    client_open();
    client_send(RC_STR("GET /kept HTTP/1.0\r\n\r\n"));
    UNTIL(fixture.client.is_at_end);
    assert_false(fixture.client.is_reset);
    assert_false(got("chunked"));
    assert_true(got("kkkend"));
    client_close();
    client_open();
    client_send(RC_STR("GET /hello" HOST "Connection: close\r\n\r\n"));
    UNTIL(fixture.client.is_at_end);
    assert_true(got("Connection: close\r\n\r\nhello"));
    fixture_end();
}

static void chunks_are_written(void **state)
{
    (void)state;
    static char large[30000];
    memset(large, 'z', sizeof(large));
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hold" HOST "\r\nGET /kept" HOST "\r\n"));
    UNTIL(fixture.held != NULL);
    assert_int_equal(
        rc_responder_begin(fixture.held,
                           &(rc_response_head){.status = 418, .framing = RC_HTTP1_CHUNKED}),
        RC_OK);
    assert_true(rc_responder_has_begun(fixture.held));
    /* The head is sent before the first byte of the body. */
    UNTIL(got("HTTP/1.1 418 \r\nTransfer-Encoding: chunked\r\n\r\n"));
    assert_true(rc_responder_write(fixture.held, RC_STR("one")));
    assert_true(rc_responder_write(fixture.held, RC_STR("")));
    assert_true(rc_responder_write(fixture.held, RC_STR("sixteen bytes ok")));
    assert_true(rc_responder_write(fixture.held, rc_str_make(large, sizeof(large))));
    rc_responder_end(fixture.held);
    UNTIL(got("zz\r\n0\r\n\r\n"));
    assert_true(got("3\r\none\r\n10\r\nsixteen bytes ok\r\n7530\r\nzzz"));
    UNTIL(got("kk\r\n3\r\nend\r\n0\r\n\r\n"));
    assert_true(got("4e20\r\nkkk"));
    assert_false(fixture.client.is_at_end);
    fixture_end();
}

static void an_early_response_is_seen_while_sending(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("POST /early" HOST "Content-Length: 100000\r\n\r\nsome"));
    UNTIL(got("early"));
    assert_string_equal(fixture.log, "/early done");
    static char rest[100000 - 4];
    memset(rest, 'r', sizeof(rest));
    client_send(rc_str_make(rest, sizeof(rest))); /* The remaining body is dropped, and the
                                                   * connection is reused. */
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("hello"));
    assert_false(got("Connection: close"));
    assert_string_equal(fixture.log, "/early done /hello whole done");

    forget(); /* The remaining body is longer than discard_bytes. */
    client_send(
        RC_STR("POST /early" HOST "Content-Length: 10000000\r\n\r\nGET /hello" HOST "\r\n"));
    UNTIL(got("early"));
    assert_true(got("Connection: close"));
    client_send(rc_str_make(rest, sizeof(rest)));
    UNTIL(fixture.client.is_at_end);
    assert_false(fixture.client.is_reset);
    assert_string_equal(fixture.log, "/early done");
    client_close();

    forget(); /* A chunked body is longer than discard_bytes. */
    client_open();
    client_send(RC_STR("POST /early" HOST "Transfer-Encoding: chunked\r\n\r\n7fffff\r\n"));
    UNTIL(got("early"));
    for (int i = 0; i < 100 && !fixture.client.is_at_end; i++) {
        client_send(rc_str_make(rest, sizeof(rest)));
        turn();
        client_read();
    }
    UNTIL(fixture.client.is_at_end);
    assert_string_equal(fixture.log, "/early done");
    fixture_end();
}

/* As with many clients, the response is ready before the body is sent, and is read after it. */
static void a_client_that_reads_last_gets_the_response(void **state)
{
    (void)state;
    static char part[64 << 10];
    const size_t length = 10000000;
    size_t sent = 0;
    memset(part, 'r', sizeof(part));
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("POST /early" HOST "Content-Length: 10000000\r\n\r\n"));
    for (int i = 0; i < PATIENCE && sent < length; i++) {
        size_t left = length - sent < sizeof(part) ? length - sent : sizeof(part);
        ssize_t done = send(fixture.client.fd, part, left, MSG_NOSIGNAL | MSG_DONTWAIT);
        assert_true(done > 0 || errno == EAGAIN);
        sent += done > 0 ? (size_t)done : 0;
        turn();
    }
    assert_int_equal(sent, length);
    UNTIL(fixture.client.is_at_end);
    assert_true(got("Connection: close\r\n\r\nearly"));
    assert_false(fixture.client.is_reset);
    fixture_end();
}

static void a_body_can_be_paused(void **state)
{
    (void)state;
    static char body[60000];
    memset(body, 'b', sizeof(body));
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("POST /paused" HOST "Content-Length: 60000\r\n\r\n"));
    client_send(rc_str_make(body, sizeof(body)));
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(fixture.held != NULL);
    for (int i = 0; i < 20; i++)
        turn();
    assert_int_equal(fixture.body_len, 0);
    rc_responder_resume_body(fixture.held);
    UNTIL(has_logged("/paused whole"));
    assert_int_equal(fixture.body_len, sizeof(body));
    assert_memory_equal(fixture.body, body, sizeof(body));
    rc_responder_send(fixture.held, 200, NULL, 0, RC_STR("ok"));
    UNTIL(got("hello"));
    fixture_end();
}

static void response_heads_are_checked(void **state)
{
    (void)state;
    static const rc_header bad[] = {
        {RC_STR_INIT("X"), RC_STR_INIT("a\r\nSet-Cookie: b")},
        {RC_STR_INIT("X"), RC_STR_INIT("12345678\n")},
        {RC_STR_INIT("X"), RC_STR_INIT("a\0b")},
        {RC_STR_INIT("X"), RC_STR_INIT("0123456\x7f")},
        {RC_STR_INIT("X"), RC_STR_INIT("012345\x01z")},
        {RC_STR_INIT(""), RC_STR_INIT("a")},
        {RC_STR_INIT("X Y"), RC_STR_INIT("a")},
        {RC_STR_INIT("X:"), RC_STR_INIT("a")},
        {RC_STR_INIT("X\r\n"), RC_STR_INIT("a")},
        {RC_STR_INIT("content-LENGTH"), RC_STR_INIT("1")},
        {RC_STR_INIT("Transfer-encoding"), RC_STR_INIT("chunked")},
        {RC_STR_INIT("connection"), RC_STR_INIT("close")},
    };
    static const rc_header good[] = {
        {RC_STR_INIT("X-Tab"), RC_STR_INIT("a\tb\xc3\xa9 and more than sixteen bytes")},
        {RC_STR_INIT("Empty"), RC_STR_INIT("")},
    };
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hold" HOST "\r\n"));
    UNTIL(fixture.held != NULL);
    rc_responder *x = fixture.held;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(rc_responder_send(x, 200, &bad[i], 1, RC_STR("")), RC_E_ARGUMENT);
    assert_int_equal(rc_responder_send(x, 100, NULL, 0, RC_STR("")), RC_E_ARGUMENT);
    assert_int_equal(rc_responder_send(x, 600, NULL, 0, RC_STR("")), RC_E_ARGUMENT);
    assert_false(rc_responder_write(x, RC_STR("not begun")));
    assert_int_equal(rc_responder_begin(x, &(rc_response_head){.status = 200,
                                                               .fields = good,
                                                               .field_count = 2,
                                                               .framing = RC_HTTP1_LENGTH,
                                                               .length = 2}),
                     RC_OK);
    assert_int_equal(rc_responder_begin(x, &(rc_response_head){.status = 200}), RC_E_ARGUMENT);
    rc_responder_write(x, RC_STR("ok"));
    rc_responder_end(x);
    rc_responder_end(x);
    UNTIL(got("X-Tab: a\tb\xc3\xa9 and more than sixteen bytes\r\nEmpty: \r\n"
              "Content-Length: 2\r\n\r\nok"));
    fixture_end();
}

static void a_raw_head_is_passed_on(void **state)
{
    (void)state;
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hold" HOST "\r\n"));
    UNTIL(fixture.held != NULL);
    rc_responder_set_owner(fixture.held, &fixture);
    assert_ptr_equal(rc_responder_owner(fixture.held), &fixture);
    char peer[46];
    assert_true(rc_responder_peer(fixture.held, peer, sizeof(peer)));
    assert_string_equal(peer, "127.0.0.1");
    assert_int_equal(rc_responder_begin_raw(fixture.held, 200,
                                            RC_STR("HTTP/1.1 200 Fine\r\nA: b\r\n"),
                                            RC_HTTP1_LENGTH, 2),
                     RC_OK);
    rc_responder_write(fixture.held, RC_STR("ok"));
    rc_responder_end(fixture.held);
    assert_int_equal(rc_responder_sent_bytes(fixture.held), 48);
    UNTIL(got("HTTP/1.1 200 Fine\r\nA: b\r\nContent-Length: 2\r\n\r\nok"));
    fixture_end();
}

static void unix_and_inherited_sockets_work(void **state)
{
    (void)state;
    char folder[] = "/tmp/recourse-server-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/s", folder);
    for (int round = 0; round < 2; round++) { /* the second round replaces the socket file of a
                                               * server that has ended */
        fixture_start(NULL);
        rc_listening listening;
        assert_int_equal(rc_server_listen_unix(&fixture.server, path, 0600, &listening),
                         RC_LISTEN_OK);
        struct stat found;
        assert_int_equal(stat(path, &found), 0);
        assert_int_equal(found.st_mode & 0777, 0600);
        rc_listening again;
        assert_int_equal(rc_server_listen_unix(&fixture.server, path, 0600, &again),
                         RC_LISTEN_IN_USE);
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
        fixture.client.fd = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(connect(fixture.client.fd, (struct sockaddr *)&address, sizeof(address)),
                         0);
        fixture.client.is_at_end = false;
        client_send(RC_STR("GET /hello" HOST "\r\n"));
        UNTIL(got("hello"));
        fixture_end();
        assert_int_equal(stat(path, &found), -1);
        if (round == 0) {
            int dead = socket(AF_UNIX, SOCK_STREAM, 0);
            assert_int_equal(bind(dead, (struct sockaddr *)&address, sizeof(address)), 0);
            close(dead);
        }
    }
    rmdir(folder);

    fixture_start_with(NULL, false);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(rc_server_listen_fd(&fixture.server, fd, &fixture.listening),
                     RC_LISTEN_NO_SOCKET);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(rc_server_listen_fd(&fixture.server, fd, &fixture.listening), RC_LISTEN_OK);
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("hello"));
    fixture_end();
}

static void a_failed_listen_has_a_text(void **state)
{
    (void)state;
    rc_listening listening;
    fixture_start(NULL);
    assert_int_equal(rc_server_listen_tcp(&fixture.server, "127.0.0.1", fixture.listening.port,
                                          RC_LISTEN_ALONE, &listening),
                     RC_LISTEN_IN_USE);
    assert_true(strlen(listening.text) > 0);
    assert_int_equal(
        rc_server_listen_tcp(&fixture.server, "example.org", 0, RC_LISTEN_ALONE, &listening),
        RC_LISTEN_ADDRESS);
    assert_int_equal(
        rc_server_listen_tcp(&fixture.server, "192.0.2.1", 0, RC_LISTEN_ALONE, &listening),
        RC_LISTEN_ADDRESS);
    assert_int_equal(rc_server_listen_unix(&fixture.server, "/nowhere/at/all", 0600, &listening),
                     RC_LISTEN_ADDRESS);
    assert_int_equal(rc_server_listen_unix(&fixture.server, "", 0600, &listening),
                     RC_LISTEN_ADDRESS);
    assert_int_equal(rc_server_listen_fd(&fixture.server, 12345, &listening), RC_LISTEN_NO_SOCKET);
    for (int i = 1; i < RC_LISTENERS_MAX; i++)
        assert_int_equal(
            rc_server_listen_tcp(&fixture.server, "localhost", 0, RC_LISTEN_ALONE, &listening),
            RC_LISTEN_OK);
    assert_int_equal(
        rc_server_listen_tcp(&fixture.server, "localhost", 0, RC_LISTEN_ALONE, &listening),
        RC_LISTEN_EXHAUSTED);
    fixture_end();
}

/* Listening sockets of one process can share an address; another process gets IN_USE. */
static void only_sockets_of_the_same_process_share_an_address(void **state)
{
    (void)state;
    rc_listening first, listening;
    fixture_start_with(NULL, false);
    assert_int_equal(rc_server_listen_tcp(&fixture.server, "127.0.0.1", 0, RC_LISTEN_FIRST, &first),
                     RC_LISTEN_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_server_listen_tcp(&fixture.server, "127.0.0.1", first.port,
                                              RC_LISTEN_MORE, &listening),
                         RC_LISTEN_OK);
    assert_int_equal(
        rc_server_listen_tcp(&fixture.server, "127.0.0.1", first.port, RC_LISTEN_FIRST, &listening),
        RC_LISTEN_IN_USE);
    assert_int_equal(
        rc_server_listen_tcp(&fixture.server, "127.0.0.1", first.port, RC_LISTEN_ALONE, &listening),
        RC_LISTEN_IN_USE);
    fixture.listening = first;
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("hello"));
    fixture_end();
}

static void ipv6_sockets_work(void **state)
{
    (void)state;
    fixture_start_with(NULL, false);
    if (rc_server_listen_tcp(&fixture.server, "::1", 0, RC_LISTEN_ALONE, &fixture.listening) !=
        RC_LISTEN_OK) {
        fixture_end();
        skip(); /* the machine has no IPv6 */
    }
    struct sockaddr_in6 address = {.sin6_family = AF_INET6,
                                   .sin6_port = htons(fixture.listening.port),
                                   .sin6_addr = in6addr_loopback};
    fixture.client.fd = socket(AF_INET6, SOCK_STREAM, 0);
    assert_int_equal(connect(fixture.client.fd, (struct sockaddr *)&address, sizeof(address)), 0);
    fixture.client.is_at_end = false;
    client_send(RC_STR("GET /hold HTTP/1.1\r\nHost: [::1]\r\n\r\n"));
    UNTIL(fixture.held != NULL);
    char peer[46];
    assert_true(rc_responder_peer(fixture.held, peer, sizeof(peer)));
    assert_string_equal(peer, "::1");
    assert_false(rc_responder_peer(fixture.held, peer, 2));
    rc_responder_send(fixture.held, 200, NULL, 0, RC_STR("ok"));
    UNTIL(got("ok"));
    fixture_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_gets_a_response),
        cmocka_unit_test(the_result_does_not_depend_on_the_pieces_received),
        cmocka_unit_test(pipelined_requests_are_served_in_turn),
        cmocka_unit_test(input_before_the_response_is_limited),
        cmocka_unit_test(continue_is_sent_when_the_body_is_wanted),
        cmocka_unit_test(some_responses_have_no_body),
        cmocka_unit_test(http_1_0_connections_are_closed),
        cmocka_unit_test(chunks_are_written),
        cmocka_unit_test(an_early_response_is_seen_while_sending),
        cmocka_unit_test(a_client_that_reads_last_gets_the_response),
        cmocka_unit_test(a_body_can_be_paused),
        cmocka_unit_test(response_heads_are_checked),
        cmocka_unit_test(a_raw_head_is_passed_on),
        cmocka_unit_test(unix_and_inherited_sockets_work),
        cmocka_unit_test(a_failed_listen_has_a_text),
        cmocka_unit_test(only_sockets_of_the_same_process_share_an_address),
        cmocka_unit_test(ipv6_sockets_work),
    };
    return FIXTURE_RUN(tests);
}
