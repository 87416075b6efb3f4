/* bench_load: the clients of the benchmark, all on one loop, each with one request at a time. */
#ifndef BENCH_GATEWAY_LOAD_H
#define BENCH_GATEWAY_LOAD_H

#include "loop.h"

#include <stddef.h>

typedef struct bench_client bench_client;

typedef struct bench_load {
    bench_loop *loop;
    int port;
    const char *request; /* Views: head and body as they are sent. */
    size_t request_len;
    uint64_t requests; /* Total number to send. */
    bool is_held;      /* Clients keep their connections open, with one request each. */
    bool is_stalled;   /* Clients stop reading after the first bytes of a body. */
    uint64_t begun;
    uint64_t good; /* Responses with status 200 and a complete body. */
    uint64_t bad;
    uint64_t begun_bodies;
    uint64_t body_bytes;
    int bad_status; /* Status of the last bad response; 0: no response. */
    int bad_errno;  /* errno of the last failure; 0: the other side closed. */
    uint32_t *latencies_ns;
    uint64_t latency_count;
    uint32_t client_count;
    bench_client **clients;
} bench_load;

/* Connects the clients and sends their first requests. The caller steps the loop and checks the
 * counts. */
bool bench_load_begin(bench_load *load, bench_loop *loop, int port, uint32_t clients);

/* Returns whether all requests have ended. */
bool bench_load_is_over(const bench_load *load);

/* Closes the connections and frees everything except the request. */
void bench_load_done(bench_load *load);

/* Returns a percentile of the latencies in microseconds; sorts them. 0 if there are none. */
double bench_load_percentile_us(bench_load *load, double percent);

#endif
