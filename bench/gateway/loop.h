/* bench_loop: an epoll loop with watched descriptors and one timer. */
#ifndef BENCH_GATEWAY_LOOP_H
#define BENCH_GATEWAY_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded in a watched object; fd is -1 when it is not watched. */
typedef struct bench_watch {
    int fd;
    void (*on_ready)(struct bench_watch *watch, uint32_t events);
    struct bench_watch *next_dead;
} bench_watch;

typedef struct bench_loop {
    int epoll_fd;
    uint64_t now_ns; /* CLOCK_MONOTONIC at the end of the last wait. */
    bench_watch
        *dead; /* Watches closed in this round: later events of it may still point to them. */
    uint64_t wake_at_ns; /* When a wait has to end; UINT64_MAX: no limit. */
    bool is_stopped;
} bench_loop;

bool bench_loop_init(bench_loop *loop);
uint64_t bench_clock_ns(void);

/* Views the watch until it is closed. events: those of epoll. */
bool bench_loop_add(bench_loop *loop, bench_watch *watch, uint32_t events);
void bench_loop_change(bench_loop *loop, bench_watch *watch, uint32_t events);

/* Closes the descriptor. Takes the watch, which is the first member of a malloc'ed block, and frees
 * the block after this round. */
void bench_loop_close(bench_loop *loop, bench_watch *watch);

/* Waits for events or for wake_at_ns, and calls the watches. */
void bench_loop_step(bench_loop *loop);

#endif
