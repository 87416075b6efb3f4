/* rc_exchange_summary: describes how one request ended. rc_quota_warning: describes a provider's
 * limit that is nearly used up. An exchange passes both structs to the rc_exchange_observer of its
 * loop, for the log, the metrics, the live stream and the statistics of the commands. */
#ifndef RC_GATEWAY_OBSERVE_EXCHANGE_SUMMARY_H
#define RC_GATEWAY_OBSERVE_EXCHANGE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/report.h>
#include <recourse/str.h>

#include "policy/quota.h"
#include "store/record.h"

typedef struct rc_ledger_notice rc_ledger_notice;

/* Describes how one request ended. All strings and pointers are views that are valid only during
 * the callback. */
typedef struct rc_exchange_summary {
    rc_str method;
    rc_str path;
    rc_str request_id;
    rc_str mark;     /* The name that a client in this process gave the request. Empty if the client
                      * gave no name. */
    rc_str client;   /* The client's configured name. Empty if no clients are configured. */
    rc_str route;    /* The route's pattern. Empty if no route was chosen. */
    rc_str model;    /* The model as the client named it. Empty if the client named no model. */
    rc_str provider; /* The provider of the last attempt. Empty if there was no attempt. */
    rc_str target;   /* The model of the last attempt. */
    rc_str translated; /* How the request of the last attempt was translated. Empty: it was not. */
    rc_outcome outcome;
    uint32_t attempts;
    uint32_t switches;
    uint64_t wait_ms;
    uint64_t latency_ms;
    int64_t first_byte_ms; /* Time from the request's arrival until the first byte was sent to the
                            * client. -1 if no byte was sent. */
    uint64_t bytes;        /* Bytes of the response body. */
    int status;            /* HTTP status sent to the client. 0 if the client disconnected
                            * before. */
    int64_t tokens_in;     /* Tokens of all attempts. -1 if unknown. */
    int64_t tokens_out;
    int64_t cost_usd_micro; /* Cost of all attempts in millionths of a dollar. -1 if unknown. */
    bool is_estimated;      /* The tokens or the cost are partly or wholly estimated. */
    rc_str trace_id;        /* Trace id of the W3C trace context. Empty if the request has no
                             * trace. */
    uint32_t client_retry;  /* Number of the retry, as the client's SDK sent it in a header. 0 if
                             * the request is not a retry. */
    bool is_stream;
    bool was_partly_sent;    /* The request failed after content was sent to the client. */
    bool is_committed;       /* Content was sent to the client, however the request ended. */
    const rc_report *report; /* Report of the failure. NULL if the request succeeded. */
} rc_exchange_summary;

/* A provider reported that one of its limits is nearly used up. All strings and pointers are views
 * that are valid only during the callback. */
typedef struct rc_quota_warning {
    rc_str request_id; /* The request whose response reported the limit. */
    rc_str mark;       /* The name that a client in this process gave the request. Empty if the
                        * client gave no name. */
    rc_str target;     /* "provider/model" */
    rc_str credential; /* The credential's id. Empty if no key was sent. */
    const rc_quota *quota;
    int64_t unix_ms;
} rc_quota_warning;

/* Callbacks about exchanges. Each callback runs on the thread of the exchange's loop. A callback
 * may be NULL. */
typedef struct rc_exchange_observer {
    void *ctx;
    /* A request has ended. */
    void (*on_record)(void *ctx, const rc_exchange_summary *record);
    /* Returns whether on_record uses the next summary. NULL: it uses all summaries. */
    bool (*wants_record)(void *ctx);
    /* Called when a budget nears its limit, has reached its limit, or makes a request wait. scope:
     * borrows during the call. */
    void (*on_budget)(void *ctx, const rc_ledger_notice *notice, rc_str scope);
    /* A provider's limit is nearly used up. Called once for each limit until the limit renews. */
    void (*on_quota)(void *ctx, const rc_quota_warning *notice);
} rc_exchange_observer;

#endif
