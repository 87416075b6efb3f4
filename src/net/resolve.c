#include "net/resolve.h"

#include <netdb.h>
#include <string.h>

struct rc_name {
    rc_name *next;
    rc_resolver *resolver;
    bool is_asked; /* an answer is on its way */
    uint64_t until_ms;
    rc_lookup *waiting;
    uv_getaddrinfo_t request;
    rc_addresses addresses;
    char host[RC_URL_HOST_MAX + 1];
};

void rc_resolver_init(rc_resolver *resolver, uv_loop_t *loop, const rc_resolve_settings *settings,
                      rc_alloc alloc)
{
    *resolver = (rc_resolver){.loop = loop, .settings = *settings, .alloc = alloc};
}

static void drop_name(rc_resolver *resolver, rc_name *name)
{
    rc_name **at = &resolver->names;
    while (*at != name)
        at = &(*at)->next;
    *at = name->next;
    resolver->name_count--;
    resolver->alloc.put(resolver->alloc.ctx, name, sizeof(*name));
}

/* Room for one more: the oldest that nobody waits for goes. */
static bool make_room(rc_resolver *resolver)
{
    rc_name *oldest = NULL;
    if (resolver->name_count < resolver->settings.names_max)
        return true;
    for (rc_name *name = resolver->names; name != NULL; name = name->next)
        if (!name->is_asked)
            oldest = name;
    if (oldest == NULL)
        return false;
    drop_name(resolver, oldest);
    return true;
}

static rc_name *add_name(rc_resolver *resolver, const char *host)
{
    size_t len = strlen(host);
    if (len > RC_URL_HOST_MAX || !make_room(resolver))
        return NULL;
    rc_name *name = resolver->alloc.get(resolver->alloc.ctx, sizeof(*name));
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

static void copy_addresses(rc_addresses *addresses, const struct addrinfo *found)
{
    for (; found != NULL && addresses->count < RC_RESOLVE_ADDRESSES_MAX; found = found->ai_next) {
        rc_address *address = &addresses->list[addresses->count];
        if (found->ai_family != AF_INET && found->ai_family != AF_INET6)
            continue;
        size_t size = found->ai_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6);
        memcpy(address, found->ai_addr, size);
        addresses->count++;
    }
}

static void on_answer(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    rc_name *name = request->data;
    rc_resolver *resolver = name->resolver;
    if (status == 0)
        copy_addresses(&name->addresses, found);
    uv_freeaddrinfo(found);
    bool is_found = name->addresses.count > 0;
    rc_addresses addresses = name->addresses;
    name->until_ms = uv_now(resolver->loop) + resolver->settings.cache_ms;
    /* It counts as asked until all know, so that no question from inside makes it go. */
    while (name->waiting != NULL) {
        rc_lookup *lookup = name->waiting;
        rc_lookup_forget(lookup);
        lookup->on_done(lookup, is_found ? &addresses : NULL);
    }
    name->is_asked = false;
    resolver->asking--;
    if (!is_found || resolver->is_closing)
        drop_name(resolver, name);
    if (resolver->is_closing && resolver->asking == 0)
        resolver->on_closed(resolver->ctx);
}

static bool ask(rc_name *name)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    name->request.data = name;
    name->addresses.count = 0;
    if (uv_getaddrinfo(name->resolver->loop, &name->request, on_answer, name->host, NULL, &hints) !=
        0)
        return false;
    name->is_asked = true;
    name->resolver->asking++;
    return true;
}

static rc_resolve_answer wait_for(rc_name *name, rc_lookup *lookup)
{
    lookup->name = name;
    lookup->prev = NULL;
    lookup->next = name->waiting;
    if (name->waiting != NULL)
        name->waiting->prev = lookup;
    name->waiting = lookup;
    return RC_RESOLVE_PENDING;
}

rc_resolve_answer rc_resolver_find(rc_resolver *resolver, const char *host, rc_lookup *lookup,
                                   rc_addresses *ret_addresses)
{
    rc_name *name = resolver->names;
    if (resolver->settings.hook != NULL) {
        *ret_addresses = (rc_addresses){.count = 0};
        rc_resolve_answer answer =
            resolver->settings.hook(resolver->settings.hook_ctx, host, ret_addresses);
        if (answer != RC_RESOLVE_SYSTEM)
            return answer;
    }
    while (name != NULL && strcmp(name->host, host) != 0)
        name = name->next;
    if (name != NULL && name->is_asked)
        return wait_for(name, lookup);
    if (name != NULL && uv_now(resolver->loop) < name->until_ms) {
        *ret_addresses = name->addresses;
        return RC_RESOLVE_FOUND;
    }
    if (name == NULL)
        name = add_name(resolver, host);
    if (name == NULL)
        return RC_RESOLVE_FAILED;
    if (!ask(name)) {
        drop_name(resolver, name);
        return RC_RESOLVE_FAILED;
    }
    return wait_for(name, lookup);
}

void rc_lookup_forget(rc_lookup *lookup)
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

void rc_resolver_close(rc_resolver *resolver, void (*on_closed)(void *ctx), void *ctx)
{
    resolver->is_closing = true;
    resolver->on_closed = on_closed;
    resolver->ctx = ctx;
    rc_name *name = resolver->names;
    while (name != NULL) {
        rc_name *next = name->next;
        /* One that a thread has begun cannot be called back: its answer is awaited. */
        if (name->is_asked)
            uv_cancel((uv_req_t *)&name->request);
        else
            drop_name(resolver, name);
        name = next;
    }
    if (resolver->asking == 0)
        on_closed(ctx);
}
