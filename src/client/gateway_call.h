/* rc_gateway_call: one client request to a gateway, in this process or remote.
 *
 *   start ──► on_event ... on_text ... ──► on_end     the result is in `facts`
 *       └──────────────── cancel ────────────────     no callback after it
 *
 * Retries and switches are reported while they happen (x-recourse-events). A failure is the report
 * that the gateway sent. If the server is not a Recourse gateway, the report comes from the
 * classifier, and foreign_kind says whether the server is an LLM API at all. */
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
    /* A retry, a switch to another target or key, or a cost. event: views. */
    void (*on_event)(void *ctx, const rc_event_view *event);
    /* A piece of the response's text; views. */
    void (*on_text)(void *ctx, rc_str text);
    /* The call ended; the facts are final. */
    void (*on_end)(void *ctx);
} rc_gateway_call_handler;

/* Pointers are borrowed until the call ends, except where a comment says "copies". */
typedef struct rc_gateway_call_settings {
    rc_upstream *upstream;
    const rc_origin *origin; /* Copies. */
    rc_secret token;         /* Copies, and wipes the copy; empty: no token. */
    const rc_prompt *prompt; /* Copies the parts that it needs. */
    rc_dialect dialect;      /* OPENAI_CHAT, ANTHROPIC or GEMINI. */
    uint64_t deadline_ms;    /* 0: the gateway's default. */
    rc_str policy;           /* Name of a policy; copies; empty: the gateway's default. */
    int64_t now_unix_ms;     /* For Retry-After values that are dates. */
    rc_alloc alloc;
} rc_gateway_call_settings;

/* Facts collected so far; complete when on_end is called. */
typedef struct rc_gateway_call_facts {
    int status;              /* HTTP status; 0: no response. */
    uint32_t attempts;       /* Upstream attempts of the gateway; 0: unknown. */
    uint32_t switches;       /* Switches to other targets and keys. */
    uint64_t wait_ms;        /* Total wait between attempts. */
    int64_t first_text_ms;   /* Time from the start to the first text; -1: no text. */
    uint64_t cost_micro_usd; /* 0: unknown. */
    rc_stream_finish finish;
    rc_usage_count usage;
    bool is_unreachable;                   /* The connection could not be opened. */
    bool is_cut;                           /* The connection broke after the request was sent. */
    const char *failure;                   /* Failure of the connection, in words; "": none. */
    rc_upstream_kind failure_kind;         /* The same failure as an enum. */
    bool is_foreign;                       /* The server is not a Recourse gateway. */
    rc_foreign foreign_kind;               /* Kind of server when its protocol is unknown. */
    const rc_report *report;               /* NULL: the call succeeded. */
    char target[RC_GATEWAY_CALL_NAME_MAX]; /* Last "provider/model" used; "": unknown. */
    char request_id[RC_GATEWAY_CALL_NAME_MAX]; /* Id from the gateway; "": none. */
    char report_id
        [RC_GATEWAY_CALL_NAME_MAX]; /* Id of the gateway's report about this response; "": none. */
} rc_gateway_call_facts;

/* Caller's storage, zeroed before the first start; all members but `facts` are private. */
typedef struct rc_gateway_call {
    rc_gateway_call_facts facts;
    const rc_gateway_call_handler *handler;
    void *ctx;
    uv_loop_t *loop;
    rc_alloc alloc;
    rc_dialect dialect;
    bool has_head;       /* The response's head has arrived. */
    bool is_success;     /* The status is 2xx. */
    bool is_compressed;  /* The body is compressed. */
    bool is_stream;      /* The body is an event stream. */
    bool is_initialized; /* The buffers and `reply` need to be freed. */
    uint64_t started_ms;
    int64_t now_unix_ms;
    rc_buf request_head; /* Contains the token. */
    rc_buf request_body;
    rc_buf response_head; /* Raw bytes; `reader` points into them. */
    rc_buf error_body;    /* Body of an error response. */
    const rc_http1 *reader;
    rc_response_reader reply;
    rc_upstream_call upstream_call;
    char event_scratch[RC_EVENT_VIEW_SCRATCH_MAX];
} rc_gateway_call;

/* Sends the request. Returns false when it cannot start; facts.report then says why. loop: the loop
 * of `upstream`. handler, ctx: borrow until the end. settings: see rc_gateway_call_settings. */
bool rc_gateway_call_start(rc_gateway_call *call, uv_loop_t *loop,
                           const rc_gateway_call_settings *settings,
                           const rc_gateway_call_handler *handler, void *ctx);

/* Closes the connection, so that the gateway stops too; no callback follows. May be repeated. */
void rc_gateway_call_cancel(rc_gateway_call *call);

/* Frees all memory, the report included. Also accepts a zeroed call that was never started. */
void rc_gateway_call_done(rc_gateway_call *call);

/* Is the call still in progress? */
bool rc_gateway_call_is_live(const rc_gateway_call *call);

/* Has the whole request been sent? */
bool rc_gateway_call_is_sent(const rc_gateway_call *call);

/* Backpressure: stops and resumes reading from the connection, like rc_upstream. */
void rc_gateway_call_pause(rc_gateway_call *call);
void rc_gateway_call_resume(rc_gateway_call *call);

#endif
