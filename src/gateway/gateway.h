/* rc_gateway: all loops of a gateway, the store and the configuration behind them.
 *
 *   main loop: signals, reload, admin ─┬─ rc_loop     (the first loop is the caller's)
 *   thread: loop ──────────────────────┼─ rc_loop
 *   thread: loop ──────────────────────┼─ rc_loop
 *                                      └─► rc_hub ─► rc_writer (its own thread)
 *
 * The thread of the main loop alone uses it. */
#ifndef RC_GATEWAY_GATEWAY_H
#define RC_GATEWAY_GATEWAY_H

#include "gateway/admin/source.h"
#include "gateway/loop/loop.h"

#define RC_GATEWAY_LOOPS_MAX 64

typedef struct rc_gateway rc_gateway;

typedef struct rc_gateway_settings {
    uv_loop_t *uv_loop; /* borrows until stopped */
    const rc_sys_calls *calls;
    rc_alloc alloc;   /* serves all threads */
    uint32_t threads; /* loops in all, this one included; 0: one for each processor, at most 8 */
    /* On the thread of any loop; NULL: nobody wants to know. */
    void (*on_record)(void *ctx, const rc_exchange_summary *record);
    void (*on_budget)(void *ctx, const rc_ledger_notice *notice, rc_str scope);
    void (*on_quota)(void *ctx, const rc_quota_warning *notice);
    /* On the writer's thread or that of any loop: a line of JSON. On the writer's: the store went
     * down (why: views), or is back (NULL); and operations were deleted because they are old, or
     * because somebody asked for it. */
    void (*on_suppressed)(void *ctx, rc_str line);
    void (*on_store)(void *ctx, const rc_report *why);
    void (*on_trimmed)(void *ctx, const rc_store_prune *prune);
    void (*on_stopped)(void *ctx); /* nothing is left of it */
    void *ctx;
} rc_gateway_settings;

/* Reads the keys and opens the store. given: takes on success. NULL: why is in ret_error.
 * settings: copies. */
rc_gateway *rc_gateway_new(const rc_gateway_settings *settings, const rc_snapshot_input *input,
                           rc_load_error *ret_error);

/* Makes the loops; nothing listens yet. False: there is no memory; close it. */
bool rc_gateway_open(rc_gateway *gateway);

/* host: borrows. Every loop listens there. */
rc_listen_result rc_gateway_listen(rc_gateway *gateway, const char *host, uint16_t port,
                                   rc_listening *ret_listening);

/* A socket that somebody has opened for us. fd: takes, also when it fails. */
rc_listen_result rc_gateway_listen_fd(rc_gateway *gateway, int fd, rc_listening *ret_listening);

/* Does no provider's base address lead to one of our own listeners? False: which one does is in
 * ret_error. Of the configuration in force, once it listens. */
bool rc_gateway_check_addresses(rc_gateway *gateway, rc_load_error *ret_error);

/* A connection from inside this process, to the main loop: whoever is here needs no address, and
 * nobody else gets in. Gives a stream socket; -1: there is none to be had, or it is to stop. */
int rc_gateway_connect(rc_gateway *gateway);

/* The other loops run from now on. False: there is no thread to be had; close it. */
bool rc_gateway_start(rc_gateway *gateway);

/* Another edition of the configuration. False: the old one goes on, and what was given is still the
 * caller's. given: takes on success. */
bool rc_gateway_reload(rc_gateway *gateway, const rc_snapshot_input *input,
                       rc_load_error *ret_error);

/* A configuration was refused before it came to that: for whoever keeps count. */
void rc_gateway_count_reload(rc_gateway *gateway, bool is_loaded);

/* As of rc_loop. on_stopped follows from the main loop. */
void rc_gateway_stop(rc_gateway *gateway);
void rc_gateway_close(rc_gateway *gateway);

/* ---- gateway_admin.c: for the operator's side ---- */

/* What there is now; what only the process knows is left alone. False: no memory. arena: borrows.
 * */
bool rc_gateway_read(rc_gateway *gateway, rc_arena *arena, rc_admin_snapshot *ret_snapshot);

/* Targets and keys; the rest is the process's. What is done is on record. */
void rc_gateway_act(rc_gateway *gateway, const rc_admin_action *action,
                    rc_admin_outcome *ret_outcome);

/* Puts on record that the configuration was read again, or refused (why: empty: it was not).
 * action: who wanted it; borrows. */
void rc_gateway_record_reload(rc_gateway *gateway, const rc_admin_action *action, rc_str why);

/* Appends the address of the store that is written to, which may hold a secret; nothing when there
 * is no audit. For whoever reads it. */
void rc_gateway_push_store(const rc_gateway *gateway, rc_buf *buf);

rc_hub *rc_gateway_hub(rc_gateway *gateway);
uint32_t rc_gateway_threads(const rc_gateway *gateway);

#endif
