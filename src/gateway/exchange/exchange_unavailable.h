/* Calls for which no target was available: their causes, message and advice. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_UNAVAILABLE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_UNAVAILABLE_H

#include <stdbool.h>

#include "policy/outcome.h"

typedef struct rc_builder rc_builder;
typedef struct rc_exchange rc_exchange;
typedef struct rc_ledger_step rc_ledger_step;

/* Stores in the step why its target was skipped. */
void rc_exchange_note_unavailable(rc_exchange *exchange, rc_ledger_step *step);
/* Counts the reasons for which the targets were unavailable. */
rc_unavailable_causes rc_exchange_causes(const rc_exchange *exchange);
/* Returns whether a provider stated the time after which one of the skipped targets may be
 * tried. */
bool rc_exchange_is_retry_time_named(const rc_exchange *exchange);
/* Sets the message of a call without an available target, with the targets and their reasons, and
 * the advice. causes: borrows during the call. */
void rc_exchange_describe_unavailable(const rc_exchange *exchange,
                                      const rc_unavailable_causes *causes, rc_builder *builder);

#endif
