/* Tests of requests of the upstream client over real sockets: sending and receiving. */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/upstream_plain.h"

typedef struct response_case {
    const char *response;
    int status;
    const char *body;
    bool is_kept;
    bool is_bodiless;
} response_case;

static const response_case response_cases[] = {
    {OK_5, 200, "hello", true, false},
    {"HTTP/1.1 204 No Content\r\n\r\n", 204, "", true, false},
    {"HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n", 304, "", true, false},
    {"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, "", true, false},
    {"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", 200, "", true, true},
    {"HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 503,
     "abcde", true, false},
    {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx-t: 1\r\n\r\n", 200, "a",
     true, false},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" OK_5, 200, "hello",
     true, false},
    {"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi", 200, "hi", false,
     false},
    {"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nhi", 200, "hi", false, false},
    /* more bytes than declared: the response is used, the connection is not reused */
    {OK_5 "HTTP/1.1 200 OK\r\n\r\n", 200, "hello", false, false},
    {OK_5 "\r\n", 200, "hello", false, false},
};

static void responses_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(response_cases) / sizeof(response_cases[0]); i++) {
        const response_case *row = &response_cases[i];
        probe p = {0};
        print_message("%s\n", row->response);
        begin(peer_repeat, row->response);
        probe_send(&p, &client, &origin,
                   (rc_upstream_request){.body = RC_STR("{}"), .is_bodiless = row->is_bodiless});
        probe_wait(&p);
        assert_int_equal(p.ends, 1);
        assert_int_equal(p.heads, 1);
        assert_int_equal(p.status, row->status);
        assert_int_equal(p.body_len, strlen(row->body));
        assert_string_equal(p.body, row->body);
        assert_int_equal(p.is_kept, row->is_kept);
        assert_int_equal(counts().idle, row->is_kept ? 1 : 0);
        assert_false(rc_upstream_is_live(&p.call));
        finish();
    }
}

static void say_and_close(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, conn->of->ctx);
}

static void a_body_may_end_with_the_connection(void **state)
{
    probe p = {0};
    (void)state;
    begin(say_and_close, "HTTP/1.1 200 OK\r\n\r\nuntil the end");
    probe_run(&p, &client, &origin);
    assert_int_equal(p.ends, 1);
    assert_string_equal(p.body, "until the end");
    assert_false(p.is_kept);
    assert_int_equal(counts().connections, 0);
    finish();
}

static void say_byte_by_byte(peer_conn *conn)
{
    const char *response = conn->of->ctx;
    const int on = 1;
    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    while (peer_read_request(conn))
        for (size_t i = 0; response[i] != '\0'; i++) {
            peer_write(conn, response + i, 1);
            if (i % 7 == 0)
                usleep(100);
        }
}

static void pieces_of_any_size_give_the_same_response(void **state)
{
    (void)state;
    begin(say_byte_by_byte, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: "
                            "chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
    for (int i = 0; i < 3; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        assert_int_equal(p.heads, 1);
        assert_string_equal(p.body, "abcdefg");
        assert_int_equal(p.was_reused, i > 0);
    }
    finish();
}

/* Sends the first piece of the response, waits until the client has read it, then sends the other
 * pieces. */
static void say_in_two(peer_conn *conn)
{
    const char *response = conn->of->ctx;
    if (!peer_read_request(conn) || !peer_write(conn, response, conn->of->number))
        return;
    peer_wait(conn->of);
    peer_say(conn, response + conn->of->number);
    peer_drain(conn);
}

/* The head arrives in two reads, and the body with the second read. */
static void views_stay_valid_when_a_callback_cancels_the_call(void **state)
{
    (void)state;
    for (int in_body = 0; in_body < 2; in_body++) {
        fail_alloc memory = {0};
        probe p = {.cancels_in_head = !in_body, .cancels_in_body = in_body};
        client.settings = rc_upstream_settings_default();
        client.settings.alloc = fail_alloc_of(&memory);
        begin(say_in_two, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                          "content-length: 25\r\n\r\ndata: {\"error\":\"quota\"}\n\n");
        server.number = 30;
        assert_int_equal(probe_start(&p, &client, &origin), RC_UPSTREAM_NONE);
        while (p.call.received < server.number)
            uv_run(&client.loop, UV_RUN_ONCE);
        atomic_store(&server.go, true);
        while (rc_upstream_is_live(&p.call))
            uv_run(&client.loop, UV_RUN_ONCE);
        assert_int_equal(p.ends + p.failures, 0);
        assert_string_equal(p.type, "text/event-stream");
        assert_string_equal(p.body, in_body ? "data: {\"error\":\"quota\"}\n\n" : "");
        finish();
        assert_int_equal(memory.live, 0);
        assert_false(memory.is_broken);
    }
}

typedef struct fault_case {
    const char *response;
    const char *text;
} fault_case;

static const fault_case fault_cases[] = {
    {"HTTP/2 200 OK\r\n\r\n", ""},
    {"SSH-2.0-OpenSSH\r\n", ""},
    {"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello", ""},
    {"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n", ""},
    {"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n", "other than chunked"},
    {"HTTP/1.1 200 OK\nx: y\n\n", ""},
    {"HTTP/1.1 200 OK\r\nx: a\r\n b\r\n\r\n", ""},
    {"HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "switched"},
    {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "chunked body"},
};

static void malformed_responses_are_failures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(fault_cases) / sizeof(fault_cases[0]); i++) {
        probe p = {0};
        begin(peer_repeat, fault_cases[i].response);
        probe_run(&p, &client, &origin);
        print_message("%s: %s\n", fault_cases[i].response, p.failure.text);
        assert_int_equal(p.failures, 1);
        assert_int_equal(p.ends, 0);
        assert_int_equal(p.failure.kind, RC_UPSTREAM_MALFORMED);
        assert_int_equal(p.failure.transport, RC_TRANSPORT_NONE);
        assert_int_equal(p.failure.phase, RC_PHASE_HEADERS);
        assert_non_null(strstr(p.failure.text, fault_cases[i].text));
        assert_int_equal(counts().connections, 0);
        finish();
    }
}

static void say_endless_interims(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    while (peer_say(conn, "HTTP/1.1 102 Processing\r\n\r\n"))
        continue;
}

static void say_endless_head(peer_conn *conn)
{
    if (!peer_read_request(conn))
        return;
    peer_say(conn, "HTTP/1.1 200 OK\r\nx: ");
    while (peer_say(conn, "0123456789012345678901234567890123456789"))
        continue;
}

static void endless_heads_are_cut(void **state)
{
    void (*const scripts[])(peer_conn *) = {say_endless_interims, say_endless_head};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        probe p = {0};
        begin(scripts[i], NULL);
        probe_run(&p, &client, &origin);
        assert_int_equal(p.failure.kind, RC_UPSTREAM_MALFORMED);
        assert_int_equal(p.heads, 0);
        finish();
    }
}

static void echo_length(peer_conn *conn)
{
    char bytes[65536];
    size_t want = conn->of->number;
    size_t got = 0;
    while (got < want) {
        ssize_t len = peer_read(conn, bytes, sizeof(bytes));
        if (len <= 0)
            return;
        got += (size_t)len;
    }
    peer_say(conn, OK_5);
    peer_drain(conn);
}

static void large_bodies_are_sent_from_views(void **state)
{
    size_t len = 8u << 20;
    char *body = calloc(1, len);
    const rc_str head = RC_STR("POST / HTTP/1.1\r\nhost: x\r\n\r\n");
    probe p = {0};
    (void)state;
    begin(echo_length, NULL);
    server.number = len + head.len;
    probe_send(&p, &client, &origin,
               (rc_upstream_request){.head = head, .body = rc_str_make(body, len)});
    probe_wait(&p);
    assert_int_equal(p.ends, 1);
    assert_true(p.is_kept);
    finish();
    free(body);
}

/* A body in several pieces arrives complete, even if the kernel accepts it in parts. */
static void bodies_in_pieces_arrive_whole(void **state)
{
    static const size_t cuts[][2] = {
        {0, 0}, {0, 5}, {5, 5}, {1, 100}, {700, 1 << 20}, {3 << 20, 4 << 20}, {6 << 20, 6 << 20},
    };
    const size_t len = 6u << 20;
    char *body = malloc(len);
    (void)state;
    assert_non_null(body);
    for (size_t i = 0; i < len; i++)
        body[i] = peer_pattern(i);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        const size_t first = cuts[i][0];
        const size_t second = cuts[i][1];
        probe p = {0};
        begin(peer_check_pattern, OK_5);
        server.number = len;
        probe_send(&p, &client, &origin,
                   (rc_upstream_request){
                       .head = RC_STR("POST / HTTP/1.1\r\nhost: x\r\n\r\n"),
                       .body = rc_str_make(body, first),
                       .more = {rc_str_make(body + first, second - first),
                                rc_str_make(body + second, len - second)},
                   });
        probe_wait(&p);
        assert_int_equal(p.ends, 1);
        assert_true(p.is_kept);
        finish();
    }
    free(body);
}

static void pushed_bodies_wait_for_the_peer(void **state)
{
    static char piece[32 << 10];
    const rc_str head = RC_STR("POST / HTTP/1.1\r\nhost: x\r\n\r\n");
    size_t pieces = 512;
    size_t fulls = 0;
    probe p = {0};
    (void)state;
    begin(echo_length, NULL);
    server.number = pieces * sizeof(piece) + head.len;
    probe_send(&p, &client, &origin, (rc_upstream_request){.head = head, .is_body_open = true});
    for (size_t i = 0; i < pieces; i++) {
        int drains = p.drains;
        rc_upstream_push_result result =
            rc_upstream_push(&p.call, rc_str_make(piece, sizeof(piece)));
        assert_int_not_equal(result, RC_PUSH_REFUSED);
        if (result != RC_PUSH_FULL)
            continue;
        fulls++;
        while (p.drains == drains)
            uv_run(&client.loop, UV_RUN_ONCE);
    }
    rc_upstream_finish(&p.call);
    rc_upstream_finish(&p.call);
    probe_wait(&p);
    assert_int_equal(p.ends, 1);
    assert_int_equal(p.drains, fulls);
    assert_true(fulls > 0);
    assert_int_equal(rc_upstream_push(&p.call, RC_STR("late")), RC_PUSH_OK);
    finish();
}

static void pushed_bytes_are_limited(void **state)
{
    static char piece[64 << 10];
    probe p = {0};
    size_t pushed = 0;
    (void)state;
    begin(peer_drain, NULL);
    probe_send(&p, &client, &origin, (rc_upstream_request){.is_body_open = true});
    while (rc_upstream_push(&p.call, rc_str_make(piece, sizeof(piece))) != RC_PUSH_REFUSED)
        pushed += sizeof(piece);
    assert_true(pushed <= 4 * client.settings.send_high_bytes);
    rc_upstream_cancel(&p.call);
    assert_int_equal(rc_upstream_push(&p.call, RC_STR("late")), RC_PUSH_OK);
    finish();
}

/* Responds at once and reads no further bytes. */
static void refuse_early(peer_conn *conn)
{
    char bytes[1024];
    peer_read(conn, bytes, sizeof(bytes));
    peer_say(conn, "HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");
    peer_wait(conn->of);
}

static void an_early_response_is_delivered(void **state)
{
    size_t len = 16u << 20;
    char *body = calloc(1, len);
    probe p = {0};
    (void)state;
    begin(refuse_early, NULL);
    probe_send(&p, &client, &origin, (rc_upstream_request){.body = rc_str_make(body, len)});
    probe_wait(&p);
    assert_int_equal(p.ends, 1);
    assert_int_equal(p.status, 413);
    assert_string_equal(p.body, "no");
    assert_false(p.is_kept);
    assert_int_equal(counts().connections, 0);
    finish();
    free(body);
}

static void say_much(peer_conn *conn)
{
    static const char block[65536];
    char head[128];
    if (!peer_read_request(conn))
        return;
    snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\ncontent-length: %zu\r\n\r\n",
             conn->of->number);
    peer_say(conn, head);
    for (size_t left = conn->of->number; left > 0;) {
        size_t part = left < sizeof(block) ? left : sizeof(block);
        if (!peer_write(conn, block, part))
            return;
        left -= part;
    }
    peer_drain(conn);
}

static void a_paused_call_reads_no_more(void **state)
{
    probe p = {.pauses_in_body = true};
    (void)state;
    begin(say_much, NULL);
    server.number = 32u << 20;
    probe_send(&p, &client, &origin, (rc_upstream_request){.body = RC_STR("{}"), .idle_ms = 20});
    while (p.pieces == 0)
        uv_run(&client.loop, UV_RUN_ONCE);
    size_t seen = p.body_len;
    assert_true(seen <= 64 << 10);
    /* longer than the time limit, which does not run during a pause */
    for (int i = 0; i < 50; i++) {
        uv_run(&client.loop, UV_RUN_NOWAIT);
        usleep(1000);
    }
    assert_int_equal(p.body_len, seen);
    assert_false(probe_is_over(&p));
    p.pauses_in_body = false;
    rc_upstream_resume(&p.call);
    probe_wait(&p);
    assert_int_equal(p.ends, 1);
    assert_int_equal(p.body_len, 32u << 20);
    assert_true(p.is_kept);
    finish();
}

/* Sends a head of 30 KB in small pieces. */
static void say_long_head(peer_conn *conn)
{
    char line[1024];
    while (peer_read_request(conn)) {
        peer_say(conn, "HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 30; i++) {
            snprintf(line, sizeof(line), "x-%d: %0900d\r\n", i, i);
            peer_say(conn, line);
            if (i % 5 == 0)
                usleep(1000);
        }
        if (!peer_say(conn, "content-length: 5\r\n\r\nhello"))
            return;
    }
}

static void long_heads_are_put_together(void **state)
{
    (void)state;
    begin(say_long_head, NULL);
    for (int i = 0; i < 3; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        assert_string_equal(p.body, "hello");
        assert_true(p.is_kept);
    }
    finish();
}

static void take_slowly(peer_conn *conn)
{
    static char bytes[128 << 10];
    size_t got = 0;
    while (got < conn->of->number) {
        ssize_t len = peer_read(conn, bytes, sizeof(bytes));
        if (len <= 0)
            return;
        got += (size_t)len;
        usleep(8000);
    }
    peer_say(conn, OK_5);
    peer_drain(conn);
}

static void say_late(peer_conn *conn)
{
    while (peer_read_request(conn)) {
        peer_say(conn, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
        usleep(200 * 1000);
        if (!peer_say(conn, "hello"))
            return;
    }
}

/* The idle limit does not apply between the head and the first byte of the body. */
static void the_idle_limit_starts_with_the_body(void **state)
{
    probe p = {0};
    (void)state;
    begin(say_late, NULL);
    probe_send(&p, &client, &origin, (rc_upstream_request){.body = RC_STR("{}"), .idle_ms = 20});
    probe_wait(&p);
    assert_int_equal(p.ends, 1);
    assert_string_equal(p.body, "hello");
    finish();
}

/* One write has many megabytes; the time limit takes its progress into account. */
static void a_peer_that_reads_slowly_does_not_time_out(void **state)
{
    size_t len = 12u << 20;
    char *body = calloc(1, len);
    const rc_str head = RC_STR("POST / HTTP/1.1\r\nhost: x\r\n\r\n");
    probe p = {0};
    (void)state;
    begin(take_slowly, NULL);
    server.number = len + head.len;
    probe_send(&p, &client, &origin,
               (rc_upstream_request){.head = head, .body = rc_str_make(body, len), .idle_ms = 400});
    probe_wait(&p);
    assert_int_equal(p.ends, 1);
    finish();
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_are_read),
        cmocka_unit_test(a_body_may_end_with_the_connection),
        cmocka_unit_test(pieces_of_any_size_give_the_same_response),
        cmocka_unit_test(views_stay_valid_when_a_callback_cancels_the_call),
        cmocka_unit_test(malformed_responses_are_failures),
        cmocka_unit_test(endless_heads_are_cut),
        cmocka_unit_test(large_bodies_are_sent_from_views),
        cmocka_unit_test(bodies_in_pieces_arrive_whole),
        cmocka_unit_test(long_heads_are_put_together),
        cmocka_unit_test(the_idle_limit_starts_with_the_body),
        cmocka_unit_test(a_peer_that_reads_slowly_does_not_time_out),
        cmocka_unit_test(pushed_bodies_wait_for_the_peer),
        cmocka_unit_test(pushed_bytes_are_limited),
        cmocka_unit_test(an_early_response_is_delivered),
        cmocka_unit_test(a_paused_call_reads_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
