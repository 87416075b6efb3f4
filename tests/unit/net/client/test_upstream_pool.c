/* Tests of the connection pool of an origin: reuse, limits and the queue. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/client/pool.h"
#include "support/upstream_plain.h"

static void connections_are_reused(void **state)
{
    (void)state;
    begin(peer_repeat, OK_5);
    for (int i = 0; i < 20; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        assert_int_equal(p.was_reused, i > 0);
    }
    assert_int_equal(counts().dialled, 1);
    assert_int_equal(counts().reused, 19);
    assert_int_equal(server.requests, 20);
    finish();
}

static void a_connection_serves_a_limited_number_of_requests(void **state)
{
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.max_requests = 3;
    begin(peer_repeat, OK_5);
    for (int i = 0; i < 9; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.is_kept, i % 3 != 2);
    }
    assert_int_equal(counts().dialled, 3);
    finish();
}

static void idle_time_and_age_of_a_connection_are_limited(void **state)
{
    (void)state;
    for (int by_age = 0; by_age < 2; by_age++) {
        probe p = {0};
        client.settings = rc_upstream_settings_default();
        if (by_age)
            client.settings.age_ms = 30;
        else
            client.settings.idle_ms = 30;
        begin(peer_repeat, OK_5);
        probe_run(&p, &client, &origin);
        assert_true(p.is_kept);
        while (counts().idle > 0)
            uv_run(&client.loop, UV_RUN_ONCE);
        assert_int_equal(counts().connections, 0);
        finish();
    }
}

static void the_oldest_idle_connection_is_closed_over_the_limit(void **state)
{
    probe p[5] = {0};
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.max_idle = 2;
    begin(peer_repeat, OK_5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(probe_start(&p[i], &client, &origin), RC_UPSTREAM_NONE);
    for (size_t i = 0; i < 5; i++)
        probe_wait(&p[i]);
    assert_int_equal(counts().dialled, 5);
    assert_int_equal(counts().idle, 2);
    assert_int_equal(counts().connections, 2);
    finish();
}

/* Sends one response per connection and closes the connection, although the response allows
 * reuse. */
static void one_each(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, OK_5);
}

static void a_stale_connection_is_replaced_silently(void **state)
{
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.stale_check_ms = 0;
    begin(one_each, NULL);
    for (int i = 0; i < 5; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        assert_false(p.was_reused);
        /* The peer has closed the connection, and the loop has not processed this yet. */
        while (atomic_load(&server.open) > 0)
            usleep(200);
    }
    assert_int_equal(counts().dialled, 5);
    assert_int_equal(counts().redialled, 4);
    finish();
}

/* As one_each, but with a reset, which the client's first write encounters. */
static void one_and_cut(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, OK_5);
    while (!atomic_load(&conn->of->go))
        usleep(200);
    atomic_store(&conn->of->go, false);
    peer_cut(conn);
}

static void a_reset_connection_is_replaced_silently(void **state)
{
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.stale_check_ms = UINT32_MAX;
    begin(one_and_cut, NULL);
    for (int i = 0; i < 5; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.ends, 1);
        assert_false(p.was_reused);
        atomic_store(&server.go, true);
        while (atomic_load(&server.open) > 0)
            usleep(200);
    }
    assert_int_equal(counts().dialled, 5);
    assert_int_equal(counts().redialled, 4);
    finish();
}

/* Sends one response and closes the socket at once; bytes that arrive later are answered with a
 * reset. */
static void one_and_close(peer_conn *conn)
{
    int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (peer_read_request(conn))
        peer_say(conn, OK_5);
    dup2(other, conn->fd);
    close(other);
}

/* Waits until the FIN of the only idle connection has arrived, without running the loop. */
static void wait_for_end(void)
{
    struct pollfd polled = {.events = POLLRDHUP};
    for (size_t i = 0; i < RC_UPSTREAM_POOL_SLOTS; i++)
        if (client.upstream->pools[i] != NULL)
            uv_fileno((const uv_handle_t *)&client.upstream->pools[i]->newest->tcp, &polled.fd);
    assert_int_equal(poll(&polled, 1, -1), 1);
}

/* The peer has closed the connection before the client noticed: the request is sent, but nobody
 * reads it. */
static void a_connection_closed_before_the_request_came_is_replaced(void **state)
{
    (void)state;
    for (int is_open = 0; is_open < 2; is_open++) {
        probe p[2] = {0};
        client.settings = rc_upstream_settings_default();
        client.settings.stale_check_ms = UINT32_MAX;
        begin(one_and_close, NULL);
        probe_run(&p[0], &client, &origin);
        assert_true(p[0].is_kept);
        wait_for_end();
        probe_send(&p[1], &client, &origin,
                   (rc_upstream_request){.body = RC_STR("{}"), .is_body_open = is_open});
        probe_wait(&p[1]);
        /* A body that is sent piece by piece cannot be sent again. */
        assert_int_equal(p[1].ends, is_open ? 0 : 1);
        assert_int_equal(p[1].failures, is_open ? 1 : 0);
        assert_false(p[1].was_reused);
        assert_int_equal(counts().redialled, is_open ? 0 : 1);
        assert_int_equal(counts().dialled, is_open ? 1 : 2);
        assert_int_equal(server.requests, is_open ? 1 : 2);
        finish();
    }
}

static void say_unrequested(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, OK_5);
    peer_wait(conn->of);
    peer_say(conn, OK_5);
    peer_drain(conn);
}

static void an_idle_connection_with_input_or_end_is_closed(void **state)
{
    void (*const scripts[])(peer_conn *) = {one_each, say_unrequested};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        probe p = {0};
        begin(scripts[i], NULL);
        probe_run(&p, &client, &origin);
        assert_true(p.is_kept);
        assert_int_equal(counts().idle, 1);
        atomic_store(&server.go, true);
        while (counts().idle > 0)
            uv_run(&client.loop, UV_RUN_ONCE);
        assert_int_equal(counts().connections, 0);
        finish();
    }
}

/* Reads the second request and closes the connection without a response. */
static void one_and_silence(peer_conn *conn)
{
    if (peer_read_request(conn))
        peer_say(conn, OK_5);
    peer_read_request(conn);
}

static void a_failed_reused_connection_is_marked_reused(void **state)
{
    probe first = {0};
    probe second = {0};
    (void)state;
    begin(one_and_silence, NULL);
    probe_run(&first, &client, &origin);
    probe_run(&second, &client, &origin);
    assert_int_equal(second.failures, 1);
    assert_true(second.failure.was_reused);
    assert_int_equal(second.failure.transport, RC_TRANSPORT_EOF);
    assert_int_equal(second.failure.phase, RC_PHASE_SENT);
    assert_true(second.failure.bytes_sent > 0);
    assert_int_equal(second.failure.bytes_received, 0);
    finish();
}

static void a_hundred_calls_share_ten_connections(void **state)
{
    static probe p[100];
    (void)state;
    memset(p, 0, sizeof(p));
    client.settings = rc_upstream_settings_default();
    client.settings.max_connections = 10;
    begin(peer_repeat, OK_5);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(probe_start(&p[i], &client, &origin), RC_UPSTREAM_NONE);
    assert_int_equal(counts().connections, 10);
    assert_int_equal(counts().queued, 90);
    for (size_t i = 0; i < 100; i++) {
        probe_wait(&p[i]);
        assert_int_equal(p[i].ends, 1);
    }
    assert_int_equal(counts().dialled, 10);
    assert_true(server.most <= 10);
    assert_int_equal(counts().queued, 0);
    finish();
}

static void wait_for_go(peer_conn *conn)
{
    peer_wait(conn->of);
    peer_repeat(conn);
}

static void the_queue_has_a_length_and_a_time_limit(void **state)
{
    probe p[5] = {0};
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.max_connections = 1;
    client.settings.max_queued = 3;
    client.settings.queue_ms = 20;
    begin(wait_for_go, OK_5);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(probe_start(&p[i], &client, &origin), RC_UPSTREAM_NONE);
    assert_int_equal(probe_start(&p[4], &client, &origin), RC_UPSTREAM_QUEUE_FULL);
    assert_false(rc_upstream_is_live(&p[4].call));
    rc_upstream_cancel(&p[2].call);
    probe_wait(&p[1]);
    probe_wait(&p[3]);
    for (size_t i = 1; i < 4; i += 2) {
        assert_int_equal(p[i].failure.kind, RC_UPSTREAM_QUEUE_TIMEOUT);
        assert_int_equal(p[i].failure.phase, RC_PHASE_CONNECT);
        assert_true(p[i].failure.is_local);
    }
    assert_int_equal(p[2].failures, 0);
    atomic_store(&server.go, true);
    probe_wait(&p[0]);
    assert_int_equal(p[0].ends, 1);
    finish();
}

static void origins_have_their_own_pools_and_unused_ones_are_evicted(void **state)
{
    probe p[4] = {0};
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.max_origins = 2;
    client.settings.max_idle = 0;
    begin(peer_repeat, OK_5);
    const rc_origin others[] = {
        origin_at("http", "127.0.0.1", server.port),
        origin_at("http", "127.0.0.2", server.port),
        origin_at("http", "127.0.0.3", server.port),
    };
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(probe_start(&p[i], &client, &others[i]), RC_UPSTREAM_NONE);
    assert_int_equal(probe_start(&p[2], &client, &others[2]), RC_UPSTREAM_TOO_MANY_ORIGINS);
    for (size_t i = 0; i < 2; i++)
        probe_wait(&p[i]);
    assert_int_equal(probe_start(&p[3], &client, &others[2]), RC_UPSTREAM_NONE);
    assert_int_equal(counts().origins, 2);
    rc_upstream_cancel(&p[3].call);
    finish();
}

static void a_live_connection_passes_the_stale_check(void **state)
{
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.stale_check_ms = 0;
    begin(peer_repeat, OK_5);
    for (int i = 0; i < 5; i++) {
        probe p = {0};
        probe_run(&p, &client, &origin);
        assert_int_equal(p.was_reused, i > 0);
    }
    assert_int_equal(counts().redialled, 0);
    finish();
}

static void queued_calls_time_out_in_order(void **state)
{
    probe p[3] = {0};
    (void)state;
    client.settings = rc_upstream_settings_default();
    client.settings.max_connections = 1;
    client.settings.queue_ms = 30;
    begin(wait_for_go, OK_5);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(probe_start(&p[i], &client, &origin), RC_UPSTREAM_NONE);
        usleep(10000);
        uv_update_time(&client.loop);
    }
    probe_wait(&p[1]);
    assert_int_equal(p[1].failure.kind, RC_UPSTREAM_QUEUE_TIMEOUT);
    probe_wait(&p[2]);
    assert_int_equal(p[2].failure.kind, RC_UPSTREAM_QUEUE_TIMEOUT);
    rc_upstream_cancel(&p[0].call);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_reused),
        cmocka_unit_test(a_connection_serves_a_limited_number_of_requests),
        cmocka_unit_test(idle_time_and_age_of_a_connection_are_limited),
        cmocka_unit_test(the_oldest_idle_connection_is_closed_over_the_limit),
        cmocka_unit_test(a_stale_connection_is_replaced_silently),
        cmocka_unit_test(a_reset_connection_is_replaced_silently),
        cmocka_unit_test(a_connection_closed_before_the_request_came_is_replaced),
        cmocka_unit_test(an_idle_connection_with_input_or_end_is_closed),
        cmocka_unit_test(a_failed_reused_connection_is_marked_reused),
        cmocka_unit_test(a_hundred_calls_share_ten_connections),
        cmocka_unit_test(the_queue_has_a_length_and_a_time_limit),
        cmocka_unit_test(a_live_connection_passes_the_stale_check),
        cmocka_unit_test(queued_calls_time_out_in_order),
        cmocka_unit_test(origins_have_their_own_pools_and_unused_ones_are_evicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
