/* rc_gateway's struct, shared by gateway.c, gateway_admin.c and gateway_self.c. */
#ifndef RC_GATEWAY_GATEWAY_PRIVATE_H
#define RC_GATEWAY_GATEWAY_PRIVATE_H

#include "gateway/gateway.h"
#include "gateway/loop/loop.h"
#include "gateway/state/hub.h"
#include "net/server/listen_set.h"

/* The command for a worker thread. ORDER_STOP calls rc_loop_stop and ORDER_CLOSE calls
 * rc_loop_close. A loop can be closed without being stopped before. */
typedef enum order {
    ORDER_RUN = 0,
    ORDER_STOP = 1,
    ORDER_CLOSE = 2
} order;

/* One loop of the gateway. The first loop runs on the caller's uv loop and has no thread of its
 * own. */
typedef struct worker {
    rc_gateway *gateway;
    rc_loop *loop; /* NULL after the loop has stopped and was freed. */
    uv_loop_t uv_loop;
    uv_async_t orders;
    uv_thread_t thread;
    atomic_int order;
    bool has_uv_loop;
    bool is_running;
    rc_loop_stats stats;
    bool is_over; /* `orders` is closed; nothing may be sent to it any more. Guarded by the
                   * gateway's lock. */
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

/* Generates the random name that this gateway writes into the Via header. */
void rc_gateway_name_hop(rc_gateway *gateway);

/* Checks the base URLs in `input`, which is not in force yet, as rc_gateway_check_addresses checks
 * those in force. input: borrows during the call. */
bool rc_gateway_check_input(const rc_gateway *gateway, const rc_snapshot_input *input,
                            rc_load_error *ret_error);

#endif
