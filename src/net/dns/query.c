/* One DNS lookup on its own thread. Called by resolver.c. */
#define _GNU_SOURCE
#include "net/dns/query.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <recourse/stdlib.h>

/* Stack size of the thread. This size is enough for getaddrinfo and its modules; pages of the stack
 * that are not used cost no memory. */
#define STACK_BYTES ((size_t)1 << 20)

struct rc_dns_query {
    uv_mutex_t lock; /* Guards is_done and wake. */
    bool is_done;
    uv_async_t *wake; /* Handle that wakes the owner's loop. NULL: the owner has freed the query. */
    rc_dns_query_fn *run;
    rc_addresses addresses;
    char host[RC_URL_HOST_MAX + 1];
};

/* The memory is allocated by malloc, because the query may outlive its owner and the owner's
 * allocator. */
static void free_memory(rc_dns_query *query)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    uv_mutex_destroy(&query->lock);
    alloc.put(alloc.ctx, query, sizeof(*query));
}

/* ---- on the query's thread ---- */

static void query_system(const char *host, rc_addresses *ret_addresses)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(host, NULL, &hints, &found);
    if (error != 0) {
        ret_addresses->is_unknown = error == EAI_NONAME || error == EAI_NODATA;
        ret_addresses->why = gai_strerror(error);
        return;
    }
    for (const struct addrinfo *entry = found;
         entry != NULL && ret_addresses->count < RC_RESOLVE_ADDRESSES_MAX; entry = entry->ai_next) {
        rc_address *address = &ret_addresses->list[ret_addresses->count];
        if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6)
            continue;
        memcpy(address, entry->ai_addr,
               entry->ai_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6));
        ret_addresses->count++;
    }
    freeaddrinfo(found);
}

static void *work(void *arg)
{
    rc_dns_query *query = arg;
    query->run(query->host, &query->addresses);
    uv_mutex_lock(&query->lock);
    const bool is_abandoned = query->wake == NULL;
    query->is_done = true;
    /* The lock is held during uv_async_send, because rc_dns_query_free waits for the lock, and its
     * caller then closes the handle. */
    if (!is_abandoned)
        (void)uv_async_send(query->wake);
    uv_mutex_unlock(&query->lock);
    if (is_abandoned)
        free_memory(query);
    return NULL;
}

/* ---- on the owner's thread ---- */

/* Starts the thread with all signals blocked, so that other threads handle them. */
static bool start(rc_dns_query *query)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    sigset_t old_mask;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old_mask);
    const bool is_started = pthread_create(&thread, &attributes, work, query) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}

rc_dns_query *rc_dns_query_new(const char *host, rc_dns_query_fn *run, uv_async_t *wake)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const size_t len = strlen(host);
    rc_dns_query *query = len <= RC_URL_HOST_MAX ? alloc.get(alloc.ctx, sizeof(*query)) : NULL;
    if (query == NULL)
        return NULL;
    memset(query, 0, sizeof(*query));
    memcpy(query->host, host, len);
    query->run = run != NULL ? run : query_system;
    query->wake = wake;
    if (uv_mutex_init(&query->lock) != 0) {
        alloc.put(alloc.ctx, query, sizeof(*query));
        return NULL;
    }
    if (start(query))
        return query;
    free_memory(query);
    return NULL;
}

bool rc_dns_query_result(rc_dns_query *query, rc_addresses *ret_addresses)
{
    uv_mutex_lock(&query->lock);
    const bool is_done = query->is_done;
    uv_mutex_unlock(&query->lock);
    if (is_done)
        *ret_addresses = query->addresses;
    return is_done;
}

void rc_dns_query_free(rc_dns_query *query)
{
    if (query == NULL)
        return;
    uv_mutex_lock(&query->lock);
    query->wake = NULL;
    const bool is_over = query->is_done;
    uv_mutex_unlock(&query->lock);
    if (is_over)
        free_memory(query);
}
