/* bench_peer: one connection of the benchmark's provider. */
#ifndef BENCH_GATEWAY_PEER_H
#define BENCH_GATEWAY_PEER_H

#include "upstream.h"

/* Opens a peer on the connection fd. fd: takes on success. */
bool bench_peer_new(bench_upstream *upstream, bench_service service, int fd);

/* Return the time of the next event of the peer's stream, and send it. */
uint64_t bench_peer_due_ns(const struct bench_peer *peer);
void bench_peer_on_due(struct bench_peer *peer);

#endif
