/* The server without memory and without file descriptors: no crash, no leak, every request ends,
 * and the server recovers. */
#include "support/server_fixture.h"

#include <sys/resource.h>

/* Sends requests of every kind. Each request must end, whatever fails. */
static void run_scenario(void)
{
    static char body[6000];
    memset(body, 'b', sizeof(body));
    client_open();
    client_send(RC_STR("GET /hel"));
    for (int i = 0; i < 4; i++)
        turn();
    client_send(RC_STR("lo" HOST "\r\nPOST /echo" HOST "Content-Length: 6000\r\n\r\n"));
    client_send(rc_str_make(body, sizeof(body)));
    client_send(RC_STR("GET /kept" HOST "\r\nGET /hold" HOST "\r\nGET /hello" HOST "\r\n"));
    UNTIL(fixture.held != NULL || fixture.client.is_at_end);
    if (fixture.held != NULL) {
        rc_responder_begin(fixture.held,
                           &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
        rc_responder_write(fixture.held, rc_str_make(body, sizeof(body)));
        rc_responder_write(fixture.held, RC_STR("held"));
        rc_responder_end(fixture.held);
    }
    client_send(RC_STR("GET / HTTP/1.1\r\n\r\n")); /* a request without Host is refused */
    UNTIL(fixture.client.is_at_end || got("400 Bad Request"));
}

static bool is_whole_run(void)
{
    return got_count("HTTP/1.1 200 OK") == 5 && got("HTTP/1.1 400 ");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fixture_start(NULL);
    run_scenario();
    assert_true(is_whole_run());
    size_t calls = fixture.memory.calls;
    fixture_end();
    assert_true(calls > 5);
    for (size_t at = 2; at <= calls; at++) /* the first allocation is made by rc_server_init */
        for (int for_good = 0; for_good < 2; for_good++) {
            fixture_start(NULL);
            fixture.memory.fail_at = at;
            fixture.memory.for_good = for_good != 0;
            run_scenario();
            assert_false(is_whole_run() && for_good);
            fixture.memory.fail_at = 0;
            client_close(); /* with memory available, the server works again */
            client_open();
            client_send(RC_STR("GET /hello" HOST "\r\n"));
            UNTIL(got("\r\n\r\nhello"));
            fixture_end();
        }
}

static void a_server_needs_memory_to_begin(void **state)
{
    (void)state;
    fail_alloc memory = {.fail_at = 1};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_server server;
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(
        rc_server_init(&server, &loop, &alloc, &rc_server_settings_default, &handler, NULL),
        RC_E_NOMEM);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* Takes every descriptor below the limit. */
static size_t take_all(int *ret_fds, size_t max)
{
    size_t count = 0;
    while (count < max && (ret_fds[count] = dup(2)) >= 0)
        count++;
    return count;
}

static void without_descriptors_streams_go_on(void **state)
{
    (void)state;
    struct rlimit old;
    int taken[128];
    fixture_start(NULL);
    client_open();
    client_send(RC_STR("GET /hold" HOST "\r\n"));
    UNTIL(fixture.held != NULL);
    rc_responder_begin(fixture.held,
                       &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    int late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct rlimit few = {.rlim_cur = 64, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    size_t count = take_all(taken, 128);
    assert_true(count > 0 && count < 128);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(fixture.listening.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(late, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(send(late, "GET /hello" HOST "\r\n", 32, 0), 32);
    UNTIL(fixture.server.stats.accept_pauses > 0);

    rc_responder_write(fixture.held, RC_STR("goes on"));
    UNTIL(got("goes on"));
    /* The server pauses between its attempts to accept a connection. Without these pauses, the loop
     * would run many more iterations than the limit below allows. */
    uint64_t turns = 0;
    for (; fixture.server.stats.accept_pauses < 6; turns++)
        uv_run(&fixture.loop, UV_RUN_ONCE);
    assert_true(turns < 50);

    for (size_t i = 0; i < count; i++)
        close(taken[i]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    UNTIL(has_logged("/hello whole done"));
    char bytes[256];
    assert_true(recv(late, bytes, sizeof(bytes), 0) > 0);
    close(late);
    rc_responder_end(fixture.held);
    UNTIL(got("0\r\n\r\n"));
    fixture_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_server_needs_memory_to_begin),
        cmocka_unit_test(without_descriptors_streams_go_on),
    };
    return FIXTURE_RUN(tests);
}
