/* rc_client_limits: the limits of one client of the gateway: requests a minute, tokens a minute,
 * requests in flight.
 *
 *   a request arrives ──► check ──► refused, with the limit and the time at which it has room
 *                           │
 *                           └─► start: takes one request and the estimated tokens
 *                                 └─► end: replaces the estimate by the tokens that were used
 *
 * Requests and tokens are token buckets that hold one minute's amount and fill continuously. A
 * request may start if each bucket has its amount. A request that is larger than the whole bucket
 * may start when the bucket is full, and the bucket is in debt afterwards. The output of a request
 * is estimated by the mean output of the client's earlier requests, but not above what the request
 * allows. The functions take no lock and read no clock; times are monotonic milliseconds, and a
 * time before the latest one counts as the latest one. */
#ifndef RC_POLICY_ADMISSION_CLIENT_LIMITS_H
#define RC_POLICY_ADMISSION_CLIENT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* The configured limits; 0: no limit. */
typedef struct rc_client_limits_settings {
    uint64_t rpm;           /* Requests per minute, at most RC_CLIENT_LIMIT_MAX. */
    uint64_t tpm;           /* Tokens per minute, at most RC_CLIENT_LIMIT_MAX. */
    uint64_t max_in_flight; /* Concurrent requests. */
} rc_client_limits_settings;

#define RC_CLIENT_LIMIT_MAX UINT64_C(1000000000000)

typedef enum rc_client_limit_kind {
    RC_CLIENT_LIMIT_NONE = 0,
    RC_CLIENT_LIMIT_REQUESTS = 1,
    RC_CLIENT_LIMIT_TOKENS = 2,
    RC_CLIENT_LIMIT_IN_FLIGHT = 3
} rc_client_limit_kind;

/* One token bucket; private. */
typedef struct rc_client_bucket {
    uint64_t limit; /* Amount per minute; 0: no limit. */
    uint64_t at_ms; /* Time of `level`. */
    int64_t level;  /* In 1/60000 of a unit; negative: debt. */
} rc_client_bucket;

typedef struct rc_client_limits {
    rc_client_bucket requests;
    rc_client_bucket tokens;
    uint64_t max_in_flight;
    uint64_t in_flight;
    uint64_t mean_output; /* Mean number of output tokens of the latest requests. */
} rc_client_limits;

/* What a request needs: its estimated input tokens, and the most output tokens that it allows; 0:
 * it sets no limit. */
typedef struct rc_client_need {
    uint64_t input;
    uint64_t max_output;
} rc_client_need;

/* Result of a check. */
typedef struct rc_client_verdict {
    rc_client_limit_kind kind; /* The limit without room; NONE: the request may start. */
    uint64_t limit;            /* The configured value of that limit. */
    uint64_t ready_ms;         /* Time until the limit has room for the request; 0: not known, for
                                  requests in flight. */
} rc_client_verdict;

/* One limit as it is now. */
typedef struct rc_client_limit_state {
    uint64_t limit;     /* 0: no limit. */
    uint64_t remaining; /* Whole units left. */
    uint64_t full_ms;   /* Time until the limit is full again. */
} rc_client_limit_state;

/* Initialises the state; every limit is unused. */
void rc_client_limits_init(rc_client_limits *limits);

/* Applies the settings, at the start and after a reload of the configuration. A limit that is new
 * is full; one whose value changes keeps what remains of it, at most the new value. */
void rc_client_limits_set(rc_client_limits *limits, const rc_client_limits_settings *settings,
                          uint64_t now_ms);

/* Returns whether a request may start now. Changes nothing. */
rc_client_verdict rc_client_limits_check(const rc_client_limits *limits, const rc_client_need *need,
                                         uint64_t now_ms);

/* Records the start of a request. Returns the estimated tokens, which rc_client_limits_end
 * needs. */
uint64_t rc_client_limits_start(rc_client_limits *limits, const rc_client_need *need,
                                uint64_t now_ms);

/* Records the end of a request. `estimate`: the result of rc_client_limits_start. input, output:
 * the tokens that the request used. */
void rc_client_limits_end(rc_client_limits *limits, uint64_t estimate, uint64_t input,
                          uint64_t output, uint64_t now_ms);

/* Returns the state of the limit of requests or of tokens. */
rc_client_limit_state rc_client_limits_get(const rc_client_limits *limits,
                                           rc_client_limit_kind kind, uint64_t now_ms);

/* Returns "rpm", "tpm", "max_in_flight", or "" for NONE. The result is a static string. */
const char *rc_client_limit_name(rc_client_limit_kind kind);

/* Returns whether all fields are consistent, for tests and fuzzing. */
bool rc_client_limits_validate(const rc_client_limits *limits);

#endif
