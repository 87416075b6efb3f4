/* rc_admin: the server of the admin interface, which runs on the caller's uv loop.
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

/* Makes a server that does not listen yet. loop: borrows until on_stopped. settings: copies the
 * struct. on_stopped: called after the server is freed; may be NULL. Returns NULL if memory runs
 * out, or the token or host is too long. */
rc_admin *rc_admin_new(uv_loop_t *loop, const rc_admin_settings *settings,
                       void (*on_stopped)(void *ctx), void *ctx);

/* rc_admin_add, rc_admin_set_token and rc_admin_has_token: see rc_admin_core_add,
 * rc_admin_core_set_token and rc_admin_core_has_token. */
bool rc_admin_add(rc_admin *admin, const rc_admin_table *table);
bool rc_admin_set_token(rc_admin *admin, rc_secret token);
bool rc_admin_has_token(const rc_admin *admin, rc_secret token);

/* Listens at an address. If no token is set, an address that other machines can reach is rejected
 * with RC_LISTEN_DENIED, by the rule of rc_config_admin_check. host: borrows during the call. See
 * rc_server_listen_tcp. */
rc_listen_result rc_admin_listen(rc_admin *admin, const char *host, uint16_t port,
                                 rc_listening *ret_listening);

/* Listens on a Unix socket that only its owner can open. path: borrows during the call. */
rc_listen_result rc_admin_listen_unix(rc_admin *admin, const char *path,
                                      rc_listening *ret_listening);

/* Ends the streams and waits until all other responses are sent. After these responses the server
 * is freed and on_stopped is called. */
void rc_admin_stop(rc_admin *admin);
/* Closes all connections immediately. May be called after rc_admin_stop, and may be called
 * twice. */
void rc_admin_close(rc_admin *admin);

/* ---- streams: the argument of a route's `open` ----
 *
 *   attach ─► begin ─► write ... ─► end    a response in pieces
 *      └───► reply, send                   a whole response, now or later
 *
 * Before `open` returns, it must attach a handler or send a reply. The request and its views are
 * valid until on_end. */
typedef struct rc_admin_stream_handler {
    /* Called when the send buffer has space again, after rc_admin_stream_write returned false. May
     * be NULL. */
    void (*on_drained)(void *ctx);
    /* Called once when the stream is over: the response is sent, or the client has disconnected.
     * The stream must not be used any more. Never called from inside a function of this header. */
    void (*on_end)(void *ctx);
} rc_admin_stream_handler;

/* Sets the handler of a stream. handler: borrows until on_end. ctx: passed to the handler's
 * functions. */
void rc_admin_stream_attach(rc_admin_stream *stream, const rc_admin_stream_handler *handler,
                            void *ctx);

/* Begins a response. type: the content type, a static string. Returns false on failure; on_end is
 * called later. */
bool rc_admin_stream_begin(rc_admin_stream *stream, const char *type);
/* Writes a piece of the response. bytes: copies the bytes that cannot be sent immediately. Returns
 * false if the send buffer is full; the caller then waits for on_drained. */
bool rc_admin_stream_write(rc_admin_stream *stream, rc_str bytes);
void rc_admin_stream_end(rc_admin_stream *stream);

/* Returns the reply that rc_admin_stream_send sends. The result views (points into) the stream. */
rc_admin_reply *rc_admin_stream_reply(rc_admin_stream *stream);
void rc_admin_stream_send(rc_admin_stream *stream);

#endif
