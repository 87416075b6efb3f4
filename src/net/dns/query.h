/* rc_dns_query: one name, asked of the system on a thread of its own.
 *
 *   new ──► the thread asks ──► wake is sent ──► answer ──► free
 *                    └── free before: the thread gives the memory back, whenever it ends
 *
 * The system takes as long as it likes and cannot be called back. So there is no pool, in which
 * names that hang would keep others waiting, and nobody joins the thread: it keeps neither a loop
 * nor the process from its end. How many there are at a time is the asker's to bound. */
#ifndef RC_NET_DNS_QUERY_H
#define RC_NET_DNS_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "codec/origin.h"

#define RC_RESOLVE_ADDRESSES_MAX 8

typedef struct rc_addresses {
    size_t count;
    rc_address list[RC_RESOLVE_ADDRESSES_MAX]; /* without ports */
    bool is_unknown;                           /* of none: there is no such name */
    const char *why;                           /* of none: static, in the system's words; or NULL */
} rc_addresses;

typedef struct rc_dns_query rc_dns_query;

/* Finds the addresses of host, or leaves none; on any thread. */
typedef void rc_dns_query_fn(const char *host, rc_addresses *ret_addresses);

/* NULL: there is no memory or no thread to be had. host: copies. ask: NULL for the system. wake:
 * sent once, borrows until freed. Gives. */
rc_dns_query *rc_dns_query_new(const char *host, rc_dns_query_fn *run, uv_async_t *wake);

/* False: not yet. None are found where count is 0. */
bool rc_dns_query_result(rc_dns_query *query, rc_addresses *ret_addresses);

/* Takes it at any time; also NULL. wake is not touched any more. */
void rc_dns_query_free(rc_dns_query *query);

#endif
