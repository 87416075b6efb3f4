/* rc_client: the program's only way to make model calls.
 *
 *   rc_client_open ─────► a gateway in this process, over a socket pair ──┐
 *   rc_client_connect ──► a gateway at a URL, over TCP or TLS ────────────┤
 *                                                                         ▼
 *                        rc_client_call (client_call.h), any number at once
 *                                                                         │
 *   rc_client_close ──► live calls end as cancelled ones do ──► on_closed ┘
 *
 * Both kinds of gateway get the same HTTP requests, so a caller need not know which of the two it
 * uses. Callers call all functions on the thread of the uv loop, and all callbacks arrive on this
 * thread. */
#ifndef RC_CLIENT_CLIENT_H
#define RC_CLIENT_CLIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include <recourse/buf.h>
#include <recourse/codes.h>

#include "codec/origin.h"

#define RC_CLIENT_TEXT_MAX 1200

typedef struct rc_client_call rc_client_call;
typedef struct rc_config rc_config;
typedef struct rc_gateway rc_gateway;
typedef struct rc_snapshot_input rc_snapshot_input;
typedef struct rc_sys_calls rc_sys_calls;
typedef struct rc_upstream rc_upstream;

typedef struct rc_client_settings {
    uv_loop_t *uv_loop;           /* The loop on which the client runs. Borrows until on_closed. */
    const rc_sys_calls *calls;    /* Borrows until on_closed. */
    rc_alloc alloc;               /* Must be thread-safe: the store runs on its own thread. */
    void (*on_closed)(void *ctx); /* Called when the client is completely closed. May be NULL. */
    void *ctx;
} rc_client_settings;

/* The gateway that the user names with --via. rc_client_connect copies the strings. */
typedef struct rc_client_remote {
    const char *url;
    const char *token_file; /* File with the token; NULL: RECOURSE_TOKEN, if it is set. */
    bool is_insecure;       /* Plain HTTP to another machine is allowed. */
} rc_client_remote;

/* The reason for which a client could not be opened, as the parts of a report. */
typedef struct rc_client_error {
    rc_code code;
    char message[RC_CLIENT_TEXT_MAX];
    const char *advice; /* Static; "" selects the advice of the code. */
} rc_client_error;

/* Caller's storage, which must be zeroed before the client is opened; all members are private. */
typedef struct rc_client {
    rc_client_settings settings;
    rc_gateway *gateway;     /* The gateway in this process. NULL: the gateway is remote or
                              * closed. */
    const rc_config *config; /* Configuration of the gateway in this process. NULL: the gateway is
                              * remote. */
    rc_upstream *upstream;   /* NULL: not created, or closed. */
    rc_origin origin;
    rc_buf url;                  /* URL of a remote gateway as the user wrote it. Empty: the gateway
                                  * is in this process. */
    rc_buf token;                /* Token for a remote gateway. Empty: no token. */
    rc_client_call *calls;       /* The calls that have not ended. */
    uint64_t call_count;         /* Number of calls that were started. */
    uv_timer_t timer;            /* Fires when the first call is due, or when closing must
                                  * continue. */
    int store_fault;             /* Reason for which the store is not open (rc_store_fault_kind). 0:
                                  * the store is open. */
    atomic_bool has_lost_record; /* The store has lost a record. Set on the store's thread. */
    bool is_open;                /* Opening was begun, and on_closed has not been called. */
    bool is_closing;
    bool is_upstream_open;
    bool is_timer_open;
} rc_client;

/* Opens a client with its own gateway in this process. The gateway listens on no port and has no
 * other client, so no token is needed. If the store cannot be opened, the client works without
 * audit records in three cases: there is no configuration file, audit.on_failure is "continue", or
 * another process writes to the store. input: takes ownership if the gateway was created; its
 * configuration then stays valid until the client is closed. On failure the function returns false,
 * and ret_error has the reason; the caller must call rc_client_close even then. */
bool rc_client_open(rc_client *client, const rc_client_settings *settings, rc_snapshot_input *input,
                    rc_client_error *ret_error);

/* Opens a client of the gateway at a URL without sending anything. On failure the function returns
 * false, and ret_error has the reason; the caller must call rc_client_close even then. */
bool rc_client_connect(rc_client *client, const rc_client_settings *settings,
                       const rc_client_remote *remote, rc_client_error *ret_error);

/* Cancels all live calls. When these calls have ended, the connections and the gateway are closed.
 * The uv loop calls on_closed later, never during rc_client_close. A second call has no effect;
 * calls inside callbacks are allowed. */
void rc_client_close(rc_client *client);

/* Returns whether the client is open. A client that was never opened is not open. */
bool rc_client_is_open(const rc_client *client);

/* Returns the reason for which the store could not be opened (an rc_store_fault_kind); calls are
 * then not recorded. Returns 0 if the store is open. The function may also be called after
 * rc_client_close. */
int rc_client_store_fault(const rc_client *client);

/* Returns whether the store has lost a record. The result may change to true until on_closed is
 * called. */
bool rc_client_has_lost_record(const rc_client *client);

#endif
