/* rc_sim_state: the state of a simulation run with one policy.
 *
 *   event ──► arrival of a client ──► a request begins ──────┐
 *         ──► end of a call ────────► the request continues ─┼──► action: try, wait, deliver, stop
 *         ──► end of a wait ────────► the request continues ─┘
 *
 * A request has exactly one event in the heap from its start to its end. */
#ifndef RC_SIM_STATE_H
#define RC_SIM_STATE_H

#include <recourse/call.h>

#include "sim/event_heap.h"
#include "sim/rivals.h"
#include "sim/sim.h"
#include "sim/tally.h"
#include "sim/upstream.h"

/* Flag in an event's tag. With the flag, the event is the arrival of the client with the number in
 * the tag (RC_SIM_OPEN: of any client). Without the flag, the tag is the number of a request. */
#define RC_SIM_ARRIVAL UINT32_C(0x80000000)
/* Flag of the event at which the queue of a process runs; the rest of the tag is the process, or
 * RC_SIM_ORACLE_RUN for the oracle. */
#define RC_SIM_RUN UINT32_C(0x40000000)
#define RC_SIM_ORACLE_RUN UINT32_C(0x1000)
#define RC_SIM_NO_REQUEST UINT32_MAX
#define RC_SIM_CHUNK 1024
/* Ticks, the unit of arrival times, are about one nanosecond long. */
#define RC_SIM_TICKS_PER_MS UINT64_C(1024000)

typedef struct rc_sim_request {
    rc_call call;             /* For a policy of recourse. */
    rc_sim_rival_state rival; /* For a rival loop. */
    rc_sim_outcome outcome;   /* Outcome of the call in flight. */
    uint64_t arrived_at_ms;
    uint64_t call_at_ms;    /* Start of the latest call. */
    uint64_t granted_at_ms; /* When the next retry was granted, if is_granted. */
    uint32_t client;
    uint32_t tokens_in;
    uint32_t tokens_out;
    uint32_t calls;
    uint32_t next_free; /* Next element of the list of free requests. */
    uint16_t upstream;  /* Provider of the latest call. */
    uint32_t ticket;    /* In the queue of the oracle; RC_QUEUE_NONE: not there. */
    bool is_waiting;
    bool is_granted; /* A retry was granted and waits for its time. */
    bool holds_slot; /* The call is counted in upstream.in_flight. */
} rc_sim_request;

struct rc_sim_state;

/* The shared state of one simulated process. */
typedef struct rc_sim_process {
    struct rc_sim_state *sim;
    rc_shared shared;
    rc_queue queue;
    void *queue_memory;
    rc_target targets[RC_SIM_PROVIDERS_MAX];
    rc_credential credentials[RC_SIM_PROVIDERS_MAX * RC_SIM_KEYS_MAX];
    rc_rate_limits learned[RC_SIM_PROVIDERS_MAX * RC_SIM_KEYS_MAX];
} rc_sim_process;

typedef struct rc_sim_state {
    rc_alloc alloc;
    bool is_oracle; /* The oracle makes the decisions, with the queue of processes[0]. */
    rc_sim_token_bucket release; /* The starts that a gradual oracle may still make. */
    bool is_releasing;           /* Requests have waited since the oracle's queue was empty. */
    uint64_t oracle_run_at_ms;   /* Time of the oracle's latest run event; RC_UNLIMITED: none. */
    const rc_sim_scenario *scenario;
    const rc_sim_policy *policy;
    const rc_sim_rival_row *rival; /* The rival loop; NULL: a policy of recourse. */
    rc_plan plan;
    rc_chain_entry entries[RC_SIM_PROVIDERS_MAX];
    uint32_t process_count;
    rc_sim_process *processes;
    rc_sim_upstream upstreams[RC_SIM_PROVIDERS_MAX];
    rc_sim_event_heap heap;
    rc_sim_tally tally;
    rc_sim_rng arrivals;     /* Random arrivals, which are the same for every policy. */
    rc_sim_rng upstream_rng; /* Random behaviour of the providers. */
    rc_sim_rng entropy;      /* Random numbers for the policy. */
    uint64_t next_arrival;   /* RC_SIM_OPEN: time of the next arrival, in ticks. */
    uint64_t gap;            /* RC_SIM_OPEN: mean time between arrivals, in ticks. */
    uint64_t now_ms;
    uint32_t usual_tokens_out; /* Mean tokens of a response, as the policy estimates them. */
    uint32_t chunk_count;
    uint32_t free_request; /* Head of the list of free requests. */
    rc_sim_request *chunks[RC_SIM_IN_FLIGHT_MAX / RC_SIM_CHUNK];
    rc_status status; /* The first failure. */
} rc_sim_state;

/* Starts a run. *sim must be all zero. The caller must call rc_sim_state_done, also after a
 * failure. scenario, policy, result: borrows until rc_sim_state_done. */
rc_status rc_sim_state_init(rc_sim_state *sim, const rc_sim_scenario *scenario,
                            const rc_sim_policy *policy, uint64_t seed, const rc_alloc *alloc,
                            rc_sim_policy_result *result);
void rc_sim_state_done(rc_sim_state *sim);

/* clients.c: rc_sim_clients_start schedules the first arrivals, rc_sim_clients_arrive handles an
 * arrival, rc_sim_clients_leave schedules the client's next arrival (RC_SIM_CLOSED) after its
 * request has ended. */
void rc_sim_clients_start(rc_sim_state *sim);
void rc_sim_clients_arrive(rc_sim_state *sim, uint32_t client);
void rc_sim_clients_leave(rc_sim_state *sim, uint32_t client);
/* Returns the mean number of requests that arrive per millisecond now, in millionths. For
 * RC_SIM_CLOSED an upper limit. */
uint64_t rc_sim_clients_rate_micro(const rc_sim_state *sim);

/* request.c: rc_sim_request_begin begins a request, rc_sim_request_resume continues it at the end
 * of a call or a wait. */
void rc_sim_request_begin(rc_sim_state *sim, uint32_t client, uint32_t tokens_in,
                          uint32_t tokens_out);
void rc_sim_request_resume(rc_sim_state *sim, uint32_t index);

/* state.c: makes room for one more entry in the queue of a process. */
void rc_sim_process_reserve(rc_sim_state *sim, rc_sim_process *process);

/* oracle.c: the policy that knows when faults, limits and capacity change. rc_sim_oracle_add lets a
 * request wait until it can succeed, rc_sim_oracle_run starts calls. */
void rc_sim_oracle_add(rc_sim_state *sim, uint32_t index);
void rc_sim_oracle_run(rc_sim_state *sim);

/* request.c, for the oracle: the request's data, the start of a call, and the end of a request that
 * can no longer succeed. */
rc_sim_request *rc_sim_request_at(const rc_sim_state *sim, uint32_t index);
void rc_sim_request_call(rc_sim_state *sim, uint32_t index, const rc_action *action);
void rc_sim_request_give_up(rc_sim_state *sim, uint32_t index);

/* Records a status, unless an earlier failure is recorded. */
void rc_sim_state_fail(rc_sim_state *sim, rc_status status);

#endif
