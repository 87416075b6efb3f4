/* rc_policy: the settings that decide how a route retries.
 *
 * A policy has one default rule and may have further rules for some error codes. For example, the
 * preset `transport` waits longer after a rate limit than after a broken connection. A policy has
 * no state, so any number of calls can share it. A policy is a preset, is read from YAML
 * (docs/policies.md), or is filled in by a program, which must then call rc_policy_check. */
#ifndef RECOURSE_POLICY_H
#define RECOURSE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>
#include <recourse/export.h>
#include <recourse/report.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* How the wait changes from attempt to attempt. */
typedef enum rc_backoff {
    RC_BACKOFF_FIXED = 1,       /* waits of base, base, base */
    RC_BACKOFF_LINEAR = 2,      /* waits of base, 2 base, 3 base */
    RC_BACKOFF_EXPONENTIAL = 3, /* waits of base, factor * base, factor^2 * base */
    RC_BACKOFF_SCHEDULE = 4     /* an explicit list of waits; the last one repeats */
} rc_backoff;

/* How the wait is randomised. The wait is limited to max_delay_ms before and after the
 * randomisation. */
typedef enum rc_jitter {
    RC_JITTER_NONE = 1,
    RC_JITTER_PERCENT = 2,     /* wait * (1 +- pct/100) */
    RC_JITTER_FULL = 3,        /* 0 .. wait */
    RC_JITTER_DECORRELATED = 4 /* base .. 3 * previous wait (for the first wait: base); the backoff
                                  is not used */
} rc_jitter;

/* How a retry time that the server names (a hint, such as Retry-After) changes the wait. With
 * either value of rc_hint_use the wait does not end before the retry time. */
typedef enum rc_hint_use {
    RC_HINT_EXACT = 1, /* the wait lasts as long as the hint states */
    RC_HINT_EXTEND = 2 /* the wait lasts as long as the longer of backoff and hint */
} rc_hint_use;

#define RC_SCHEDULE_MAX 16
#define RC_POLICY_RULES_MAX 4
#define RC_POLICY_NAME_MAX 32

/* The value that means "no limit" for times in milliseconds and for counts. */
#define RC_UNLIMITED UINT64_MAX

/* A set of error codes. */
typedef struct rc_code_set {
    uint64_t bits[2]; /* one bit per code; the index of the bit is the code's row in the taxonomy */
} rc_code_set;

/* rc_code_set_add adds a code, rc_code_set_has tests for a code, rc_code_set_is_empty tests whether
 * the set has no code. A code that is not in the taxonomy cannot be added and is in no set. */
RC_API void rc_code_set_add(rc_code_set *set, rc_code code);
RC_API bool rc_code_set_has(const rc_code_set *set, rc_code code);
RC_API bool rc_code_set_is_empty(const rc_code_set *set);

/* The number of attempts, and the waits, for a set of codes. */
typedef struct rc_retry_rule {
    rc_code_set codes;     /* codes that the rule applies to; ignored in default_rule */
    uint32_t max_attempts; /* maximum number of attempts, including the first; at least 1 */
    rc_backoff backoff;
    rc_jitter jitter;
    uint32_t jitter_pct;   /* percentage for RC_JITTER_PERCENT, 0 to 100 */
    uint32_t factor_milli; /* factor of the exponential backoff, in thousandths; 2000 doubles the
                              wait */
    uint64_t base_ms;
    uint64_t max_delay_ms; /* maximum wait in milliseconds; RC_UNLIMITED: no maximum */
    uint32_t schedule_count;
    uint32_t schedule_ms[RC_SCHEDULE_MAX];
} rc_retry_rule;

typedef struct rc_policy {
    char name[RC_POLICY_NAME_MAX]; /* name of the policy, NUL-terminated */
    bool enabled;                  /* false: no retries at all */
    bool retry_exhausted;          /* also retry a failure that the layer below, such as the
                                      provider, has already retried until it gave up */
    bool is_patient; /* a call that may wait in the queue is retried beyond max_attempts, up to
                        max_calls, while its target serves enough calls or recovers (admission.h) */
    rc_hint_use hint;
    uint32_t max_calls;        /* maximum number of upstream calls of one request, at all targets
                                  together */
    uint64_t budget_ms;        /* time limit from the first attempt on; RC_UNLIMITED: none */
    uint64_t min_remaining_ms; /* a retry starts only if more than this time is left before the
                                  deadline; 0: no minimum */
    rc_code_set retry_on;      /* codes that are retried; empty: all retryable codes */
    rc_code_set never_retry_on;
    rc_retry_rule default_rule;               /* rule for codes that no element of `rules`
                                                 contains */
    rc_retry_rule rules[RC_POLICY_RULES_MAX]; /* rules for certain codes; the first rule that
                                                 contains the code applies */
    uint32_t rule_count;
} rc_policy;

/* rc_policy_preset returns a preset (transport, session, council, none) by name, or NULL for an
 * unknown name. rc_policy_at returns a preset by index, or NULL if the index is too large. The
 * presets are static. */
RC_API const rc_policy *rc_policy_preset(rc_str name);
RC_API const rc_policy *rc_policy_at(size_t index);

/* Returns the rule for a code. The result views the policy and is never NULL. policy: borrows
 * during the call. */
RC_API const rc_retry_rule *rc_policy_rule(const rc_policy *policy, rc_code code);

/* These functions convert between values and their names in YAML, such as "exponential", "full" and
 * "exact". The name of an unknown value is "". The parse functions return 0 for an unknown name.
 * Names are static strings. */
RC_API const char *rc_backoff_name(rc_backoff backoff);
RC_API const char *rc_jitter_name(rc_jitter jitter);
RC_API const char *rc_hint_use_name(rc_hint_use hint);
RC_API rc_backoff rc_backoff_parse(rc_str name);
RC_API rc_jitter rc_jitter_parse(rc_str name);
RC_API rc_hint_use rc_hint_use_parse(rc_str name);

/* Returns the first error in a policy as a static text that names the key, or NULL if the policy is
 * valid. A code in retry_on that is not retryable is an error, because a policy cannot make a code
 * retryable. */
RC_API const char *rc_policy_check(const rc_policy *policy);

/* Returns the wait in milliseconds before the next attempt, ignoring hints. failed_attempts: the
 * number of failed attempts, at least 1. last_wait_ms: the previous wait (0: none), used by
 * RC_JITTER_DECORRELATED only. entropy: any random number. The result is within rc_backoff_range
 * and therefore at most max_delay_ms, even if a hint made the previous wait longer. */
RC_API uint64_t rc_backoff_wait(const rc_retry_rule *rule, uint32_t failed_attempts,
                                uint64_t last_wait_ms, uint64_t entropy);

/* The shortest and longest wait that rc_backoff_wait can return, for displaying a schedule. */
typedef struct rc_wait_range {
    uint64_t min_ms;
    uint64_t max_ms;
} rc_wait_range;
RC_API rc_wait_range rc_backoff_range(const rc_retry_rule *rule, uint32_t failed_attempts);

/* rc_failure_facts: the facts of one failure on which the policy bases its decision. */
typedef struct rc_failure_facts {
    rc_code code;
    rc_category category;
    rc_limit_kind limit_kind;
    bool is_retryable;
    bool is_retry_exhausted; /* the layer below has used up its retries, or has forbidden a retry */
    bool is_key_exempt;      /* the failure must not close the credential, whatever its code is */
    bool is_target_exempt;   /* the failure does not count in the target's breaker */
    bool is_429;             /* the client gets status 429 for the failure */
    int64_t retry_after_ms;  /* wait in milliseconds that the provider named; -1: none; 0: retry at
                                once */
} rc_failure_facts;

/* rc_failure_facts_of returns the facts of a report; for NULL, the facts of the code Unclassified.
 * report: borrows during the call. rc_failure_facts_of_code returns the facts in a code's row of
 * the taxonomy, without a hint. A failure whose category is not transient is never retryable, even
 * if rc_report_is_retryable returns true. */
RC_API rc_failure_facts rc_failure_facts_of(const rc_report *report);
RC_API rc_failure_facts rc_failure_facts_of_code(rc_code code);

RC_END_DECLS

#endif
