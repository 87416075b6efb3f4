/* rc_sim_scenario: the input of a simulation: clients, providers, faults and policies. Parsed from
 * YAML (docs/simulate.md) or filled in by code. A plain struct without pointers, so that assignment
 * copies everything. */
#ifndef RC_SIM_SCENARIO_H
#define RC_SIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/policy.h>
#include <recourse/shared.h>
#include <recourse/str.h>

#include "sim/result.h"

#define RC_SIM_PROVIDERS_MAX 8
#define RC_SIM_FAULTS_MAX 8 /* Faults of one provider. */
#define RC_SIM_KEYS_MAX 8   /* Keys of one provider. */
#define RC_SIM_POLICIES_MAX 16
#define RC_SIM_PROCESSES_MAX 64
#define RC_SIM_CLIENTS_MAX 1000000
#define RC_SIM_DURATION_MAX_MS 3600000
#define RC_SIM_DEADLINE_MAX_MS 3600000
#define RC_SIM_TOKENS_MAX 10000000
#define RC_SIM_SLOW_MAX_PCT 100000
#define RC_SIM_SURGE_MAX_PCT 10000
#define RC_SIM_MINUTE_MS 60000
/* Requests of one policy's run: some minutes of CPU time. */
#define RC_SIM_REQUESTS_MAX 200000000

/* A distribution given by its quantiles, linear between them so that it is drawn without floating
 * point. All equal: a constant. */
typedef struct rc_sim_spread {
    uint32_t min;
    uint32_t p50;
    uint32_t p90;
    uint32_t p99;
    uint32_t max;
} rc_sim_spread;

/* The API whose error bodies and headers a provider sends. */
typedef enum rc_sim_dialect {
    RC_SIM_OPENAI = 0,    /* Sends retry-after and retry-after-ms. */
    RC_SIM_ANTHROPIC = 1, /* Sends retry-after only. */
    RC_SIM_DIALECT_COUNT
} rc_sim_dialect;

/* Kinds of faults of a provider. */
typedef enum rc_sim_fault_kind {
    RC_SIM_OUTAGE = 0,     /* Responds with 503. */
    RC_SIM_ERROR = 1,      /* Responds with 500. */
    RC_SIM_OVERLOAD = 2,   /* Responds with 529 or an "overloaded" error. */
    RC_SIM_REFUSE = 3,     /* The connection is refused. */
    RC_SIM_RESET = 4,      /* The connection breaks after the request was sent. */
    RC_SIM_HANG = 5,       /* No response until the client times out. */
    RC_SIM_SLOW = 6,       /* Everything takes slow_pct of its usual time. */
    RC_SIM_SLOW_FIRST = 7, /* The first token takes slow_pct of its usual time. */
    RC_SIM_CUT = 8,        /* A stream breaks off after after_tokens. */
    RC_SIM_QUOTA = 9,      /* The quota is exhausted; no hint. */
    RC_SIM_FAULT_COUNT
} rc_sim_fault_kind;

typedef struct rc_sim_fault {
    rc_sim_fault_kind kind;
    uint64_t from_ms;
    uint64_t until_ms;
    uint32_t share_pct;     /* Share of the calls in that time that are affected; 1..100. */
    int64_t retry_after_ms; /* Hint that it sends (OUTAGE, ERROR, OVERLOAD only); -1: none. */
    uint32_t slow_pct;      /* For SLOW, SLOW_FIRST: 300 is three times as long. */
    uint32_t after_tokens;  /* For CUT: 0 is before the first token. */
} rc_sim_fault;

/* Rate limits and quotas. 0: no such limit. */
typedef struct rc_sim_limits {
    uint32_t requests_per_min; /* For each key: a continuously filled token bucket. */
    uint32_t tokens_per_min;   /* For each key: input and output tokens. */
    uint32_t burst_ms;         /* Burst of both buckets: the amount of this time. */
    uint32_t concurrency;      /* For the provider: further requests get 429. */
    uint64_t quota_requests;   /* For each key, in the whole run. */
} rc_sim_limits;

/* Capacity of the provider's servers. Requests beyond it are shed with an overload error. Shedding
 * uses capacity too, also that of the near future, up to one burst. per_s 0: unlimited. */
typedef struct rc_sim_capacity {
    uint32_t per_s;
    uint32_t burst;
    uint32_t shed_cost_pct; /* Cost of shedding in percent of the cost of serving. */
    uint32_t warm_up_ms;    /* Time after an outage until the full capacity is available. */
} rc_sim_capacity;

typedef struct rc_sim_provider {
    char name[RC_SIM_NAME_MAX];
    rc_sim_dialect dialect;
    rc_sim_spread first_token_ms;
    uint32_t tokens_per_s; /* After the first token; 0: all at once. */
    uint32_t fails_in_ms;  /* Time until an error response. */
    uint32_t keys;         /* Number of keys, 1..RC_SIM_KEYS_MAX. */
    rc_sim_limits limits;
    rc_sim_capacity capacity;
    uint32_t input_nano_usd; /* Per token; 3 USD per million tokens is 3000. */
    uint32_t output_nano_usd;
    uint32_t fault_count;
    rc_sim_fault faults[RC_SIM_FAULTS_MAX];
} rc_sim_provider;

/* OPEN: requests arrive independently of earlier ones, as from many users. CLOSED: each client
 * waits for its response and then pauses, as a batch job does. */
typedef enum rc_sim_loop {
    RC_SIM_OPEN = 0,
    RC_SIM_CLOSED = 1
} rc_sim_loop;

/* A period in which the clients send pct percent of the usual requests: 200 is twice as many. */
typedef struct rc_sim_surge {
    uint64_t from_ms;
    uint64_t until_ms; /* 0: no surge. */
    uint32_t pct;
} rc_sim_surge;

typedef struct rc_sim_clients {
    uint32_t count;    /* Number of clients, 1..RC_SIM_CLIENTS_MAX. */
    uint32_t every_ms; /* OPEN: mean time between the requests of one client; CLOSED: mean pause. */
    rc_sim_loop loop;
    rc_sim_surge surge;
    /* Processes that the clients are spread over; each has its own rc_shared. */
    uint32_t processes;
    bool is_streaming;
    rc_sim_spread tokens_in;
    rc_sim_spread tokens_out;
    uint64_t deadline_ms;         /* Of a request: 1..RC_SIM_DEADLINE_MAX_MS. */
    uint64_t first_token_wait_ms; /* First-token timeout of one call; 0: the deadline. */
} rc_sim_clients;

/* Models of other clients' retry loops, see rivals.h; RC_SIM_OURS: rc_call. */
typedef enum rc_sim_rival {
    RC_SIM_OURS = 0,
    RC_SIM_OPENAI_SDK = 1,
    RC_SIM_LITELLM = 2,
    RC_SIM_PORTKEY = 3,
    RC_SIM_NAIVE = 4,
    RC_SIM_NO_RETRY = 5,
    RC_SIM_RIVAL_COUNT
} rc_sim_rival;

typedef struct rc_sim_policy {
    char name[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    rc_sim_rival rival;
    rc_policy policy; /* For RC_SIM_OURS. */
    /* For RC_SIM_OURS. retry_budget.burst 0, breaker.min_calls 0 and cooldown_ms 0 switch these
     * parts off. */
    rc_shared_settings settings;
} rc_sim_policy;

typedef struct rc_sim_scenario {
    char name[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    uint64_t seed;
    uint64_t duration_ms;
    rc_sim_clients clients;
    uint32_t provider_count; /* Providers; their order is the chain. */
    rc_sim_provider providers[RC_SIM_PROVIDERS_MAX];
    uint32_t policy_count;
    rc_sim_policy policies[RC_SIM_POLICIES_MAX];
} rc_sim_scenario;

/* Copies text into a field of size bytes, NUL-terminated and truncated between characters. text:
 * copies. */
void rc_sim_text_set(char *field, size_t size, rc_str text);

/* Sets the defaults: a scenario with one provider without faults and no policy; a provider; a
 * fault. */
void rc_sim_scenario_init(rc_sim_scenario *scenario);
void rc_sim_provider_init(rc_sim_provider *provider, rc_str name);
void rc_sim_fault_init(rc_sim_fault *fault, rc_sim_fault_kind kind);

/* Returns the approximate number of requests; for a closed loop an upper limit. The clients must be
 * valid. */
uint64_t rc_sim_scenario_requests(const rc_sim_scenario *scenario);

/* Returns the most requests that the scenario can be scaled to. */
uint64_t rc_sim_scenario_requests_max(const rc_sim_scenario *scenario);

/* Whether a fault of this kind sends a hint. */
bool rc_sim_fault_has_hint(rc_sim_fault_kind kind);

/* Checks the scenario. Returns NULL if it is valid, otherwise a static error text. */
const char *rc_sim_scenario_check(const rc_sim_scenario *scenario);

/* Returns a built-in policy by name: "recourse" (the preset transport with shared state),
 * "budget-alone" (the same without breaker and cooldown), a preset, or a rival loop; "none" is the
 * rival loop, without shared state. Returns false if the name is unknown. */
bool rc_sim_policy_named(rc_str name, rc_sim_policy *ret_policy);

/* Returns the name of the built-in policy at an index; NULL past the end. Static. */
const char *rc_sim_policy_name_at(size_t index);

/* Returns a policy of the simulator with the default settings of the shared state. policy, name,
 * about: copies. */
rc_sim_policy rc_sim_policy_of(const rc_policy *policy, rc_str name, rc_str about);

/* Adds a built-in policy to the scenario. Fails if the name is unknown, already added, or if there
 * are RC_SIM_POLICIES_MAX. */
typedef enum rc_sim_add_result {
    RC_SIM_ADDED = 1,
    RC_SIM_ADD_UNKNOWN = 2,
    RC_SIM_ADD_TWICE = 3,
    RC_SIM_ADD_FULL = 4
} rc_sim_add_result;
rc_sim_add_result rc_sim_scenario_add(rc_sim_scenario *scenario, rc_str policy_name);

/* Return the name used in YAML; "" for an invalid value. Static. */
const char *rc_sim_fault_name(rc_sim_fault_kind kind);
const char *rc_sim_dialect_name(rc_sim_dialect dialect);

/* A built-in scenario. The functions below return NULL past the end, or for an unknown name. */
typedef struct rc_sim_builtin {
    const char *name;
    const char *about;
    const char *text; /* The scenario as YAML. */
} rc_sim_builtin;
const rc_sim_builtin *rc_sim_builtin_at(size_t index);
const rc_sim_builtin *rc_sim_builtin_named(rc_str name);

#endif
