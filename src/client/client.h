/* rc_client: the program's only way to make model calls.
 *
 *   rc_client_open ─────► a gateway in this process, over a socket pair ──┐
 *   rc_client_connect ──► a gateway at a URL, over TCP or TLS ────────────┤
 *                                                                         ▼
 *                        rc_client_call (client_call.h), any number at once
 *                                                                         │
 *   rc_client_close ──► live calls end as cancelled ones do ──► on_closed ┘
 *
 * Both kinds of gateway get the same HTTP requests, so a caller need not know which one there is.
 * All functions are called, and call back, on the thread of the uv loop. */
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
    uv_loop_t *uv_loop;        /* Borrows until on_closed. */
    const rc_sys_calls *calls; /* Borrows until on_closed. */
    rc_alloc alloc;            /* Must be safe for use from all threads: the store has its own. */
    void (*on_closed)(void *ctx); /* Everything is closed. May be NULL. */
    void *ctx;
} rc_client_settings;

/* The gateway that the user names with --via. All are copied. */
typedef struct rc_client_remote {
    const char *url;
    const char *token_file; /* NULL: the token is in the variable RECOURSE_TOKEN, if it is set. */
    bool is_insecure;       /* Plain HTTP to another machine is allowed. */
} rc_client_remote;

/* Why a client could not be opened, for a report. */
typedef struct rc_client_error {
    rc_code code;
    char message[RC_CLIENT_TEXT_MAX];
    const char *advice; /* Static; "": that of the code. */
} rc_client_error;

/* Caller's storage, zeroed before it is opened; all members are private. */
typedef struct rc_client {
    rc_client_settings settings;
    rc_gateway *gateway;     /* In this process; NULL: by URL, or closed. */
    const rc_config *config; /* Of that gateway; NULL: by URL. */
    rc_upstream *upstream;   /* NULL: not created, or closed. */
    rc_origin origin;
    rc_buf url;            /* As the user wrote it; empty: in this process. */
    rc_buf token;          /* Of the remote gateway; empty: none. */
    rc_client_call *calls; /* The calls that have not ended. */
    uint64_t call_count;   /* Calls started so far. */
    uv_timer_t timer;      /* Earliest due time of the calls and of closing. */
    int store_fault;       /* The rc_store_fault_kind that keeps this client off record; 0: none. */
    atomic_bool has_lost_record; /* The store's thread lost a record. */
    bool is_open;                /* Opened, also if that failed, and not yet closed. */
    bool is_closing;
    bool is_upstream_open;
    bool is_timer_open;
} rc_client;

/* Opens a client with a gateway of its own. This gateway listens nowhere and has no other client;
 * it needs no token. Without a configuration file, with audit.on_failure: continue, or while
 * another process writes to the store, it works without records if the store cannot be opened.
 * input: takes, unless it is left as it was; its configuration stays valid until the client is
 * closed. False: ret_error says why; the caller closes the client all the same. */
bool rc_client_open(rc_client *client, const rc_client_settings *settings, rc_snapshot_input *input,
                    rc_client_error *ret_error);

/* Opens a client of the gateway at a URL; nothing is sent yet. False: as for rc_client_open. */
bool rc_client_connect(rc_client *client, const rc_client_settings *settings,
                       const rc_client_remote *remote, rc_client_error *ret_error);

/* Cancels all live calls; when they have ended, closes the connections and the gateway. on_closed
 * follows from the loop. May be repeated, and called in any callback. */
void rc_client_close(rc_client *client);

/* False: closed, or never opened. */
bool rc_client_is_open(const rc_client *client);

/* The rc_store_fault_kind with which the store could not be opened, so that calls are not recorded;
 * 0: none. Valid after closing, too. */
int rc_client_store_fault(const rc_client *client);

/* Has the store lost a record? Final when the client is closed. */
bool rc_client_has_lost_record(const rc_client *client);

#endif
