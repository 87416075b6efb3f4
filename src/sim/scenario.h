/* rc_sim_scenario: the world of a simulation as data. Made from YAML (docs/simulate.md), from a
 * built-in text, or by hand. A plain struct without pointers: copying it copies everything. */
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
#define RC_SIM_FAULTS_MAX 8 /* of one provider */
#define RC_SIM_KEYS_MAX 8   /* of one provider */
#define RC_SIM_POLICIES_MAX 16
#define RC_SIM_PROCESSES_MAX 64
#define RC_SIM_CLIENTS_MAX 1000000
#define RC_SIM_DURATION_MAX_MS 3600000
#define RC_SIM_DEADLINE_MAX_MS 3600000
#define RC_SIM_TOKENS_MAX 10000000
#define RC_SIM_SLOW_MAX_PCT 100000
#define RC_SIM_SURGE_MAX_PCT 10000
#define RC_SIM_MINUTE_MS 60000
/* Of one policy's run: minutes of work. */
#define RC_SIM_REQUESTS_MAX 200000000

/* A number that varies, by its quantiles: straight lines between them, so that it is drawn without
 * floating point. All the same: it does not vary. */
typedef struct rc_sim_spread {
    uint32_t min;
    uint32_t p50;
    uint32_t p90;
    uint32_t p99;
    uint32_t max;
} rc_sim_spread;

/* Whose error bodies and headers a provider sends: what a client can know from them. */
typedef enum rc_sim_dialect {
    RC_SIM_OPENAI = 0,    /* retry-after and retry-after-ms */
    RC_SIM_ANTHROPIC = 1, /* retry-after alone */
    RC_SIM_DIALECT_COUNT
} rc_sim_dialect;

/* What a provider does wrong. */
typedef enum rc_sim_fault_kind {
    RC_SIM_OUTAGE = 0,     /* 503 */
    RC_SIM_ERROR = 1,      /* 500 */
    RC_SIM_OVERLOAD = 2,   /* 529 or "overloaded": it says so itself */
    RC_SIM_REFUSE = 3,     /* the connection is refused */
    RC_SIM_RESET = 4,      /* the connection breaks after the request was sent */
    RC_SIM_HANG = 5,       /* nothing comes back until the client's patience ends */
    RC_SIM_SLOW = 6,       /* everything takes slow_pct of its time */
    RC_SIM_SLOW_FIRST = 7, /* the first token takes slow_pct of its time */
    RC_SIM_CUT = 8,        /* a stream ends after after_tokens, without its end */
    RC_SIM_QUOTA = 9,      /* the quota is used up, no hint */
    RC_SIM_FAULT_COUNT
} rc_sim_fault_kind;

typedef struct rc_sim_fault {
    rc_sim_fault_kind kind;
    uint64_t from_ms;
    uint64_t until_ms;
    uint32_t share_pct;     /* of the calls that come in between; 1..100 */
    int64_t retry_after_ms; /* the hint it sends (OUTAGE, ERROR, OVERLOAD alone); -1: none */
    uint32_t slow_pct;      /* SLOW, SLOW_FIRST: 300 is three times */
    uint32_t after_tokens;  /* CUT: 0 is before the first one */
} rc_sim_fault;

/* 0: there is no such limit. */
typedef struct rc_sim_limits {
    uint32_t requests_per_min; /* of each key, a bucket that fills all the time */
    uint32_t tokens_per_min;   /* of each key, in and out */
    uint32_t burst_ms;         /* how much of both can be saved up: so many ms' worth */
    uint32_t concurrency;      /* of the provider: more are answered 429 */
    uint64_t quota_requests;   /* of each key, in the whole run */
} rc_sim_limits;

/* What the machines behind it can do: beyond that it sheds with an overload answer, and shedding
 * costs capacity too, also that of later, up to a burst's worth. per_s 0: no bound. */
typedef struct rc_sim_capacity {
    uint32_t per_s;
    uint32_t burst;
    uint32_t shed_cost_pct; /* of the capacity that serving would take */
    uint32_t warm_up_ms;    /* after an outage: how long until all of it is back */
} rc_sim_capacity;

typedef struct rc_sim_provider {
    char name[RC_SIM_NAME_MAX];
    rc_sim_dialect dialect;
    rc_sim_spread first_token_ms;
    uint32_t tokens_per_s; /* after the first one; 0: the rest comes at once */
    uint32_t fails_in_ms;  /* how long an error answer takes */
    uint32_t keys;         /* 1..RC_SIM_KEYS_MAX */
    rc_sim_limits limits;
    rc_sim_capacity capacity;
    uint32_t input_nano_usd; /* a token; 3 USD a million: 3000 */
    uint32_t output_nano_usd;
    uint32_t fault_count;
    rc_sim_fault faults[RC_SIM_FAULTS_MAX];
} rc_sim_provider;

/* OPEN: requests come in whatever became of the ones before, as those of many people do. CLOSED: a
 * client waits for its answer and then for its pause, as a batch job does. */
typedef enum rc_sim_loop {
    RC_SIM_OPEN = 0,
    RC_SIM_CLOSED = 1
} rc_sim_loop;

/* A stretch of time in which the clients come pct as often: 200 is twice. */
typedef struct rc_sim_surge {
    uint64_t from_ms;
    uint64_t until_ms; /* 0: there is none */
    uint32_t pct;
} rc_sim_surge;

typedef struct rc_sim_clients {
    uint32_t count;    /* 1..RC_SIM_CLIENTS_MAX */
    uint32_t every_ms; /* OPEN: mean time between the requests of one; CLOSED: mean pause */
    rc_sim_loop loop;
    rc_sim_surge surge;
    uint32_t processes; /* they are spread over so many; each has its own rc_shared */
    bool is_streaming;
    rc_sim_spread tokens_in;
    rc_sim_spread tokens_out;
    uint64_t deadline_ms;         /* of a request: 1..RC_SIM_DEADLINE_MAX_MS */
    uint64_t first_token_wait_ms; /* patience for the first token of one call; 0: the deadline's */
} rc_sim_clients;

/* Loops of others, as rows: see rivals.h. */
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
    rc_policy policy;            /* OURS */
    rc_shared_settings settings; /* OURS: budget.burst 0, breaker.min_calls 0, cooldown_ms 0 turn
                                    those parts off */
} rc_sim_policy;

typedef struct rc_sim_scenario {
    char name[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    uint64_t seed;
    uint64_t duration_ms;
    rc_sim_clients clients;
    uint32_t provider_count; /* the chain, in this order */
    rc_sim_provider providers[RC_SIM_PROVIDERS_MAX];
    uint32_t policy_count;
    rc_sim_policy policies[RC_SIM_POLICIES_MAX];
} rc_sim_scenario;

/* Copies text into a field of size bytes, cut where it is too long (between characters), with a NUL
 * behind it. text: copies. */
void rc_sim_text_set(char *field, size_t size, rc_str text);

/* A sound world without faults: one provider, no policy. */
void rc_sim_scenario_init(rc_sim_scenario *scenario);
void rc_sim_provider_init(rc_sim_provider *provider, rc_str name);
void rc_sim_fault_init(rc_sim_fault *fault, rc_sim_fault_kind kind);

/* How many requests come in, about: of a closed loop at most. The clients are sound. */
uint64_t rc_sim_scenario_requests(const rc_sim_scenario *scenario);

/* The most that a copy of it with more clients can have. */
uint64_t rc_sim_scenario_requests_max(const rc_sim_scenario *scenario);

/* Does a fault of this kind send a hint? */
bool rc_sim_fault_has_hint(rc_sim_fault_kind kind);

/* What is wrong with it: a static sentence; NULL when it is sound. */
const char *rc_sim_scenario_check(const rc_sim_scenario *scenario);

/* A built-in policy: "recourse" (the preset transport with shared facts), "budget-alone" (the same
 * without breaker and cooldown), a preset's name, a rival's name; "none" is the rival's, without
 * shared facts. False: there is none of that name. */
bool rc_sim_policy_named(rc_str name, rc_sim_policy *ret_policy);

/* Their names in order, NULL past the end. Static. */
const char *rc_sim_policy_name_at(size_t index);

/* Its own struct is made, with the default settings. policy: copies. */
rc_sim_policy rc_sim_policy_of(const rc_policy *policy, rc_str name, rc_str about);

/* Adds one that is built in; RC_SIM_POLICIES_MAX is the end of it, and a name is there once. */
typedef enum rc_sim_add_result {
    RC_SIM_ADDED = 1,
    RC_SIM_ADD_UNKNOWN = 2,
    RC_SIM_ADD_TWICE = 3,
    RC_SIM_ADD_FULL = 4
} rc_sim_add_result;
rc_sim_add_result rc_sim_scenario_add(rc_sim_scenario *scenario, rc_str policy_name);

/* The names of the YAML; "" for what is not in the list. */
const char *rc_sim_fault_name(rc_sim_fault_kind kind);
const char *rc_sim_dialect_name(rc_sim_dialect dialect);

/* The built-in scenarios: their texts. NULL past the end, or when there is none of that name. */
typedef struct rc_sim_builtin {
    const char *name;
    const char *about;
    const char *text; /* YAML */
} rc_sim_builtin;
const rc_sim_builtin *rc_sim_builtin_at(size_t index);
const rc_sim_builtin *rc_sim_builtin_named(rc_str name);

#endif
