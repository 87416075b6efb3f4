/* rc_client_call: one model call of a client (client.h).
 *
 *   start ──► on_event, on_quota, on_text ... ──► on_end     the result is in `facts`
 *       └───────────── cancel, a deadline ───────────┘
 *       └───────────── done ─────────────────────────        no callback after it
 *
 * Retries and switches are reported by on_event when they happen. A failed call has the gateway's
 * report: from a gateway in this process the full report with all attempts, from a remote gateway
 * the parts that clients may see. If the server is not a Recourse gateway, the report comes from
 * the classifier. */
#ifndef RC_CLIENT_CLIENT_CALL_H
#define RC_CLIENT_CLIENT_CALL_H

#include <recourse/report.h>

#include "client/client.h"
#include "dialect/foreign.h"
#include "dialect/prompt.h"
#include "dialect/response_reader.h"
#include "net/client/upstream.h"
#include "policy/quota.h"
#include "report/event_view.h"

#define RC_CLIENT_NAME_MAX 512
/* Size of a mark as text. A mark is the number by which the gateway's record of the call is
 * found. */
#define RC_CLIENT_MARK_MAX 24

typedef struct rc_client_call_handler {
    /* Called for a retry, a switch to another target or key, a wait for a budget, or a cost. event:
     * views during the callback. */
    void (*on_event)(void *ctx, const rc_event_view *event);
    /* Called when a provider's limit is nearly used up; may be called several times. quota, target:
     * views during the callback. */
    void (*on_quota)(void *ctx, const rc_quota *quota, rc_str target);
    /* Called for a piece of the response's text. text: views during the callback. */
    void (*on_text)(void *ctx, rc_str text);
    /* Called for a piece of the model's reasoning. text: views during the callback. The member may
     * be NULL. */
    void (*on_reasoning)(void *ctx, rc_str text);
    /* Called for each tool call of a complete response. tool_call: views during the callback. The
     * caller should run the tool only after on_end of a successful call, because a content filter
     * may still reject the response. The member may be NULL. */
    void (*on_tool_call)(void *ctx, const rc_tool_call *tool_call);
    /* Called when the call has ended. The facts are final, and the storage of the call may be
     * released or used for another call. */
    void (*on_end)(void *ctx);
} rc_client_call_handler;

/* One request. All strings are views that must stay valid until rc_client_call_start returns. */
typedef struct rc_client_call_request {
    rc_prompt prompt; /* The prompt. rc_target_choice_adapt sets the members that only some servers
                       * accept. */
    /* OPENAI_CHAT, ANTHROPIC or GEMINI. 0: the dialect that the providers of the model have in
     * common. */
    rc_dialect dialect;
    uint64_t deadline_ms; /* Deadline in milliseconds. 0: the gateway's default. */
    /* The name of the deadline that the user knows, such as "--deadline", for reports. Static;
     * NULL: no such name. */
    const char *deadline_name;
    rc_str policy; /* Name of a policy. Empty: the gateway's default. */
} rc_client_call_request;

/* Facts about the call that are known so far; complete when on_end is called. */
typedef struct rc_client_call_facts {
    int status;              /* HTTP status. 0: no response. */
    uint32_t attempts;       /* Number of the gateway's calls to providers. 0: unknown. */
    uint32_t switches;       /* Number of switches to other targets and keys. */
    uint64_t wait_ms;        /* Total time of the waits between attempts. */
    int64_t first_text_ms;   /* Time from the start to the first text; -1: no text. */
    uint64_t text_bytes;     /* Number of bytes of the response's text. */
    bool has_reasoning;      /* The response has content other than text. */
    uint64_t cost_micro_usd; /* Cost of all attempts; 0: unknown. */
    rc_stream_finish finish;
    /* Tokens of all attempts if the gateway is in this process; otherwise tokens of the
     * response. */
    rc_usage_count usage;
    const rc_report *report;             /* Report of a failure. NULL: the call succeeded. */
    char target[RC_CLIENT_NAME_MAX];     /* The last target, as "provider/model". "": unknown. */
    char request_id[RC_CLIENT_NAME_MAX]; /* Id that the gateway gave the request. "": the gateway
                                          * sent none. */
    char report_id[RC_CLIENT_NAME_MAX];  /* Id of the gateway's report. "": the gateway sent
                                          * none. */
} rc_client_call_facts;

/* Private: the failure of the connection to the gateway. */
typedef struct rc_client_call_failure {
    bool is_unreachable;   /* The connection could not be opened. */
    bool is_cut;           /* The connection broke after the request was sent. */
    rc_upstream_kind kind; /* Kind of the failure. NONE: the connection did not fail. */
} rc_client_call_failure;

/* Private: the record that the gateway in this process made of the call. */
typedef struct rc_client_call_record {
    bool is_there;
    uint32_t attempts;
    uint32_t switches;
    uint64_t wait_ms;
    int64_t tokens_in;       /* -1: unknown. */
    int64_t tokens_out;      /* -1: unknown. */
    int64_t cost_usd_micro;  /* In millionths of a dollar. 0 or less: unknown. */
    const rc_report *report; /* NULL: no failure. */
    char target[RC_CLIENT_NAME_MAX];
} rc_client_call_record;

/* A call. A call is in the caller's storage, which must be zeroed before the first start. All
 * members except `facts` are private. */
struct rc_client_call {
    rc_client_call_facts facts;
    rc_client *client;
    const rc_client_call_handler *handler;
    void *ctx;
    rc_alloc alloc;
    rc_client_call *next, *prev; /* Neighbours in the client's list of open calls. */
    uint8_t state;
    bool has_head;      /* The response's head has arrived. */
    bool is_success;    /* The status is 2xx. */
    bool is_compressed; /* The body is compressed. */
    bool is_stream;     /* The body is an event stream. */
    bool is_foreign;    /* The server is not a Recourse gateway. */
    bool is_late;       /* The deadline has passed without a report from the gateway. */
    bool has_grace;     /* The deadline has passed, and the grace time for the gateway's report is
                         * running. */
    bool is_cancelled;
    bool is_initialized;     /* The buffers and `reply` need to be freed. */
    rc_foreign foreign_kind; /* The kind of a server that is no LLM API, such as a web page. */
    rc_client_call_failure failure;
    rc_client_call_record record;
    rc_dialect dialect;
    uint64_t deadline_ms;
    uint64_t started_ms;
    uint64_t ended_ms;         /* Time at which the response ended or was cancelled. */
    uint64_t due_at_ms;        /* Time of the next rc_client_call_on_due; UINT64_MAX: never. */
    uint64_t retry_at_ms;      /* End of the wait before a retry. 0: no wait is known. */
    const rc_report *evidence; /* The failure that this client has detected. NULL: no failure. */
    const char *deadline_name;
    char model[RC_CLIENT_NAME_MAX];
    rc_buf request_head; /* The request's head, which contains the token. */
    rc_buf request_body;
    rc_buf response_head; /* Bytes of the response's head; `reader` points into them. */
    rc_buf error_body;    /* Body of an error response. */
    const rc_http1 *reader;
    /* Number that the call sends in its request, so that the gateway's record can be matched with
     * the call. */
    char mark[RC_CLIENT_MARK_MAX];
    rc_response_reader reply;
    rc_upstream_call upstream_call;
    char event_scratch[RC_EVENT_VIEW_SCRATCH_MAX];
};

/* Sends the request. Returns false if the call cannot start: facts.report has the reason, and no
 * callback is called. client, handler, ctx: borrows until on_end. request: views until the function
 * returns. */
bool rc_client_call_start(rc_client_call *call, rc_client *client,
                          const rc_client_call_request *request,
                          const rc_client_call_handler *handler, void *ctx);

/* Closes the connection, so that the gateway stops its attempts, too. on_end is called later from
 * the uv loop: when the gateway in this process has recorded the call, and after a second at the
 * latest. No other callback is called. A second rc_client_call_cancel has no effect. */
void rc_client_call_cancel(rc_client_call *call);

/* Frees all memory, including facts.report; no callback is called afterwards. Accepts a zeroed
 * call. on_end is the only callback that may call this function. */
void rc_client_call_done(rc_client_call *call);

/* Returns whether on_text and on_event may still be called for this call. */
bool rc_client_call_is_live(const rc_client_call *call);

/* Returns whether on_end has not been called yet. */
bool rc_client_call_is_open(const rc_client_call *call);

/* Backpressure: rc_client_call_pause stops reading from the connection, rc_client_call_resume
 * continues. */
void rc_client_call_pause(rc_client_call *call);
void rc_client_call_resume(rc_client_call *call);

#endif
