/* rc_health: results of the latest calls to a target, and since when its state holds.
 *
 *        no failure among the latest        a failure         the latest three failed
 *   UP ◄──────────────────────────── DEGRADED ◄─────────► FAILING
 *
 * A result counts as failed if another request may meet the same failure, that is, a failure of the
 * provider, the key, the quota or the model. An error of the request itself (invalid, too long,
 * filtered) shows that the target responds. No I/O and no lock: the caller locks. Times are wall
 * clock times because operators read them. */
#ifndef RC_POLICY_HEALTH_H
#define RC_POLICY_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>

/* Number of results that are remembered. */
#define RC_HEALTH_RESULTS 10u
/* Number of consecutive failures that make a target FAILING. If there are fewer results, the target
 * is FAILING if all of them failed. */
#define RC_HEALTH_IN_A_ROW 3u
/* A failure older than this is forgotten if later calls succeeded. */
#define RC_HEALTH_FORGET_MS INT64_C(600000)

typedef enum rc_health_state {
    RC_HEALTH_UP = 0,
    RC_HEALTH_DEGRADED = 1, /* Some of the latest calls failed. */
    RC_HEALTH_FAILING = 2,  /* All of the latest calls failed. */
    RC_HEALTH_DOWN = 3,     /* Not called: cooldown, open breaker or no usable key. */
    RC_HEALTH_DISABLED = 4  /* An operator took the target out of service. */
} rc_health_state;

typedef struct rc_health {
    uint16_t failed;          /* One bit for each result; the lowest bit is the newest result; 1:
                                 failed. */
    uint8_t count;            /* Number of results stored in `failed`. */
    rc_code code;             /* Code of the latest failure. */
    int64_t good_unix_ms;     /* Start of the latest UP period: its first success, or
                                 rc_health_init. */
    int64_t bad_unix_ms;      /* Time of the first failure since the target was last UP; 0: the
                                 target is UP. */
    int64_t failed_unix_ms;   /* Time of the latest failure. */
    int64_t disabled_unix_ms; /* When an operator took the target out of service; 0: in service. */
} rc_health;

/* Starts without results; the target is UP since now_unix_ms. */
void rc_health_init(rc_health *health, int64_t now_unix_ms);

/* Returns whether the end of a call counts for or against the target. `code`: RC_CODE_NONE means
 * success. `is_open`: the client chose the model freely, so a missing model is the client's
 * mistake. */
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

/* Returns UP, DEGRADED or FAILING from the recorded results. */
rc_health_state rc_health_of_calls(const rc_health *health, int64_t now_unix_ms);

/* Returns since when the target has had the given state. */
int64_t rc_health_since_unix_ms(const rc_health *health, rc_health_state state);

/* Returns "up", "degraded", "failing", "down" or "disabled". */
const char *rc_health_state_name(rc_health_state state);

#endif
