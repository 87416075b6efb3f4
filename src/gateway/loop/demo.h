/* rc_demo: a provider that lives in this process, for trying things out: the mock's answers, told
 * as rc_upstream tells those of a server.
 *
 *   request (bytes) ──► rc_mock_provider ──► steps ──► on_head, on_body, on_end | on_failure
 *
 * The same handler, the same order, the same promise: nothing is called back from inside start,
 * and nothing after cancel. The reader of an answer's head lasts until the loop runs again after
 * the call's end. */
#ifndef RC_GATEWAY_LOOP_DEMO_H
#define RC_GATEWAY_LOOP_DEMO_H

#include "mock/provider.h"
#include "net/client/upstream.h"

typedef struct rc_demo rc_demo;
typedef struct rc_demo_call rc_demo_call;

/* on_idle: the last call has let go of the loop. NULL: no memory. loop, ctx: borrow until free.
 * alloc: copies. */
rc_demo *rc_demo_new(uv_loop_t *loop, const rc_alloc *alloc, void (*on_idle)(void *ctx), void *ctx);

/* All calls are over, and the loop has run since. NULL is allowed. */
void rc_demo_free(rc_demo *demo);

/* Has every call that was started let go of the loop? */
bool rc_demo_is_idle(const rc_demo *demo);

/* Starts a call. request, its body: borrow during this alone. handler, ctx: borrow until the
 * end. NULL: no memory. The call is over after on_end, on_failure and cancel, and must not be
 * touched then. */
rc_demo_call *rc_demo_start(rc_demo *demo, const rc_upstream_request *request, int64_t now_unix_ms,
                            const rc_upstream_handler *handler, void *ctx);
void rc_demo_cancel(rc_demo_call *call);

/* Backpressure, as of rc_upstream. */
void rc_demo_pause(rc_demo_call *call);
void rc_demo_resume(rc_demo_call *call);

#endif
