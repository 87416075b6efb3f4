/* The provider of the benchmark. What it does is said by the port that is asked. */
#ifndef BENCH_GATEWAY_UPSTREAM_H
#define BENCH_GATEWAY_UPSTREAM_H

#include "loop.h"

#include <openssl/ssl.h>
#include <stddef.h>
#include <stdio.h>

typedef enum bench_service {
    BENCH_OK,    /* a short answer at once */
    BENCH_TLS,   /* the same, over TLS */
    BENCH_BUSY,  /* 503 */
    BENCH_SSE,   /* events at a steady pace */
    BENCH_HOLD,  /* one event, then nothing for ever */
    BENCH_MUTE,  /* no answer */
    BENCH_FLOOD, /* events as fast as they are taken */
    BENCH_SERVICES
} bench_service;

typedef struct bench_counts {
    uint64_t requests;
    uint64_t renamed; /* requests for the model's other name */
    uint64_t request_bytes;
    uint64_t chunks;
    uint64_t body_bytes;
    uint64_t failed_writes;
    uint64_t connections; /* accepted so far */
    uint64_t open;        /* connections with a request that is not answered whole */
    uint64_t gone;        /* those that the other side closed in this state */
    uint64_t last_gone_ns;
} bench_counts;

struct bench_peer;

typedef struct bench_upstream {
    bench_loop *loop;
    SSL_CTX *tls;
    int ports[BENCH_SERVICES];
    bench_counts counts[BENCH_SERVICES];
    uint32_t sse_chunks;
    uint64_t sse_interval_ns;
    uint64_t flood_bytes;
    uint64_t streams;         /* begun so far: what spreads their phases */
    struct bench_peer *first; /* by due time */
    struct bench_peer *last;
} bench_upstream;

/* Opens a port of 127.0.0.1 for each service. certificate and key are PEM files, borrowed; without
 * them there is no BENCH_TLS. Says on stderr what failed. */
bool bench_upstream_init(bench_upstream *upstream, bench_loop *loop, const char *certificate,
                         const char *key);

/* Sends the events that are due, and sets the loop's next wake. */
void bench_upstream_step(bench_upstream *upstream);

const char *bench_service_name(bench_service service);

#endif
