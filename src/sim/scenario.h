/* rc_sim_scenario: the input of a simulation: clients, providers, faults and policies. Parsed from
 * YAML (docs/simulate.md) or filled in by code. A plain struct without pointers, so that an
 * assignment copies the whole scenario. */
#ifndef RC_SIM_SCENARIO_H
#define RC_SIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/chain.h>
#include <recourse/policy.h>
#include <recourse/shared.h>
#include <recourse/str.h>

#include "sim/result.h"

#define RC_SIM_PROVIDERS_MAX 8
#define RC_SIM_FAULTS_MAX 8 /* Maximum number of faults of one provider. */
#define RC_SIM_KEYS_MAX 8   /* Maximum number of API keys of one provider. */
#define RC_SIM_POLICIES_MAX 16
#define RC_SIM_PROCESSES_MAX 64
#define RC_SIM_CLIENTS_MAX 1000000
#define RC_SIM_DURATION_MAX_MS 3600000
#define RC_SIM_DEADLINE_MAX_MS 3600000
#define RC_SIM_TOKENS_MAX 10000000
#define RC_SIM_SLOW_MAX_PCT 100000
#define RC_SIM_SURGE_MAX_PCT 10000
#define RC_SIM_MINUTE_MS 60000
/* Maximum number of requests in one policy's run, which take some minutes of CPU time. */
#define RC_SIM_REQUESTS_MAX 200000000

/* A distribution given by its quantiles. Between two quantiles it is linear, so that values are
 * drawn without floating point. If all members are equal, the value is constant. */
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

/* The retry-after hints that a provider sends with its failures. */
typedef enum rc_sim_hints {
    RC_SIM_HINTS_EXACT =
        0, /* The time after which a call may succeed, where the provider knows it. */
    RC_SIM_HINTS_NONE = 1, /* No hint. */
    RC_SIM_HINTS_ZERO = 2, /* Always 0, "at once". */
    RC_SIM_HINTS_LONG = 3, /* Always RC_SIM_LONG_HINT_MS, which is far too long. */
    RC_SIM_HINTS_PAST = 4, /* A time in the past, which counts as 0. */
    RC_SIM_HINTS_COUNT
} rc_sim_hints;
#define RC_SIM_LONG_HINT_MS 20000

/* Kinds of faults of a provider. */
typedef enum rc_sim_fault_kind {
    RC_SIM_OUTAGE = 0,     /* Responds with 503. */
    RC_SIM_ERROR = 1,      /* Responds with 500. */
    RC_SIM_OVERLOAD = 2,   /* Responds with 529 or an "overloaded" error. */
    RC_SIM_REFUSE = 3,     /* The connection is refused. */
    RC_SIM_RESET = 4,      /* The connection breaks after the request was sent. */
    RC_SIM_HANG = 5,       /* The provider does not respond until the client times out. */
    RC_SIM_SLOW = 6,       /* The response takes slow_pct percent of its usual time. */
    RC_SIM_SLOW_FIRST = 7, /* The first token takes slow_pct percent of its usual time. */
    RC_SIM_CUT = 8,        /* A stream breaks off after after_tokens tokens. */
    RC_SIM_QUOTA = 9,      /* The quota is exhausted; the response has no retry-after. */
    RC_SIM_FAULT_COUNT
} rc_sim_fault_kind;

typedef struct rc_sim_fault {
    rc_sim_fault_kind kind;
    uint64_t from_ms;
    uint64_t until_ms;
    uint32_t share_pct; /* Share of the calls in this period that the fault affects; 1..100. */
    /* The retry-after hint in the response (RC_SIM_OUTAGE, RC_SIM_ERROR, RC_SIM_OVERLOAD only); -1:
     * no hint. */
    int64_t retry_after_ms;
    uint32_t slow_pct;     /* For RC_SIM_SLOW, RC_SIM_SLOW_FIRST: 300 is three times as long. */
    uint32_t after_tokens; /* For RC_SIM_CUT: 0 is before the first token. */
} rc_sim_fault;

/* Rate limits and quotas of a provider. The value 0 means that there is no limit. */
typedef struct rc_sim_limits {
    uint32_t requests_per_min; /* A token bucket for each API key, filled continuously. */
    uint32_t tokens_per_min;   /* Input and output tokens together, for each API key. */
    /* Sets the size of both buckets: the amount that flows into a bucket in this time. */
    uint32_t burst_ms;
    /* Maximum number of concurrent requests; a further request gets status 429. */
    uint32_t concurrency;
    uint64_t quota_requests; /* Maximum number of requests for each API key in the whole run. */
} rc_sim_limits;

/* Capacity of the provider's servers. Requests beyond the capacity are shed, that is, refused with
 * an overload error. Shedding a request uses capacity too, also capacity of the near future, up to
 * one burst. If per_s is 0, the capacity is unlimited. */
typedef struct rc_sim_capacity {
    uint32_t per_s;
    uint32_t burst;
    uint32_t shed_cost_pct; /* Cost of shedding a request, in percent of the cost of serving it. */
    uint32_t warm_up_ms;    /* Time after an outage until the full capacity is available. */
} rc_sim_capacity;

typedef struct rc_sim_provider {
    char name[RC_SIM_NAME_MAX];
    rc_sim_dialect dialect;
    rc_sim_spread first_token_ms;
    uint32_t tokens_per_s; /* Speed after the first token; 0: all tokens come at once. */
    uint32_t fails_in_ms;  /* Time from the start of a call to its error response. */
    uint32_t keys;         /* Number of API keys, 1..RC_SIM_KEYS_MAX. */
    rc_sim_limits limits;
    bool hides_limits; /* No header states the rate limits. */
    rc_sim_hints hints;
    /* Number of the earlier provider whose keys, with their rate limits, this provider uses, plus
     * 1; 0: the provider has keys of its own. */
    uint32_t keys_of;
    rc_sim_capacity capacity;
    uint32_t input_nano_usd; /* Price of a token; 3 USD per million tokens is 3000. */
    uint32_t output_nano_usd;
    uint32_t weight; /* Share of the requests if the scenario has any_of. */
    uint32_t fault_count;
    rc_sim_fault faults[RC_SIM_FAULTS_MAX];
} rc_sim_provider;

/* How clients send requests. RC_SIM_OPEN: requests arrive independently of earlier requests, as
 * from many users. RC_SIM_CLOSED: each client waits for its response and then pauses, as a
 * program that works through a list of prompts does. */
typedef enum rc_sim_loop {
    RC_SIM_OPEN = 0,
    RC_SIM_CLOSED = 1
} rc_sim_loop;

/* A period in which the clients send `pct` percent of the usual requests; 200 is twice as many. */
typedef struct rc_sim_surge {
    uint64_t from_ms;
    uint64_t until_ms; /* End of the surge; 0: there is no surge. */
    uint32_t pct;
} rc_sim_surge;

typedef struct rc_sim_clients {
    uint32_t count; /* Number of clients, 1..RC_SIM_CLIENTS_MAX. */
    /* RC_SIM_OPEN: mean time between two requests of one client; RC_SIM_CLOSED: mean pause. */
    uint32_t every_ms;
    rc_sim_loop loop;
    rc_sim_surge surge;
    /* Number of processes over which the clients are spread. Each process has its own rc_shared
     * (state that its calls share). */
    uint32_t processes;
    /* Share of the requests that client 0 sends, in percent; 0: every client sends as many. Only
     * for RC_SIM_OPEN. */
    uint32_t greedy_pct;
    bool is_streaming;
    rc_sim_spread tokens_in;
    rc_sim_spread tokens_out;
    uint64_t deadline_ms; /* Deadline of a request: 1..RC_SIM_DEADLINE_MAX_MS. */
    /* Time in which the first token of a call must arrive; 0: the time until the deadline. */
    uint64_t first_token_wait_ms;
} rc_sim_clients;

/* Which retry loop a policy uses: RC_SIM_OURS is rc_call, the others are models of other clients
 * (rivals.h). */
typedef enum rc_sim_rival {
    RC_SIM_OURS = 0,
    RC_SIM_OPENAI_SDK = 1,
    RC_SIM_LITELLM = 2,
    RC_SIM_PORTKEY = 3,
    RC_SIM_NAIVE = 4,
    RC_SIM_NO_RETRY = 5,
    RC_SIM_RIVAL_COUNT,
    RC_SIM_ORACLE /* No loop: the policy that knows when faults, limits and capacity change. */
} rc_sim_rival;

typedef struct rc_sim_policy {
    char name[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    rc_sim_rival rival;
    rc_policy policy; /* Only for RC_SIM_OURS. */
    /* Only for RC_SIM_OURS. The retry budget is off if retry_budget.burst is 0, the breaker if
     * breaker.min_calls is 0, the cooldown if cooldown_ms is 0. */
    rc_shared_settings settings;
    rc_queue_settings
        queue; /* For RC_SIM_OURS. Without max_waiting no request waits for a target. */
    /* Only for RC_SIM_ORACLE: requests that waited start at most at 1.5 times the rate at which
     * requests arrive, so that the end of an outage causes no herd. */
    bool is_gradual;
    bool is_learn_off;     /* Nothing is learned about rate limits and capacity. */
    bool is_failover_last; /* The retries at a target come before the next target. */
} rc_sim_policy;

typedef enum rc_sim_any_of {
    RC_SIM_CHAIN = 0,
    RC_SIM_BY_WEIGHT = 1,
    RC_SIM_BY_LEAST_BUSY = 2,
    RC_SIM_BY_REMAINING = 3
} rc_sim_any_of;

typedef struct rc_sim_scenario {
    char name[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    uint64_t seed;
    uint64_t duration_ms;
    rc_sim_clients clients;
    /* How recourse's policies use the providers. RC_SIM_CHAIN: in their order. The other values:
     * all providers are one group that shares the requests (any_of). */
    rc_sim_any_of any_of;
    uint32_t provider_count; /* Providers, in the order of the fallback chain. */
    rc_sim_provider providers[RC_SIM_PROVIDERS_MAX];
    uint32_t policy_count;
    rc_sim_policy policies[RC_SIM_POLICIES_MAX];
} rc_sim_scenario;

/* Copies text into a field of `size` bytes, NUL-terminated and truncated between two characters.
 * text: copies. */
void rc_sim_text_set(char *field, size_t size, rc_str text);

/* rc_sim_scenario_init, rc_sim_provider_init and rc_sim_fault_init set the defaults of a struct.
 * The default scenario has one provider without faults, and no policy. */
void rc_sim_scenario_init(rc_sim_scenario *scenario);
void rc_sim_provider_init(rc_sim_provider *provider, rc_str name);
void rc_sim_fault_init(rc_sim_fault *fault, rc_sim_fault_kind kind);

/* Returns the approximate number of requests; for RC_SIM_CLOSED an upper limit. scenario->clients
 * must be valid. */
uint64_t rc_sim_scenario_requests(const rc_sim_scenario *scenario);

/* Returns the maximum number of requests to which the scenario can be scaled. */
uint64_t rc_sim_scenario_requests_max(const rc_sim_scenario *scenario);

/* Returns whether the response to a fault of this kind can have a retry-after hint. */
bool rc_sim_fault_has_hint(rc_sim_fault_kind kind);

/* Checks the scenario. Returns NULL if the scenario is valid, otherwise a static error text. */
const char *rc_sim_scenario_check(const rc_sim_scenario *scenario);

/* Finds a built-in policy by name; returns false if the name is unknown. The names are "recourse"
 * (the preset "transport" with shared state), "wait-off" (the same without the waiting queue and
 * learned limits), "budget-alone" (like "wait-off", without breaker and cooldown), "oracle", the
 * presets and the rival loops. "none" is the name of a preset and of a rival loop, and selects the
 * loop, which has no shared state. */
bool rc_sim_policy_named(rc_str name, rc_sim_policy *ret_policy);

/* Returns the static name of the built-in policy at `index`, or NULL if the index is too large. */
const char *rc_sim_policy_name_at(size_t index);

/* rc_sim_oracle returns the policy "oracle", with which the results of all others are compared.
 * rc_sim_gradual_oracle returns "oracle-gradual", which has is_gradual. */
rc_sim_policy rc_sim_oracle(void);
rc_sim_policy rc_sim_gradual_oracle(void);

/* Makes a policy of the simulator from an rc_policy, with the default settings of the shared state.
 * policy, name, about: copies. */
rc_sim_policy rc_sim_policy_of(const rc_policy *policy, rc_str name, rc_str about);

/* rc_sim_scenario_add adds a built-in policy to the scenario. The function fails if the name is
 * unknown or was already added, or if the scenario has RC_SIM_POLICIES_MAX policies. */
typedef enum rc_sim_add_result {
    RC_SIM_ADDED = 1,
    RC_SIM_ADD_UNKNOWN = 2,
    RC_SIM_ADD_TWICE = 3,
    RC_SIM_ADD_FULL = 4
} rc_sim_add_result;
rc_sim_add_result rc_sim_scenario_add(rc_sim_scenario *scenario, rc_str policy_name);

/* rc_sim_fault_name and rc_sim_dialect_name return the static name that the YAML file uses, or ""
 * for an invalid value. */
const char *rc_sim_fault_name(rc_sim_fault_kind kind);
const char *rc_sim_dialect_name(rc_sim_dialect dialect);
/* As rc_sim_dialect_name, for hints. */
const char *rc_sim_hints_name(rc_sim_hints hints);

/* A built-in scenario. The functions that find a scenario return NULL for an unknown name or if the
 * index is too large. */
typedef struct rc_sim_builtin {
    const char *name;
    const char *about;
    const char *text; /* The scenario as YAML. */
} rc_sim_builtin;
const rc_sim_builtin *rc_sim_builtin_at(size_t index);
const rc_sim_builtin *rc_sim_builtin_named(rc_str name);

#endif
