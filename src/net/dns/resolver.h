/* rc_resolver: resolves host names on threads of its own and caches the addresses for a short time.
 *
 * Lookups of the same name at the same time share one query. A name that was not found is not
 * cached. Queries that hang delay other names only if max_queries queries hang at once. The
 * resolver does not check whether the client may connect to an address; the caller must check each
 * address before each use (rc_origin_allows), even if it comes from the cache. */
#ifndef RC_NET_DNS_RESOLVER_H
#define RC_NET_DNS_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include <recourse/alloc.h>

#include "net/dns/query.h"

typedef enum rc_resolve_result {
    RC_RESOLVE_FOUND = 0,
    RC_RESOLVE_FAILED = 1,
    RC_RESOLVE_PENDING = 2, /* As the result of rc_resolver_find: on_done will be called later. As
                             * the result of a hook (in tests): the lookup never completes. */
    RC_RESOLVE_SYSTEM = 3   /* Result of a hook only: the system's resolver is used. */
} rc_resolve_result;

typedef struct rc_resolve_settings {
    uint32_t cache_ms;
    uint32_t names_max;   /* Maximum number of names that are cached or being resolved. */
    uint32_t max_queries; /* Maximum number of queries that run at the same time, each on its own
                           * thread; 0 selects 32. */
    /* A hook that is called instead of the system's resolver; may be NULL. */
    rc_resolve_result (*hook)(void *ctx, const char *host, rc_addresses *ret_addresses);
    void *hook_ctx;
    rc_dns_query_fn *query_fn; /* Resolves one name on the query's thread; NULL selects the system's
                                * resolver. */
} rc_resolve_settings;

typedef struct rc_resolver_name rc_resolver_name;

/* One pending lookup, in the caller's storage. */
typedef struct rc_lookup {
    rc_resolver_name *name; /* The name whose addresses the lookup waits for; NULL: the lookup does
                             * not wait. */
    struct rc_lookup *next, *prev;
    bool is_unknown; /* Valid during on_done without addresses: the name does not exist. */
    const char *why; /* Valid during on_done without addresses: the system's static error message,
                      * or NULL. */
    /* Called when the lookup ends. `addresses` is NULL if no address was found. addresses: borrows
     * during the call. */
    void (*on_done)(struct rc_lookup *lookup, const rc_addresses *addresses);
} rc_lookup;

typedef struct rc_resolver {
    uv_loop_t *loop;
    rc_resolve_settings settings;
    rc_alloc alloc;
    rc_resolver_name *names; /* Cached and pending names, beginning with the newest. */
    uint32_t name_count;
    uint32_t query_count;
    uv_async_t query_done;
    bool has_async; /* query_done is initialised. The first query initialises it. */
    bool is_closing;
    void (*on_closed)(void *ctx);
    void *ctx;
} rc_resolver;

/* Initialises the resolver and starts nothing. loop: borrows until on_closed. settings, alloc:
 * copies the structs. */
void rc_resolver_init(rc_resolver *resolver, uv_loop_t *loop, const rc_resolve_settings *settings,
                      rc_alloc alloc);

/* Looks up a name. After RC_RESOLVE_FOUND, *ret_addresses is set. After RC_RESOLVE_PENDING, on_done
 * is called from the loop unless the lookup is cancelled. host: copies. lookup: borrows until
 * on_done or rc_lookup_cancel. */
rc_resolve_result rc_resolver_find(rc_resolver *resolver, const char *host, rc_lookup *lookup,
                                   rc_addresses *ret_addresses);

/* Cancels the lookup if it waits for a name. */
void rc_lookup_cancel(rc_lookup *lookup);

/* Drops all names and lookups without waiting for running queries. on_closed is called from the
 * loop, or inside rc_resolver_close if no query was ever started. */
void rc_resolver_close(rc_resolver *resolver, void (*on_closed)(void *ctx), void *ctx);

#endif
