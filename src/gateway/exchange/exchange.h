/* rc_exchange: one client's request, from its head to the last byte of its response.
 *
 *   READING ──► ATTEMPTING ── content ──► RESPONDING ─┐
 *      │         │  ▲                        │         ├─ end ──► RECORDING ──► ENDING ──► (spare)
 *      │ fault   │  └──► WAITING             failure   │          the record
 *      └─────────┴── an error of our own, or a whole response
 *
 * rc_call makes the decisions. The exchange reports events to rc_call and carries out the actions
 * that it returns, with one rc_attempt, or with two when a slow response is hedged. The last byte
 * of a response is sent only when the store has acknowledged the record. A client that leaves ends
 * the exchange in any state, together with its calls to providers. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_H

#include <recourse/builder.h>
#include <recourse/hedge.h>

#include "codec/sse.h"
#include "codec/stream_array.h"
#include "dialect/stream.h"
#include "dialect/usage_charge.h"
#include "dialect/usage_scan.h"
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
/* Wait for the orderly end of a stream after its terminator. */
#define RC_ATTEMPT_TAIL_MS 500u
/* Least time for the store to acknowledge a record, also if the deadline has passed. */
#define RC_EXCHANGE_RECORD_MIN_MS 1000u
/* Maximum time for the store to acknowledge a record; longer than the store's own retries take. */
#define RC_EXCHANGE_RECORD_MAX_MS 30000u
/* Retry-After of a request that is refused because this gateway is full; an arbitrary value. */
#define RC_EXCHANGE_BUSY_MS 1000

typedef enum rc_exchange_state {
    RC_EXCHANGE_READING = 0,
    RC_EXCHANGE_ATTEMPTING = 1,
    RC_EXCHANGE_WAITING = 2,
    RC_EXCHANGE_RESPONDING = 3, /* Content is being sent to the client. */
    RC_EXCHANGE_RECORDING = 4,  /* The record is being stored. */
    RC_EXCHANGE_ENDING = 5,     /* The response is complete and is being sent. */
    RC_EXCHANGE_OVER = 6,
    RC_EXCHANGE_PAUSED = 7 /* Waits until a budget allows the attempt. */
} rc_exchange_state;

/* The part of the reply that remains to be sent once the record is acknowledged. */
typedef enum rc_exchange_ending {
    RC_ENDING_NONE = 0,        /* Nothing: the client is gone. */
    RC_ENDING_WHOLE = 1,       /* The response: head and body. */
    RC_ENDING_TAIL = 2,        /* The rest of a response that has begun. */
    RC_ENDING_ERROR = 3,       /* An error of our own: head and body. */
    RC_ENDING_ERROR_EVENT = 4, /* An error of our own as an event of a stream. */
    RC_ENDING_ABORT = 5        /* A cut of the connection: in any other response an error cannot be
                                * expressed. */
} rc_exchange_ending;

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
    rc_hedge_lane lane;
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
    uint64_t ends_at_ms;    /* When a stream with a terminator counts as over, whatever still
                             * comes. */
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

struct rc_exchange {
    rc_loop *loop;
    rc_responder *responder; /* NULL: the client is gone. */
    rc_exchange *next;       /* Next of the spare or of the acknowledged exchanges. */
    rc_exchange *live_next, *live_prev;
    uv_timer_t timer;
    uint64_t timer_at_ms; /* When the timer fires. RC_UNLIMITED: it does not. */
    rc_buf lines;         /* The response head until it is sent. */
    rc_buf limits;        /* The provider's rate-limit headers, if the latest failure is a limit. */
    rc_buf body;          /* The client's body. */
    /* Members above keep their memory from one request to the next. */
    rc_exchange_state state;
    rc_exchange_ending ending;
    rc_snapshot_ref *snapshot_ref;
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
    rc_action action;
    uint32_t unsent_attempts; /* Attempts that rc_call counts although nothing was sent. */
    rc_hedge hedge;
    rc_attempt *current;          /* The current or latest attempt. NULL: none yet. */
    rc_attempt *hedge_attempt;    /* The second lane of a hedge. NULL: none. */
    uint64_t reserve_again_at_ms; /* When a paused attempt tries to reserve again. */

    size_t kept_bytes;          /* Bytes of the body, as counted in the hub. */
    uint64_t upload_left;       /* Bytes still to come of a body that is passed on as it arrives. */
    rc_usage_estimate estimate; /* Token estimate of the request, once its body is freed. */
    bool is_body_streamed;      /* The body was passed on as it arrived and cannot be sent again. */
    bool is_body_whole;
    bool is_body_gone;    /* The body is freed; `estimate` replaces it. */
    bool is_late;         /* The deadline ended the latest attempt. */
    bool has_polled;      /* Sockets were polled once more after the deadline. */
    bool was_partly_sent; /* The request failed after content was sent. */
    bool is_hedge_next;   /* With two lanes to decompress, the hedge is next. */
    bool is_flawed;       /* An unusable response was passed on; `report` says why. */
    bool is_recorded;
    bool is_counted;
    bool is_shed;          /* Refused because this gateway is full. */
    bool is_store_pending; /* Waits for the store's acknowledgement. */
    bool is_reply_early;   /* The client got its response before the acknowledgement. */
    bool is_acknowledged;  /* Guarded by the loop's acknowledged_lock. */
    uint64_t record_by_ms;
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
    uint64_t waits_from_ms;     /* Start of the wait in the states WAITING and PAUSED. */
    rc_exchange_events *events; /* State of the events for a client that requested them. NULL: none
                                 * was sent. */
    /* Members below are initialised when they are used. */
    rc_ledger_step inline_steps[RC_EXCHANGE_INLINE_STEPS];
    rc_chain_entry inline_entries[RC_EXCHANGE_INLINE_ENTRIES];
    rc_call call;
    rc_client_request request;
};

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
/* The response was sent; the client is gone. */
void rc_exchange_on_done(rc_exchange *exchange);
void rc_exchange_on_gone(rc_exchange *exchange, const rc_disconnect *gone);
/* Ends the exchange. If the store has not acknowledged its record, the memory stays until then. */
void rc_exchange_close(rc_exchange *exchange);
/* The store acknowledged the record of an exchange that had responded before. */
void rc_exchange_on_acknowledged(rc_exchange *exchange);
/* Ends the exchange early, at shutdown: a response that has begun ends with an error, others are
 * refused. */
void rc_exchange_cut_short(rc_exchange *exchange);

/* Carries out an action of rc_call. */
void rc_exchange_carry_out(rc_exchange *exchange, rc_action action);
/* Sets the timer for the current state. */
void rc_exchange_arm(rc_exchange *exchange);
void rc_exchange_on_drained(rc_exchange *exchange);

/* ---- exchange_deadline.c: deadlines ---- */

/* When the client's own deadline ends. RC_UNLIMITED: it has none. */
uint64_t rc_exchange_client_deadline(const rc_exchange *exchange);
/* When the call that began at called_ms must have ended. */
uint64_t rc_exchange_call_deadline(const rc_exchange *exchange);
/* The response has begun: the timeout that the client's SDK announced no longer applies. */
void rc_exchange_end_announced_timeout(rc_exchange *exchange);
/* True: an attempt that the deadline ended had enough time, so that its failure counts against the
 * target. */
bool rc_attempt_had_time(const rc_attempt *attempt);
/* Makes the failure of an attempt one of the deadline. */
void rc_exchange_set_deadline(const rc_exchange *exchange, rc_failure *failure);
/* Sets rule, message and advice of a DeadlineExceeded: which deadline, and how long it was. */
void rc_exchange_describe_deadline(const rc_exchange *exchange, rc_builder *builder);
/* Adds the deadline to the context of a report about a wait that would have been too long. */
void rc_exchange_add_deadline_context(const rc_exchange *exchange, rc_builder *builder);
/* Refuses a request whose deadline passed while its body arrived. */
void rc_exchange_refuse_late(rc_exchange *exchange);

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

/* Reserves the cost in the budgets and sends the request, or pauses. */
void rc_attempt_reserve_and_send(rc_attempt *attempt);
/* Starts an attempt, or fails it. */
void rc_attempt_start(rc_exchange *exchange, rc_hedge_lane lane, uint16_t entry,
                      uint16_t credential);
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
/* The attempt succeeded, and everything except `held` was sent. */
void rc_attempt_deliver(rc_attempt *attempt, rc_exchange_ending ending);

/* Handles a piece of the (decompressed) body. The attempt may be over afterwards. */
void rc_attempt_on_body(rc_attempt *attempt, rc_str piece);
/* The body is complete; the call failed. */
void rc_attempt_on_body_end(rc_attempt *attempt);
void rc_attempt_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);

/* ---- attempt_quota.c: the provider's limits ---- */

/* Reads the quotas in the head of any response. */
void rc_attempt_read_quota(const rc_attempt *attempt, const rc_upstream_head *head);

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
/* Refuses an attempt that was not sent and does not count. why: the call stops, or there is no
 * second lane. report: takes. */
void rc_attempt_refuse(rc_attempt *attempt, const rc_report *report, rc_reason why);

/* ---- exchange_budget.c: budgets ---- */

/* Refuses the attempt with BudgetExceeded, with the amounts and the renewal time. */
void rc_attempt_refuse_budget(rc_attempt *attempt, const rc_ledger_decision *decision);
/* Emits notices about budgets. */
void rc_exchange_emit_budgets(rc_exchange *exchange, const rc_ledger_notices *facts);

/* ---- exchange_reply.c: the reply to the client ---- */

/* rc_call has given up. */
void rc_exchange_give_up(rc_exchange *exchange);
/* Refuses the request, before any attempt or instead of the next one. */
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
/* Ends the call because an attempt could not be allocated. */
void rc_exchange_out_of_memory(rc_exchange *exchange);
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

/* Stores the record, then sends what `ending` says: at once, or when the store has acknowledged
 * it. */
void rc_exchange_record(rc_exchange *exchange, rc_exchange_ending ending);
/* The deadline has passed, or the loop stops, and the record is not acknowledged. */
void rc_exchange_on_record_late(rc_exchange *exchange);
/* Reports the request to metrics and on_record, once. Must be called while the client's head is
 * still there. */
void rc_exchange_count(rc_exchange *exchange);

#endif
