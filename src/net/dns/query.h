/* rc_dns_query: one name, resolved by the system on its own thread.
 *
 *   new ──► the thread resolves ──► wake is sent ──► result ──► free
 *                      └── free earlier: the thread frees the memory when it ends
 *
 * getaddrinfo takes arbitrarily long and cannot be cancelled. A shared thread pool would let names
 * that hang delay others, so each query has its own thread. The thread is never joined: it delays
 * neither the end of a loop nor of the process. The caller limits the number of queries. */
#ifndef RC_NET_DNS_QUERY_H
#define RC_NET_DNS_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "codec/origin.h"

#define RC_RESOLVE_ADDRESSES_MAX 8

typedef struct rc_addresses {
    size_t count;
    rc_address list[RC_RESOLVE_ADDRESSES_MAX]; /* Addresses without ports. */
    bool is_unknown;                           /* If count is 0: the name does not exist. */
    const char *why;                           /* If count is 0: the system's message, static; or
                                                * NULL. */
} rc_addresses;

typedef struct rc_dns_query rc_dns_query;

/* Resolves host and fills *ret_addresses, or leaves it empty; runs on any thread. */
typedef void rc_dns_query_fn(const char *host, rc_addresses *ret_addresses);

/* Starts a query. host: copies. run: NULL for the system's resolver. wake: sent once; borrows until
 * freed. Returns the query (gives); NULL: no memory or no thread. */
rc_dns_query *rc_dns_query_new(const char *host, rc_dns_query_fn *run, uv_async_t *wake);

/* Returns the result. False: the query has not finished. *ret_addresses has count 0 if none were
 * found. */
bool rc_dns_query_result(rc_dns_query *query, rc_addresses *ret_addresses);

/* Ends the query at any time (takes; NULL is allowed). wake is not used afterwards. */
void rc_dns_query_free(rc_dns_query *query);

#endif
