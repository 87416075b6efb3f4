/* rc_health: the results of the latest calls to a target, the state that follows from them, and the
 * time at which the state began.
 *
 *        no failure among the latest        a failure         the latest three failed
 *   UP ◄──────────────────────────── DEGRADED ◄─────────► FAILING
 *
 * A result counts as failed if other requests may fail in the same way: the provider, the key, the
 * quota or the model is the cause. An error of the request itself (invalid, too long, filtered)
 * shows that the target responds. The functions take no lock; the caller does. Times are wall clock
 * times because operators read them. */
#ifndef RC_POLICY_HEALTH_H
#define RC_POLICY_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>

/* Number of latest results that are stored for each target. */
#define RC_HEALTH_RESULTS 10u
/* Number of consecutive failures that make a target FAILING. With fewer results than this, the
 * target is FAILING if all of its results failed. */
#define RC_HEALTH_IN_A_ROW 3u
/* A failure that is older than this no longer counts, provided that a later call succeeded. */
#define RC_HEALTH_FORGET_MS INT64_C(600000)

typedef enum rc_health_state {
    RC_HEALTH_UP = 0,
    RC_HEALTH_DEGRADED = 1, /* Some of the latest calls failed. */
    RC_HEALTH_FAILING = 2,  /* All of the latest calls failed. */
    RC_HEALTH_DOWN = 3,     /* Calls are not sent: the target is in a cooldown, its breaker is open
                               or it has no usable key. */
    RC_HEALTH_DISABLED = 4  /* An operator took the target out of service. */
} rc_health_state;

typedef struct rc_health {
    uint16_t failed;          /* One bit for each result; the lowest bit is the newest result; 1:
                                 failed. */
    uint8_t count;            /* Number of results in `failed`; at most RC_HEALTH_RESULTS. */
    rc_code code;             /* Error code of the latest failure. */
    int64_t good_unix_ms;     /* Start of the latest UP period: its first success, or the time of
                                 rc_health_init. */
    int64_t bad_unix_ms;      /* Time of the first failure after the target was last UP; 0: the
                                 target is UP. */
    int64_t failed_unix_ms;   /* Time of the latest failure. */
    rc_code masked_code;      /* Code of the latest failure after which another target served the
                                 request (fallback_on); RC_CODE_NONE: no such failure since the
                                 latest success. */
    uint32_t masked_count;    /* Number of such failures since the latest success. */
    int64_t masked_unix_ms;   /* Time of the first of them. */
    int64_t disabled_unix_ms; /* Time at which an operator took the target out of service; 0: in
                                 service. */
} rc_health;

/* Sets the state UP since now_unix_ms, without results. */
void rc_health_init(rc_health *health, int64_t now_unix_ms);

/* Result of rc_health_verdict_of: whether the end of a call counts for the target, against it, or
 * not at all. `code`: RC_CODE_NONE means success. `is_open`: the route accepts any model name of
 * the client, so a missing model is the client's error. */
typedef enum rc_health_verdict {
    RC_HEALTH_VERDICT_NONE = 0,
    RC_HEALTH_VERDICT_GOOD = 1,
    RC_HEALTH_VERDICT_BAD = 2
} rc_health_verdict;
rc_health_verdict rc_health_verdict_of(rc_code code, bool is_open);

/* Records the result of one call. `code`: the code of the failure, stored only for a bad
 * verdict. */
void rc_health_note(rc_health *health, rc_health_verdict verdict, rc_code code,
                    int64_t now_unix_ms);

/* Records that fallback_on of a route has hidden a failure of the target from a client. A later
 * success of the target ends this state. */
void rc_health_mask(rc_health *health, rc_code code, int64_t now_unix_ms);

/* Number of recorded results, and how many of them are failures. */
typedef struct rc_health_share {
    uint32_t calls;
    uint32_t failed;
} rc_health_share;
rc_health_share rc_health_share_of(const rc_health *health, int64_t now_unix_ms);

/* Returns UP, DEGRADED or FAILING from the recorded results. */
rc_health_state rc_health_of_calls(const rc_health *health, int64_t now_unix_ms);

/* Returns the time at which the target entered the given state. */
int64_t rc_health_since_unix_ms(const rc_health *health, rc_health_state state);

/* Returns "up", "degraded", "failing", "down" or "disabled". */
const char *rc_health_state_name(rc_health_state state);

#endif
