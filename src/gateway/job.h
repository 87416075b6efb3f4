/* rc_gate_job: one client's request, from its head to the last byte of its answer.
 *
 *   READING ──► TRYING ──── content, or ──► ANSWERING ──► ENDING ──► (freed)
 *      │         │  ▲  ▲    a whole answer      │            ▲
 *      │ fault   │  └──┴─ WAITING               └── failure ─┤
 *      └─────────┴─────── an error of our own ───────────────┘
 *
 * It decides nothing. What happens is told to rc_call; what rc_call answers is carried out. A
 * client that leaves ends it in any state, and with it what it has asked of a provider. */
#ifndef RC_GATEWAY_JOB_H
#define RC_GATEWAY_JOB_H

#include "codec/sse.h"
#include "codec/stream.h"
#include "codec/stream_array.h"
#include "gateway/gate_private.h"
#include "gateway/request_upstream.h"

/* Of an answer that fails: what is looked at. */
#define RC_JOB_ERROR_MAX ((size_t)64 << 10)
/* Of one that does not, before it is passed on. */
#define RC_JOB_HELD_MAX ((size_t)256 << 10)
#define RC_JOB_ATTEMPTS_MAX 16

typedef enum rc_job_state {
    RC_JOB_READING = 0,
    RC_JOB_TRYING = 1,
    RC_JOB_WAITING = 2,
    RC_JOB_ANSWERING = 3, /* content is being passed on */
    RC_JOB_ENDING = 4,    /* the answer is whole and leaves */
    RC_JOB_OVER = 5
} rc_job_state;

/* How the answer of a try is dealt with. */
typedef enum rc_job_mode {
    RC_MODE_HEAD = 0,   /* its head has not come */
    RC_MODE_ERROR = 1,  /* collected, then judged */
    RC_MODE_WHOLE = 2,  /* held until it is whole, looked at, then passed on */
    RC_MODE_STREAM = 3, /* its events are watched */
    RC_MODE_RELAY = 4   /* passed on as it comes */
} rc_job_mode;

/* A try that failed. */
typedef struct rc_job_attempt {
    uint16_t place;
    uint16_t credential;
    rc_reason reason; /* of what was done next */
    uint64_t duration_ms;
    uint64_t wait_ms;
    int64_t started_unix_ms;
    const rc_report *report;
} rc_job_attempt;

/* The present try. */
typedef struct rc_job_try {
    rc_job_mode mode;
    uint16_t place;
    uint16_t credential;
    rc_str model; /* that is asked */
    uint64_t started_ms;
    uint64_t content_by_ms; /* when the first content must have come */
    rc_http1 reader;        /* of the answer's head, whose bytes are in job->head */
    bool is_array;
    bool is_full; /* the client is slow, and the provider waits for it */
    rc_upstream_call upstream;
    rc_demo_call *demo; /* NULL: it is not asked */
    rc_stream_watch watch;
    union {
        rc_sse sse;
        rc_stream_array array;
    } reading;
} rc_job_try;

typedef struct rc_gate_job {
    rc_gate *gate;
    rc_exchange *exchange; /* NULL: it is over */
    rc_job_state state;
    uv_timer_t timer;
    rc_id id;
    rc_gate_request request;
    rc_dialect dialect; /* of our errors */
    rc_buf body;        /* the client's */

    const rc_gate_route *route;
    rc_chain *chain;
    rc_plan plan;         /* the route's, or with the client's own choices */
    rc_chain_entry entry; /* of a plan that has one of its own */
    rc_str model;         /* for targets that leave it open */
    rc_call call;
    rc_action action;

    rc_job_try now;
    rc_buf wire; /* the request's head, with a key in it */
    rc_buf sent; /* its body, where it is not the client's own bytes */
    rc_buf head; /* of the provider's answer */
    rc_buf held; /* of it: what was not passed on yet */
    rc_buf room; /* of an event that came in pieces */

    rc_job_attempt attempts[RC_JOB_ATTEMPTS_MAX];
    uint32_t attempt_count;
    const rc_report *report; /* of the latest failure */
    int status;              /* that the client gets */
    bool is_late;            /* the deadline ended the latest try */
    bool was_begun;          /* it failed behind content */
    bool is_recorded;
} rc_gate_job;

/* ---- job.c: its life ---- */

/* A request has come. NULL: there is no memory. exchange: borrows until the end. */
rc_gate_job *rc_gate_job_new(rc_gate *gate, rc_exchange *exchange);
/* head: borrows until the end. */
void rc_gate_job_on_head(rc_gate_job *job, const char *head);
void rc_gate_job_on_body(rc_gate_job *job, rc_str piece);
void rc_gate_job_on_body_end(rc_gate_job *job);
void rc_gate_job_on_drained(rc_gate_job *job);
/* The answer is out; the client is gone. */
void rc_gate_job_on_done(rc_gate_job *job);
void rc_gate_job_on_gone(rc_gate_job *job);

/* Does what rc_call says. */
void rc_gate_job_do(rc_gate_job *job, rc_action action);

/* Sets the timer by the state. */
void rc_gate_job_arm(rc_gate_job *job);

/* What is kept of a request that has ended, once. It comes before the last byte of the answer. */
void rc_gate_job_record(rc_gate_job *job);

/* Nothing more is written: the exchange ends the answer, or cuts it. */
void rc_gate_job_end_answer(rc_gate_job *job);
void rc_gate_job_cut_answer(rc_gate_job *job);

/* ---- job_try.c: asking a provider ---- */

void rc_gate_job_try(rc_gate_job *job);
void rc_gate_job_stop_try(rc_gate_job *job);
void rc_gate_job_pause_try(rc_gate_job *job);
void rc_gate_job_resume_try(rc_gate_job *job);

/* ---- job_answer.c: what it answers ---- */

extern const rc_upstream_handler rc_gate_job_upstream;

/* Content is passed on from now: no other try. False: it cannot even begin, and the job is over. */
bool rc_gate_job_commit(rc_gate_job *job, rc_http1_framing framing, uint64_t length);
void rc_gate_job_write(rc_gate_job *job, rc_str bytes);
/* It worked, and all of it was passed on. */
void rc_gate_job_deliver(rc_gate_job *job);

/* ---- job_stream.c: an answer in events ---- */

void rc_gate_job_stream_begin(rc_gate_job *job, bool is_array);
void rc_gate_job_stream_body(rc_gate_job *job, rc_str piece);
/* failure: NULL when the body is whole. */
void rc_gate_job_stream_end(rc_gate_job *job, const rc_upstream_failure *failure);

/* ---- job_fail.c: what went wrong, and how it is told ---- */

/* The try failed. failure: what is known beside what the job knows. */
void rc_gate_job_fail(rc_gate_job *job, rc_failure *failure);
/* It failed in a way that has no more to it than its code. */
void rc_gate_job_fail_code(rc_gate_job *job, rc_code code, rc_str message);
/* It failed for a reason that is ours, or the configuration's: no target is to blame, and no
 * other one would do better. */
void rc_gate_job_fail_here(rc_gate_job *job, rc_code code, rc_str message);
rc_code rc_gate_job_local_code(rc_upstream_kind kind);
/* rc_call has given up: the client is told. */
void rc_gate_job_give_up(rc_gate_job *job);

/* The request is refused before any try. */
void rc_gate_job_refuse(rc_gate_job *job, rc_code code, int status, rc_str message);
void rc_gate_job_refuse_fault(rc_gate_job *job, const rc_gate_fault *fault);

#endif
