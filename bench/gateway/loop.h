/* bench_loop: an epoll loop with watched descriptors and one timer. */
#ifndef BENCH_GATEWAY_LOOP_H
#define BENCH_GATEWAY_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* A watched descriptor, embedded in the object that uses it; fd is -1 while nothing is watched. */
typedef struct bench_watch {
    int fd;
    void (*on_ready)(struct bench_watch *watch, uint32_t events);
    struct bench_watch *next_dead;
} bench_watch;

typedef struct bench_loop {
    int epoll_fd;
    uint64_t now_ns; /* CLOCK_MONOTONIC at the end of the last wait. */
    bench_watch
        *dead; /* Watches that were closed in this round. Later events of the same round may still
                * point to them. */
    uint64_t wake_at_ns; /* Time at which a wait has to end; UINT64_MAX: no limit. */
    bool is_stopped;
} bench_loop;

bool bench_loop_init(bench_loop *loop);
uint64_t bench_clock_ns(void);

/* Watches a descriptor. watch: views until the watch is closed. events: event bits of epoll. */
bool bench_loop_add(bench_loop *loop, bench_watch *watch, uint32_t events);
void bench_loop_change(bench_loop *loop, bench_watch *watch, uint32_t events);

/* Closes the descriptor. Takes the watch, which is the first member of a malloc'ed block, and frees
 * the block after this round. */
void bench_loop_close(bench_loop *loop, bench_watch *watch);

/* Waits for events or for wake_at_ns, and calls the watches. */
void bench_loop_step(bench_loop *loop);

#endif
