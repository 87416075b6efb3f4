/* rc_health: how the latest calls to a target went, and since when.
 *
 *        no failure among the latest        a failure         the latest three failed
 *   UP ◄──────────────────────────── DEGRADED ◄─────────► FAILING
 *
 * A failure is one that another request may meet, too: the provider's, the key's, the quota's, the
 * model's. An error that is the request's own (invalid, too long, filtered) shows that the target
 * answers. Pure; the caller locks. Times are of the wall clock, since people
 * read them. */
#ifndef RC_POLICY_HEALTH_H
#define RC_POLICY_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>

/* Results that are remembered. */
#define RC_HEALTH_RESULTS 10u
/* So many failures in a row, or all that are known. */
#define RC_HEALTH_IN_A_ROW 3u
/* A failure that is older, and behind which calls worked, is forgotten. */
#define RC_HEALTH_FORGET_MS INT64_C(600000)

typedef enum rc_health_state {
    RC_HEALTH_UP = 0,
    RC_HEALTH_DEGRADED = 1, /* some of the latest calls failed */
    RC_HEALTH_FAILING = 2,  /* the latest calls all failed */
    RC_HEALTH_DOWN = 3,     /* it is not called: cooldown, breaker, no usable key */
    RC_HEALTH_DISABLED = 4  /* an operator took it out of service */
} rc_health_state;

typedef struct rc_health {
    uint16_t failed;        /* a bit for each result, the newest is the lowest; 1: it failed */
    uint8_t count;          /* results that are known */
    rc_code code;           /* of the latest failure */
    int64_t good_unix_ms;   /* since when it is up: the first success of the present row, or init */
    int64_t bad_unix_ms;    /* the first failure since it was up; 0: it is up */
    int64_t failed_unix_ms; /* the latest failure */
    int64_t disabled_unix_ms; /* an operator took it out of service; 0: nobody did */
} rc_health;

void rc_health_init(rc_health *health, int64_t now_unix_ms);

/* What a call that ended says of its target. code: NONE: it worked. is_open: the client chose the
 * model, so that a missing one is the client's mistake. */
typedef enum rc_health_verdict {
    RC_HEALTH_VERDICT_NONE = 0,
    RC_HEALTH_VERDICT_GOOD = 1,
    RC_HEALTH_VERDICT_BAD = 2
} rc_health_verdict;
rc_health_verdict rc_health_verdict_of(rc_code code, bool is_open);

void rc_health_note(rc_health *health, rc_health_verdict verdict, rc_code code,
                    int64_t now_unix_ms);

/* UP, DEGRADED or FAILING. */
rc_health_state rc_health_of_calls(const rc_health *health, int64_t now_unix_ms);

/* Since when a state holds. */
int64_t rc_health_since_unix_ms(const rc_health *health, rc_health_state state);

/* "up", "degraded", "failing", "down", "disabled". */
const char *rc_health_state_name(rc_health_state state);

#endif
