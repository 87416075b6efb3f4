/* Tests of rc_admin on real sockets: requests, limits, listening and streams. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "support/admin_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void every_response_has_all_headers(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "\r\nCache-Control: no-store\r\n",
        "\r\nX-Content-Type-Options: nosniff\r\n",
        "\r\nContent-Security-Policy: default-src 'none'; ",
        "\r\nX-Frame-Options: DENY\r\n",
    };
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"GET /healthz" OWN "\r\n", 200},
        {"GET /readyz" OWN "\r\n", 200},
        {"GET /metrics" OWN "\r\n", 200},
        {"GET /admin/v1/state" OWN "\r\n", 200},
        {"HEAD /admin/v1/state" OWN "Connection: close\r\n\r\n", 200},
        {"GET /nowhere" OWN "\r\n", 404},
        {"POST /healthz" OWN "Content-Length: 0\r\n\r\n", 405},
        {"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
        {"POST /admin/v1/reload" OWN "\r\n", 415},
        {"POST /admin/v1/reload" OWN MARK "Content-Length: 2\r\n\r\n{}", 200},
        {"POST /admin/v1/reload" OWN MARK "Content-Length: 99999\r\n\r\n{}", 413},
        /* requests that rc_server rejects itself */
        {"GET /healthz HTTP/1.1\r\n\r\n", 400},
        {"GET nonsense HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    };
    fixture_start("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int status = send_request(cases[i].text);
        if (status != cases[i].status)
            fail_msg("%s: %d %s", cases[i].text, status, fixture.client.got);
        for (size_t k = 0; k < COUNT(fields) - (status == 400); k++)
            if (!got(fields[k]))
                fail_msg("%s: no %s in %s", cases[i].text, fields[k], fixture.client.got);
        assert_false(got("Access-Control"));
        if (status >= 400)
            assert_true(got("\"error_code\":") && got("application/problem+json"));
    }
    fixture_end();
}

static void a_connection_serves_many_requests(void **state)
{
    (void)state;
    fixture_start("");
    client_open();
    static const char text[] =
        "GET /healthz" OWN "\r\nPOST /admin/v1/targets/openai/gpt-4o/out" OWN MARK
        "Content-Length: 15\r\n\r\n{\"reason\": \"x\"}GET /admin/v1/targets" OWN "\r\n";
    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        client_send(text + i, 1);
        if (i % 16 == 0)
            turn();
    }
    UNTIL(got("\"targets\":[{") && got("claude"));
    assert_true(got("\"state\":\"out_of_service\""));
    assert_string_equal(fixture.fake.action_text, "openai|gpt-4o||x|127.0.0.1");
    fixture_end();
}

static void oversized_requests_are_refused(void **state)
{
    (void)state;
    static char text[200 << 10];
    fixture_start("");
    /* a chunked body, whose length is not stated */
    int at = snprintf(text, sizeof(text),
                      "POST /admin/v1/reload" OWN MARK "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 9; i++) {
        at += snprintf(text + at, 8, "2000\r\n");
        memset(text + at, ' ', 0x2000);
        at += 0x2000;
        at += snprintf(text + at, 8, "\r\n");
    }
    client_open();
    client_send(text, (size_t)at);
    UNTIL(has_response());
    assert_true(got("HTTP/1.1 413 "));
    assert_int_equal(fixture.fake.acts, 0);
    /* a head that is too long */
    at = snprintf(text, sizeof(text), "GET /healthz" OWN "X: ");
    memset(text + at, 'x', 17 << 10);
    memcpy(text + at + (17 << 10), "\r\n\r\n", 5);
    assert_int_equal(send_request(text), 431);
    assert_true(got("ShapeInvalid"));
    fixture_end();
}

/* Runs the loop until the connection gets a response (true) or is closed. */
static bool is_served(int fd)
{
    char page[1024];
    for (int turns = PATIENCE; turns > 0; turns--) {
        const ssize_t len = recv(fd, page, sizeof(page), MSG_DONTWAIT);
        if (len >= 0 || errno == ECONNRESET)
            return len > 0;
        turn();
    }
    fail_msg("neither a page nor the end");
    return false;
}

static void the_number_of_connections_is_bounded(void **state)
{
    (void)state;
    enum {
        CEILING = 64
    };
    int fds[CEILING + 16];
    fixture_start("");
    for (size_t i = 0; i < COUNT(fds); i++) {
        fds[i] = client_dial();
        assert_int_equal(send(fds[i], "G", 1, MSG_NOSIGNAL), 1); /* the first byte of a request
                                                                    head */
        turn();
    }
    for (int i = 0; i < 50; i++)
        turn();
    for (size_t i = 0; i < COUNT(fds); i++)
        (void)send(fds[i], "ET /healthz" OWN "\r\n", strlen("ET /healthz" OWN "\r\n"),
                   MSG_NOSIGNAL);
    /* The last connections wait in the kernel's queue until others are closed. On a slow machine,
     * connections whose head is late may have been evicted, one for each connection above the
     * limit. */
    int served = 0;
    for (size_t i = 0; i < COUNT(fds); i++) {
        served += is_served(fds[i]);
        close(fds[i]);
    }
    assert_in_range(served, CEILING, COUNT(fds));
    fixture_end();
}

static void a_missing_token_is_a_401(void **state)
{
    (void)state;
    fixture_start("hunter2");
    assert_int_equal(send_request("GET /admin/v1/state" OWN "\r\n"), 401);
    assert_true(got("\r\nWWW-Authenticate: Bearer realm=\"recourse\"\r\n"));
    assert_int_equal(
        send_request("GET /admin/v1/state" OWN "Authorization: Bearer hunter2\r\n\r\n"), 200);
    assert_false(got("hunter2"));
    assert_true(rc_admin_set_token(fixture.admin, rc_secret_make(RC_STR("other"))));
    assert_int_equal(
        send_request("GET /admin/v1/state" OWN "Authorization: Bearer hunter2\r\n\r\n"), 401);
    fixture_end();
}

static void other_machines_need_a_token(void **state)
{
    (void)state;
    static const char *const hosts[] = {"0.0.0.0", "::", "10.0.0.1", "example.com"};
    rc_listening listening;
    fixture_start("");
    for (size_t i = 0; i < COUNT(hosts); i++) {
        assert_int_equal(rc_admin_listen(fixture.admin, hosts[i], 0, &listening), RC_LISTEN_DENIED);
        assert_non_null(strstr(listening.text, "admin.token is missing"));
    }
    assert_int_equal(rc_admin_listen(fixture.admin, "localhost", 0, &listening), RC_LISTEN_OK);
    fixture_end();
    fixture_start("t");
    assert_int_equal(rc_admin_listen(fixture.admin, "0.0.0.0", 0, &listening), RC_LISTEN_OK);
    assert_true(listening.port > 0);
    char longest[400];
    memset(longest, 'h', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(rc_admin_listen(fixture.admin, longest, 0, &listening), RC_LISTEN_DENIED);
    fixture_end();
}

static void only_the_owner_can_open_the_unix_socket(void **state)
{
    (void)state;
    char folder[] = "/tmp/recourse-admin-XXXXXX";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat info;
    rc_listening listening;
    assert_non_null(mkdtemp(folder));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", folder);
    fixture_start("");
    assert_int_equal(rc_admin_listen_unix(fixture.admin, address.sun_path, &listening),
                     RC_LISTEN_OK);
    assert_int_equal(stat(address.sun_path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    fixture.client.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fixture.client.fd, (struct sockaddr *)&address, sizeof(address)), 0);
    fixture.client.is_at_end = false;
    static const char text[] = "POST /admin/v1/drain HTTP/1.1\r\nHost: whatever\r\n" MARK "\r\n";
    client_send(text, sizeof(text) - 1);
    UNTIL(has_response());
    assert_true(got("HTTP/1.1 200 "));
    assert_string_equal(fixture.fake.action_text, "||||unix");
    fixture_end();
    assert_int_not_equal(access(address.sun_path, F_OK), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- streams ---- */

static struct {
    rc_admin_stream *stream;
    bool is_drained;
    int ends;
} live;

static void on_live_drained(void *ctx)
{
    (void)ctx;
    live.is_drained = true;
}

static void on_live_end(void *ctx)
{
    (void)ctx;
    live.stream = NULL;
    live.ends++;
}

static const rc_admin_stream_handler live_calls = {on_live_drained, on_live_end};

static void open_live(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    (void)ctx;
    (void)request;
    live.stream = stream;
    rc_admin_stream_attach(stream, &live_calls, NULL);
    assert_true(rc_admin_stream_begin(stream, "text/event-stream"));
    assert_false(rc_admin_stream_begin(stream, "text/event-stream"));
    rc_admin_stream_write(stream, RC_STR("data: first\n\n"));
}

static void open_later(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    (void)ctx;
    (void)request;
    live.stream = stream;
    rc_admin_stream_attach(stream, &live_calls, NULL);
}

static void open_at_once(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    (void)ctx;
    (void)request;
    rc_buf_push(&rc_admin_stream_reply(stream)->body, RC_STR("{}"));
    rc_admin_stream_send(stream);
    rc_admin_stream_send(stream);
}

static void open_and_forget(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    (void)ctx;
    (void)request;
    (void)stream;
}

/* Sets a header that no response can have. */
static void open_badly(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    (void)ctx;
    (void)request;
    rc_admin_reply_field(rc_admin_stream_reply(stream), "X", RC_STR("a\nb"));
    rc_admin_stream_send(stream);
}

static const rc_admin_route live_routes[] = {
    {"GET", "/live", RC_ADMIN_READ, NULL, open_live},
    {"POST", "/later", RC_ADMIN_CHANGE, NULL, open_later},
    {"GET", "/once", RC_ADMIN_READ, NULL, open_at_once},
    {"GET", "/forget", RC_ADMIN_READ, NULL, open_and_forget},
    {"GET", "/badly", RC_ADMIN_READ, NULL, open_badly},
};

static void live_start(void)
{
    memset(&live, 0, sizeof(live));
    fixture_start("");
    assert_true(
        rc_admin_add(fixture.admin, &(rc_admin_table){live_routes, COUNT(live_routes), NULL}));
}

static void a_stream_lasts_until_one_side_ends_it(void **state)
{
    (void)state;
    live_start();
    client_open();
    client_send("GET /live" OWN "\r\n", strlen("GET /live" OWN "\r\n"));
    UNTIL(got("data: first"));
    assert_true(got("\r\nContent-Type: text/event-stream\r\n") && got("nosniff"));
    rc_admin_stream_write(live.stream, RC_STR("data: second\n\n"));
    UNTIL(got("data: second"));
    rc_admin_stream_end(live.stream);
    rc_admin_stream_end(live.stream);
    assert_false(rc_admin_stream_write(live.stream, RC_STR("late")));
    UNTIL(live.ends == 1);
    assert_true(got("\r\n0\r\n\r\n"));
    assert_false(got("late"));
    /* the client disconnects */
    client_open();
    client_send("GET /live" OWN "\r\n", strlen("GET /live" OWN "\r\n"));
    UNTIL(got("data: first"));
    client_close();
    UNTIL(live.ends == 2);
    /* the server stops */
    client_open();
    client_send("GET /live" OWN "\r\n", strlen("GET /live" OWN "\r\n"));
    UNTIL(got("data: first"));
    rc_admin_stop(fixture.admin);
    UNTIL(fixture.admin == NULL && fixture.client.is_at_end);
    assert_int_equal(live.ends, 3);
    assert_true(got("\r\n0\r\n\r\n"));
    fixture_end();
}

static void a_slow_reader_gets_backpressure(void **state)
{
    (void)state;
    static char piece[64 << 10];
    memset(piece, 'p', sizeof(piece));
    live_start();
    client_open();
    client_send("GET /live" OWN "\r\n", strlen("GET /live" OWN "\r\n"));
    UNTIL(got("data: first"));
    /* the client does not read */
    fixture.client.is_at_end = true;
    int written = 0;
    while (rc_admin_stream_write(live.stream, rc_str_make(piece, sizeof(piece))) && written < 500) {
        written++;
        turn();
    }
    assert_true(written < 500 && !live.is_drained);
    fixture.client.is_at_end = false;
    UNTIL((fixture.client.got_len = 0, live.is_drained));
    fixture_end();
    assert_int_equal(live.ends, 1);
}

static void a_response_may_come_later_or_never(void **state)
{
    (void)state;
    live_start();
    client_open();
    client_send("POST /later" OWN MARK "\r\n", strlen("POST /later" OWN MARK "\r\n"));
    UNTIL(live.stream != NULL);
    rc_admin_reply *reply = rc_admin_stream_reply(live.stream);
    reply->status = 202;
    rc_buf_push(&reply->body, RC_STR("{\"later\":true}"));
    rc_admin_stream_send(live.stream);
    UNTIL(live.ends == 1);
    assert_true(got("HTTP/1.1 202 ") && got("{\"later\":true}"));
    assert_int_equal(send_request("GET /once" OWN "\r\n"), 200);
    assert_int_equal(send_request("GET /forget" OWN "\r\n"), 500);
    assert_true(got("InvariantBroken"));
    assert_int_equal(send_request("GET /badly" OWN "\r\n"), 503);
    assert_true(got("nosniff") && !got("a\nb"));
    /* A request that has no response ends when the server stops. */
    client_open();
    client_send("POST /later" OWN MARK "\r\n", strlen("POST /later" OWN MARK "\r\n"));
    UNTIL(live.stream != NULL);
    fixture_end();
    assert_int_equal(live.ends, 2);
}

static void stopping_lets_responses_finish(void **state)
{
    (void)state;
    fixture_start("");
    assert_int_equal(send_request("GET /healthz" OWN "\r\n"), 200);
    rc_admin_stop(fixture.admin);
    UNTIL(fixture.admin == NULL);
    assert_true(fixture.client.is_at_end || fixture.client.fd >= 0);
    fixture_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_response_has_all_headers),
        cmocka_unit_test(a_connection_serves_many_requests),
        cmocka_unit_test(oversized_requests_are_refused),
        cmocka_unit_test(the_number_of_connections_is_bounded),
        cmocka_unit_test(a_missing_token_is_a_401),
        cmocka_unit_test(other_machines_need_a_token),
        cmocka_unit_test(only_the_owner_can_open_the_unix_socket),
        cmocka_unit_test(a_stream_lasts_until_one_side_ends_it),
        cmocka_unit_test(a_slow_reader_gets_backpressure),
        cmocka_unit_test(a_response_may_come_later_or_never),
        cmocka_unit_test(stopping_lets_responses_finish),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
