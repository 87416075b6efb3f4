/* The clients of the benchmark: all on one loop, each with one request at a time. */
#ifndef BENCH_GATEWAY_LOAD_H
#define BENCH_GATEWAY_LOAD_H

#include "loop.h"

#include <stddef.h>

typedef struct bench_client bench_client;

typedef struct bench_load {
    bench_loop *loop;
    int port;
    const char *request; /* views: head and body as they are sent */
    size_t request_len;
    uint64_t requests; /* to be sent in all */
    bool is_held;      /* clients keep what they have opened, one request each */
    bool is_stalled;   /* and read nothing after the first bytes of a body */
    uint64_t begun;
    uint64_t good; /* 200 with a whole body */
    uint64_t bad;
    uint64_t begun_bodies;
    uint64_t body_bytes;
    int bad_status; /* the last one: 0 where no answer came */
    int bad_errno;  /* and why: 0 where the other side closed */
    uint32_t *latencies_ns;
    uint64_t latency_count;
    uint32_t client_count;
    bench_client **clients;
} bench_load;

/* Begins: connects clients and sends their first requests. The caller steps the loop and looks at
 * the counts. */
bool bench_load_begin(bench_load *load, bench_loop *loop, int port, uint32_t clients);

/* All requests have ended. */
bool bench_load_is_over(const bench_load *load);

/* Closes what is open and frees everything but the request. */
void bench_load_done(bench_load *load);

/* In microseconds; sorts. 0 without any. */
double bench_load_percentile_us(bench_load *load, double percent);

#endif
