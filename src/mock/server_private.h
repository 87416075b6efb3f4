/* Types shared by server.c and server_run.c. A call is one request and its response. */
#ifndef RC_MOCK_SERVER_PRIVATE_H
#define RC_MOCK_SERVER_PRIVATE_H

#include "mock/server.h"
#include "net/server/responder.h"

struct rc_mock_server {
    rc_server http;
    rc_mock_provider provider;
    rc_mock_server_settings settings;
    uv_loop_t *loop;
    uint32_t calls;          /* Number of calls that are not freed yet. */
    uv_timer_t script_timer; /* Fires when the script next begins or ends the refusal of
                              * connections. */
    bool is_timer_closed;
    bool is_stopped;
};

typedef struct rc_mock_call {
    rc_mock_server *server;
    rc_responder *responder; /* NULL: the call has ended. */
    uv_timer_t timer;
    rc_buf body;
    rc_mock_response response;
    rc_mock_ticket ticket;
    uint32_t reset_checks; /* Number of checks for unsent bytes before a reset. */
    bool has_response;
    bool is_raw;           /* server_run.c, not rc_server, frames the response. */
    bool is_write_blocked; /* The call waits for on_drained. */
    bool is_resetting;     /* The connection is reset once the written bytes have been sent. */
} rc_mock_call;

/* Carries out the response's steps until a step has to wait. May end the call. */
void rc_mock_call_run(rc_mock_call *call);

/* Ends the call. The memory of the call is freed when its timer has closed. */
void rc_mock_call_end(rc_mock_call *call);

#endif
