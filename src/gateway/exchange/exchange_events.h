/* Events before the response, for a client that requested them. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_EVENTS_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_EVENTS_H

#include <stdbool.h>

#include <recourse/call.h>

typedef struct rc_exchange rc_exchange;
typedef struct rc_ledger_decision rc_ledger_decision;

/* Emits the events of an action, if the client requested events. */
void rc_exchange_emit_action(rc_exchange *exchange, const rc_action *action);
/* Emits the event that the call waits for a budget. decision: borrows during the call. */
void rc_exchange_emit_pause(rc_exchange *exchange, const rc_ledger_decision *decision);
/* Returns whether the response head was sent early, for an event. */
bool rc_exchange_has_event_head(const rc_exchange *exchange);
void rc_exchange_events_done(rc_exchange *exchange);

#endif
