/* rc_mock_server: the mock provider over HTTP, on a libuv loop.
 *
 *   request ──► rc_mock_provider ──► steps ──► bytes, waits, a cut
 *
 * rc_server frames the responses, except those with deliberately broken framing, whose bytes the
 * mock server writes itself. */
#ifndef RC_MOCK_SERVER_H
#define RC_MOCK_SERVER_H

#include <uv.h>

#include "mock/provider.h"
#include "net/server/server.h"

/* Upper limit of a request's body, in bytes. */
#define RC_MOCK_BODY_MAX ((size_t)32 << 20)

typedef struct rc_mock_server rc_mock_server;

typedef struct rc_mock_server_settings {
    const rc_mock_scenario *scenario; /* Borrows until on_stopped; NULL: no scenario. */
    rc_mock_script *script;           /* Borrows until on_stopped; NULL: no script. */
    uint32_t script_index;            /* With a script: the provider that this server plays, or
                            * RC_MOCK_NO_PROVIDER. */
    uint64_t seed;
    rc_alloc alloc;
    int64_t (*unix_ms)(void *ctx); /* Returns the current Unix time. */
    /* Called when a response begins. The texts are valid during the call. May be NULL. */
    void (*on_response)(void *ctx, rc_str method, rc_str path, rc_str model, int status);
    /* Called when a client has reset the statistics, which restarts the script. May be NULL. */
    void (*on_reset)(void *ctx);
    void (*on_stopped)(void *ctx); /* Called when the server has been freed. */
    void *ctx;
} rc_mock_server_settings;

/* Creates a server that does not listen yet. Returns NULL if there is no memory. loop: borrows
 * until on_stopped. settings: copies the struct. */
rc_mock_server *rc_mock_server_new(uv_loop_t *loop, const rc_mock_server_settings *settings);

/* Listens on an address; see rc_server_listen_tcp for the results. host: borrows during the
 * call. */
rc_listen_result rc_mock_server_listen(rc_mock_server *server, const char *host, uint16_t port,
                                       rc_listening *ret_listening);

/* Follows the script's clock after it was restarted: begins or ends the refusal of connections. */
void rc_mock_server_follow_script(rc_mock_server *server);

/* Closes all connections and frees the server, then calls on_stopped. server: takes. */
void rc_mock_server_close(rc_mock_server *server);

#endif
