/* One connection of the benchmark's provider. */
#ifndef BENCH_GATEWAY_PEER_H
#define BENCH_GATEWAY_PEER_H

#include "upstream.h"

/* Takes fd when it works. */
bool bench_peer_new(bench_upstream *upstream, bench_service service, int fd);

/* When the next event of its stream is to be sent, and the sending of it. */
uint64_t bench_peer_due_ns(const struct bench_peer *peer);
void bench_peer_on_due(struct bench_peer *peer);

#endif
