/* Errors of passthrough requests (/p/PROVIDER). */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_NATIVE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_NATIVE_H

#include <recourse/render.h>

typedef struct rc_builder rc_builder;
typedef struct rc_client_request rc_client_request;
typedef struct rc_exchange rc_exchange;
typedef struct rc_snapshot rc_snapshot;

/* Returns the dialect of the provider's clients; for an unknown provider, a dialect that fits the
 * request. request: a passthrough request. */
rc_dialect rc_exchange_native_dialect(const rc_snapshot *snapshot,
                                      const rc_client_request *request);
/* Sets the provider's status and error text, if the latest attempt got a response. */
void rc_exchange_describe_native(const rc_exchange *exchange, rc_builder *builder);

#endif
