/* The rc_exchange struct, and the functions that feed its machine and free its memory. For the
 * files of this folder. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_PRIVATE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_PRIVATE_H

#include <recourse/call.h>
#include <recourse/id.h>
#include <recourse/render.h>

#include "dialect/usage.h"
#include "exchange/machine.h"
#include "gateway/exchange/exchange.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/request/client_request.h"
#include "gateway/state/waiting.h"
#include "policy/ledger.h"

typedef struct rc_attempt rc_attempt;
typedef struct rc_client_row rc_client_row;
typedef struct rc_exchange_events rc_exchange_events;
typedef struct rc_exchange_queue rc_exchange_queue;
typedef struct rc_exchange_translation rc_exchange_translation;
typedef struct rc_responder rc_responder;
typedef struct rc_route rc_route;
typedef struct rc_snapshot rc_snapshot;
typedef struct rc_snapshot_ref rc_snapshot_ref;

/* Maximum number of bytes of a provider's rate-limit headers. */
#define RC_EXCHANGE_LIMITS_MAX ((size_t)4 << 10)
/* A plan that the exchange makes for itself needs no allocation if it has at most this many
 * entries. */
#define RC_EXCHANGE_INLINE_ENTRIES 4u
/* The steps of an exchange need no allocation if there are at most this many of them. */
#define RC_EXCHANGE_INLINE_STEPS 1u

struct rc_exchange {
    rc_runtime *runtime;
    uint64_t serial;         /* Number of requests that have used this memory. Shows a caller
                              * whether the exchange was reused. */
    rc_responder *responder; /* NULL: the client has disconnected. */
    rc_exchange *next;       /* Next exchange in the list of spare or of acknowledged exchanges. */
    rc_exchange *live_next, *live_prev;
    rc_waiter waiter; /* The exchange in the waiting queue. */
    uv_timer_t timer;
    uint64_t timer_at_ms; /* When the timer fires. RC_UNLIMITED: the timer is not set. */
    rc_buf lines;         /* Header lines of the response, until the response head is sent. */
    rc_buf limits;        /* The provider's rate-limit headers, if the latest failure is a rate
                           * limit. */
    rc_buf body;          /* Body of the client's request. */
    /* When the exchange is reused, the members above are reused with their memory, and the members
     * from here on are zeroed. */
    rc_snapshot_ref *snapshot_ref;
    rc_snapshot *snapshot;    /* The snapshot of snapshot_ref. */
    rc_exchange_queue *queue; /* Inputs that the effects cause. NULL: rc_exchange_feed is not
                               * running. */
    bool is_flawed;           /* An unusable response was passed on; `report` has the reason. */
    uint8_t deferred;         /* Effect that on_timer must carry out: END_STREAM or END_LATE. 0:
                            * none. */
    uint8_t deferred_slot;    /* Lane of the attempt that `deferred` ends. */
    rc_http1_framing framing; /* Framing and length of the response, which the effect COMMIT
                               * begins. */
    uint64_t length;
    rc_id id;
    rc_dialect dialect; /* Dialect of the gateway's errors. */
    size_t client;      /* Index of the client in the configuration. SIZE_MAX: no known client. */
    int64_t began_unix_ms;
    uint64_t began_ms;
    uint64_t called_ms; /* When the call began. 0: no call was begun. */
    uint64_t began_ns;
    int64_t first_byte_ms; /* Time until the first byte was sent to the client. -1: nothing was
                            * sent. */

    rc_route *route;
    rc_plan plan;            /* The route's plan, changed by the client's own settings. */
    rc_chain_entry *entries; /* Chain entries for this request alone. NULL: the route's entries are
                              * used. */
    rc_exchange_translation *translation; /* NULL: the request was not read for a translation. */
    rc_str requested_model;  /* The client's model name, sent to targets with the model "*". The
                              * name may be a secret. */
    rc_str model;            /* requested_model without secrets. */
    rc_attempt *attempts[2]; /* Indexed by the slot of the machine. NULL: the slot has no
                              * attempt. */

    size_t kept_bytes;          /* Bytes of the body that are counted in hub->kept_bytes. */
    uint64_t upload_left;       /* Remaining bytes of a body that is passed on as it arrives. */
    rc_usage_estimate estimate; /* Token estimate of the request; valid after the body was freed. */
    rc_client_row *client_row;  /* The client's limits, while the request counts towards them.
                                 * NULL: it does not. */
    uint64_t estimated_tokens;  /* Tokens that were taken from the client's limits. */
    bool is_body_streamed;      /* The body was passed on as it arrived and cannot be sent again. */
    bool is_body_whole;
    bool is_body_gone;    /* The body was freed; `estimate` replaces it. */
    bool is_late;         /* The latest attempt ended because the deadline passed. */
    bool was_partly_sent; /* The request failed after content was sent. */
    bool is_second_next;  /* If both lanes have data to decompress, the lane of slot 1 is next. */
    bool is_unrecorded;   /* The store refused the record, so the client gets `report` instead of
                           * the response. */
    bool is_counted;
    bool has_queued;          /* The exchange has waited in the queue. */
    bool is_last_wait_queued; /* The latest wait was one in the queue. */
    bool is_shed;             /* The request is refused because the gateway is full. */
    bool is_store_pending; /* The record was submitted to the store and is not acknowledged yet. */
    bool is_reply_early;   /* The client got its response before the record was acknowledged. */
    bool is_acknowledged;  /* The store has acknowledged the record. Guarded by the runtime's
                                   * acknowledged_lock. */
    const rc_report *refused_why; /* Why the store rejected the record. NULL: the store did not
                                   * reject it. */
    const char *gone_text;        /* Reason of the client's disconnect, for the record. NULL: no
                                   * reason to record. */
    int status;                   /* The HTTP status that the client gets. */
    const rc_report *report;      /* Report of the latest failure. */

    rc_ledger_step *steps; /* Points to inline_steps or to allocated memory. */
    uint32_t step_count;
    uint32_t step_capacity;
    uint32_t switches;
    uint64_t wait_ms;
    uint64_t last_wait_ms;
    rc_exchange_events *events; /* State of the events that the client requested. NULL: no event was
                                 * sent. */
    /* Members below are not zeroed; they are initialised when they are used. */
    rc_ledger_step inline_steps[RC_EXCHANGE_INLINE_STEPS];
    rc_chain_entry inline_entries[RC_EXCHANGE_INLINE_ENTRIES];
    rc_ledger_decision decision; /* Latest decision of the budgets that refused or delayed an
                                  * attempt. */
    rc_exchange_machine machine;
    rc_client_request request;
};

/* Returns the current or the latest attempt. NULL if there was no attempt yet. */
static inline rc_attempt *rc_exchange_current(const rc_exchange *exchange)
{
    return exchange->attempts[exchange->machine.current];
}

/* Reports an input to the machine and carries out the effects. An input that is reported while an
 * effect is carried out is queued. When the function returns, the exchange and its attempts may be
 * over. input: copies the struct. */
void rc_exchange_feed(rc_exchange *exchange, const rc_exchange_input *input);
/* Reports an input as rc_exchange_feed does. The input needs only a kind. */
void rc_exchange_feed_kind(rc_exchange *exchange, rc_exchange_input_kind kind);
/* Sets the timer to the time at which the machine or a decoder must continue. */
void rc_exchange_arm(rc_exchange *exchange);
/* Called when the store has acknowledged the record of an exchange that did not wait for the
 * acknowledgement. */
void rc_exchange_on_acknowledged(rc_exchange *exchange);

/* ---- exchange_request.c ---- */

/* Subtracts the body from hub->kept_bytes (max_kept_bytes), because no further attempt needs the
 * body. */
void rc_exchange_uncount_body(rc_exchange *exchange);
/* Frees the body and subtracts it from hub->kept_bytes. */
void rc_exchange_drop_body(rc_exchange *exchange);
/* Copies the chain entries, so that the exchange can change them, unless that was done before.
 * Returns false if memory runs out. The call must not be waiting in the queue. */
bool rc_exchange_own_entries(rc_exchange *exchange);
/* Frees the exchange's own plan and releases the rows of its named targets. */
void rc_exchange_release_entries(rc_exchange *exchange);

#endif
