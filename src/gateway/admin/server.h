/* rc_admin: the server of the admin interface, on a given loop.
 *
 *   operator ──► rc_server ──► rc_admin_core ──► rc_admin_source
 *                                   └──► further tables: pages, audit queries, live events
 *
 * Limits: 64 connections, heads of 16 KiB, bodies of 64 KiB. Only the loop's thread calls these
 * functions. */
#ifndef RC_GATEWAY_ADMIN_SERVER_H
#define RC_GATEWAY_ADMIN_SERVER_H

#include <uv.h>

#include "gateway/admin/core.h"
#include "net/server/server.h"

typedef struct rc_admin rc_admin;

/* Makes a server that does not listen yet. loop: borrows until on_stopped. settings: copies.
 * on_stopped: the server is freed; may be NULL. NULL: out of memory, or the token or host is too
 * long. */
rc_admin *rc_admin_new(uv_loop_t *loop, const rc_admin_settings *settings,
                       void (*on_stopped)(void *ctx), void *ctx);

/* See rc_admin_core_add, rc_admin_core_set_token and rc_admin_core_has_token. */
bool rc_admin_add(rc_admin *admin, const rc_admin_table *table);
bool rc_admin_set_token(rc_admin *admin, rc_secret token);
bool rc_admin_has_token(const rc_admin *admin, rc_secret token);

/* Listens at an address. Without a token an address that other machines can reach is rejected with
 * RC_LISTEN_DENIED, as rc_config_admin_check does. host: borrows. See rc_server_listen_tcp. */
rc_listen_result rc_admin_listen(rc_admin *admin, const char *host, uint16_t port,
                                 rc_listening *ret_listening);

/* Listens on a Unix socket that only its owner can open. path: borrows. */
rc_listen_result rc_admin_listen_unix(rc_admin *admin, const char *path,
                                      rc_listening *ret_listening);

/* Ends streams and lets responses finish. on_stopped follows, and the server is freed then. */
void rc_admin_stop(rc_admin *admin);
/* Closes all connections at once. May follow rc_admin_stop, and may be called twice. */
void rc_admin_close(rc_admin *admin);

/* ---- streams: the argument of a route's `open` ----
 *
 *   attach ─► begin ─► write ... ─► end    a response in pieces
 *      └───► reply, send                   a whole response, now or later
 *
 * `open` must attach a handler, or send a reply before it returns. The request and its views are
 * valid until on_end. */
typedef struct rc_admin_stream_handler {
    /* More can be written, after write returned false. NULL: not called. */
    void (*on_drained)(void *ctx);
    /* The stream is over: sent, ended, or the client is gone. It must not be used any more. Called
     * once, never from inside a function of this header. */
    void (*on_end)(void *ctx);
} rc_admin_stream_handler;

/* Sets the handler of a stream. handler: borrows. ctx: passed to its functions. */
void rc_admin_stream_attach(rc_admin_stream *stream, const rc_admin_stream_handler *handler,
                            void *ctx);

/* Begins a response of this content type (static). False: it failed, and on_end follows. */
bool rc_admin_stream_begin(rc_admin_stream *stream, const char *type);
/* Writes a piece; copies bytes that cannot be sent at once. False: the send buffer is full; wait
 * for on_drained. */
bool rc_admin_stream_write(rc_admin_stream *stream, rc_str bytes);
void rc_admin_stream_end(rc_admin_stream *stream);

/* The reply that rc_admin_stream_send sends. Views stream. */
rc_admin_reply *rc_admin_stream_reply(rc_admin_stream *stream);
void rc_admin_stream_send(rc_admin_stream *stream);

#endif
