/* rc_admin: the operator's side, a server of its own on a given loop.
 *
 *   operator ──► rc_server ──► rc_admin_core ──► rc_admin_source
 *                                   └──► further tables: pages, audit queries, live events
 *
 * 64 connections, heads of 16 KiB, bodies of 64 KiB. The loop's thread alone uses it. */
#ifndef RC_GATEWAY_ADMIN_SERVER_H
#define RC_GATEWAY_ADMIN_SERVER_H

#include <uv.h>

#include "gateway/admin/core.h"
#include "net/server/server.h"

typedef struct rc_admin rc_admin;

/* A server that does not listen yet. on_stopped: nothing is left of it; NULL: nobody waits. NULL:
 * there is no memory, or the token or host is too long. loop: borrows until stopped. settings:
 * copies. */
rc_admin *rc_admin_new(uv_loop_t *loop, const rc_admin_settings *settings,
                       void (*on_stopped)(void *ctx), void *ctx);

/* See rc_admin_core_add, rc_admin_core_set_token and rc_admin_core_has_token. */
bool rc_admin_add(rc_admin *admin, const rc_admin_table *table);
bool rc_admin_set_token(rc_admin *admin, rc_secret token);
bool rc_admin_has_token(const rc_admin *admin, rc_secret token);

/* An address that other machines can reach is refused without a token, as rc_config_admin_check
 * does: RC_LISTEN_DENIED. host: borrows. See rc_server_listen_tcp. */
rc_listen_result rc_admin_listen(rc_admin *admin, const char *host, uint16_t port,
                                 rc_listening *ret_listening);

/* A Unix socket that its owner alone can open. path: borrows. */
rc_listen_result rc_admin_listen_unix(rc_admin *admin, const char *path,
                                      rc_listening *ret_listening);

/* Ends streams, lets answers finish. on_stopped follows; the server is freed then. */
void rc_admin_stop(rc_admin *admin);
/* Cuts everything off. May follow stop, and come again. */
void rc_admin_close(rc_admin *admin);

/* ---- streams: what the function `open` of a route gets ----
 *
 *   keep ─► begin ─► write ... ─► end      an answer in pieces
 *      └──► reply, send                    a whole one, at once or later
 *
 * open must keep the stream, or send a reply before it returns. The request and what it views live
 * until on_end. */
typedef struct rc_admin_stream_handler {
    /* There is room again, after write had said stop. NULL: nobody waits. */
    void (*on_drained)(void *ctx);
    /* It is over: sent, ended, or the client is gone. The stream must not be used any more. Once;
     * never from inside a function of this header. */
    void (*on_end)(void *ctx);
} rc_admin_stream_handler;

/* calls: borrows; ctx: of its functions. */
void rc_admin_stream_attach(rc_admin_stream *stream, const rc_admin_stream_handler *handler,
                            void *ctx);

/* Begins an answer of this type (static). False: it cannot, and on_end follows. */
bool rc_admin_stream_begin(rc_admin_stream *stream, const char *type);
/* Copies what cannot be sent at once. False: enough waits; on_drained says when to go on. */
bool rc_admin_stream_write(rc_admin_stream *stream, rc_str bytes);
void rc_admin_stream_end(rc_admin_stream *stream);

/* What send will send. Views stream. */
rc_admin_reply *rc_admin_stream_reply(rc_admin_stream *stream);
void rc_admin_stream_send(rc_admin_stream *stream);

#endif
