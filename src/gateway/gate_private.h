/* What the files of rc_gate and rc_gate_job share. */
#ifndef RC_GATEWAY_GATE_PRIVATE_H
#define RC_GATEWAY_GATE_PRIVATE_H

#include <recourse/id.h>

#include "codec/stream_mould.h"
#include "gateway/demo.h"
#include "gateway/gate.h"
#include "gateway/stall.h"
#include "net/respond.h"
#include "net/upstream.h"

#define RC_GATE_CHANCE_BYTES 512
/* Jobs and tries that are kept for the next requests. */
#define RC_GATE_SPARE_MAX 64

typedef struct rc_gate_job rc_gate_job;
typedef struct rc_gate_try rc_gate_try;

/* An edition of the plans as this loop uses it. The newest is first; older ones are there as long
 * as jobs use them. */
typedef struct rc_gate_edition {
    struct rc_gate_edition *next;
    rc_gate_plans *plans;
    uint32_t jobs;
} rc_gate_edition;

/* More targets than these that stream at once take turns. */
#define RC_GATE_MOULDS 8u

struct rc_gate {
    uv_loop_t *loop;
    rc_gate_settings settings;
    rc_gate_world *world;
    rc_gate_edition *editions;
    rc_server server;
    rc_upstream *upstream;
    rc_demo *demo; /* NULL: no provider has been one */
    rc_metrics_shard *metrics;
    rc_stall stall;
    rc_id_maker ids;
    uv_timer_t drain;

    uv_async_t kept_async; /* the store has kept something */
    uv_mutex_t kept_lock;
    rc_gate_job *kept; /* behind kept_lock */

    uint32_t jobs;     /* that are not over */
    uint32_t owed;     /* that are, and that the store still knows */
    rc_gate_job *live; /* the same, newest first */
    rc_gate_job *spare_jobs;
    uint32_t spare_job_count;
    rc_gate_try *spare_tries;
    uint32_t spare_try_count;
    uint32_t closing_timers;
    rc_skips skips;                         /* of the latest input of any call */
    rc_stream_mould moulds[RC_GATE_MOULDS]; /* of what targets stream, by their rows */

    bool is_stopping;
    bool is_server_stopped;
    bool is_upstream_closed;
    uint32_t open_handles; /* of drain, kept_async and stall */
    size_t chance_at;
    uint8_t chance[RC_GATE_CHANCE_BYTES];
};

static inline uint64_t rc_gate_now(const rc_gate *gate)
{
    return uv_now(gate->loop);
}

/* Bytes by chance: one system call for many. size: at most RC_GATE_CHANCE_BYTES. */
void rc_gate_chance(rc_gate *gate, void *bytes, size_t size);
uint64_t rc_gate_chance_u64(rc_gate *gate);
rc_id rc_gate_next_id(rc_gate *gate, int64_t now_unix_ms);
int64_t rc_gate_unix_ms(const rc_gate *gate);

/* Looks for a newer edition; and lets go of one, at its place in the list. */
void rc_gate_renew(rc_gate *gate);
void rc_gate_drop_edition(rc_gate *gate, rc_gate_edition **at);

/* The newest edition, for one more job; and back. */
rc_gate_edition *rc_gate_enter(rc_gate *gate);
void rc_gate_leave(rc_gate *gate, rc_gate_edition *edition);

/* The key of a credential, of the job's edition or a newer one. False: none has it. */
bool rc_gate_find_key(rc_gate *gate, const rc_gate_provider *provider, uint16_t credential,
                      rc_secret *ret_key);

/* The demo, made when it is first asked. NULL: no memory. */
rc_demo *rc_gate_demo(rc_gate *gate);

/* A buffer rests until the next request: a small one keeps its memory, a large one does not. And
 * one that is not needed for now gives it back, whatever its size. */
void rc_gate_rest_buf(rc_buf *buf);
void rc_gate_drop_buf(rc_buf *buf);

/* Tells how the loop is doing. */
void rc_gate_beat(const rc_gate *gate);

/* A job is over; the store knows one less that is; a spare job's timer is closed. */
void rc_gate_job_left(rc_gate *gate);
void rc_gate_job_forgotten(rc_gate *gate);
void rc_gate_timer_closed(rc_gate *gate);

/* The spare jobs' timers are closed; then the memory goes. */
void rc_gate_close_spares(rc_gate *gate);
void rc_gate_free_spares(rc_gate *gate);

/* The store has kept what jobs wait for. */
void rc_gate_on_kept(uv_async_t *async);

/* Paths of our own that are no endpoint of a provider's: health. True: it was answered. */
bool rc_gate_answer_health(rc_gate *gate, rc_exchange *exchange, const rc_http1 *reader,
                           const char *head);
/* GET and HEAD of "/": what this is, for anybody. True: it was answered. */
bool rc_gate_answer_root(rc_exchange *exchange, const rc_http1 *reader, const char *head);

/* What a client is told whose request is none, or does not come: in the dialect of its path, else
 * OpenAI's. ctx: the gate. */
void rc_gate_render_refusal(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page);

/* Appends the list of models: the names that a client of the dialect can request. */
void rc_gate_push_models(const rc_gate_plans *plans, rc_dialect dialect, rc_buf *buf);
/* Appends one of them. route: that the name leads to; id: borrow. */
void rc_gate_push_model(const rc_gate_plans *plans, const rc_gate_route *route, rc_str id,
                        rc_dialect dialect, rc_buf *buf);

#endif
