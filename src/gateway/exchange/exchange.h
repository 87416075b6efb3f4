/* rc_exchange: one client's request, from its head to the last byte of its answer.
 *
 *   READING ──► TRYING ──── content ──► ANSWERING ─┐
 *      │         │  ▲                       │       ├─ the end ──► KEEPING ──► ENDING ──► (spare)
 *      │ fault   │  └──► WAITING            failure │              the record
 *      └─────────┴── an error of our own, or a whole answer
 *
 * It decides nothing. What happens is told to rc_call; what rc_call answers is carried out by an
 * rc_attempt, or by two when a late answer is hedged. The last byte of an answer leaves when its
 * record is safe, and not before. A client that leaves ends it in any state, and with it what it
 * has asked of a provider. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_H

#include <recourse/builder.h>
#include <recourse/hedge.h>

#include "codec/sse.h"
#include "codec/stream_array.h"
#include "dialect/body_shape.h"
#include "dialect/stream.h"
#include "dialect/usage_charge.h"
#include "dialect/usage_scan.h"
#include "gateway/loop/loop_private.h"
#include "gateway/request/outbound.h"
#include "http/coding.h"
#include "policy/outcome.h"

/* Of an answer that fails: what is looked at. */
#define RC_ATTEMPT_ERROR_MAX ((size_t)64 << 10)
/* Of one that does not, before it is passed on. */
#define RC_ATTEMPT_HELD_MAX ((size_t)256 << 10)
#define RC_EXCHANGE_LIMITS_MAX ((size_t)4 << 10) /* of a provider's rate-limit headers */
/* Behind its terminator a stream has nothing to say: so long is waited for its orderly end. */
#define RC_ATTEMPT_TAIL_MS 500u
/* However late it is, the store has so long: a call that ends at its deadline is kept like any. */
#define RC_EXCHANGE_RECORD_MIN_MS 1000u
/* And no longer than this, which is more than its own retries take. */
#define RC_EXCHANGE_RECORD_MAX_MS 30000u
/* When whoever finds no room here is to come again. Nobody knows when there will be some. */
#define RC_EXCHANGE_BUSY_MS 1000

typedef enum rc_exchange_state {
    RC_EXCHANGE_READING = 0,
    RC_EXCHANGE_ATTEMPTING = 1,
    RC_EXCHANGE_WAITING = 2,
    RC_EXCHANGE_RESPONDING = 3, /* content is being passed on */
    RC_EXCHANGE_RECORDING = 4,  /* the record is on its way into the store */
    RC_EXCHANGE_ENDING = 5,     /* the answer is whole and leaves */
    RC_EXCHANGE_OVER = 6,
    RC_EXCHANGE_PAUSED = 7 /* until there is money for the try */
} rc_exchange_state;

/* How the answer of a try is dealt with. */
typedef enum rc_attempt_mode {
    RC_MODE_HEAD = 0,   /* its head has not come */
    RC_MODE_ERROR = 1,  /* collected, then judged */
    RC_MODE_WHOLE = 2,  /* held until it is whole, looked at, then passed on */
    RC_MODE_STREAM = 3, /* its events are watched */
    RC_MODE_RELAY = 4   /* passed on as it comes */
} rc_attempt_mode;

/* The shape that the client can read. */
typedef enum rc_expected_shape {
    RC_EXPECT_ANY = 0, /* what was asked is not known here, or may come in several */
    RC_EXPECT_OBJECT = 1,
    RC_EXPECT_EVENTS = 2,
    RC_EXPECT_ARRAY = 3
} rc_expected_shape;

/* What is left to do once the record is safe. */
typedef enum rc_exchange_ending {
    RC_ENDING_NONE = 0,        /* the client is gone */
    RC_ENDING_WHOLE = 1,       /* the answer: head and body */
    RC_ENDING_TAIL = 2,        /* the end of what has begun */
    RC_ENDING_ERROR = 3,       /* an error of ours, head and page */
    RC_ENDING_ERROR_EVENT = 4, /* an error of ours in the midst of a stream */
    RC_ENDING_ABORT = 5        /* in the midst of anything else there is no place for words */
} rc_exchange_ending;

/* A provider's limit that is nearly used up. */
typedef struct rc_exchange_quota {
    rc_quota quota; /* its name views the next */
    char name[RC_QUOTA_NAME_MAX];
    bool is_emitted; /* to the client */
} rc_exchange_quota;

/* One line of what happened: a try, a wait, a switch, a skip, a warning. */
typedef struct rc_ledger_step {
    rc_record_kind kind;
    uint16_t entry;
    uint16_t credential;
    uint32_t attempt;
    rc_reason reason; /* of an ATTEMPT: of what was done next */
    int status;
    uint64_t wait_ms;
    int64_t at_unix_ms;
    int64_t latency_ms;
    int64_t first_byte_ms;
    uint64_t bytes;
    rc_charge charge; /* what it used */
    uint64_t cost_usd_micro;
    uint32_t flags;             /* RC_RECORD_ */
    bool is_paused;             /* of a WAIT: it is for money */
    uint32_t budget;            /* which has none: a row of the purse */
    const rc_report *report;    /* NULL: it worked */
    rc_unavailable unavailable; /* of a SKIP: the failure, as far as it is known */
    rc_str text;                /* the same in words; its own memory */
    rc_exchange_quota *quota;   /* of a QUOTA: what is left; its own memory */
} rc_ledger_step;

typedef struct rc_exchange_events rc_exchange_events;
typedef struct rc_attempt_decoder rc_attempt_decoder;

/* Entries of a plan of the job's own that need no memory of their own. */
#define RC_EXCHANGE_INLINE_ENTRIES 4u

/* The first of them need no memory of their own. */
#define RC_EXCHANGE_INLINE_STEPS 2u
#define RC_EXCHANGE_STEPS_MAX 256u

/* Of a response's id; a longer one is not repeated. */
#define RC_ATTEMPT_RESPONSE_ID_MAX 128u

/* One call to a provider. */
struct rc_attempt {
    rc_exchange *exchange;
    rc_attempt *next_spare;
    rc_hedge_lane lane;
    rc_attempt_mode mode;
    uint16_t entry;
    uint16_t credential;
    uint32_t number;
    const rc_snapshot_provider *provider;
    rc_secret key; /* that was sent */
    rc_str model;  /* that is asked, without secrets */
    uint64_t started_ms;
    uint64_t started_ns;
    int64_t started_unix_ms;
    int64_t first_byte_ms;  /* since the start; -1: nothing has come */
    uint64_t first_byte_us; /* RC_METRICS_NO_TIME */
    uint64_t bytes;         /* of the body; of one that came compressed: decoded */
    uint64_t ends_at_ms;    /* when a stream that said its end is over, whatever comes */
    bool is_array;
    bool is_client_slow;   /* the client is slow, and the provider waits for it */
    bool is_terminated;    /* its stream said its end */
    bool has_share;        /* its first byte is due by its share of the deadline */
    bool is_share_over;    /* and did not come by then */
    bool is_started;       /* the demo was asked */
    bool is_inside_event;  /* what was passed on last is not the end of its event */
    bool is_watched;       /* watch knows something of it */
    bool is_scanned;       /* reading.scan counts what is passed on */
    bool is_called_events; /* by the answer's head */
    rc_expected_shape expected;
    rc_body_shape shape;         /* of what came for a stream */
    bool is_compressed;          /* it came compressed, and is decoded here */
    rc_attempt_decoder *decoder; /* while it comes; NULL: it is plain, or passed on as it is */
    const rc_http1 *reader; /* of the answer's head, whose bytes are in head. Until the call ends */
    rc_demo_call *demo;     /* NULL: it is not asked */
    const rc_report *flaw;  /* of an answer that is whole and of no use; NULL: there is none */
    int64_t next_sequence_number; /* of the stream's events; 0: they have none */
    uint8_t response_id_len;
    /* What is above is all zero at first; what is below has a beginning of its own. */
    rc_usage usage;                               /* of a whole answer */
    rc_ledger_reservation reservation;            /* of budgets */
    char response_id[RC_ATTEMPT_RESPONSE_ID_MAX]; /* the stream's own */
    rc_stream_watch watch;
    union {
        rc_sse sse;
        rc_stream_array array;
        rc_usage_scan scan; /* of RELAY; its room is room */
    } reading;
    rc_buf wire;    /* the request's head, with a key in it */
    rc_buf head;    /* of the provider's answer */
    rc_buf held;    /* of it: what was not passed on yet */
    rc_buf scratch; /* of an event, or a usage object, that came in pieces */
    rc_upstream_call upstream;
};

struct rc_exchange {
    rc_loop *loop;
    rc_responder *responder; /* NULL: the client is gone */
    rc_exchange *next;       /* of the spare ones, or of those that were kept */
    rc_exchange *live_next, *live_prev;
    uv_timer_t timer;
    uint64_t timer_at_ms; /* when it fires; RC_UNLIMITED: it does not */
    rc_buf lines;         /* of the answer's head, until it may leave */
    rc_buf limits;        /* rate-limit headers of the provider, if the latest failure is a limit */
    rc_buf body;          /* the client's */
    /* What is above is kept from one request to the next. */
    rc_exchange_state state;
    rc_exchange_ending ending;
    rc_snapshot_ref *snapshot_ref;
    rc_id id;
    rc_dialect dialect; /* of our errors */
    size_t client;      /* in the configuration; SIZE_MAX: none */
    int64_t began_unix_ms;
    uint64_t began_ms;
    uint64_t called_ms; /* when its call began, if that has a plan */
    uint64_t began_ns;
    int64_t first_byte_ms; /* -1: nothing has left */

    rc_route *route;
    rc_plan plan;            /* the route's, or with the client's own choices */
    rc_chain_entry *entries; /* of a plan that has its own; NULL: it has not */
    rc_str requested_model;  /* for targets that leave it open; may be a secret */
    rc_str model;            /* the same without secrets */
    rc_action action;
    uint32_t unsent_attempts; /* tries that rc_call counts, in which nobody was asked */
    rc_hedge hedge;
    rc_attempt *current;          /* the try under way, or the latest one; NULL: none yet */
    rc_attempt *hedge_attempt;    /* a hedge's second lane; NULL: none */
    uint64_t reserve_again_at_ms; /* when one that is paused asks again */

    size_t kept_bytes;          /* of its body, as the world counts them */
    uint64_t upload_left;       /* of a body that is passed on as it comes */
    rc_usage_estimate estimate; /* what the request asked, once its body is gone */
    bool is_body_streamed;      /* that body is gone */
    bool is_body_whole;
    bool is_body_gone;    /* ask says what it asked */
    bool is_late;         /* the deadline ended the latest try */
    bool has_polled;      /* at what had come by then */
    bool was_partly_sent; /* it failed behind content */
    bool is_hedge_next;   /* of two lanes that have something to decode, the other one is next */
    bool is_flawed;       /* an answer was passed on that is of no use: report says why */
    bool is_recorded;
    bool is_counted;
    bool is_shed;          /* there is no room for it here */
    bool is_store_pending; /* for the store */
    bool is_reply_early;   /* the client was told before the store had its word */
    bool is_acknowledged;  /* of the store; behind the gate's kept_lock */
    uint64_t record_by_ms;
    const rc_report *refused_why; /* of a store that refuses; NULL: it does not */
    const char *gone_text;        /* why the client is gone; NULL: it is not */
    int status;                   /* that the client gets */
    const rc_report *report;      /* of the latest failure */

    rc_ledger_step *steps; /* first, or memory of their own */
    uint32_t step_count;
    uint32_t step_capacity;
    uint32_t switches;
    uint64_t wait_ms;
    uint64_t last_wait_ms;
    uint64_t waits_from_ms;     /* since when it waits, in states WAITING and PAUSED */
    rc_exchange_events *events; /* for a client that asked for them; NULL: nothing was told */
    /* What is below is set when it begins. */
    rc_ledger_step inline_steps[RC_EXCHANGE_INLINE_STEPS];
    rc_chain_entry inline_entries[RC_EXCHANGE_INLINE_ENTRIES];
    rc_call call;
    rc_client_request request;
};

/* The provider's limit was reached: its rate-limit headers are the client's, too. */
static inline bool rc_exchange_is_limit(const rc_report *report)
{
    const rc_code code = rc_report_code(report);
    return code == RC_CODE_RATE_LIMITED || code == RC_CODE_QUOTA_EXHAUSTED;
}

static inline const rc_snapshot *rc_exchange_snapshot(const rc_exchange *exchange)
{
    return exchange->snapshot_ref->snapshot;
}

/* ---- job.c: its life ---- */

/* A request has come. NULL: there is no memory. exchange: borrows until the end. */
rc_exchange *rc_exchange_new(rc_loop *loop, rc_responder *responder);
/* The answer is out; the client is gone. */
void rc_exchange_on_done(rc_exchange *exchange);
void rc_exchange_on_gone(rc_exchange *exchange, const rc_disconnect *gone);
/* Nothing more comes of it. One that the store still knows keeps its place in memory. */
void rc_exchange_close(rc_exchange *exchange);
/* The store has had its word about one whose client was told before. */
void rc_exchange_on_acknowledged(rc_exchange *exchange);
/* There is no more time, or nothing to be waited for: what has begun ends with a word, what has not
 * is refused. */
void rc_exchange_cut_short(rc_exchange *exchange);

/* Does what rc_call says. */
void rc_exchange_carry_out(rc_exchange *exchange, rc_action action);
/* Sets the timer by the state. */
void rc_exchange_arm(rc_exchange *exchange);
void rc_exchange_on_drained(rc_exchange *exchange);

/* ---- job_deadline.c: its time ---- */

/* When the time that the client gave is over; RC_UNLIMITED: it gave none. */
uint64_t rc_exchange_client_deadline(const rc_exchange *exchange);
/* When the call must have ended that begins at called_ms. */
uint64_t rc_exchange_call_deadline(const rc_exchange *exchange);
/* The response has begun: what the client's SDK waits for is there. */
void rc_exchange_end_announced_timeout(rc_exchange *exchange);
/* A try that the deadline ended had a fair part of what the operator gives it: that it was not done
 * by then says something of its target. */
bool rc_attempt_had_time(const rc_attempt *attempt);
/* A try that the deadline ends fails because of it. */
void rc_exchange_set_deadline(const rc_exchange *exchange, rc_failure *failure);
/* Rule, words and advice of a DeadlineExceeded: whose time it was, and how long. */
void rc_exchange_describe_deadline(const rc_exchange *exchange, rc_builder *builder);
/* Into the context of what ended because a wait would have been too long for it. */
void rc_exchange_add_deadline_context(const rc_exchange *exchange, rc_builder *builder);
/* It passed while the body came. */
void rc_exchange_refuse_late(rc_exchange *exchange);

/* ---- job_rest.c: nobody can be asked ---- */

/* A target is passed over: why it rests. */
void rc_exchange_note_unavailable(rc_exchange *exchange, rc_ledger_step *step);
/* The code of a call that no target could be asked for, by what all of them rest for: a used-up
 * quota, or refused keys, when time alone does not open one of them sooner. */
rc_code rc_exchange_unavailable_code(const rc_exchange *exchange);
/* Has a provider named the time for which such a call is told to wait? */
bool rc_exchange_is_retry_time_named(const rc_exchange *exchange);
/* The message of such a call, with the targets and what they rest for; and the advice. */
void rc_exchange_describe_unavailable(const rc_exchange *exchange, rc_code code,
                                      rc_builder *builder);

/* ---- job_request.c: what the client asks ---- */

/* head: borrows until the end. */
void rc_exchange_on_head(rc_exchange *exchange, const char *head);
void rc_exchange_on_body(rc_exchange *exchange, rc_str piece);
void rc_exchange_on_body_end(rc_exchange *exchange);
/* Nobody will be asked again: others may keep as much. Whoever has the answer can rely on it. */
void rc_exchange_uncount_body(rc_exchange *exchange);
/* The same, and its memory goes. */
void rc_exchange_drop_body(rc_exchange *exchange);
/* Its own plan is not needed any more, and the rows of targets that it names may be others'. */
void rc_exchange_release_entries(rc_exchange *exchange);

/* ---- try.c: asking a provider ---- */

/* There may be money for it now. */
void rc_attempt_reserve_and_send(rc_attempt *attempt);
/* Starts one, or fails it. */
void rc_attempt_start(rc_exchange *exchange, rc_hedge_lane lane, uint16_t entry,
                      uint16_t credential);
/* Its call ends without a word. */
void rc_attempt_stop(rc_attempt *attempt);
/* Stops it and gives its memory back. NULL is allowed. */
void rc_attempt_free(rc_attempt *attempt);
void rc_attempt_pause(rc_attempt *attempt);
void rc_attempt_resume(rc_attempt *attempt);
/* The body goes on, as it comes from the client. */
void rc_attempt_upload(rc_attempt *attempt, rc_str piece, bool is_last);
/* What is not needed once content is passed on. */
void rc_attempt_free_request(rc_attempt *attempt);

/* ---- try_answer.c: what it answers ---- */

extern const rc_upstream_handler rc_attempt_upstream_handler;

/* Content is passed on from now: no other try. False: it cannot even begin, and the job is over. */
bool rc_attempt_commit(rc_attempt *attempt, rc_http1_framing framing, uint64_t length);
void rc_attempt_write(rc_attempt *attempt, rc_str bytes);
/* It worked, and all but what is held was passed on. */
void rc_attempt_deliver(rc_attempt *attempt, rc_exchange_ending ending);

/* More of the body, to be read. The try may be over then. */
void rc_attempt_on_body(rc_attempt *attempt, rc_str piece);
/* The body is whole; the provider has failed. */
void rc_attempt_on_body_end(rc_attempt *attempt);
void rc_attempt_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);

/* ---- try_quota.c: what is left of the provider's limits ---- */

/* By the answer's head, whatever the answer is. */
void rc_attempt_read_quota(const rc_attempt *attempt, const rc_upstream_head *head);

/* ---- try_coded.c: an answer that came compressed ---- */

/* From its head on. The try may be over then. */
void rc_attempt_decoder_begin(rc_attempt *attempt, rc_coding coding);
void rc_attempt_decoder_on_body(rc_attempt *attempt, rc_str piece);
/* False: the end is told later, or the try is over. */
bool rc_attempt_decoder_on_end(rc_attempt *attempt);
/* False: it is told later. failure: copies. */
bool rc_attempt_decoder_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);
/* Does something wait for its turn? Of one that is coded. */
bool rc_attempt_decoder_is_due(const rc_attempt *attempt);
/* Its turn has come. */
void rc_attempt_decoder_turn(rc_attempt *attempt);
/* Nothing more is decoded. One that is not coded is allowed. */
void rc_attempt_decoder_stop(rc_attempt *attempt);

/* ---- try_judge.c: whether it is an answer ---- */

/* Is a whole body an answer, and no error? Reads what it used, and notes a flaw. */
bool rc_attempt_is_good(rc_attempt *attempt, rc_str body);
/* Does one that is too large to be held begin as an error? */
bool rc_attempt_begins_as_error(rc_attempt *attempt, rc_str start);
/* Notes the flaw of a stream that is complete. */
void rc_attempt_judge_stream(rc_attempt *attempt);
/* Whose JSON it is, where there is something to look for in it. */
rc_stream_dialect rc_attempt_dialect(const rc_attempt *attempt);

/* ---- try_shape.c: whether it is what was asked for ---- */

/* is_called_events: by the answer's head. */
rc_expected_shape rc_attempt_expected_shape(const rc_attempt *attempt, bool is_called_events);
/* Of a stream: may its first bytes be those of one? False, once: it is to be held until it is whole
 * then, and judged; *piece is moved past what is blank in front. */
bool rc_attempt_is_in_shape(rc_attempt *attempt, rc_str *piece);
/* Is one that is too large to be held no answer by its first bytes? */
bool rc_attempt_begins_misshapen(const rc_attempt *attempt, rc_str start);
/* Fails a whole answer that is one and not of the shape that was asked for, with what it used, or
 * with the error in it. is_good: it is an object without an error. False: it is for others to
 * judge. */
bool rc_attempt_fail_shape(rc_attempt *attempt, rc_str body, bool is_good);

/* ---- try_stream.c: an answer in events ---- */

void rc_attempt_stream_begin(rc_attempt *attempt, bool is_array);
void rc_attempt_stream_on_body(rc_attempt *attempt, rc_str piece);
/* failure: NULL when the body is whole. */
void rc_attempt_stream_on_end(rc_attempt *attempt, const rc_upstream_failure *failure);

/* ---- try_follow.c: where it stands ---- */

/* An event goes on its way. event: borrows. */
void rc_attempt_track_event(rc_attempt *attempt, const rc_stream_event *event);
/* What an error at the end of the stream must know of it. builder: borrows. */
void rc_attempt_set_stream_position(const rc_attempt *attempt, rc_builder *builder);

/* ---- try_fail.c: what went wrong ---- */

/* The try failed. failure: what is known beside what the try knows; views. It is classified before
 * the try is stopped. */
void rc_attempt_fail(rc_attempt *attempt, rc_failure *failure);
/* The attempt failed although the provider responded: the response cannot be used, for the reason
 * that outcome names. A request that must not be sent twice ends as OutcomeUnknown. */
void rc_attempt_fail_unusable(rc_attempt *attempt, rc_local_outcome outcome);
/* The same with a message of the caller's. */
void rc_attempt_fail_unusable_text(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
/* The same with the code that the response's finish reason stands for. */
void rc_attempt_fail_ended(rc_attempt *attempt, rc_code code, rc_str message);
/* It failed for a reason that is ours, or the configuration's: no target is to blame, and no other
 * one would do better. */
void rc_attempt_fail_local(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
/* The same for a fault of the client's request, which has a code and a message of its own. */
void rc_attempt_fail_fault(rc_attempt *attempt, rc_code code, rc_str message);
/* Was it sent, and must it not be sent again? A failure that is ours then leaves open whether it
 * was carried out. */
bool rc_attempt_may_be_done(const rc_attempt *attempt);
rc_local_outcome rc_attempt_local_outcome(rc_upstream_kind kind);
/* It was not even begun, and does not count: nobody was asked. why: the call stops, or there is no
 * second lane. report: takes. */
void rc_attempt_refuse(rc_attempt *attempt, const rc_report *report, rc_reason why);

/* ---- job_money.c: budgets ---- */

/* There is no money for it: BudgetExceeded, with the numbers and the time when it renews. */
void rc_attempt_refuse_budget(rc_attempt *attempt, const rc_ledger_decision *decision);
/* What is to be told of budgets. */
void rc_exchange_emit_budgets(rc_exchange *exchange, const rc_ledger_notices *facts);

/* ---- job_tell.c: how the client is told ---- */

/* rc_call has given up. */
void rc_exchange_give_up(rc_exchange *exchange);
/* The request is refused, before any try or instead of the next one. */
void rc_exchange_refuse(rc_exchange *exchange, rc_local_outcome outcome);
/* The same with a message of the caller's. */
void rc_exchange_refuse_text(rc_exchange *exchange, rc_local_outcome outcome, rc_str message);
/* The same for want of room here: Overloaded, at once. */
void rc_exchange_shed(rc_exchange *exchange, rc_local_outcome outcome);
/* The same with a report that is made. Takes. */
void rc_exchange_refuse_report(rc_exchange *exchange, const rc_report *report);
void rc_exchange_refuse_fault(rc_exchange *exchange, const rc_request_fault *fault);
/* Its words: "Sentence.", or "name: clause; it should be so." fault: borrows. */
void rc_request_fault_push(rc_buf *text, const rc_request_fault *fault);
/* The record cannot be kept: that is what the client is told. why: takes. */
void rc_exchange_report_unrecorded(rc_exchange *exchange, const rc_report *why);
/* A try could not even begin. */
void rc_exchange_out_of_memory(rc_exchange *exchange);
/* A report of our own, to be filled in. */
void rc_exchange_begin_report(rc_exchange *exchange, rc_builder *builder, rc_code code,
                              rc_str message);
/* "clause" as "Clause.", in room, or as it is. */
rc_str rc_exchange_sentence(const char *clause, char *scratch, size_t size);
/* Writes what `then` says, once the record is safe. */
void rc_exchange_send_reply(rc_exchange *exchange);

/* ---- job_elsewhere.c: what providers have, and we do not ---- */

/* Refuses a path that none of the endpoints has, and names the way to the provider that may have
 * it. dialect: that the request is of. False: it reads like no provider's, and nothing was done. */
bool rc_exchange_refuse_unknown_endpoint(rc_exchange *exchange, rc_dialect dialect);

/* ---- job_mistake.c: base URLs of clients ---- */

/* Refuses a path that would be an endpoint with another base URL, and names that. False: it is
 * none, and nothing was done. */
bool rc_exchange_refuse_base_url(rc_exchange *exchange);
/* Refuses any path that no endpoint has, and names all base URLs. */
void rc_exchange_refuse_unknown_path(rc_exchange *exchange);

/* ---- job_loop.c: requests that go in a circle ---- */

void rc_exchange_refuse_request_loop(rc_exchange *exchange);
/* Says of a provider behind which a gateway has refused so, whose address it is. The job has a
 * report. */
void rc_exchange_describe_request_loop(const rc_exchange *exchange, rc_builder *builder);

/* ---- job_native.c: what a provider's own endpoints answer ---- */

/* The dialect that clients of the provider speak; of a name that is not known one that fits the
 * request. request: of a passthrough. */
rc_dialect rc_exchange_native_dialect(const rc_snapshot *snapshot,
                                      const rc_client_request *request);
/* Of a call whose latest try failed: the provider's status and words, if it answered. */
void rc_exchange_describe_native(const rc_exchange *exchange, rc_builder *builder);

/* ---- job_steps.c: what happened ---- */

/* job_repeat.c: the request is whole; it was answered with an error. Clients that repeat what was
 * answered for good are counted. */
void rc_exchange_check_repeat(rc_exchange *exchange);
void rc_exchange_note_final_error(const rc_exchange *exchange);

/* A line more; NULL: there are too many, or no memory. */
rc_ledger_step *rc_exchange_add_step(rc_exchange *exchange, rc_record_kind kind);
/* How a try ended. report: of a failure; borrows. NULL with is_done: it worked; without: it was
 * given up. */
void rc_exchange_add_attempt(rc_attempt *attempt, const rc_report *report, bool is_done);
/* What is to be done next, and whom that passes over. */
void rc_exchange_add_action(rc_exchange *exchange, const rc_action *action);
/* The answer is whole and goes on its way, and it is none that can be used: how the call ended is
 * told the same way everywhere. flaw: borrows. */
void rc_exchange_add_flaw(rc_exchange *exchange, const rc_report *flaw);
/* An entry that was to be asked is not. */
void rc_exchange_add_skip(rc_exchange *exchange, uint16_t entry, rc_reason why);
/* Somebody has ended the wait: only what was waited is counted. */
void rc_exchange_cut_wait(rc_exchange *exchange);
/* An answer says that a limit is nearly used up. low: copies. */
void rc_exchange_add_quota(const rc_attempt *attempt, const rc_quota *low);
/* It waits for a budget from now on; it does so no longer. answer: borrows. */
void rc_exchange_add_pause(rc_exchange *exchange, const rc_ledger_decision *decision);
void rc_exchange_end_pause(rc_exchange *exchange);
void rc_exchange_steps_done(rc_exchange *exchange);
/* What the request has cost and how long it took, for the client. done: an attempt that has its
 * whole response and is no step yet; NULL: all are. */
void rc_exchange_fill_cost(const rc_exchange *exchange, const rc_attempt *done,
                           rc_reply_facts *facts);
/* How long: until now. */
void rc_exchange_fill_times(const rc_exchange *exchange, const rc_attempt *current,
                            rc_reply_facts *facts);
/* Has any of it left this machine? */
bool rc_attempt_was_sent(const rc_attempt *attempt);
rc_str rc_exchange_model_of(const rc_exchange *exchange, uint16_t entry);
const rc_snapshot_provider *rc_exchange_provider_of(const rc_exchange *exchange, uint16_t entry);

/* Does what is asked cost nothing, whatever comes? */
bool rc_client_request_is_free(const rc_client_request *request);

/* ---- job_events.c: a client that asked to hear of it ---- */

/* Tells what an action means, if the client wants to know. */
void rc_exchange_emit_action(rc_exchange *exchange, const rc_action *action);
/* Tells that the call waits for a budget. answer: borrows. */
void rc_exchange_emit_pause(rc_exchange *exchange, const rc_ledger_decision *decision);
/* Has the answer's head left for that? */
bool rc_exchange_has_event_head(const rc_exchange *exchange);
void rc_exchange_events_done(rc_exchange *exchange);

/* ---- job_audit.c: the record ---- */

/* Keeps the record, then does what `then` says: at once, or when the store says so. */
void rc_exchange_record(rc_exchange *exchange, rc_exchange_ending ending);
/* The deadline has passed, or the gate ends, and the record is not safe. */
void rc_exchange_on_record_late(rc_exchange *exchange);
/* Tells whoever keeps count, once. The request's head goes with the client: while it is there. */
void rc_exchange_count(rc_exchange *exchange);

#endif
