/* Tests of limits: the size of heads, the number of connections and their memory. Ambiguous
 * requests are rejected, and no byte after them is parsed. */
#include "support/http1_cases.h"
#include "support/server_fixture.h"

#include <sys/resource.h>

static void refuse_one(rc_str bytes, size_t first)
{
    static const char behind[] = "GET /smuggled" HOST "\r\n";
    forget();
    client_open();
    client_send(rc_str_make(bytes.ptr, first));
    if (first < bytes.len) {
        UNTIL(fixture.server.stats.connections == 1);
        for (int i = 0; i < 2; i++)
            turn();
        client_send(rc_str_make(bytes.ptr + first, bytes.len - first));
    }
    client_send(rc_str_make(behind, sizeof(behind) - 1));
    shutdown(fixture.client.fd, SHUT_WR);
    UNTIL(fixture.client.is_at_end && fixture.server.stats.connections == 0);
    assert_false(has_logged("smuggled"));
    assert_false(has_logged("done"));
    assert_true(fixture.client.got_len > 12);
    if (memcmp(fixture.client.got, "HTTP/1.1 4", 10) != 0 &&
        memcmp(fixture.client.got, "HTTP/1.1 5", 10) != 0)
        fail_msg("answered %.*s to %.*s", 12, fixture.client.got, (int)bytes.len, bytes.ptr);
    assert_int_equal(got_count("Content-Length: "), 1);
    assert_true(got("Connection: close\r\n"));
    client_close();
}

static void ambiguous_requests_end_the_connection(void **state)
{
    (void)state;
    fixture_start(NULL);
    for (size_t i = 0; i < sizeof(bad_requests) / sizeof(bad_requests[0]); i++) {
        rc_str bytes = rc_str_make(bad_requests[i].bytes, bad_requests[i].len);
        refuse_one(bytes, bytes.len);
        refuse_one(bytes, bytes.len / 2);
    }
    fixture_end();
}

static void render(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page)
{
    (void)ctx;
    rc_buf_push(lines, RC_STR("Content-Type: application/problem+json\r\n"));
    rc_buf_push(page, RC_STR("{\"target\":\""));
    rc_buf_push(page, refusal->target);
    rc_buf_push(page, RC_STR("\",\"status\":"));
    rc_buf_push_i64(page, refusal->status);
    rc_buf_push(page, RC_STR("}"));
}

static void render_too_much(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page)
{
    render(ctx, refusal, lines, page);
    while (rc_buf_push(page, RC_STR("much")) == RC_OK)
        ;
}

static void a_refusal_has_the_handlers_page(void **state)
{
    (void)state;
    rc_server_handler own = handler;
    own.render_refusal = render;
    rc_server_settings settings = rc_server_settings_default;
    settings.head_ms = 50;
    fixture_start(&settings);
    fixture.server.handler = &own;
    client_open();
    client_send(RC_STR("GET /x?y HTTP/1.1\r\n\r\n"));
    UNTIL(fixture.server.stats.refused == 1 && got("}"));
    assert_true(got("HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\n"
                    "Content-Length: 30\r\nConnection: close\r\n\r\n"
                    "{\"target\":\"/x?y\",\"status\":400}"));
    shutdown(fixture.client.fd, SHUT_WR);
    UNTIL(fixture.client.is_at_end);
    assert_false(fixture.client.is_reset);
    client_close();

    forget(); /* a head that does not end */
    client_open();
    client_send(RC_STR("GET /slow HTTP/1.1\r\nHo"));
    UNTIL(got("{\"target\":\"/slow\",\"status\":408}"));
    client_close();

    forget(); /* a malformed body */
    client_open();
    client_send(RC_STR("POST /echo" HOST "Transfer-Encoding: chunked\r\n\r\nx"));
    UNTIL(got("{\"target\":\"/echo\",\"status\":400}"));
    client_close();

    forget(); /* an error page that does not fit into the buffer */
    own.render_refusal = render_too_much;
    client_open();
    client_send(RC_STR("GET / HTTP/1.1\r\n\r\n"));
    UNTIL(got("Content-Type: text/plain; charset=utf-8\r\nContent-Length: 23\r\n"
              "Connection: close\r\n\r\nthere is no Host header"));
    fixture_end();
}

/* A client that continues to send after its request was rejected can read the response. */
static void a_refusal_can_be_read(void **state)
{
    (void)state;
    static char more[50000];
    fixture_start(NULL);
    for (int i = 0; i < 20; i++) {
        forget();
        client_open();
        client_send(RC_STR("POST / HTTP/1.1\r\nContent-Length: 50000\r\n\r\n"));
        client_send(rc_str_make(more, sizeof(more)));
        while (fixture.server.stats.refused <= (uint64_t)i)
            turn();
        client_send(rc_str_make(more, sizeof(more)));
        UNTIL(got("400 Bad Request"));
        shutdown(fixture.client.fd, SHUT_WR);
        UNTIL(fixture.client.is_at_end);
        assert_false(fixture.client.is_reset);
        client_close();
    }
    fixture_end();
}

static void heads_have_limits(void **state)
{
    (void)state;
    static char text[70000];
    fixture_start(NULL);
    for (int over = -1; over <= 1; over++) {
        const char *wanted = over > 0 ? "HTTP/1.1 431 " : "HTTP/1.1 200 ";
        size_t size = (size_t)((64 << 10) + over);
        memset(text, 'v', sizeof(text));
        memcpy(text, "GET /hello HTTP/1.1\r\nHost: a\r\nX: ", 33);
        memcpy(text + size - 4, "\r\n\r\n", 4);
        forget();
        client_open();
        client_send(rc_str_make(text, size));
        UNTIL(got(wanted));
        client_close();

        size = (size_t)((8 << 10) + over);
        memset(text, 't', sizeof(text));
        memcpy(text, "GET /", 5);
        memcpy(text + 4 + size, HOST "\r\n", sizeof(HOST "\r\n"));
        forget();
        client_open();
        client_send(rc_str_make(text, 4 + size + sizeof(HOST "\r\n") - 1));
        UNTIL(over > 0 ? got("HTTP/1.1 414 ") : has_logged("whole"));
        client_close();
    }
    fixture_end();
}

static void the_longest_idle_connection_is_evicted(void **state)
{
    (void)state;
    rc_server_settings settings = rc_server_settings_default;
    settings.max_connections = 3;
    fixture_start(&settings);
    int idle[3];
    char bytes[256];
    for (int i = 0; i < 3; i++) {
        idle[i] = connect_client();
        assert_int_equal(send(idle[i], "GET /hello" HOST "\r\n", 32, 0), 32);
        UNTIL(fixture.server.stats.requests == (uint64_t)i + 1);
        assert_true(recv(idle[i], bytes, sizeof(bytes), 0) > 0);
    }
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("hello"));
    assert_int_equal(fixture.server.stats.evicted, 1);
    assert_int_equal(recv(idle[0], bytes, sizeof(bytes), 0), 0);
    assert_int_equal(recv(idle[1], bytes, sizeof(bytes), MSG_DONTWAIT), -1);
    for (int i = 0; i < 3; i++)
        close(idle[i]);
    fixture_end();
}

/* A connection whose next request has arrived is not idle, even if the request was not read yet. */
static void a_connection_with_unread_input_is_not_evicted(void **state)
{
    (void)state;
    rc_server_settings settings = rc_server_settings_default;
    settings.max_connections = 2;
    fixture_start(&settings);
    int idle[2];
    char bytes[256];
    for (int i = 0; i < 2; i++) {
        idle[i] = connect_client();
        assert_int_equal(send(idle[i], "GET /hello" HOST "\r\n", 32, 0), 32);
        UNTIL(fixture.server.stats.requests == (uint64_t)i + 1);
        assert_true(recv(idle[i], bytes, sizeof(bytes), 0) > 0);
    }
    /* The listening socket is polled first, because it was added first. */
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    assert_int_equal(send(idle[0], "GET /hello" HOST "\r\n", 32, 0), 32);
    UNTIL(got("hello") && fixture.server.stats.requests == 4);
    assert_true(recv(idle[0], bytes, sizeof(bytes), 0) > 0);
    close(idle[0]);
    close(idle[1]);
    fixture_end();
}

/* A connection on which the body of a request with a response still arrives does not count as
 * lingering, and does not prevent that a lingering one is found. */
static void a_lingering_connection_is_evicted_behind_others(void **state)
{
    (void)state;
    static const char early[] = "POST /early" HOST "Content-Length: 50\r\n\r\nhe";
    rc_server_settings settings = rc_server_settings_default;
    int others[8];
    char bytes[256];
    settings.max_connections = 9;
    settings.linger_ms = 600000;
    fixture_start(&settings);
    for (int i = 0; i < 8; i++) {
        others[i] = connect_client();
        assert_int_equal(send(others[i], early, sizeof early - 1, 0), sizeof early - 1);
        UNTIL(poll(&(struct pollfd){.fd = others[i], .events = POLLIN}, 1, 0) == 1);
    }
    const int refused = connect_client();
    assert_int_equal(send(refused, "GET /\r\r\n\r\n", 11, 0), 11);
    UNTIL(fixture.server.stats.refused == 1);
    assert_true(recv(refused, bytes, sizeof(bytes), 0) > 0);
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("hello"));
    assert_int_equal(fixture.server.stats.evicted, 1);
    assert_int_equal(fixture.server.stats.connections, 9);
    close(refused);
    for (int i = 0; i < 8; i++)
        close(others[i]);
    fixture_end();
}

/* A rejected client that does not disconnect uses no slot for which others wait. */
static void a_lingering_connection_is_evicted(void **state)
{
    (void)state;
    rc_server_settings settings = rc_server_settings_default;
    settings.max_connections = 2;
    settings.linger_ms = 600000;
    fixture_start(&settings);
    int refused[2];
    char bytes[256];
    for (int i = 0; i < 2; i++) {
        refused[i] = connect_client();
        assert_int_equal(send(refused[i], "GET /\r\r\n\r\n", 11, 0), 11);
        UNTIL(fixture.server.stats.refused == (uint64_t)i + 1);
        assert_true(recv(refused[i], bytes, sizeof(bytes), 0) > 0);
    }
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("hello"));
    assert_int_equal(fixture.server.stats.evicted, 1);
    assert_int_equal(fixture.server.stats.connections, 2);
    close(refused[0]);
    close(refused[1]);
    fixture_end();
}

/* Opens the maximum number of connections, each of which sends `bytes`, an incomplete head. */
static void fill_with(const char *bytes, int *fds, int count, uint32_t silent_ms)
{
    rc_server_settings settings = rc_server_settings_default;
    settings.max_connections = (uint32_t)count;
    settings.silent_ms = silent_ms;
    settings.head_ms = 600000;
    fixture_start(&settings);
    for (int i = 0; i < count; i++) {
        fds[i] = connect_client();
        if (bytes[0] != '\0')
            assert_true(send(fds[i], bytes, strlen(bytes), 0) > 0);
        UNTIL(fixture.server.stats.accepted == (uint64_t)i + 1);
    }
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
}

/* A client that sends nothing, or half a head, does not block others: its connection is evicted at
 * once, or when its head is late. */
static void a_connection_late_with_its_head_is_evicted(void **state)
{
    static const char *const sent[] = {"", "GET /half HTTP/1.1\r\nHost: x\r\n"};
    static const uint32_t silent_ms[] = {0, 50};
    (void)state;
    for (int i = 0; i < 4; i++) {
        int fds[3];
        char bytes[16];
        fill_with(sent[i / 2], fds, 3, silent_ms[i % 2]);
        UNTIL(got("hello"));
        assert_int_equal(fixture.server.stats.evicted, 1);
        assert_int_equal(fixture.server.stats.connections, 3);
        /* The first connection was closed; the others are open. */
        assert_int_equal(recv(fds[0], bytes, sizeof(bytes), 0), 0);
        assert_int_equal(recv(fds[1], bytes, sizeof(bytes), MSG_DONTWAIT), -1);
        assert_int_equal(recv(fds[2], bytes, sizeof(bytes), MSG_DONTWAIT), -1);
        for (int n = 0; n < 3; n++)
            close(fds[n]);
        client_close();
        fixture_end();
    }
}

static void a_new_connection_is_not_evicted(void **state)
{
    (void)state;
    int fds[2];
    fill_with("", fds, 2, 600000);
    UNTIL(fixture.server.stats.accept_pauses == 1);
    for (int i = 0; i < 20; i++)
        turn();
    assert_int_equal(fixture.server.stats.evicted, 0);
    assert_int_equal(fixture.server.stats.accept_pauses, 1); /* the server does not poll in a busy
                                                                loop */
    close(fds[0]);
    UNTIL(got("hello"));
    close(fds[1]);
    fixture_end();
}

static void at_the_limit_new_connections_wait(void **state)
{
    (void)state;
    rc_server_settings settings = rc_server_settings_default;
    settings.max_connections = 2;
    fixture_start(&settings);
    int busy[2];
    for (int i = 0; i < 2; i++) {
        busy[i] = connect_client();
        assert_int_equal(send(busy[i], "GET /hold" HOST "\r\n", 31, 0), 31);
        UNTIL(fixture.server.stats.requests == (uint64_t)i + 1);
    }
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(fixture.server.stats.accept_pauses == 1);
    for (int i = 0; i < 20; i++)
        turn();
    client_read();
    assert_int_equal(fixture.client.got_len, 0);
    assert_int_equal(fixture.server.stats.connections, 2);
    assert_int_equal(fixture.server.stats.accept_pauses, 1); /* the server does not poll in a busy
                                                                loop */
    close(busy[0]);
    UNTIL(got("hello"));
    close(busy[1]);
    UNTIL(fixture.pending == 0);
    fixture_end();
}

/* The handler copies the head. Memory is allocated only for a long head; other heads use memory
 * from the free list. */
static void a_request_costs_no_allocation(void **state)
{
    (void)state;
    char fill[1200];
    char request[2048];
    memset(fill, 'x', sizeof(fill));
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hello" HOST "\r\n"));
    UNTIL(got("hello"));
    for (int is_long = 0; is_long < 2; is_long++) {
        size_t before = fixture.memory.calls;
        int len = snprintf(request, sizeof(request),
                           "POST /echo" HOST "X: %.*s\r\nContent-Length: 5\r\n\r\nabcde",
                           is_long ? (int)sizeof(fill) : 1, fill);
        for (int i = 0; i < 50; i++) {
            forget();
            client_send(rc_str_make(request, (size_t)len));
            UNTIL(got("abcde"));
        }
        assert_int_equal(fixture.memory.calls - before, is_long ? 50 : 0);
    }
    fixture_end();
}

#define WRITERS 300

/* In one turn of the loop, many responses begin. Their output waits for the end of the turn only
 * while few blocks are in use; without that limit every connection would need a block. */
static void output_of_many_connections_shares_few_blocks(void **state)
{
    (void)state;
    static int fds[WRITERS];
    static rc_responder *responders[WRITERS];
    fixture_start(NULL);
    for (int i = 0; i < WRITERS; i++) {
        fds[i] = connect_client();
        fixture.held = NULL;
        assert_int_equal(send(fds[i], "GET /hold" HOST "\r\n", 31, 0), 31);
        UNTIL(fixture.held != NULL);
        responders[i] = fixture.held;
    }
    const size_t before = fixture.memory.live_bytes;
    for (int i = 0; i < WRITERS; i++) {
        rc_responder_begin(responders[i],
                           &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
        rc_responder_write(responders[i], RC_STR("first"));
    }
    assert_true(fixture.memory.live_bytes - before < (size_t)WRITERS / 3 * 8192);
    for (int i = 0; i < WRITERS; i++)
        rc_responder_end(responders[i]);
    UNTIL(fixture.pending == 0);
    for (int i = 0; i < WRITERS; i++) {
        static const char end[] = "5\r\nfirst\r\n0\r\n\r\n";
        char text[512];
        const ssize_t len = recv(fds[i], text, sizeof text, 0);
        assert_true(len > (ssize_t)sizeof end);
        assert_memory_equal(text + len - (sizeof end - 1), end, sizeof end - 1);
        close(fds[i]);
    }
    UNTIL(fixture.server.stats.connections == 0);
    fixture_end();
}

#define MANY 2000

/* Returns the number of connections that the process may have, with two descriptors each. */
static int most_connections(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return limit.rlim_cur > 2 * MANY + 100 ? MANY : (int)(limit.rlim_cur - 100) / 2;
}

/* Measures idle connections after one request each. */
static void an_idle_connection_is_small(void **state)
{
    (void)state;
    static int fds[MANY];
    int count = most_connections();
    assert_true(count > 50);
    fixture_start(NULL);
    size_t before = fixture.memory.live_bytes;
    for (int i = 0; i < count; i++) {
        fds[i] = connect_client();
        assert_int_equal(send(fds[i], "GET /hello" HOST "\r\n", 32, 0), 32);
        if (i % 100 == 99) /* the kernel's queue of new connections is shorter */
            UNTIL(fixture.server.stats.requests == (uint64_t)i + 1);
    }
    UNTIL(fixture.server.stats.requests == (uint64_t)count && fixture.pending == 0);
    assert_int_equal(fixture.server.stats.connections, count);
    size_t each = (fixture.memory.live_bytes - before) / (size_t)count;
    print_message("%d connections at rest: %zu bytes each\n", count, each);
    assert_true(each <= 1024);
    for (int i = 0; i < count; i++)
        close(fds[i]);
    UNTIL(fixture.server.stats.connections == 0);
    fixture_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ambiguous_requests_end_the_connection),
        cmocka_unit_test(a_refusal_has_the_handlers_page),
        cmocka_unit_test(a_refusal_can_be_read),
        cmocka_unit_test(heads_have_limits),
        cmocka_unit_test(the_longest_idle_connection_is_evicted),
        cmocka_unit_test(a_connection_with_unread_input_is_not_evicted),
        cmocka_unit_test(a_lingering_connection_is_evicted),
        cmocka_unit_test(a_lingering_connection_is_evicted_behind_others),
        cmocka_unit_test(a_connection_late_with_its_head_is_evicted),
        cmocka_unit_test(a_new_connection_is_not_evicted),
        cmocka_unit_test(at_the_limit_new_connections_wait),
        cmocka_unit_test(a_request_costs_no_allocation),
        cmocka_unit_test(output_of_many_connections_shares_few_blocks),
        cmocka_unit_test(an_idle_connection_is_small),
    };
    return FIXTURE_RUN(tests);
}
