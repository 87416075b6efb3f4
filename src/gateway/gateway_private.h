/* What the files of rc_gateway share. */
#ifndef RC_GATEWAY_GATEWAY_PRIVATE_H
#define RC_GATEWAY_GATEWAY_PRIVATE_H

#include "gateway/gateway.h"
#include "net/server/listen_set.h"

/* What a thread is told: each includes the one before. */
typedef enum order {
    ORDER_RUN = 0,
    ORDER_STOP = 1,
    ORDER_CLOSE = 2
} order;

/* One loop. The first one is the caller's and has neither thread nor loop of its own. */
typedef struct worker {
    rc_gateway *gateway;
    rc_loop *loop; /* NULL: nothing is left of it */
    uv_loop_t uv_loop;
    uv_async_t orders;
    uv_thread_t thread;
    atomic_int order;
    bool has_uv_loop;
    bool is_running;
    rc_loop_stats stats;
    bool is_over; /* it takes no more orders; behind the gateway's lock */
} worker;

struct rc_gateway {
    rc_gateway_settings settings;
    rc_hub hub;
    uv_mutex_t lock;
    uv_async_t ended; /* a thread's loop has ended */
    atomic_uint alive;
    bool is_open;            /* `ended` is a handle of the loop */
    rc_listen_set listeners; /* where it listens */
    uint32_t count;
    worker workers[RC_GATEWAY_LOOPS_MAX];
};

/* ---- gateway_here.c ---- */

/* Gives this gateway its name in Via. */
void rc_gateway_name_hop(rc_gateway *gateway);

/* As rc_gateway_check_addresses, of an edition that is not in force yet. given: borrows. */
bool rc_gateway_check_input(const rc_gateway *gateway, const rc_snapshot_input *input,
                            rc_load_error *ret_error);

#endif
