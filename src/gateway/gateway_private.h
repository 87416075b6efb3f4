/* rc_gateway's struct, shared by gateway.c, gateway_admin.c and gateway_self.c. */
#ifndef RC_GATEWAY_GATEWAY_PRIVATE_H
#define RC_GATEWAY_GATEWAY_PRIVATE_H

#include "gateway/gateway.h"
#include "gateway/loop/loop.h"
#include "gateway/state/hub.h"
#include "net/server/listen_set.h"

/* The command for a worker thread; each includes the one before. */
typedef enum order {
    ORDER_RUN = 0,
    ORDER_STOP = 1,
    ORDER_CLOSE = 2
} order;

/* One loop of the gateway. The first one runs on the caller's uv loop and has no thread. */
typedef struct worker {
    rc_gateway *gateway;
    rc_loop *loop; /* NULL: stopped and freed */
    uv_loop_t uv_loop;
    uv_async_t orders;
    uv_thread_t thread;
    atomic_int order;
    bool has_uv_loop;
    bool is_running;
    rc_loop_stats stats;
    bool is_over; /* No more orders are sent to it. Guarded by the gateway's lock. */
} worker;

struct rc_gateway {
    rc_gateway_settings settings;
    rc_hub hub;
    uv_mutex_t lock;
    uv_async_t ended; /* Sent when a worker's loop has ended. */
    atomic_uint alive;
    bool is_open;            /* `ended` is an open handle of the main loop. */
    rc_listen_set listeners; /* The addresses of the gateway's own listeners. */
    uint32_t count;
    worker workers[RC_GATEWAY_LOOPS_MAX];
};

/* ---- gateway_self.c ---- */

/* Makes the random name under which this gateway appears in the Via header. */
void rc_gateway_name_hop(rc_gateway *gateway);

/* As rc_gateway_check_addresses, for an input that is not in force yet. input: borrows. */
bool rc_gateway_check_input(const rc_gateway *gateway, const rc_snapshot_input *input,
                            rc_load_error *ret_error);

#endif
