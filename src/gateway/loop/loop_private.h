/* The rc_loop struct, and the responses without an exchange. For the files of this folder. */
#ifndef RC_GATEWAY_LOOP_LOOP_PRIVATE_H
#define RC_GATEWAY_LOOP_LOOP_PRIVATE_H

#include "gateway/loop/loop.h"
#include "gateway/loop/stall.h"
#include "gateway/runtime/runtime.h"
#include "net/server/responder.h"

struct rc_loop {
    rc_runtime runtime;
    rc_server server;
    rc_stall stall;
    uv_timer_t drain;
    void (*on_stopped)(void *ctx);
    void *ctx;
    bool is_upstream_closed;
    uint32_t open_handles; /* Number of open handles among drain, acknowledged_async, stall and
                            * the waiting queue's. */
};

/* Responds to a request for the path of a health endpoint. Returns false if the path is another
 * one; the caller then responds. */
bool rc_loop_respond_health(rc_runtime *runtime, rc_responder *responder, const rc_http1 *reader,
                            const char *head);
/* Responds to GET and HEAD of "/" with a short page about the gateway. Returns false if the request
 * is another one; the caller then responds. */
bool rc_loop_respond_root(rc_responder *responder, const rc_http1 *reader, const char *head);

/* Renders the error response for a request that is malformed or does not arrive completely. The
 * dialect is that of the request's path if the path is known, otherwise OpenAI's. ctx: the
 * rc_loop. */
void rc_loop_render_refusal(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page);

#endif
