/* rc_mock_server: the failing provider over HTTP, on a libuv loop.
 *
 *   request ──► rc_mock_provider ──► steps ──► bytes, waits, a cut
 *
 * An answer whose wire is broken on purpose is framed here, byte by byte; all others are framed by
 * rc_server. */
#ifndef RC_MOCK_SERVER_H
#define RC_MOCK_SERVER_H

#include <uv.h>

#include "mock/provider.h"
#include "net/server/server.h"

/* No request's body is larger. */
#define RC_MOCK_BODY_MAX ((size_t)32 << 20)

typedef struct rc_mock_server rc_mock_server;

typedef struct rc_mock_server_settings {
    const rc_mock_scenario *scenario; /* borrows until stopped; NULL: none */
    uint64_t seed;
    rc_alloc alloc;
    int64_t (*unix_ms)(void *ctx);
    /* An answer has begun. All views during the call. NULL: nobody wants to know. */
    void (*on_response)(void *ctx, rc_str method, rc_str path, rc_str model, int status);
    void (*on_stopped)(void *ctx); /* nothing is left of the server */
    void *ctx;
} rc_mock_server_settings;

/* A server that does not listen yet. NULL: no memory. loop: borrows until stopped. settings:
 * copies. */
rc_mock_server *rc_mock_server_new(uv_loop_t *loop, const rc_mock_server_settings *settings);

/* host: borrows. See rc_server_listen_tcp. */
rc_listen_result rc_mock_server_listen(rc_mock_server *server, const char *host, uint16_t port,
                                       rc_listening *ret_listening);

/* Cuts everything off and frees the server; on_stopped follows. */
void rc_mock_server_close(rc_mock_server *server);

#endif
