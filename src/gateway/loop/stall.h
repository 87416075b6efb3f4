/* rc_stall: sees callbacks that keep an event loop for too long.
 *
 * A loop of libuv reads its clock when it wakes up and when a turn begins. What has passed since
 * then, when it comes to the end of the callbacks, is what they took. It is looked at twice a turn
 * and costs two readings of a clock; nothing wakes the loop for it. */
#ifndef RC_GATEWAY_LOOP_STALL_H
#define RC_GATEWAY_LOOP_STALL_H

#include <stdint.h>

#include <uv.h>

#define RC_STALL_MS 50

/* The caller's storage, until closed. The fields are private. */
typedef struct rc_stall {
    uv_prepare_t before_sleep;
    uv_check_t after_work;
    uint64_t limit_ms;
    void (*on_stall)(void *ctx, uint64_t took_ms);
    void (*on_closed)(void *ctx);
    void *ctx;
    int open_handles;
} rc_stall;

/* Begins to look. The loop may end although it does. loop: borrows until closed. on_stall: on the
 * loop's thread, once for each turn whose callbacks took longer than limit_ms. */
void rc_stall_init(rc_stall *stall, uv_loop_t *loop, uint64_t limit_ms,
                   void (*on_stall)(void *ctx, uint64_t took_ms), void *ctx);

/* on_closed: the storage may go; NULL: nobody waits. */
void rc_stall_close(rc_stall *stall, void (*on_closed)(void *ctx));

#endif
