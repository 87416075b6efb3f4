/* rc_policy: when a failed call may be tried again, as data.
 *
 * A policy has one rule for every code and may have others for some codes: the preset `transport`
 * waits longer for a rate limit than for a broken connection. It holds no state; any number of
 * calls share one. Policies are made from a preset, by YAML (docs/policies.md) or by hand; who
 * makes one by hand asks rc_policy_check before using it. */
#ifndef RECOURSE_POLICY_H
#define RECOURSE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>
#include <recourse/export.h>
#include <recourse/report.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* How the wait grows from try to try. */
typedef enum rc_backoff {
    RC_BACKOFF_FIXED = 1,       /* base, base, base */
    RC_BACKOFF_LINEAR = 2,      /* base, 2 base, 3 base */
    RC_BACKOFF_EXPONENTIAL = 3, /* base, factor base, factor^2 base */
    RC_BACKOFF_SCHEDULE = 4     /* the waits one by one; the last one repeats */
} rc_backoff;

/* What chance does to it. A wait is cut to max_delay_ms before and after. */
typedef enum rc_jitter {
    RC_JITTER_NONE = 1,
    RC_JITTER_PERCENT = 2,     /* wait * (1 +- pct/100) */
    RC_JITTER_FULL = 3,        /* 0 .. wait */
    RC_JITTER_DECORRELATED = 4 /* base .. 3 * the wait before; the base counts as the first wait's.
                                  Instead of the backoff. */
} rc_jitter;

/* What a server's hint does to it. Neither is ever earlier than told. */
typedef enum rc_hint_use {
    RC_HINT_EXACT = 1, /* the hint and nothing else */
    RC_HINT_EXTEND = 2 /* the larger of backoff and hint */
} rc_hint_use;

#define RC_SCHEDULE_MAX 16
#define RC_POLICY_RULES_MAX 4
#define RC_POLICY_NAME_MAX 32

/* No limit, of a number in milliseconds or a count. */
#define RC_UNLIMITED UINT64_MAX

/* A set of codes. */
typedef struct rc_code_set {
    uint64_t bits[2]; /* by the code's place in the taxonomy */
} rc_code_set;

/* A code that is not in the table is added to no set and is in none. */
RC_API void rc_code_set_add(rc_code_set *set, rc_code code);
RC_API bool rc_code_set_has(const rc_code_set *set, rc_code code);
RC_API bool rc_code_set_is_empty(const rc_code_set *set);

/* Tries and waits of some codes. */
typedef struct rc_retry_rule {
    rc_code_set codes;     /* whom it is for; of the policy's `others` it is not looked at */
    uint32_t max_attempts; /* tries in all, the first included; at least 1 */
    rc_backoff backoff;
    rc_jitter jitter;
    uint32_t jitter_pct;   /* 0..100 */
    uint32_t factor_milli; /* 2000: doubling */
    uint64_t base_ms;
    uint64_t max_delay_ms; /* RC_UNLIMITED: no cap */
    uint32_t schedule_count;
    uint32_t schedule_ms[RC_SCHEDULE_MAX];
} rc_retry_rule;

typedef struct rc_policy {
    char name[RC_POLICY_NAME_MAX]; /* ends in NUL */
    bool enabled;
    bool retry_exhausted; /* also retry what an inner layer has given up on */
    rc_hint_use hint;
    uint32_t max_calls;        /* of one request, over all targets */
    uint64_t budget_ms;        /* one contiguous budget from the first try on; RC_UNLIMITED */
    uint64_t min_remaining_ms; /* a retry starts only with more than that left; 0: no matter */
    rc_code_set retry_on;      /* empty: everything that is retryable */
    rc_code_set never_retry_on;
    rc_retry_rule default_rule;
    rc_retry_rule rules[RC_POLICY_RULES_MAX]; /* the first that names the code counts */
    uint32_t rule_count;
} rc_policy;

/* The presets: transport, session, council, none. NULL: there is none of that name; past the end.
 */
RC_API const rc_policy *rc_policy_preset(rc_str name);
RC_API const rc_policy *rc_policy_at(size_t index);

/* The rule that a code goes by. Never NULL. policy: borrows. */
RC_API const rc_retry_rule *rc_policy_rule(const rc_policy *policy, rc_code code);

/* The names of the YAML: "exponential", "full", "exact"; "" for what is not in the list. Parsing
 * gives 0 for what is not a name. */
RC_API const char *rc_backoff_name(rc_backoff backoff);
RC_API const char *rc_jitter_name(rc_jitter jitter);
RC_API const char *rc_hint_use_name(rc_hint_use hint);
RC_API rc_backoff rc_backoff_parse(rc_str name);
RC_API rc_jitter rc_jitter_parse(rc_str name);
RC_API rc_hint_use rc_hint_use_parse(rc_str name);

/* What is wrong with a policy that was made by hand: a static clause that names the key, or NULL
 * when it is sound. A code that is fatal in retry_on is wrong: a policy narrows what is retryable
 * and revives nothing. */
RC_API const char *rc_policy_check(const rc_policy *policy);

/* The wait before the next try, hints aside: failed_attempts counts from 1, last_wait_ms is the
 * wait before (0: none; of no matter but for DECORRELATED), entropy is any random number. At most
 * max_delay_ms, and always within rc_backoff_range, also after a longer wait that a hint made. */
RC_API uint64_t rc_backoff_wait(const rc_retry_rule *rule, uint32_t failed_attempts,
                                uint64_t last_wait_ms, uint64_t entropy);

/* The shortest and the longest wait that chance can make of it: what a schedule promises. */
typedef struct rc_wait_range {
    uint64_t min_ms;
    uint64_t max_ms;
} rc_wait_range;
RC_API rc_wait_range rc_backoff_range(const rc_retry_rule *rule, uint32_t failed_attempts);

/* rc_failure_facts: what the policy needs to know of one failure. */
typedef struct rc_failure_facts {
    rc_code code;
    rc_category category;
    rc_limit_kind limit_kind;
    bool is_retryable;
    bool is_retry_exhausted;
    bool is_key_exempt;     /* whatever the code: it says nothing of the credential */
    bool is_target_exempt;  /* nor of the target: its breaker does not count it */
    bool is_429;            /* the status that a client is given for it */
    int64_t retry_after_ms; /* -1: no hint; 0: at once */
} rc_failure_facts;

/* Of a report (NULL: Unclassified), and of a code that has no report: the table's row, no hint. A
 * category other than transient is never retryable, whatever the report says. */
RC_API rc_failure_facts rc_failure_facts_of(const rc_report *report);
RC_API rc_failure_facts rc_failure_facts_of_code(rc_code code);

RC_END_DECLS

#endif
