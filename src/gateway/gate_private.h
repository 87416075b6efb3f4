/* What the files of rc_gate and rc_gate_job share. */
#ifndef RC_GATEWAY_GATE_PRIVATE_H
#define RC_GATEWAY_GATE_PRIVATE_H

#include <recourse/id.h>

#include "gateway/demo.h"
#include "gateway/gate.h"
#include "net/respond.h"
#include "net/upstream.h"

#define RC_GATE_CHANCE_BYTES 512

struct rc_gate {
    uv_loop_t *loop;
    rc_gate_settings settings;
    rc_gate_plans plans;
    rc_server server;
    rc_upstream *upstream;
    rc_demo *demo; /* NULL: no provider is one */
    rc_id_maker ids;
    uv_timer_t drain;
    uint32_t jobs; /* that are not freed */
    bool is_stopping;
    bool is_server_stopped;
    bool is_upstream_closed;
    bool is_drain_closed;
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
rc_id rc_gate_next_id(rc_gate *gate);
int64_t rc_gate_unix_ms(const rc_gate *gate);

/* A job was freed. */
void rc_gate_job_left(rc_gate *gate);

/* Paths of our own that are no endpoint of a provider's: health. True: it was answered. */
bool rc_gate_answer_health(const rc_gate *gate, rc_exchange *exchange, rc_str path);

/* Appends the list of models. */
void rc_gate_push_models(const rc_gate *gate, rc_buf *buf);

#endif
