/* One server and one client on 127.0.0.1, without TLS, for most tests of the upstream client. */
#ifndef RC_TEST_UPSTREAM_PLAIN_H
#define RC_TEST_UPSTREAM_PLAIN_H

#include "support/upstream_peer.h"

#define OK_5 "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"

static peer server;
static fixture client;
static rc_origin origin;

static void begin(void (*script)(peer_conn *), const void *ctx)
{
    server = (peer){.ctx = (void *)(uintptr_t)ctx};
    peer_start(&server, script);
    fixture_open(&client);
    origin = origin_at("http", "127.0.0.1", server.port);
}

static void finish(void)
{
    assert_true(fixture_close(&client));
    peer_stop(&server);
    client.settings.alloc.get = NULL;
}

static rc_upstream_counts counts(void)
{
    return rc_upstream_count(client.upstream);
}

#endif
