/* rc_demo: the demo provider: the mock provider, run in this process behind the interface of
 * rc_upstream.
 *
 *   request (bytes) ──► rc_mock_provider ──► steps ──► on_head, on_body, on_end | on_failure
 *
 * The handler, the order of callbacks and the guarantees are those of rc_upstream: no callback runs
 * from inside rc_demo_start, and none after rc_demo_cancel. The parser of the response head
 * (rc_upstream_head.reader) stays valid after the call's end until the loop runs again. */
#ifndef RC_GATEWAY_RUNTIME_DEMO_H
#define RC_GATEWAY_RUNTIME_DEMO_H

#include "mock/provider.h"
#include "net/client/upstream.h"

typedef struct rc_demo rc_demo;
typedef struct rc_demo_call rc_demo_call;

/* Makes a demo provider. loop, ctx: borrows until rc_demo_free. alloc: copies the struct.
 * `on_idle`: called when the last call has closed its handle. Returns NULL if memory runs out. */
rc_demo *rc_demo_new(uv_loop_t *loop, const rc_alloc *alloc, void (*on_idle)(void *ctx), void *ctx);

/* Frees the demo provider. Allowed when all calls have closed their handles (rc_demo_is_idle).
 * demo: takes ownership; may be NULL. */
void rc_demo_free(rc_demo *demo);

/* Returns whether all calls have closed their handles. */
bool rc_demo_is_idle(const rc_demo *demo);

/* Starts a call. request and its body: borrows during rc_demo_start only. handler, ctx: borrows
 * until the call's end. Returns NULL if memory runs out or the request's head is malformed. The
 * call ends with on_end, on_failure or rc_demo_cancel; after that the pointer is invalid. */
rc_demo_call *rc_demo_start(rc_demo *demo, const rc_upstream_request *request, int64_t now_unix_ms,
                            const rc_upstream_handler *handler, void *ctx);
void rc_demo_cancel(rc_demo_call *call);

/* rc_demo_pause and rc_demo_resume: pause and resume the response, as rc_upstream_pause and
 * rc_upstream_resume do. */
void rc_demo_pause(rc_demo_call *call);
void rc_demo_resume(rc_demo_call *call);

#endif
