/* rc_exchange_summary: how one request ended; rc_quota_warning: a provider's limit that is nearly
 * used up. An exchange passes both to the rc_exchange_observer of its loop, for the log, the
 * metrics, the live stream and the statistics of the commands. */
#ifndef RC_GATEWAY_OBSERVE_EXCHANGE_SUMMARY_H
#define RC_GATEWAY_OBSERVE_EXCHANGE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/report.h>
#include <recourse/str.h>

#include "policy/quota.h"
#include "store/record.h"

typedef struct rc_ledger_notice rc_ledger_notice;

/* How one request ended. Views, valid during the callback only. */
typedef struct rc_exchange_summary {
    rc_str method;
    rc_str path;
    rc_str request_id;
    rc_str mark;     /* The client's own name of the request. Empty: none. */
    rc_str client;   /* The client's configured name. Empty: no clients are configured. */
    rc_str route;    /* Empty: no route was chosen. */
    rc_str model;    /* The model as the client named it. Empty: none. */
    rc_str provider; /* The provider of the last attempt. Empty: no attempt. */
    rc_str target;   /* The model of the last attempt. */
    rc_outcome outcome;
    uint32_t attempts;
    uint32_t switches;
    uint64_t wait_ms;
    uint64_t latency_ms;
    int64_t first_byte_ms; /* Time until the first byte to the client. -1: none was sent. */
    uint64_t bytes;        /* Bytes of the response body. */
    int status;            /* HTTP status sent to the client. 0: the client left before. */
    int64_t tokens_in;     /* Tokens of all attempts. -1: unknown. */
    int64_t tokens_out;
    int64_t cost_usd_micro; /* -1: unknown */
    bool is_estimated;      /* Some of the tokens or of the cost are estimates. */
    rc_str trace_id;        /* Empty: none */
    uint32_t client_retry;  /* Number of the client's own retry. 0: not a retry. */
    bool is_stream;
    bool was_partly_sent;    /* The request failed after content was sent to the client. */
    bool is_committed;       /* Content was sent to the client, however the request ended. */
    const rc_report *report; /* NULL: success */
} rc_exchange_summary;

/* A provider reported that one of its limits is nearly used up. Views, valid during the callback
 * only. */
typedef struct rc_quota_warning {
    rc_str request_id; /* The request whose response reported it. */
    rc_str mark;       /* The client's own name of that request. Empty: none. */
    rc_str target;     /* "provider/model" */
    rc_str credential; /* The credential's id. Empty: no key was sent. */
    const rc_quota *quota;
    int64_t unix_ms;
} rc_quota_warning;

/* Callbacks about exchanges, on the thread of their loop. NULL: not called. */
typedef struct rc_exchange_observer {
    void *ctx;
    /* A request has ended. */
    void (*on_record)(void *ctx, const rc_exchange_summary *record);
    /* A budget nears its limit, has reached it, or makes a request wait. scope: views. */
    void (*on_budget)(void *ctx, const rc_ledger_notice *notice, rc_str scope);
    /* A provider's limit is nearly used up. Called once until the limit renews. */
    void (*on_quota)(void *ctx, const rc_quota_warning *notice);
} rc_exchange_observer;

#endif
