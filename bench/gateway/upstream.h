/* bench_upstream: the provider of the benchmark. Each port has another behaviour. */
#ifndef BENCH_GATEWAY_UPSTREAM_H
#define BENCH_GATEWAY_UPSTREAM_H

#include "loop.h"

#include <openssl/ssl.h>
#include <stddef.h>
#include <stdio.h>

typedef enum bench_service {
    BENCH_OK,    /* A short response is sent at once. */
    BENCH_TLS,   /* A short response is sent at once, over TLS. */
    BENCH_BUSY,  /* 503. */
    BENCH_SSE,   /* Events are sent at a steady pace. */
    BENCH_HOLD,  /* One event is sent, then nothing more. */
    BENCH_MUTE,  /* No response is sent. */
    BENCH_FLOOD, /* Events are sent as fast as the client reads them. */
    BENCH_SERVICES
} bench_service;

typedef struct bench_counts {
    uint64_t requests;
    uint64_t renamed; /* Number of requests with the model's other name. */
    uint64_t request_bytes;
    uint64_t chunks;
    uint64_t body_bytes;
    uint64_t failed_writes;
    uint64_t connections; /* Number of connections accepted so far. */
    uint64_t open;        /* Number of connections with a request whose response is not complete. */
    uint64_t gone;        /* Number of connections that the other side closed before the response
                           * was complete. */
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
    uint64_t streams;         /* Number of streams started so far; used to spread the phases of the
                               * streams. */
    struct bench_peer *first; /* List of the peers, ordered by due time. */
    struct bench_peer *last;
} bench_upstream;

/* Opens a port of 127.0.0.1 for each service. certificate and key: PEM files, borrowed; without
 * these files there is no BENCH_TLS. Prints failures on stderr. */
bool bench_upstream_init(bench_upstream *upstream, bench_loop *loop, const char *certificate,
                         const char *key);

/* Sends the events that are due and sets the loop's next wake-up time. */
void bench_upstream_step(bench_upstream *upstream);

const char *bench_service_name(bench_service service);

#endif
