/* rc_sim_state: everything that one run of one policy holds.
 *
 *   event ──► arrival of a client ──► a request begins ──┐
 *         ──► end of a call ───────► the request goes on ─┼──► action: try, wait, deliver, stop
 *         ──► end of a wait ───────► the request goes on ─┘
 *
 * A request has exactly one event in the heap from its beginning to its end. */
#ifndef RC_SIM_STATE_H
#define RC_SIM_STATE_H

#include <recourse/call.h>

#include "sim/event_heap.h"
#include "sim/rivals.h"
#include "sim/sim.h"
#include "sim/tally.h"
#include "sim/upstream.h"

/* In the place of a request in an event: the client of that number comes (OPEN: any). */
#define RC_SIM_ARRIVAL UINT32_C(0x80000000)
#define RC_SIM_NO_REQUEST UINT32_MAX
#define RC_SIM_CHUNK 1024
/* A tick is about a nanosecond. */
#define RC_SIM_TICKS_PER_MS UINT64_C(1024000)

typedef struct rc_sim_request {
    rc_call call;             /* OURS */
    rc_sim_rival_state rival; /* else */
    rc_sim_outcome outcome;   /* how the call in flight will end */
    uint64_t arrived_at_ms;
    uint64_t call_at_ms;    /* when the latest call began */
    uint64_t granted_at_ms; /* the next one, if is_granted */
    uint32_t client;
    uint32_t tokens_in;
    uint32_t tokens_out;
    uint32_t calls;
    uint32_t next_free;
    uint16_t upstream; /* that was asked last */
    bool is_waiting;
    bool is_granted; /* waits for a retry */
    bool holds_slot; /* has a place at the site */
} rc_sim_request;

/* What one process knows. */
typedef struct rc_sim_process {
    rc_shared shared;
    rc_target targets[RC_SIM_PROVIDERS_MAX];
    rc_credential credentials[RC_SIM_PROVIDERS_MAX * RC_SIM_KEYS_MAX];
} rc_sim_process;

typedef struct rc_sim_state {
    rc_alloc alloc;
    const rc_sim_scenario *scenario;
    const rc_sim_policy *policy;
    const rc_sim_rival_row *rival; /* NULL: OURS */
    rc_plan plan;
    rc_chain_entry entries[RC_SIM_PROVIDERS_MAX];
    uint32_t process_count;
    rc_sim_process *processes;
    rc_sim_upstream upstreams[RC_SIM_PROVIDERS_MAX];
    rc_sim_event_heap heap;
    rc_sim_tally tally;
    rc_sim_rng arrivals;     /* the same for every policy */
    rc_sim_rng upstream_rng; /* what providers do by chance */
    rc_sim_rng entropy;      /* of the policy */
    uint64_t next_arrival;   /* OPEN: in ticks, as the mean gap */
    uint64_t gap;
    uint64_t now_ms;
    uint32_t chunk_count;
    uint32_t free_request; /* the head of the list */
    rc_sim_request *chunks[RC_SIM_IN_FLIGHT_MAX / RC_SIM_CHUNK];
    rc_status status; /* sticks */
} rc_sim_state;

/* All zero before. After a failure rc_sim_state_done is due as well. scenario, policy, result:
 * borrow until done. */
rc_status rc_sim_state_init(rc_sim_state *sim, const rc_sim_scenario *scenario,
                            const rc_sim_policy *policy, uint64_t seed, const rc_alloc *alloc,
                            rc_sim_policy_result *result);
void rc_sim_state_done(rc_sim_state *sim);

/* clients.c: the first arrivals; one arrival; and a closed loop's next one. */
void rc_sim_clients_start(rc_sim_state *sim);
void rc_sim_clients_arrive(rc_sim_state *sim, uint32_t client);
void rc_sim_clients_leave(rc_sim_state *sim, uint32_t client);

/* request.c: the life of a request. */
void rc_sim_request_begin(rc_sim_state *sim, uint32_t client, uint32_t tokens_in,
                          uint32_t tokens_out);
void rc_sim_request_resume(rc_sim_state *sim, uint32_t index);

/* Keeps the first failure. */
void rc_sim_state_fail(rc_sim_state *sim, rc_status status);

#endif
