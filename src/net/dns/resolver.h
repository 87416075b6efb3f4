/* rc_resolver: names to addresses, off the loop, remembered for a short time.
 *
 * Calls that ask for the same name at the same time share one question. A name that was not found
 * is not remembered. A name whose answer does not come keeps no other waiting, until as many as
 * asking_max hang. Whether an address may be connected to is not decided here, since what is
 * remembered here must be looked at each time (rc_origin_allows). */
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
    RC_RESOLVE_PENDING = 2, /* of a hook: it never answers */
    RC_RESOLVE_SYSTEM = 3   /* of a hook: ask the system */
} rc_resolve_result;

typedef struct rc_resolve_settings {
    uint32_t cache_ms;
    uint32_t names_max;   /* remembered and being asked for */
    uint32_t max_queries; /* of these, asked at the same time, each on a thread; 0: 32 */
    /* Answers in the system's place. NULL: none does. */
    rc_resolve_result (*hook)(void *ctx, const char *host, rc_addresses *ret_addresses);
    void *hook_ctx;
    rc_dns_query_fn *query_fn; /* NULL: the system */
} rc_resolve_settings;

typedef struct rc_resolver_name rc_resolver_name;

/* One that waits for an answer; in the caller's storage. */
typedef struct rc_lookup {
    rc_resolver_name *name; /* NULL: it does not wait */
    struct rc_lookup *next, *prev;
    bool is_unknown; /* at on_done, of a name that was not found: there is no such name */
    const char *why; /* the same: static, in the system's words; NULL: nobody said */
    /* addresses: borrows during the call; NULL: not found. */
    void (*on_done)(struct rc_lookup *lookup, const rc_addresses *addresses);
} rc_lookup;

typedef struct rc_resolver {
    uv_loop_t *loop;
    rc_resolve_settings settings;
    rc_alloc alloc;
    rc_resolver_name *names; /* the latest first */
    uint32_t name_count;
    uint32_t query_count;
    uv_async_t query_done;
    bool has_async; /* from the first question on */
    bool is_closing;
    void (*on_closed)(void *ctx);
    void *ctx;
} rc_resolver;

/* settings, alloc: copy. */
void rc_resolver_init(rc_resolver *resolver, uv_loop_t *loop, const rc_resolve_settings *settings,
                      rc_alloc alloc);

/* FOUND: at once, in *ret_addresses. PENDING: on_done comes from the loop, unless it is forgotten
 * before. host: copies. lookup: borrows until then. */
rc_resolve_result rc_resolver_find(rc_resolver *resolver, const char *host, rc_lookup *lookup,
                                   rc_addresses *ret_addresses);

/* No longer waits; nothing happens when it does not. */
void rc_lookup_cancel(rc_lookup *lookup);

/* Forgets all names and whoever waits for them, also for an answer that does not come. on_closed
 * comes from the loop, or at once where nothing was ever asked. */
void rc_resolver_close(rc_resolver *resolver, void (*on_closed)(void *ctx), void *ctx);

#endif
