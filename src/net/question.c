#define _GNU_SOURCE
#include "net/question.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <recourse/stdlib.h>

/* Of which the system's own ways to find a name use a part; it costs what is touched of it. */
#define STACK_BYTES ((size_t)1 << 20)

struct rc_question {
    uv_mutex_t lock; /* of is_answered and wake */
    bool is_answered;
    uv_async_t *wake; /* NULL: nobody wants to know any more */
    rc_question_ask *ask;
    rc_addresses addresses;
    char host[RC_URL_HOST_MAX + 1];
};

/* It may outlive whoever asked, and the memory that was given to them. */
static void give_back(rc_question *question)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    uv_mutex_destroy(&question->lock);
    alloc.put(alloc.ctx, question, sizeof(*question));
}

/* ---- on its thread ---- */

static void ask_system(const char *host, rc_addresses *ret_addresses)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(host, NULL, &hints, &found);
    if (error != 0) {
        ret_addresses->is_unknown = error == EAI_NONAME || error == EAI_NODATA;
        ret_addresses->why = gai_strerror(error);
        return;
    }
    for (const struct addrinfo *one = found;
         one != NULL && ret_addresses->count < RC_RESOLVE_ADDRESSES_MAX; one = one->ai_next) {
        rc_address *address = &ret_addresses->list[ret_addresses->count];
        if (one->ai_family != AF_INET && one->ai_family != AF_INET6)
            continue;
        memcpy(address, one->ai_addr,
               one->ai_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6));
        ret_addresses->count++;
    }
    freeaddrinfo(found);
}

static void *work(void *arg)
{
    rc_question *question = arg;
    question->ask(question->host, &question->addresses);
    uv_mutex_lock(&question->lock);
    const bool is_left = question->wake == NULL;
    question->is_answered = true;
    /* Behind the lock, since whoever leaves closes it next. */
    if (!is_left)
        (void)uv_async_send(question->wake);
    uv_mutex_unlock(&question->lock);
    if (is_left)
        give_back(question);
    return NULL;
}

/* ---- for the asker ---- */

/* It hears no signal: those are for others. */
static bool start(rc_question *question)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(&thread, &attributes, work, question) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}

rc_question *rc_question_new(const char *host, rc_question_ask *ask, uv_async_t *wake)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const size_t len = strlen(host);
    rc_question *question = len <= RC_URL_HOST_MAX ? alloc.get(alloc.ctx, sizeof(*question)) : NULL;
    if (question == NULL)
        return NULL;
    memset(question, 0, sizeof(*question));
    memcpy(question->host, host, len);
    question->ask = ask != NULL ? ask : ask_system;
    question->wake = wake;
    if (uv_mutex_init(&question->lock) != 0) {
        alloc.put(alloc.ctx, question, sizeof(*question));
        return NULL;
    }
    if (start(question))
        return question;
    give_back(question);
    return NULL;
}

bool rc_question_answer(rc_question *question, rc_addresses *ret_addresses)
{
    uv_mutex_lock(&question->lock);
    const bool is_answered = question->is_answered;
    uv_mutex_unlock(&question->lock);
    if (is_answered)
        *ret_addresses = question->addresses;
    return is_answered;
}

void rc_question_free(rc_question *question)
{
    if (question == NULL)
        return;
    uv_mutex_lock(&question->lock);
    question->wake = NULL;
    const bool is_over = question->is_answered;
    uv_mutex_unlock(&question->lock);
    if (is_over)
        give_back(question);
}
