/* What the files of rc_gateway share. */
#ifndef RC_GATEWAY_GATEWAY_PRIVATE_H
#define RC_GATEWAY_GATEWAY_PRIVATE_H

#include "gateway/gateway.h"

/* What a thread is told: each includes the one before. */
typedef enum order {
    ORDER_RUN = 0,
    ORDER_STOP = 1,
    ORDER_CLOSE = 2
} order;

/* One loop. The first one is the caller's and has neither thread nor loop of its own. */
typedef struct member {
    rc_gateway *gateway;
    rc_gate *gate; /* NULL: nothing is left of it */
    uv_loop_t loop;
    uv_async_t orders;
    uv_thread_t thread;
    atomic_int order;
    bool has_loop;
    bool is_running;
    rc_gate_pulse pulse;
    bool is_over; /* it takes no more orders; behind the gateway's lock */
} member;

struct rc_gateway {
    rc_gateway_settings settings;
    rc_gate_world world;
    uv_mutex_t lock;
    uv_async_t ended; /* a thread's loop has ended */
    atomic_uint alive;
    bool is_open; /* `ended` is a handle of the loop */
    uint32_t count;
    member members[RC_GATEWAY_LOOPS_MAX];
};

#endif
