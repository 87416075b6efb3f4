/* Tests of connections that the owner's open function provides instead of dialling. */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/upstream_peer.h"

#define OK_5 "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static peer server;
static fixture client;

/* Returns a port on which no socket listens. */
static uint16_t dead_port(void)
{
    uint16_t port = 0;
    close(peer_bind(&port, 1));
    return port;
}

static void finish(void)
{
    assert_true(fixture_close(&client));
    peer_stop(&server);
}

typedef enum opening {
    OPENS_TO_PEER,
    OPENS_NOTHING,
    OPENS_A_DEAD_END
} opening;

static struct {
    opening mode;
    int times;
    const rc_origin *origin;
} opened;

static int open_to_peer(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(server.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static int open_one(void *ctx, const rc_origin *origin)
{
    int ends[2];
    assert_ptr_equal(ctx, &opened);
    opened.times++;
    assert_true(rc_origin_eq(origin, opened.origin));
    switch (opened.mode) {
    case OPENS_TO_PEER:
        return open_to_peer();
    case OPENS_NOTHING:
        return -1;
    case OPENS_A_DEAD_END:
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        close(ends[1]);
        return ends[0];
    }
    return -1;
}

static void begin_opened(opening mode, const rc_origin *origin)
{
    memset(&opened, 0, sizeof(opened));
    opened.mode = mode;
    opened.origin = origin;
    server = (peer){.ctx = (void *)(uintptr_t)OK_5};
    peer_start(&server, peer_repeat);
    client.settings = rc_upstream_settings_default();
    client.settings.open = open_one;
    client.settings.open_ctx = &opened;
    fixture_open(&client);
}

static void the_open_hook_replaces_dialling(void **state)
{
    probe p = {0};
    probe q = {0};
    (void)state;
    /* No socket listens at that address, so dialling would fail. */
    rc_origin origin = origin_at("http", "127.0.0.1", dead_port());
    begin_opened(OPENS_TO_PEER, &origin);
    probe_run(&p, &client, &origin);
    assert_int_equal(p.ends, 1);
    assert_int_equal(p.body_len, 5);
    probe_run(&q, &client, &origin);
    assert_int_equal(q.ends, 1);
    assert_true(q.was_reused);
    assert_int_equal(opened.times, 1);
    finish();
}

static void a_failed_open_is_a_failure(void **state)
{
    static const opening ways[] = {OPENS_NOTHING, OPENS_A_DEAD_END};
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        probe p = {0};
        rc_origin origin = origin_at("http", "127.0.0.1", dead_port());
        begin_opened(ways[i], &origin);
        probe_run(&p, &client, &origin);
        print_message("%s\n", p.failure.text);
        assert_int_equal(p.ends, 0);
        assert_int_equal(p.failures, 1);
        assert_int_equal(rc_upstream_count(client.upstream).connections, 0);
        finish();
    }
}

static void a_call_with_an_opened_connection_may_be_cancelled(void **state)
{
    probe p = {0};
    (void)state;
    rc_origin origin = origin_at("http", "127.0.0.1", dead_port());
    begin_opened(OPENS_TO_PEER, &origin);
    assert_int_equal(probe_start(&p, &client, &origin), RC_UPSTREAM_NONE);
    rc_upstream_cancel(&p.call);
    assert_int_equal(opened.times, 1);
    assert_int_equal(rc_upstream_count(client.upstream).connections, 0);
    finish();
    assert_int_equal(p.ends + p.failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_open_hook_replaces_dialling),
        cmocka_unit_test(a_failed_open_is_a_failure),
        cmocka_unit_test(a_call_with_an_opened_connection_may_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
