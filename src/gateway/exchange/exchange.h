/* rc_exchange: the driver of one client's request. The driver feeds the callbacks of the server, of
 * the upstream calls, of the timer and of the store to the state machine in lib/exchange/machine.h,
 * and carries out the effects that the machine returns, with one rc_attempt per lane.
 *
 *   callback ──► rc_exchange_feed ──► rc_exchange_step ──► effects ──► server, upstream, store
 *                     ▲                                      │
 *                     └── queued: the result of an effect ───┘
 *
 * A result that is known while an effect is carried out is queued as the next input, so that
 * neither the step nor the effects are re-entered. When rc_exchange_feed returns, the exchange and
 * its attempts may be over. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_H

#include <stddef.h>

#include <uv.h>

#include <recourse/str.h>

typedef struct rc_disconnect rc_disconnect;
typedef struct rc_exchange rc_exchange;
typedef struct rc_responder rc_responder;
typedef struct rc_runtime rc_runtime;
typedef struct rc_waiter rc_waiter;

/* Makes an exchange for a new request. responder: borrows until the exchange is over. Returns NULL
 * if memory runs out. */
rc_exchange *rc_exchange_new(rc_runtime *runtime, rc_responder *responder);

/* Callbacks of the server. head: borrows until the exchange is over. The exchange may be over when
 * a callback returns. */
void rc_exchange_on_head(rc_exchange *exchange, const char *head);
void rc_exchange_on_body(rc_exchange *exchange, rc_str piece);
void rc_exchange_on_body_end(rc_exchange *exchange);
/* Called when the client can take more of the response. */
void rc_exchange_on_drained(rc_exchange *exchange);
/* Called when the whole response was sent. */
void rc_exchange_on_sent(rc_exchange *exchange);
/* Called when the client has disconnected. */
void rc_exchange_on_gone(rc_exchange *exchange, const rc_disconnect *gone);

/* Continues an exchange whose call the waiting queue has granted or refused. Callback of the
 * runtime's part of the waiting queue. */
void rc_exchange_on_wake(rc_waiter *waiter);

/* Continues the exchanges whose record the store has acknowledged. Callback of the runtime's
 * acknowledged_async, whose data is the runtime. */
void rc_exchange_on_acknowledgements(uv_async_t *async);

/* Called while the gateway stops. rc_exchange_drain_all ends the exchanges that have no complete
 * response with an error. rc_exchange_drain_paused ends only exchanges that wait for a budget.
 * After rc_exchange_close_all no exchange waits for the store; a later acknowledgement changes no
 * reply. */
void rc_exchange_drain_all(rc_runtime *runtime);
void rc_exchange_drain_paused(rc_runtime *runtime);
void rc_exchange_close_all(rc_runtime *runtime);

/* Frees the exchanges and attempts whose memory the runtime would reuse. No exchange may be in use.
 * The memory of an exchange is freed after its timer was closed. */
void rc_exchange_close_spares(rc_runtime *runtime);

#endif
