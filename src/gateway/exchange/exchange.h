/* rc_exchange: the driver of one client's request. Callbacks of the server, of the upstream calls,
 * of the timer and of the store become inputs of the state machine in lib/exchange/machine.h; the
 * driver carries out the effects that it returns, with one rc_attempt per lane.
 *
 *   callback ──► rc_exchange_feed ──► rc_exchange_step ──► effects ──► server, upstream, store
 *                     ▲                                      │
 *                     └── queued: the result of an effect ───┘
 *
 * An effect that has its result at once queues it as the next input, so that neither the step nor
 * the effects are ever re-entered. When rc_exchange_feed returns, the exchange and its attempts may
 * be over. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_H

#include <recourse/builder.h>
#include <recourse/hedge.h>

#include "codec/sse.h"
#include "codec/stream_array.h"
#include "dialect/stream.h"
#include "dialect/usage_charge.h"
#include "dialect/usage_scan.h"
#include "exchange/machine.h"
#include "exchange/response.h"
#include "gateway/loop/loop_private.h"
#include "gateway/request/outbound.h"
#include "http/coding.h"
#include "policy/outcome.h"

/* Maximum number of bytes of an error response that are examined. */
#define RC_ATTEMPT_ERROR_MAX ((size_t)64 << 10)
/* Maximum number of bytes of a good response that are held back before it is passed on. */
#define RC_ATTEMPT_HELD_MAX ((size_t)256 << 10)
#define RC_EXCHANGE_LIMITS_MAX \
    ((size_t)4 << 10) /* Maximum number of bytes of a provider's rate-limit headers. */
/* Retry-After of a request that is refused because this gateway is full; an arbitrary value. */
#define RC_EXCHANGE_BUSY_MS 1000

/* A provider's limit that is nearly used up. */
typedef struct rc_exchange_quota {
    rc_quota quota; /* The quota; its name views `name`. */
    char name[RC_QUOTA_NAME_MAX];
    bool is_emitted; /* Sent to the client. */
} rc_exchange_quota;

/* One step of a request: an attempt, a wait, a switch, a skip or a warning. */
typedef struct rc_ledger_step {
    rc_record_kind kind;
    uint16_t entry;
    uint16_t credential;
    uint32_t attempt;
    rc_reason reason; /* For an ATTEMPT: the reason of the next action. */
    int status;
    uint64_t wait_ms;
    int64_t at_unix_ms;
    int64_t latency_ms;
    int64_t first_byte_ms;
    uint64_t bytes;
    rc_charge charge; /* Tokens used. */
    uint64_t cost_usd_micro;
    uint32_t flags;             /* RC_RECORD_ */
    bool is_paused;             /* For a WAIT: it waits for a budget. */
    uint32_t budget;            /* The budget that it waits for: a row of rc_budgets. */
    const rc_report *report;    /* NULL: success */
    rc_unavailable unavailable; /* For a SKIP: the failure, as far as it is known. */
    rc_str text;                /* Text of the failure. Own memory. */
    rc_exchange_quota *quota;   /* For a QUOTA: what is left. Own memory. */
} rc_ledger_step;

typedef struct rc_exchange_events rc_exchange_events;
typedef struct rc_attempt_decoder rc_attempt_decoder;

/* Plans of the exchange's own with at most this many entries need no allocation. */
#define RC_EXCHANGE_INLINE_ENTRIES 4u

/* Exchanges with at most this many steps need no allocation. */
#define RC_EXCHANGE_INLINE_STEPS 2u
#define RC_EXCHANGE_STEPS_MAX 256u

/* Longest response id; a longer one is not repeated in an error event. */
#define RC_ATTEMPT_RESPONSE_ID_MAX 128u

/* One call to a provider. */
struct rc_attempt {
    rc_exchange *exchange;
    rc_attempt *next_spare;
    uint8_t slot; /* The lane of the machine. */
    rc_response_mode mode;
    uint16_t entry;
    uint16_t credential;
    uint32_t number;
    const rc_snapshot_provider *provider;
    rc_secret key; /* The key that was sent. */
    rc_str model;  /* The provider's model, without secrets. */
    uint64_t started_ms;
    uint64_t started_ns;
    int64_t started_unix_ms;
    int64_t first_byte_ms;  /* Since the start. -1: nothing has arrived. */
    uint64_t first_byte_us; /* RC_METRICS_NO_TIME: nothing has arrived. */
    uint64_t bytes;         /* Bytes of the body, after decompression. */
    bool is_array;
    bool is_client_slow;  /* The client is slow; the provider's connection is paused. */
    bool is_terminated;   /* The stream's terminator has arrived. */
    bool has_share;       /* The first byte is due within this attempt's share of the deadline. */
    bool is_share_over;   /* The attempt's share of the deadline has passed without a byte. */
    bool is_started;      /* The demo provider was called. */
    bool is_inside_event; /* The bytes sent last do not end an event. */
    bool is_watched;      /* `watch` is in use. */
    bool is_scanned;      /* reading.scan counts the relayed body. */
    bool is_compressed;   /* The response is compressed and is decompressed here. */
    rc_attempt_decoder *decoder; /* NULL: not compressed, or passed on compressed. */
    const rc_http1 *reader; /* Parser of the response head, whose bytes are in `head`. Valid until
                             * the call ends. */
    rc_demo_call *demo;     /* NULL: the demo provider is not used. */
    const rc_report *flaw;  /* Why a complete response is unusable. NULL: it is usable. */
    int64_t next_sequence_number; /* Next sequence number of the stream's events. 0: the events have
                                   * no numbers. */
    uint8_t response_id_len;
    /* Members above are zeroed at the start; those below are initialised one by one. */
    rc_usage usage;                               /* Token usage of a whole response. */
    rc_response response;                         /* Judge of the response, from its head on. */
    rc_ledger_reservation reservation;            /* Reservation of the cost in the budgets. */
    char response_id[RC_ATTEMPT_RESPONSE_ID_MAX]; /* Id of the streamed response. */
    rc_stream_watch watch;
    union {
        rc_sse sse;
        rc_stream_array array;
        rc_usage_scan scan; /* Usage scanner of RELAY; uses `scratch`. */
    } reading;
    rc_buf wire;    /* The request's head, with a key in it. */
    rc_buf head;    /* The provider's response head. */
    rc_buf held;    /* Bytes of the body that are held back. */
    rc_buf scratch; /* Memory for events and usage objects that arrive in pieces. */
    rc_upstream_call upstream;
};

/* Inputs that effects of one step may cause. */
#define RC_EXCHANGE_QUEUE_MAX 8u

struct rc_exchange {
    rc_loop *loop;
    uint64_t serial;         /* Number of requests that have used this memory. */
    rc_responder *responder; /* NULL: the client is gone. */
    rc_exchange *next;       /* Next of the spare or of the acknowledged exchanges. */
    rc_exchange *live_next, *live_prev;
    uv_timer_t timer;
    uint64_t timer_at_ms; /* When the timer fires. RC_UNLIMITED: it does not. */
    rc_buf lines;         /* The response head until it is sent. */
    rc_buf limits;        /* The provider's rate-limit headers, if the latest failure is a limit. */
    rc_buf body;          /* The client's body. */
    /* Members above keep their memory from one request to the next. */
    rc_snapshot_ref *snapshot_ref;
    bool is_stepping;      /* rc_exchange_feed is running. */
    bool is_flawed;        /* An unusable response was passed on; `report` says why. */
    uint8_t deferred;      /* rc_exchange_effect_kind of an attempt that the timer ends; or 0. */
    uint8_t deferred_slot; /* Its lane. */
    uint8_t queue_count;
    rc_http1_framing framing; /* Framing and length of the response that COMMIT begins. */
    uint64_t length;
    rc_exchange_input queue[RC_EXCHANGE_QUEUE_MAX];
    rc_id id;
    rc_dialect dialect; /* Dialect of our own errors. */
    size_t client;      /* Index in the configuration. SIZE_MAX: none. */
    int64_t began_unix_ms;
    uint64_t began_ms;
    uint64_t called_ms; /* When the call began, if it has a plan. */
    uint64_t began_ns;
    int64_t first_byte_ms; /* -1: nothing was sent. */

    rc_route *route;
    rc_plan plan;            /* The route's plan, with the client's own choices. */
    rc_chain_entry *entries; /* Entries of an own plan. NULL: those of the route. */
    rc_str requested_model;  /* The model for targets with the model "*". May be a secret. */
    rc_str model;            /* requested_model without secrets. */
    rc_attempt *attempts[2]; /* By slot of the machine. NULL: none. */

    size_t kept_bytes;          /* Bytes of the body, as counted in the hub. */
    uint64_t upload_left;       /* Bytes still to come of a body that is passed on as it arrives. */
    rc_usage_estimate estimate; /* Token estimate of the request, once its body is freed. */
    bool is_body_streamed;      /* The body was passed on as it arrived and cannot be sent again. */
    bool is_body_whole;
    bool is_body_gone;    /* The body is freed; `estimate` replaces it. */
    bool is_late;         /* The deadline ended the latest attempt. */
    bool was_partly_sent; /* The request failed after content was sent. */
    bool is_second_next;  /* With two lanes to decompress, that of slot 1 is next. */
    bool is_unrecorded;   /* The store refused the record: the client gets `report` instead. */
    bool is_counted;
    bool is_shed;                 /* Refused because this gateway is full. */
    bool is_store_pending;        /* Waits for the store's acknowledgement. */
    bool is_reply_early;          /* The client got its response before the acknowledgement. */
    bool is_acknowledged;         /* Guarded by the loop's acknowledged_lock. */
    const rc_report *refused_why; /* The report of a store that rejected the record. NULL: it did
                                   * not. */
    const char *gone_text;        /* Why the client is gone. NULL: it is not. */
    int status;                   /* The client's HTTP status. */
    const rc_report *report;      /* Report of the latest failure. */

    rc_ledger_step *steps; /* inline_steps, or own memory. */
    uint32_t step_count;
    uint32_t step_capacity;
    uint32_t switches;
    uint64_t wait_ms;
    uint64_t last_wait_ms;
    rc_exchange_events *events; /* State of the events for a client that requested them. NULL: none
                                 * was sent. */
    /* Members below are initialised when they are used. */
    rc_ledger_step inline_steps[RC_EXCHANGE_INLINE_STEPS];
    rc_chain_entry inline_entries[RC_EXCHANGE_INLINE_ENTRIES];
    rc_ledger_decision decision; /* The budgets' latest answer that was not a grant. */
    rc_exchange_machine machine;
    rc_client_request request;
};

/* The current or latest attempt. NULL: none yet. */
static inline rc_attempt *rc_exchange_current(const rc_exchange *exchange)
{
    return exchange->attempts[exchange->machine.current];
}

/* True: the provider's limit was reached; its rate-limit headers are passed on to the client. */
static inline bool rc_exchange_is_limit(const rc_report *report)
{
    const rc_code code = rc_report_code(report);
    return code == RC_CODE_RATE_LIMITED || code == RC_CODE_QUOTA_EXHAUSTED;
}

static inline const rc_snapshot *rc_exchange_snapshot(const rc_exchange *exchange)
{
    return exchange->snapshot_ref->snapshot;
}

/* ---- exchange.c: life cycle ---- */

/* Makes an exchange for a new request. responder: borrows until the end. NULL: out of memory. */
rc_exchange *rc_exchange_new(rc_loop *loop, rc_responder *responder);
/* The client is gone. */
void rc_exchange_on_gone(rc_exchange *exchange, const rc_disconnect *gone);
/* The client can take more of the response. */
void rc_exchange_on_drained(rc_exchange *exchange);
/* The store acknowledged the record of an exchange that was over before. */
void rc_exchange_on_acknowledged(rc_exchange *exchange);
/* Sets the timer for the current state. */
void rc_exchange_arm(rc_exchange *exchange);

/* Reports an input to the machine and carries out the effects. Inside an effect the input is
 * queued. The exchange and its attempts may be over afterwards. input: copies. */
void rc_exchange_feed(rc_exchange *exchange, const rc_exchange_input *input);
/* As rc_exchange_feed, for an input without further members. */
void rc_exchange_feed_kind(rc_exchange *exchange, rc_exchange_input_kind kind);
/* As rc_exchange_feed, for an input about this attempt without further members. */
void rc_attempt_feed(const rc_attempt *attempt, rc_exchange_input_kind kind);
/* True: this attempt's content is being sent to the client. */
bool rc_attempt_is_responding(const rc_attempt *attempt);

/* ---- exchange_deadline.c: deadlines ---- */

/* Everything that limits the request's time. */
rc_deadline_limits rc_exchange_limits(const rc_exchange *exchange);
/* True: an attempt that the deadline ended had enough time, so that its failure counts against the
 * target. */
bool rc_attempt_had_time(const rc_attempt *attempt);
/* Makes the failure of an attempt one of the deadline. */
void rc_exchange_set_deadline(const rc_exchange *exchange, rc_failure *failure);
/* Sets rule, message and advice of a DeadlineExceeded: which deadline, and how long it was. */
void rc_exchange_describe_deadline(const rc_exchange *exchange, rc_builder *builder);
/* Adds the deadline to the context of a report about a wait that would have been too long. */
void rc_exchange_add_deadline_context(const rc_exchange *exchange, rc_builder *builder);
/* Builds the report of a request whose deadline passed while its body arrived. */
void rc_exchange_report_late(rc_exchange *exchange);

/* ---- exchange_unavailable.c: no target is available ---- */

/* Fills in why a target was skipped. */
void rc_exchange_note_unavailable(rc_exchange *exchange, rc_ledger_step *step);
/* The code of a call for which no target was available: exhausted quota or rejected keys, unless a
 * target becomes available by itself before. */
rc_code rc_exchange_unavailable_code(const rc_exchange *exchange);
/* True: a provider stated the time after which such a call should be retried. */
bool rc_exchange_is_retry_time_named(const rc_exchange *exchange);
/* Sets the message of such a call, with the targets and their reasons, and the advice. */
void rc_exchange_describe_unavailable(const rc_exchange *exchange, rc_code code,
                                      rc_builder *builder);

/* ---- exchange_request.c: the client's request ---- */

/* head: borrows until the end. */
void rc_exchange_on_head(rc_exchange *exchange, const char *head);
void rc_exchange_on_body(rc_exchange *exchange, rc_str piece);
void rc_exchange_on_body_end(rc_exchange *exchange);
/* No further attempt follows: the body no longer counts towards max_kept_bytes. */
void rc_exchange_uncount_body(rc_exchange *exchange);
/* As rc_exchange_uncount_body, and frees the body. */
void rc_exchange_drop_body(rc_exchange *exchange);
/* Frees the exchange's own plan and releases the rows of its named targets. */
void rc_exchange_release_entries(rc_exchange *exchange);

/* ---- attempt.c: sending a request to a provider ---- */

/* Makes the attempt of a lane, in place of the lane's latest one. NULL: out of memory. */
rc_attempt *rc_attempt_new(rc_exchange *exchange, uint8_t slot);
/* Reserves the cost in the budgets and reports the result. */
void rc_attempt_reserve(rc_attempt *attempt);
/* Sends the request, or fails the attempt. */
void rc_attempt_send(rc_attempt *attempt);
/* Ends the call without a callback. */
void rc_attempt_stop(rc_attempt *attempt);
/* Stops the attempt and frees it. attempt: takes; may be NULL. */
void rc_attempt_free(rc_attempt *attempt);
void rc_attempt_pause(rc_attempt *attempt);
void rc_attempt_resume(rc_attempt *attempt);
/* Sends a piece of the body as it arrives from the client. */
void rc_attempt_upload(rc_attempt *attempt, rc_str piece, bool is_last);
/* Frees what is not needed once content is sent. */
void rc_attempt_free_request(rc_attempt *attempt);

/* ---- attempt_response.c: the provider's response ---- */

extern const rc_upstream_handler rc_attempt_upstream_handler;

/* Begins to send content to the client; no other attempt follows. False: that failed, and the
 * exchange is over. */
bool rc_attempt_commit(rc_attempt *attempt, rc_http1_framing framing, uint64_t length);
void rc_attempt_write(rc_attempt *attempt, rc_str bytes);
/* Sends the response head to the client, as rc_attempt_commit has described it. */
void rc_attempt_begin_response(rc_attempt *attempt);
/* The attempt succeeded, and everything except `held` was sent. */
void rc_attempt_deliver(rc_attempt *attempt);

/* Handles a piece of the (decompressed) body. The attempt may be over afterwards. */
void rc_attempt_on_body(rc_attempt *attempt, rc_str piece);
/* The body is complete; the call failed. */
void rc_attempt_on_body_end(rc_attempt *attempt);
void rc_attempt_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);

/* ---- attempt_decoder.c: compressed responses ---- */

/* Begins to decompress; takes a piece. The attempt may be over afterwards. */
void rc_attempt_decoder_begin(rc_attempt *attempt, rc_coding coding);
void rc_attempt_decoder_on_body(rc_attempt *attempt, rc_str piece);
/* False: the end is handled later, or the attempt is over. */
bool rc_attempt_decoder_on_end(rc_attempt *attempt);
/* False: the failure is handled later. failure: copies. */
bool rc_attempt_decoder_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);
/* True: data is waiting to be decompressed. Only for an attempt with a decoder. */
bool rc_attempt_decoder_is_due(const rc_attempt *attempt);
/* Decompresses waiting data. */
void rc_attempt_decoder_turn(rc_attempt *attempt);
/* Stops decompressing. Allowed without a decoder. */
void rc_attempt_decoder_stop(rc_attempt *attempt);

/* ---- attempt_judge.c: verdicts about the response ---- */

/* Judges the complete body in `held`. True: it is a response; a flaw is noted. False: the attempt
 * has failed. */
bool rc_attempt_judge_whole(rc_attempt *attempt);
/* Judges a body that is too large to be held by its beginning in `held`. False: the attempt has
 * failed. */
bool rc_attempt_judge_start(rc_attempt *attempt);
/* Stores the flaw of a complete stream in the attempt. */
void rc_attempt_judge_stream(rc_attempt *attempt);
/* Fails the attempt with the body in `held` as the provider's error. */
void rc_attempt_fail_body(rc_attempt *attempt);

/* ---- attempt_stream.c: a response in events ---- */

void rc_attempt_stream_begin(rc_attempt *attempt, bool is_array);
void rc_attempt_stream_on_body(rc_attempt *attempt, rc_str piece);
/* failure: NULL if the body is complete. */
void rc_attempt_stream_on_end(rc_attempt *attempt, const rc_upstream_failure *failure);

/* ---- attempt_sequence.c: sequence numbers of a stream ---- */

/* Notes the number of an event that is sent. event: borrows. */
void rc_attempt_track_event(rc_attempt *attempt, const rc_stream_event *event);
/* Sets the stream's position for an error event at its end. builder: borrows. */
void rc_attempt_set_stream_position(const rc_attempt *attempt, rc_builder *builder);

/* ---- attempt_failure.c: failures ---- */

/* Fails the attempt. failure: views; what is known beyond the attempt's own state. It is classified
 * before the attempt is stopped. */
void rc_attempt_fail(rc_attempt *attempt, rc_failure *failure);
/* The attempt failed although the provider responded: the response cannot be used, for the reason
 * that outcome names. A request that must not be sent twice ends as OutcomeUnknown. */
void rc_attempt_fail_unusable(rc_attempt *attempt, rc_local_outcome outcome);
/* As rc_attempt_fail_unusable, with a message of the caller's. */
void rc_attempt_fail_unusable_text(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
/* As rc_attempt_fail_unusable, with the code that the response's finish reason stands for. */
void rc_attempt_fail_ended(rc_attempt *attempt, rc_code code, rc_str message);
/* Fails the attempt for a reason of our own or of the configuration: no target is to blame, and no
 * other target would do better. */
void rc_attempt_fail_local(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
/* As rc_attempt_fail_local, for a fault of the client's request, which has a code and a message of
 * its own. */
void rc_attempt_fail_fault(rc_attempt *attempt, rc_code code, rc_str message);
/* True: it was sent and must not be sent again. A failure of our own then leaves open whether it
 * was carried out. */
bool rc_attempt_may_be_done(const rc_attempt *attempt);
rc_local_outcome rc_attempt_local_outcome(rc_upstream_kind kind);
/* Stops the attempt because the gateway stops. */
void rc_attempt_break(rc_attempt *attempt, rc_local_outcome outcome);

/* ---- exchange_budget.c: budgets ---- */

/* Builds the report BudgetExceeded, with the amounts and the renewal time, from `decision`. */
void rc_attempt_report_budget(rc_attempt *attempt);
/* Emits notices about budgets. */
void rc_exchange_emit_budgets(rc_exchange *exchange, const rc_ledger_notices *facts);

/* ---- exchange_reply.c: the reply to the client ---- */

/* Builds the report of a call that has stopped. */
void rc_exchange_report_stop(rc_exchange *exchange);
/* Builds the report of a request that is refused instead of the next attempt. wait_until_ms: the
 * end of a wait that was cut short; 0: none. */
void rc_exchange_report_refusal(rc_exchange *exchange, rc_local_outcome outcome,
                                uint64_t wait_until_ms);
/* Refuses the request before any attempt. */
void rc_exchange_refuse(rc_exchange *exchange, rc_local_outcome outcome);
/* As rc_exchange_refuse, with a message of the caller's. */
void rc_exchange_refuse_text(rc_exchange *exchange, rc_local_outcome outcome, rc_str message);
/* As rc_exchange_refuse, because this gateway is full: Overloaded, sent at once. */
void rc_exchange_shed(rc_exchange *exchange, rc_local_outcome outcome);
/* As rc_exchange_refuse, with a report. report: takes. */
void rc_exchange_refuse_report(rc_exchange *exchange, const rc_report *report);
void rc_exchange_refuse_fault(rc_exchange *exchange, const rc_request_fault *fault);
/* Appends the fault as text: "Sentence.", or "name: clause; it should be so." fault: borrows. */
void rc_request_fault_push(rc_buf *text, const rc_request_fault *fault);
/* Makes StoreUnavailable the result, because the record cannot be stored. why: takes. */
void rc_exchange_report_unrecorded(rc_exchange *exchange, const rc_report *why);
/* Begins a report of our own. */
void rc_exchange_begin_report(rc_exchange *exchange, rc_builder *builder, rc_code code,
                              rc_str message);
/* Writes "clause" as "Clause." into scratch; returns it, or clause if it does not fit. */
rc_str rc_exchange_sentence(const char *clause, char *scratch, size_t size);
/* Sends what `ending` says, once the record is acknowledged. */
void rc_exchange_send_reply(rc_exchange *exchange);

/* ---- exchange_unknown_endpoint.c: endpoints that only providers have ---- */

/* Refuses a path without an endpoint and names the passthrough path to a provider that may have it.
 * dialect: the request's. False: the path is not a provider's either, and nothing was done. */
bool rc_exchange_refuse_unknown_endpoint(rc_exchange *exchange, rc_dialect dialect);

/* ---- exchange_base_url.c: wrong base URLs ---- */

/* Refuses a path that would be an endpoint with another base URL, and names that. False: there is
 * none, and nothing was done. */
bool rc_exchange_refuse_base_url(rc_exchange *exchange);
/* Refuses a path that no endpoint has, and names all base URLs. */
void rc_exchange_refuse_unknown_path(rc_exchange *exchange);

/* ---- exchange_request_loop.c: requests that come back to this gateway ---- */

void rc_exchange_refuse_request_loop(rc_exchange *exchange);
/* Names the provider behind which a gateway refused a loop. The exchange must have a report. */
void rc_exchange_describe_request_loop(const rc_exchange *exchange, rc_builder *builder);

/* ---- exchange_native.c: passthrough responses ---- */

/* The dialect of the provider's clients; for an unknown provider one that fits the request.
 * request: a passthrough. */
rc_dialect rc_exchange_native_dialect(const rc_snapshot *snapshot,
                                      const rc_client_request *request);
/* Sets the provider's status and error text, if the latest attempt got a response. */
void rc_exchange_describe_native(const rc_exchange *exchange, rc_builder *builder);

/* ---- exchange_ledger.c: the steps of a request ---- */

/* exchange_repeat.c: rc_exchange_check_repeat counts a complete request that repeats one with a
 * final error; rc_exchange_note_final_error remembers such a request. */
void rc_exchange_check_repeat(rc_exchange *exchange);
void rc_exchange_note_final_error(const rc_exchange *exchange);

/* Adds a step. NULL: too many, or out of memory. */
rc_ledger_step *rc_exchange_add_step(rc_exchange *exchange, rc_record_kind kind);
/* Adds the end of an attempt. report: of a failure; borrows. NULL with is_done: success; NULL
 * without: cancelled. */
void rc_exchange_add_attempt(rc_attempt *attempt, const rc_report *report, bool is_done);
/* Adds the next action, and the targets that it skips. */
void rc_exchange_add_action(rc_exchange *exchange, const rc_action *action);
/* Adds the flaw of a complete but unusable response, so that all outputs report the same result.
 * flaw: borrows. */
void rc_exchange_add_flaw(rc_exchange *exchange, const rc_report *flaw);
/* The reason of a call whose response is complete but unusable. */
rc_reason rc_exchange_flaw_reason(const rc_exchange *exchange);
/* Adds an entry that was to be used and is not. */
void rc_exchange_add_skip(rc_exchange *exchange, uint16_t entry, rc_reason why);
/* A wait was ended early: only the time that was waited counts. */
void rc_exchange_cut_wait(rc_exchange *exchange);
/* Adds a warning about a limit. low: copies. */
void rc_exchange_add_quota(const rc_attempt *attempt, const rc_quota *low);
/* Begins and ends a wait for a budget. decision: borrows. */
void rc_exchange_add_pause(rc_exchange *exchange, const rc_ledger_decision *decision);
void rc_exchange_end_pause(rc_exchange *exchange);
void rc_exchange_steps_done(rc_exchange *exchange);
/* Fills in the cost. done: an attempt with a complete response that is not a step yet; NULL: all
 * are. */
void rc_exchange_fill_cost(const rc_exchange *exchange, const rc_attempt *done,
                           rc_reply_facts *facts);
/* Fills in the times until now. */
void rc_exchange_fill_times(const rc_exchange *exchange, const rc_attempt *current,
                            rc_reply_facts *facts);
/* True: some of the request was sent. */
bool rc_attempt_was_sent(const rc_attempt *attempt);
rc_str rc_exchange_model_of(const rc_exchange *exchange, uint16_t entry);
const rc_snapshot_provider *rc_exchange_provider_of(const rc_exchange *exchange, uint16_t entry);

/* True: the request costs nothing, whatever the response. */
bool rc_client_request_is_free(const rc_client_request *request);

/* ---- exchange_events.c: events for the client ---- */

/* Emits the events of an action, if the client requested events. */
void rc_exchange_emit_action(rc_exchange *exchange, const rc_action *action);
/* Emits that the call waits for a budget. decision: borrows. */
void rc_exchange_emit_pause(rc_exchange *exchange, const rc_ledger_decision *decision);
/* True: the response head was sent for the sake of an event. */
bool rc_exchange_has_event_head(const rc_exchange *exchange);
void rc_exchange_events_done(rc_exchange *exchange);

/* ---- exchange_audit.c: the record ---- */

/* Stores the record. The answer is an input: at once, or when the store has acknowledged it. */
void rc_exchange_record(rc_exchange *exchange);
/* The deadline due_ms has passed, or the loop stops, and the record is not acknowledged. */
void rc_exchange_on_record_late(rc_exchange *exchange, uint64_t due_ms);
/* Reports the request to metrics and on_record, once. Must be called while the client's head is
 * still there. */
void rc_exchange_count(rc_exchange *exchange);

#endif
