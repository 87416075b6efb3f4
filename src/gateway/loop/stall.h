/* rc_stall: detects callbacks that block an event loop for too long.
 *
 * libuv updates the loop's clock when the loop wakes up and when an iteration begins. The time from
 * the latest update of the clock to the end of the callbacks is the time that the callbacks took.
 * The check runs twice per iteration, reads the clock once each time and never wakes the loop. */
#ifndef RC_GATEWAY_LOOP_STALL_H
#define RC_GATEWAY_LOOP_STALL_H

#include <stdint.h>

#include <uv.h>

#define RC_STALL_MS 50

/* The caller provides the storage until on_closed is called. The fields are private. */
typedef struct rc_stall {
    uv_prepare_t before_sleep;
    uv_check_t after_work;
    uint64_t limit_ms;
    void (*on_stall)(void *ctx, uint64_t took_ms);
    void (*on_closed)(void *ctx);
    void *ctx;
    int open_handles;
} rc_stall;

/* Starts the checks. The handles of the checks do not keep the loop alive. loop: borrows until
 * on_closed. `on_stall`: called on the loop's thread, once for each check that finds more than
 * limit_ms. */
void rc_stall_init(rc_stall *stall, uv_loop_t *loop, uint64_t limit_ms,
                   void (*on_stall)(void *ctx, uint64_t took_ms), void *ctx);

/* Stops checking. `on_closed`: called when the storage may be freed; may be NULL. */
void rc_stall_close(rc_stall *stall, void (*on_closed)(void *ctx));

#endif
