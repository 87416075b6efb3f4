/* Resolver of host names with a cache, one per loop. Called by dial.c, upstream.c and the doctor's
 * probe. */
#include "net/dns/resolver.h"

#include <string.h>

#define QUERIES_MAX 32u

struct rc_resolver_name {
    rc_resolver_name *next;
    rc_resolver *resolver;
    bool is_pending;     /* A query of this name runs, or waits because max_queries other queries
                          * run. */
    bool is_notifying;   /* on_done is being called for the lookups that wait for this name. */
    rc_dns_query *query; /* NULL: the query has not started. */
    uint64_t until_ms;
    rc_lookup *waiting;
    rc_addresses addresses;
    char host[RC_URL_HOST_MAX + 1];
};

void rc_resolver_init(rc_resolver *resolver, uv_loop_t *loop, const rc_resolve_settings *settings,
                      rc_alloc alloc)
{
    *resolver = (rc_resolver){.loop = loop, .settings = *settings, .alloc = alloc};
    if (settings->max_queries == 0)
        resolver->settings.max_queries = QUERIES_MAX;
}

static void drop_name(rc_resolver *resolver, rc_resolver_name *name)
{
    rc_resolver_name **at = &resolver->names;
    while (*at != name)
        at = &(*at)->next;
    *at = name->next;
    resolver->name_count--;
    resolver->alloc.put(resolver->alloc.ctx, name, sizeof(*name));
}

/* Makes space for one name: drops the oldest name without a pending query. */
static bool evict_oldest(rc_resolver *resolver)
{
    rc_resolver_name *oldest = NULL;
    if (resolver->name_count < resolver->settings.names_max)
        return true;
    for (rc_resolver_name *name = resolver->names; name != NULL; name = name->next)
        if (!name->is_pending)
            oldest = name;
    if (oldest == NULL)
        return false;
    drop_name(resolver, oldest);
    return true;
}

static rc_resolver_name *add_name(rc_resolver *resolver, const char *host)
{
    size_t len = strlen(host);
    if (len > RC_URL_HOST_MAX || !evict_oldest(resolver))
        return NULL;
    rc_resolver_name *name = resolver->alloc.get(resolver->alloc.ctx, sizeof(*name));
    if (name == NULL)
        return NULL;
    memset(name, 0, sizeof(*name));
    memcpy(name->host, host, len);
    name->resolver = resolver;
    name->next = resolver->names;
    resolver->names = name;
    resolver->name_count++;
    return name;
}

/* ---- queries ---- */

static void on_query_done(uv_async_t *async);

/* Initialises the async handle on first use. The handle keeps the loop alive only while a query
 * runs. */
static bool has_async(rc_resolver *resolver)
{
    if (resolver->has_async)
        return true;
    if (uv_async_init(resolver->loop, &resolver->query_done, on_query_done) != 0)
        return false;
    resolver->query_done.data = resolver;
    resolver->has_async = true;
    uv_unref((uv_handle_t *)&resolver->query_done);
    return true;
}

static bool start_query(rc_resolver_name *name)
{
    rc_resolver *resolver = name->resolver;
    name->query = rc_dns_query_new(name->host, resolver->settings.query_fn, &resolver->query_done);
    if (name->query == NULL)
        return false;
    resolver->query_count++;
    uv_ref((uv_handle_t *)&resolver->query_done);
    return true;
}

static void end_query(rc_resolver_name *name)
{
    rc_resolver *resolver = name->resolver;
    if (name->query == NULL)
        return;
    rc_dns_query_free(name->query);
    name->query = NULL;
    if (--resolver->query_count == 0)
        uv_unref((uv_handle_t *)&resolver->query_done);
}

/* Starts the query of a name. If max_queries queries run, the name stays pending until another
 * query ends. */
static bool start_or_queue_query(rc_resolver_name *name)
{
    rc_resolver *resolver = name->resolver;
    if (!has_async(resolver))
        return false;
    name->is_pending = resolver->query_count >= resolver->settings.max_queries || start_query(name);
    return name->is_pending;
}

static void notify(rc_resolver_name *name, const rc_addresses *addresses)
{
    rc_resolver *resolver = name->resolver;
    const bool is_found = addresses->count > 0;
    name->addresses = *addresses;
    name->until_ms = uv_now(resolver->loop) + resolver->settings.cache_ms;
    /* The name stays pending until all lookups are notified, so that a callback that starts a
     * lookup cannot evict the name. */
    name->is_notifying = true;
    while (name->waiting != NULL) {
        rc_lookup *lookup = name->waiting;
        rc_lookup_cancel(lookup);
        lookup->is_unknown = addresses->is_unknown;
        lookup->why = addresses->why;
        lookup->on_done(lookup, is_found ? addresses : NULL);
    }
    name->is_notifying = name->is_pending = false;
    if (!is_found || resolver->is_closing)
        drop_name(resolver, name);
}

/* Starts pending queries, beginning with the oldest. The name of a query that cannot start counts
 * as not found. */
static void start_next_query(rc_resolver *resolver)
{
    const rc_addresses none = {.count = 0};
    while (!resolver->is_closing && resolver->query_count < resolver->settings.max_queries) {
        rc_resolver_name *next = NULL;
        for (rc_resolver_name *name = resolver->names; name != NULL; name = name->next)
            if (name->is_pending && name->query == NULL && !name->is_notifying)
                next = name;
        if (next == NULL)
            return;
        if (!start_query(next))
            notify(next, &none);
    }
}

/* Returns a name whose query has ended. NULL if no query has ended. */
static rc_resolver_name *find_finished(const rc_resolver *resolver, rc_addresses *ret_addresses)
{
    for (rc_resolver_name *name = resolver->names; name != NULL; name = name->next)
        if (name->query != NULL && rc_dns_query_result(name->query, ret_addresses))
            return name;
    return NULL;
}

/* Notifies the lookups of all names whose queries have ended. A callback may start lookups or close
 * the resolver, so the list is searched from its start each time. */
static void on_query_done(uv_async_t *async)
{
    rc_resolver *resolver = async->data;
    rc_addresses addresses;
    rc_resolver_name *name = find_finished(resolver, &addresses);
    while (name != NULL) {
        end_query(name);
        notify(name, &addresses);
        name = find_finished(resolver, &addresses);
    }
    start_next_query(resolver);
}

/* ---- public functions ---- */

static rc_resolve_result wait_for(rc_resolver_name *name, rc_lookup *lookup)
{
    lookup->name = name;
    lookup->prev = NULL;
    lookup->next = name->waiting;
    if (name->waiting != NULL)
        name->waiting->prev = lookup;
    name->waiting = lookup;
    return RC_RESOLVE_PENDING;
}

rc_resolve_result rc_resolver_find(rc_resolver *resolver, const char *host, rc_lookup *lookup,
                                   rc_addresses *ret_addresses)
{
    rc_resolver_name *name = resolver->names;
    if (resolver->is_closing)
        return RC_RESOLVE_FAILED;
    if (resolver->settings.hook != NULL) {
        *ret_addresses = (rc_addresses){.count = 0};
        rc_resolve_result result =
            resolver->settings.hook(resolver->settings.hook_ctx, host, ret_addresses);
        if (result != RC_RESOLVE_SYSTEM)
            return result;
    }
    while (name != NULL && strcmp(name->host, host) != 0)
        name = name->next;
    if (name != NULL && name->is_pending)
        return wait_for(name, lookup);
    if (name != NULL && uv_now(resolver->loop) < name->until_ms) {
        *ret_addresses = name->addresses;
        return RC_RESOLVE_FOUND;
    }
    if (name == NULL)
        name = add_name(resolver, host);
    if (name == NULL)
        return RC_RESOLVE_FAILED;
    if (!start_or_queue_query(name)) {
        drop_name(resolver, name);
        return RC_RESOLVE_FAILED;
    }
    return wait_for(name, lookup);
}

void rc_lookup_cancel(rc_lookup *lookup)
{
    if (lookup->name == NULL)
        return;
    if (lookup->prev != NULL)
        lookup->prev->next = lookup->next;
    else
        lookup->name->waiting = lookup->next;
    if (lookup->next != NULL)
        lookup->next->prev = lookup->prev;
    lookup->name = NULL;
}

static void on_async_closed(uv_handle_t *handle)
{
    rc_resolver *resolver = handle->data;
    resolver->on_closed(resolver->ctx);
}

void rc_resolver_close(rc_resolver *resolver, void (*on_closed)(void *ctx), void *ctx)
{
    resolver->is_closing = true;
    resolver->on_closed = on_closed;
    resolver->ctx = ctx;
    rc_resolver_name *name = resolver->names;
    while (name != NULL) {
        rc_resolver_name *next = name->next;
        while (name->waiting != NULL)
            rc_lookup_cancel(name->waiting);
        end_query(name);
        if (!name->is_notifying)
            drop_name(resolver, name);
        name = next;
    }
    if (resolver->has_async)
        uv_close((uv_handle_t *)&resolver->query_done, on_async_closed);
    else
        on_closed(ctx);
}
