/* rc_loop_stats: counters of one event loop, for the admin interface. */
#ifndef RC_GATEWAY_OBSERVE_LOOP_STATS_H
#define RC_GATEWAY_OBSERVE_LOOP_STATS_H

#include <stdatomic.h>

/* Only the loop's thread writes the counters; any thread reads them. */
typedef struct rc_loop_stats {
    atomic_uint connections;
    atomic_uint in_flight;
    atomic_uint upstream_idle;
    atomic_uint upstream_busy;
    atomic_ullong requests;
    atomic_ullong stalls;
} rc_loop_stats;

#endif
