/* rc_gateway: a whole gateway: its event loops, the store and the configuration.
 *
 *   main loop: signals, reload, admin ─┬─ rc_loop     (runs on the caller's uv loop)
 *   thread ────────────────────────────┼─ rc_loop
 *   thread ────────────────────────────┼─ rc_loop
 *                                      └─► rc_hub ─► rc_writer (its own thread)
 *
 * Only the thread of the main loop calls these functions. */
#ifndef RC_GATEWAY_GATEWAY_H
#define RC_GATEWAY_GATEWAY_H

#include <uv.h>

#include <recourse/buf.h>
#include <recourse/report.h>

#include "net/server/server.h"

#define RC_GATEWAY_LOOPS_MAX 64

typedef struct rc_admin_action rc_admin_action;
typedef struct rc_admin_outcome rc_admin_outcome;
typedef struct rc_admin_snapshot rc_admin_snapshot;
typedef struct rc_arena rc_arena;
typedef struct rc_exchange_summary rc_exchange_summary;
typedef struct rc_gateway rc_gateway;
typedef struct rc_hub rc_hub;
typedef struct rc_ledger_notice rc_ledger_notice;
typedef struct rc_load_error rc_load_error;
typedef struct rc_quota_warning rc_quota_warning;
typedef struct rc_snapshot_input rc_snapshot_input;
typedef struct rc_store_prune rc_store_prune;
typedef struct rc_sys_calls rc_sys_calls;

typedef struct rc_gateway_settings {
    uv_loop_t *uv_loop; /* The main loop. Borrowed until on_stopped. */
    const rc_sys_calls *calls;
    rc_alloc alloc;   /* Must be safe for use from all threads. */
    uint32_t threads; /* Number of loops, including the main loop. 0 selects one per processor, at
                         most 8. */
    /* The callbacks on_record, on_budget and on_quota may run on the thread of any loop. A callback
     * of this struct may be NULL; its event is then not reported. */
    void (*on_record)(void *ctx, const rc_exchange_summary *record);
    /* Returns whether on_record uses the next summary; no summary is made if it does not. NULL:
     * on_record uses all summaries. Runs on the same threads as on_record. */
    bool (*wants_record)(void *ctx);
    void (*on_budget)(void *ctx, const rc_ledger_notice *notice, rc_str scope);
    void (*on_quota)(void *ctx, const rc_quota_warning *notice);
    /* on_suppressed: one line of JSON about a SuppressedError; called on the writer's thread or on
     * the thread of any loop. on_store: called on the writer's thread when the store failed or
     * works again. `why` is the reason of the failure, valid during the call; it is NULL if the
     * store works again. on_trimmed: called on the writer's thread after old operations were
     * deleted, by age or on request. */
    void (*on_suppressed)(void *ctx, rc_str line);
    void (*on_store)(void *ctx, const rc_report *why);
    void (*on_trimmed)(void *ctx, const rc_store_prune *prune);
    void (*on_stopped)(void *ctx); /* Called after the gateway is freed. */
    void *ctx;
} rc_gateway_settings;

/* Makes a gateway: reads the keys and opens the store. settings: copies the struct. input: takes
 * ownership of its members on success. Returns NULL on failure; ret_error then has the reason. */
rc_gateway *rc_gateway_new(const rc_gateway_settings *settings, const rc_snapshot_input *input,
                           rc_load_error *ret_error);

/* Creates the loops; nothing listens yet. Returns false if memory runs out; the caller must then
 * call rc_gateway_close. */
bool rc_gateway_open(rc_gateway *gateway);

/* Makes every loop listen at the address. host: borrows during the call. */
rc_listen_result rc_gateway_listen(rc_gateway *gateway, const char *host, uint16_t port,
                                   rc_listening *ret_listening);

/* Makes every loop listen on a socket that is open already. fd: takes ownership, even on
 * failure. */
rc_listen_result rc_gateway_listen_fd(rc_gateway *gateway, int fd, rc_listening *ret_listening);

/* Checks that no provider's base URL leads to one of this gateway's own listeners. The function
 * reads the configuration in force and must be called after the listeners are open. If a base URL
 * leads to a listener, the function returns false and ret_error names the provider. */
bool rc_gateway_check_addresses(rc_gateway *gateway, rc_load_error *ret_error);

/* Opens a connection from inside this process to the main loop. The connection needs no address,
 * and no other process can connect this way. Gives the caller a stream socket, or -1 if no socket
 * could be made or the gateway is stopping. */
int rc_gateway_connect(rc_gateway *gateway);

/* Starts the threads of all loops except the main loop. Returns false if a thread could not be
 * created; the caller must then call rc_gateway_close. */
bool rc_gateway_start(rc_gateway *gateway);

/* Replaces the configuration for requests that arrive after the call. input: takes ownership of its
 * members on success. On failure the function returns false, the old configuration stays in force
 * and ret_error has the reason. */
bool rc_gateway_reload(rc_gateway *gateway, const rc_snapshot_input *input,
                       rc_load_error *ret_error);

/* Counts a reload in the metrics. The caller uses this function only for a configuration that was
 * rejected before rc_gateway_reload, because rc_gateway_reload counts reloads itself. */
void rc_gateway_count_reload(rc_gateway *gateway, bool is_loaded);

/* rc_gateway_stop calls rc_loop_stop for all loops, rc_gateway_close calls rc_loop_close for all
 * loops. on_stopped is called later, on the main loop. */
void rc_gateway_stop(rc_gateway *gateway);
void rc_gateway_close(rc_gateway *gateway);

/* ---- admin interface: gateway_admin.c ---- */

/* Fills in the state of targets, keys, budgets, store and loops. The caller sets the fields that
 * only the process knows. arena: borrows during the call; ret_snapshot views (points into) its
 * memory. Returns false if memory runs out. */
bool rc_gateway_read(rc_gateway *gateway, rc_arena *arena, rc_admin_snapshot *ret_snapshot);

/* Carries out an operator's action on a target, key or budget and records it in the audit. The
 * actions RC_ADMIN_RELOAD and RC_ADMIN_DRAIN are not possible here and get the outcome
 * RC_ADMIN_FAILED, because only `recourse serve` can reload or drain. */
void rc_gateway_act(rc_gateway *gateway, const rc_admin_action *action,
                    rc_admin_outcome *ret_outcome);

/* Records in the audit that the configuration was reloaded, or rejected. why: the reason for the
 * rejection; an empty `why` means that the reload succeeded. action: borrows during the call; it
 * contains who requested the reload. */
void rc_gateway_record_reload(rc_gateway *gateway, const rc_admin_action *action, rc_str why);

/* Appends the URL of the store, which may contain a secret. Appends nothing if the audit is off. */
void rc_gateway_push_store(const rc_gateway *gateway, rc_buf *buf);

rc_hub *rc_gateway_hub(rc_gateway *gateway);
uint32_t rc_gateway_threads(const rc_gateway *gateway);

#endif
