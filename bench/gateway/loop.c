/* The epoll loop of the gateway benchmark. Called by load.c, peer.c and upstream.c. */
#include "loop.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 256
#define NS_PER_S 1000000000u

uint64_t bench_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

bool bench_loop_init(bench_loop *loop)
{
    *loop = (bench_loop){.epoll_fd = epoll_create1(EPOLL_CLOEXEC), .wake_at_ns = UINT64_MAX};
    loop->now_ns = bench_clock_ns();
    return loop->epoll_fd >= 0;
}

bool bench_loop_add(bench_loop *loop, bench_watch *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};
    return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) == 0;
}

void bench_loop_change(bench_loop *loop, bench_watch *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

void bench_loop_close(bench_loop *loop, bench_watch *watch)
{
    if (watch->fd < 0)
        return;
    close(watch->fd);
    watch->fd = -1;
    watch->next_dead = loop->dead;
    loop->dead = watch;
}

static int wait_for(bench_loop *loop, struct epoll_event *events)
{
    if (loop->wake_at_ns == UINT64_MAX)
        return epoll_pwait2(loop->epoll_fd, events, EVENTS_AT_ONCE, NULL, NULL);
    uint64_t now_ns = bench_clock_ns();
    uint64_t left_ns = loop->wake_at_ns > now_ns ? loop->wake_at_ns - now_ns : 0;
    struct timespec left = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                            .tv_nsec = (long)(left_ns % NS_PER_S)};
    return epoll_pwait2(loop->epoll_fd, events, EVENTS_AT_ONCE, &left, NULL);
}

void bench_loop_step(bench_loop *loop)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = wait_for(loop, events);
    loop->now_ns = bench_clock_ns();
    for (int i = 0; i < count; i++) {
        bench_watch *watch = events[i].data.ptr;
        if (watch->fd >= 0)
            watch->on_ready(watch, events[i].events);
    }
    while (loop->dead != NULL) {
        bench_watch *watch = loop->dead;
        loop->dead = watch->next_dead;
        free(watch);
    }
}
