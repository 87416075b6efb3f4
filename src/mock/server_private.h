/* What the files of rc_mock_server share: one call is one request and its answer. */
#ifndef RC_MOCK_SERVER_PRIVATE_H
#define RC_MOCK_SERVER_PRIVATE_H

#include "mock/server.h"
#include "net/server/responder.h"

struct rc_mock_server {
    rc_server http;
    rc_mock_provider provider;
    rc_mock_server_settings settings;
    uv_loop_t *loop;
    uint32_t calls; /* whose memory is not given back yet */
    bool is_stopped;
};

typedef struct rc_mock_call {
    rc_mock_server *server;
    rc_responder *responder; /* NULL: it is over */
    uv_timer_t timer;
    rc_buf body;
    rc_mock_response response;
    rc_mock_ticket ticket;
    uint32_t reset_checks;
    bool has_response;
    bool is_raw;           /* framed here */
    bool is_write_blocked; /* waits for on_drained */
    bool is_resetting;     /* a reset is due, once what was written has left */
} rc_mock_call;

/* Carries the answer's steps out, as far as they go without waiting. May end the call. */
void rc_mock_call_run(rc_mock_call *call);

/* The exchange is over: gives the call's memory back, now or soon. */
void rc_mock_call_end(rc_mock_call *call);

#endif
