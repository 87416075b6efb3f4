/* rc_gateway_call: one request to a gateway, as a client of it: in this process, or anywhere.
 *
 *   start ──► on_event ... on_text ... ──► on_end     what came of it is in the facts
 *       └──────────────── cancel ────────────────     nothing more is told
 *
 * Retries and switches are told while they happen (x-recourse-events). A failure is the gateway's
 * own report, as it came; of one that is no gateway of ours, what the classifier makes of it, and
 * whether it is anything that could be asked at all. */
#ifndef RC_CLIENT_GATEWAY_CALL_H
#define RC_CLIENT_GATEWAY_CALL_H

#include <recourse/report.h>

#include "base/secret.h"
#include "dialect/foreign.h"
#include "dialect/prompt.h"
#include "dialect/response_reader.h"
#include "net/client/upstream.h"
#include "report/event_view.h"

#define RC_GATEWAY_CALL_NAME_MAX 512

typedef struct rc_gateway_call_handler {
    /* A retry, a switch, a cost. told: views. */
    void (*on_event)(void *ctx, const rc_event_view *event);
    /* A piece of the answer; views. */
    void (*on_text)(void *ctx, rc_str text);
    void (*on_end)(void *ctx);
} rc_gateway_call_handler;

/* All borrowed until the end but for what is said. */
typedef struct rc_gateway_call_settings {
    rc_upstream *upstream;
    const rc_origin *origin; /* copies */
    rc_secret token;         /* copies, and wipes its copy; empty: none */
    const rc_prompt *prompt; /* copies what it needs */
    rc_dialect dialect;      /* OPENAI_CHAT, ANTHROPIC or GEMINI */
    uint64_t deadline_ms;    /* 0: the gateway's own */
    rc_str policy;           /* copies; empty: the gateway's own */
    int64_t now_unix_ms;     /* for waits that are points in time */
    rc_alloc alloc;
} rc_gateway_call_settings;

/* What is known so far; at on_end all of it. */
typedef struct rc_gateway_call_facts {
    int status;              /* of HTTP; 0: there was none */
    uint32_t attempts;       /* 0: not said */
    uint32_t switches;       /* to other targets and keys */
    uint64_t wait_ms;        /* between tries */
    int64_t first_text_ms;   /* since the start; -1: there was no text */
    uint64_t cost_micro_usd; /* 0: not known */
    rc_stream_finish finish;
    rc_usage_count usage;
    bool is_unreachable;           /* nobody was there to take the request */
    bool is_cut;                   /* the connection broke behind the request */
    const char *failure;           /* of the connection, in words; "": it did not fail */
    rc_upstream_kind failure_kind; /* the same */
    bool is_foreign;               /* whoever answered is no gateway of ours, */
    rc_foreign foreign_kind;       /* and nothing of which we know how it speaks */
    const rc_report *report;       /* NULL: it worked */
    char
        target[RC_GATEWAY_CALL_NAME_MAX]; /* "provider/model" that answered or was asked last; "" */
    char request_id[RC_GATEWAY_CALL_NAME_MAX]; /* the gateway's; "" */
    char report_id[RC_GATEWAY_CALL_NAME_MAX]; /* of what the gateway has to say of the answer; "" */
} rc_gateway_call_facts;

/* The caller's storage, zeroed before the first start; all but facts is private. */
typedef struct rc_gateway_call {
    rc_gateway_call_facts facts;
    const rc_gateway_call_handler *handler;
    void *ctx;
    uv_loop_t *loop;
    rc_alloc alloc;
    rc_dialect dialect;
    bool has_head;       /* its head has come */
    bool is_success;     /* with a status that promises an answer */
    bool is_compressed;  /* it came compressed */
    bool is_stream;      /* of events */
    bool is_initialized; /* the buffers and the reply are there to be done */
    uint64_t started_ms;
    int64_t now_unix_ms;
    rc_buf request_head; /* the request's head, with the token in it */
    rc_buf request_body;
    rc_buf response_head; /* of the answer */
    rc_buf error_body;    /* of one that is an error */
    const rc_http1 *reader;
    rc_response_reader reply;
    rc_upstream_call upstream_call;
    char event_scratch[RC_EVENT_VIEW_SCRATCH_MAX];
} rc_gateway_call;

/* False: it cannot even begin, and facts.report says why. loop: of upstream. handler, ctx: borrow
 * until the end. settings: see there. */
bool rc_gateway_call_start(rc_gateway_call *call, uv_loop_t *loop,
                           const rc_gateway_call_settings *settings,
                           const rc_gateway_call_handler *handler, void *ctx);

/* Nothing more comes; the gateway hears that nobody waits. Any number of times. */
void rc_gateway_call_cancel(rc_gateway_call *call);

/* Gives all memory back, the report included. Takes one that was never started, too. */
void rc_gateway_call_done(rc_gateway_call *call);

/* Is something still to come? */
bool rc_gateway_call_is_live(const rc_gateway_call *call);

/* Is the request on its way, all of it? */
bool rc_gateway_call_is_sent(const rc_gateway_call *call);

/* Backpressure, as of rc_upstream. */
void rc_gateway_call_pause(rc_gateway_call *call);
void rc_gateway_call_resume(rc_gateway_call *call);

#endif
