/* One epoll loop: watched descriptors, and one clock for what is due. */
#ifndef BENCH_GATEWAY_LOOP_H
#define BENCH_GATEWAY_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Part of whatever is watched; fd is -1 when nothing is. */
typedef struct bench_watch {
    int fd;
    void (*on_ready)(struct bench_watch *watch, uint32_t events);
    struct bench_watch *next_dead;
} bench_watch;

typedef struct bench_loop {
    int epoll_fd;
    uint64_t now_ns;     /* CLOCK_MONOTONIC, as of the last wait */
    bench_watch *dead;   /* closed within this round: later events may still point to them */
    uint64_t wake_at_ns; /* when a wait has to end; UINT64_MAX: never */
    bool is_stopped;
} bench_loop;

bool bench_loop_init(bench_loop *loop);
uint64_t bench_clock_ns(void);

/* Views the watch until it is closed. events as of epoll. */
bool bench_loop_add(bench_loop *loop, bench_watch *watch, uint32_t events);
void bench_loop_change(bench_loop *loop, bench_watch *watch, uint32_t events);

/* Closes the descriptor. Takes the watch, which starts the block that malloc gave, and frees it
 * after this round. */
void bench_loop_close(bench_loop *loop, bench_watch *watch);

/* Waits for events or for wake_at_ns, and tells the watches. */
void bench_loop_step(bench_loop *loop);

#endif
