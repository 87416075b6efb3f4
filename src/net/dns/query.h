/* rc_dns_query: resolves one name with the system's resolver, on a thread of its own.
 *
 *   new ──► the thread resolves ──► wake is sent ──► result ──► free
 *                      └── free earlier: the thread frees the memory when it ends
 *
 * getaddrinfo may take arbitrarily long and cannot be cancelled. In a shared thread pool, a query
 * that hangs would delay other queries, so each query has its own thread. The thread is never
 * joined, so that it delays neither the end of a loop nor the end of the process. The caller limits
 * the number of queries. */
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
    bool is_unknown;                           /* Valid if `count` is 0: the name does not exist. */
    const char *why;                           /* Valid if `count` is 0: the system's static error
                                                * message, or NULL. */
} rc_addresses;

typedef struct rc_dns_query rc_dns_query;

/* Resolves `host` and fills in *ret_addresses, which stays empty if no address is found. Must be
 * callable on any thread. */
typedef void rc_dns_query_fn(const char *host, rc_addresses *ret_addresses);

/* Starts a query. `run` resolves the name; NULL selects the system's resolver. `wake` is sent once,
 * when the query has finished. Returns NULL if there is no memory or no thread. The result: gives.
 * host: copies. wake: borrows until rc_dns_query_free. */
rc_dns_query *rc_dns_query_new(const char *host, rc_dns_query_fn *run, uv_async_t *wake);

/* Writes the result to *ret_addresses, with `count` 0 if no address was found. Returns false if the
 * query has not finished. */
bool rc_dns_query_result(rc_dns_query *query, rc_addresses *ret_addresses);

/* Ends the query; may be called at any time. The `wake` handle is not used afterwards. query:
 * takes; NULL is allowed. */
void rc_dns_query_free(rc_dns_query *query);

#endif
