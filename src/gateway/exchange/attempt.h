/* rc_attempt: one call to a provider on behalf of an exchange. attempt.c sends the request,
 * attempt_response.c handles the response, attempt_failure.c ends a failed attempt with a
 * report. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/secret.h"
#include "codec/sse.h"
#include "codec/stream_array.h"
#include "dialect/stream.h"
#include "dialect/usage_charge.h"
#include "dialect/usage_scan.h"
#include "exchange/machine.h"
#include "exchange/response.h"
#include "net/client/upstream.h"
#include "policy/ledger.h"

typedef struct rc_attempt_decoder rc_attempt_decoder;
typedef struct rc_attempt_strip rc_attempt_strip;
typedef struct rc_attempt_translation rc_attempt_translation;
typedef struct rc_demo_call rc_demo_call;
typedef struct rc_exchange rc_exchange;
typedef struct rc_runtime rc_runtime;
typedef struct rc_snapshot_provider rc_snapshot_provider;

/* Maximum number of bytes of an error response that are examined. */
#define RC_ATTEMPT_ERROR_MAX ((size_t)64 << 10)
/* Maximum number of bytes of a successful response that the gateway holds back before it passes the
 * response on to the client. */
#define RC_ATTEMPT_HELD_MAX ((size_t)256 << 10)

/* Maximum length of a response id in bytes; an error event does not contain a longer id. */
#define RC_ATTEMPT_RESPONSE_ID_MAX 128u

/* The cost of an attempt. */
typedef struct rc_attempt_cost {
    rc_charge charge;
    uint64_t usd_micro;
    uint32_t flags; /* RC_RECORD_MEASURED, _ESTIMATED and _UNPRICED */
} rc_attempt_cost;

/* One call to a provider. */
typedef struct rc_attempt {
    rc_exchange *exchange;
    struct rc_attempt *next_spare;
    uint8_t slot; /* Index of this attempt's lane in rc_exchange_machine, 0 or 1. */
    rc_response_mode mode;
    uint16_t entry;
    uint16_t credential;
    uint32_t number;
    const rc_snapshot_provider *provider;
    rc_secret key; /* The key that was sent. */
    rc_str model;  /* The model name that the provider gets, without secrets. */
    uint64_t started_ms;
    uint64_t started_ns;
    int64_t started_unix_ms;
    int64_t first_byte_ms;  /* Milliseconds from the start to the first byte. -1: nothing has
                             * arrived. */
    uint64_t first_byte_us; /* first_byte_ms in microseconds. RC_METRICS_NO_TIME: nothing has
                             * arrived. */
    uint64_t bytes;         /* Bytes of the body, after decompression. */
    bool is_array;
    bool is_client_slow;  /* The client is slow; the provider's connection is paused. */
    bool is_terminated;   /* The stream's terminator has arrived. */
    bool has_share;       /* The first byte is due within this attempt's share of the deadline. */
    bool is_share_over;   /* The attempt's share of the deadline has passed without a byte. */
    bool is_started;      /* The call to the provider was started. Used only for the demo
                           * provider. */
    bool is_inside_event; /* The last bytes sent to the client are a part of an event. */
    bool is_scanned;      /* reading.scan reads the token usage of the relayed body. */
    bool is_cost_known;   /* The response is whole, and its cost is in reading.cost. */
    bool is_compressed;   /* The response is compressed, and the gateway decompresses it. */
    rc_attempt_decoder *decoder; /* NULL: the response is not compressed, or is passed on
                                  * compressed. */
    rc_attempt_strip *strip;     /* NULL: the client's body is sent unchanged, or translated. */
    rc_attempt_translation *translation; /* NULL: the target has the client's API. */
    const rc_http1 *reader; /* Parser of the response head, which views the bytes in `head`. */
    rc_http1_table *table;  /* Fields of a head with many fields. NULL: `reader` contains the
                             * fields. */
    rc_demo_call *demo;     /* Call to the demo provider. NULL: this attempt does not use the demo
                             * provider. */
    rc_ledger_reservation *reservation; /* Reservation of the cost in the budgets. NULL: nothing is
                                         * reserved for this attempt. */
    const rc_report *flaw; /* Why a complete response is unusable. NULL: the response is usable. */
    int64_t next_sequence_number; /* Next sequence number of the stream's events. 0: the events have
                                   * no numbers. */
    uint8_t response_id_len;
    /* Members above are zeroed at the start; the members below are initialised one by one. */
    rc_response response; /* Judges the response, and contains its usage and stream watch. */
    char response_id[RC_ATTEMPT_RESPONSE_ID_MAX]; /* Id of the streamed response. */
    union {
        rc_sse sse;
        rc_stream_array array;
        rc_usage_scan scan;   /* Usage scanner of RC_MODE_RELAY; uses `scratch`. */
        rc_attempt_cost cost; /* Cost of a whole response; valid if is_cost_known. */
    } reading;
    rc_buf wire;    /* The request head, which contains the key. */
    rc_buf head;    /* The provider's response head. */
    rc_buf held;    /* Bytes of the body that are held back. */
    rc_buf scratch; /* Memory for events and usage objects that arrive in pieces. */
    rc_upstream_call upstream;
} rc_attempt;

/* Makes a new attempt for the lane `slot` and frees the previous attempt of this lane. Returns NULL
 * if memory runs out. */
rc_attempt *rc_attempt_new(rc_exchange *exchange, uint8_t slot);
/* Reserves the cost in the budgets and feeds the result to the machine (RC_INPUT_RESERVED). */
void rc_attempt_reserve(rc_attempt *attempt);
/* Sends the request. If the request cannot be sent, the attempt fails. */
void rc_attempt_send(rc_attempt *attempt);
/* Ends the call to the provider without a callback. */
void rc_attempt_stop(rc_attempt *attempt);
/* Stops the attempt and frees it. attempt: takes ownership; may be NULL. */
void rc_attempt_free(rc_attempt *attempt);
/* Frees the attempts whose memory the runtime would reuse. */
void rc_attempt_free_spares(rc_runtime *runtime);
void rc_attempt_pause(rc_attempt *attempt);
void rc_attempt_resume(rc_attempt *attempt);
/* Sends a piece of the request body to the provider as it arrives from the client. */
void rc_attempt_upload(rc_attempt *attempt, rc_str piece, bool is_last);
/* Frees the request after content was sent to the client, because no further attempt needs it. */
void rc_attempt_free_request(rc_attempt *attempt);

/* Feeds the machine as rc_exchange_feed does: an input about this attempt that needs only a
 * kind. */
void rc_attempt_feed(const rc_attempt *attempt, rc_exchange_input_kind kind);
/* Returns whether this attempt's content is being sent to the client. */
bool rc_attempt_is_responding(const rc_attempt *attempt);
/* Returns whether any part of the request was sent. */
bool rc_attempt_was_sent(const rc_attempt *attempt);

#endif
