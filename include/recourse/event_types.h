/* Generated from spec/events.def by `make generate`. Do not edit. */
#ifndef RECOURSE_EVENT_TYPES_H
#define RECOURSE_EVENT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>
#include <recourse/report.h>
#include <recourse/str.h>

/* clang-format off */

/* The numbers are part of the ABI. */
typedef enum rc_event_type {
    RC_EVENT_TYPE_NONE = 0, /* absent */
    RC_EVENT_TYPE_AUTO_RETRY_START = 1, /* the call will be retried after a failure */
    RC_EVENT_TYPE_AUTO_RETRY_END = 2, /* the attempt that auto_retry_start announced has ended */
    RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED = 3, /* the call continues at another target */
    /* a target other than the first one sent the response */
    RC_EVENT_TYPE_RETRY_FALLBACK_SUCCEEDED = 4,
    /* the call continues with another credential of the same target */
    RC_EVENT_TYPE_CREDENTIAL_SWITCHED = 5,
    /* a budget is nearly used up, or is used up and its policy is to warn */
    RC_EVENT_TYPE_BUDGET_WARNING = 10,
    RC_EVENT_TYPE_BUDGET_PAUSED = 11, /* a budget is used up; the work waits for an approval */
    /* an attempt has ended, successfully or not, and its cost is known */
    RC_EVENT_TYPE_COST_UPDATED = 12,
    /* a provider's limit is nearly used up, so that requests may soon be refused */
    RC_EVENT_TYPE_QUOTA_WARNING = 13,
    /* the context is too long and must be shortened before the next attempt */
    RC_EVENT_TYPE_COMPACTION_NEEDED = 20,
    RC_EVENT_TYPE_SUPPRESSED_ERROR = 21, /* an error was ignored on purpose */
    RC_EVENT_TYPE_NODE_FAILED = 30, /* a step of a flow failed and is not retried */
    RC_EVENT_TYPE_NODE_RETRYING = 31, /* a step of a flow will be retried */
    RC_EVENT_TYPE_RUN_FAILED = 32, /* a run ended with a failure */
    RC_EVENT_TYPE_RUN_COMPLETED = 33, /* a run ended with success */
    RC_EVENT_TYPE_INTERACTION_REQUESTED = 40, /* a question waits for a person */
    RC_EVENT_TYPE_INTERACTION_RESOLVED = 41, /* a question was answered, or ended without a reply */
} rc_event_type;

/* auto_retry_start: the call will be retried after a failure. */
typedef struct rc_event_auto_retry_start {
    uint64_t attempt; /* number of the next attempt, counted over the whole call */
    /* maximum number of attempts of the whole call, as far as known, including the first */
    uint64_t max_attempts;
    uint64_t delay_ms; /* length of the wait; 0: the retry starts at once */
    rc_str error_message; /* message of the failure, in the user's view */
    rc_str report_id; /* id of the failure's report */
} rc_event_auto_retry_start;

/* auto_retry_end: the attempt that auto_retry_start announced has ended. */
typedef struct rc_event_auto_retry_end {
    bool success; /* whether the attempt succeeded */
    uint64_t attempt; /* number of the attempt, as in the auto_retry_start before it */
    rc_str final_error; /* message of the error after which the call is not retried again */
} rc_event_auto_retry_end;

/* retry_fallback_applied: the call continues at another target. */
typedef struct rc_event_retry_fallback_applied {
    rc_str from; /* previous target */
    rc_str to; /* next target */
    rc_str role; /* purpose of the call, as its owner names it */
} rc_event_retry_fallback_applied;

/* retry_fallback_succeeded: a target other than the first one sent the response. */
typedef struct rc_event_retry_fallback_succeeded {
    rc_str model; /* target that sent the response */
    rc_str role; /* purpose of the call, as its owner names it */
} rc_event_retry_fallback_succeeded;

/* credential_switched: the call continues with another credential of the same target. */
typedef struct rc_event_credential_switched {
    rc_str provider; /* provider of the credentials */
    rc_str from; /* id of the previous credential, never the key itself */
    rc_str to; /* id of the next credential, never the key itself */
} rc_event_credential_switched;

/* budget:warning: a budget is nearly used up, or is used up and its policy is to warn. */
typedef struct rc_event_budget_warning {
    rc_str scope; /* owner of the budget: a client, a run or a session */
    uint64_t spent_micro_usd; /* amount spent */
    uint64_t limit_micro_usd; /* limit of the budget */
} rc_event_budget_warning;

/* budget:paused: a budget is used up; the work waits for an approval. */
typedef struct rc_event_budget_paused {
    rc_str scope; /* owner of the budget: a client, a run or a session */
    uint64_t spent_micro_usd; /* amount spent */
    uint64_t limit_micro_usd; /* limit of the budget */
    rc_str interaction_id; /* id of the interaction that requests the approval */
} rc_event_budget_paused;

/* cost:updated: an attempt has ended, successfully or not, and its cost is known. */
typedef struct rc_event_cost_updated {
    uint64_t attempt; /* number of the attempt, counted over the whole call */
    rc_str model; /* target of the attempt */
    uint64_t input_tokens; /* input tokens of this attempt */
    uint64_t output_tokens; /* output tokens of this attempt */
    uint64_t cost_micro_usd; /* cost of this attempt */
    uint64_t total_micro_usd; /* cost of the call so far, including this attempt */
} rc_event_cost_updated;

/* quota:warning: a provider's limit is nearly used up, so that requests may soon be refused. */
typedef struct rc_event_quota_warning {
    rc_str model; /* target whose response named the limit */
    rc_str credential; /* id of the credential that has this limit, never the key itself */
    rc_str kind; /* name of the limit as the provider spells it: requests, input-tokens, ... */
    uint64_t remaining; /* remaining part of the limit */
    uint64_t limit; /* the whole limit; 100 if the provider reports a percentage */
    uint64_t reset_ms; /* time until the limit renews, if it is known */
} rc_event_quota_warning;

/* compaction_needed: the context is too long and must be shortened before the next attempt. */
typedef struct rc_event_compaction_needed {
    rc_str model; /* target whose context window is too small */
    rc_str error_message; /* message of the failure, in the user's view */
    rc_str report_id; /* id of the failure's report */
} rc_event_compaction_needed;

/* SuppressedError: an error was ignored on purpose. */
typedef struct rc_event_suppressed_error {
    rc_str reason; /* reason for which the error may be ignored */
    const rc_report *error; /* the whole report of the ignored error */
} rc_event_suppressed_error;

/* node:failed: a step of a flow failed and is not retried. */
typedef struct rc_event_node_failed {
    rc_str run_id; /* id of the run */
    rc_str node_id; /* id of the step */
    uint64_t attempt; /* number of attempts that the step made */
    rc_run_event code; /* run-event code of the failure */
    const rc_report *error; /* report of the failure */
} rc_event_node_failed;

/* node:retrying: a step of a flow will be retried. */
typedef struct rc_event_node_retrying {
    rc_str run_id; /* id of the run */
    rc_str node_id; /* id of the step */
    uint64_t attempt; /* number of the next attempt */
    uint64_t max_attempts; /* maximum number of attempts of the step, including the first */
    uint64_t delay_ms; /* length of the wait; 0: the retry starts at once */
    rc_str error_message; /* message of the failure, in the user's view */
    rc_str report_id; /* id of the failure's report */
} rc_event_node_retrying;

/* run:failed: a run ended with a failure. */
typedef struct rc_event_run_failed {
    rc_str run_id; /* id of the run */
    rc_str node_id; /* id of the step at which the run ended */
    rc_run_event code; /* run-event code of the failure */
    const rc_report *error; /* report of the failure */
} rc_event_run_failed;

/* run:completed: a run ended with success. */
typedef struct rc_event_run_completed {
    rc_str run_id; /* id of the run */
    uint64_t duration_ms; /* time since the start of the run, including pauses */
    uint64_t cost_micro_usd; /* cost of all attempts of the run */
} rc_event_run_completed;

/* interaction_requested: a question waits for a person. */
typedef struct rc_event_interaction_requested {
    rc_str interaction_id; /* id of the question, which the reply must contain */
    rc_str kind; /* kind of the question: Ask, Approve, Select, ... */
    rc_str prompt; /* the question */
    uint64_t timeout_ms; /* time limit for the reply; 0: none */
} rc_event_interaction_requested;

/* interaction_resolved: a question was answered, or ended without a reply. */
typedef struct rc_event_interaction_resolved {
    rc_str interaction_id; /* id of the question, as in interaction_requested */
    rc_str kind; /* kind of the question, as in interaction_requested */
    /* answered, defaulted, timed_out or cancelled; the reply itself is not in the event */
    rc_str outcome;
} rc_event_interaction_resolved;

/* The fields of an event, by its type. Strings and reports are borrowed. */
typedef union rc_event_fields {
    rc_event_auto_retry_start auto_retry_start;
    rc_event_auto_retry_end auto_retry_end;
    rc_event_retry_fallback_applied retry_fallback_applied;
    rc_event_retry_fallback_succeeded retry_fallback_succeeded;
    rc_event_credential_switched credential_switched;
    rc_event_budget_warning budget_warning;
    rc_event_budget_paused budget_paused;
    rc_event_cost_updated cost_updated;
    rc_event_quota_warning quota_warning;
    rc_event_compaction_needed compaction_needed;
    rc_event_suppressed_error suppressed_error;
    rc_event_node_failed node_failed;
    rc_event_node_retrying node_retrying;
    rc_event_run_failed run_failed;
    rc_event_run_completed run_completed;
    rc_event_interaction_requested interaction_requested;
    rc_event_interaction_resolved interaction_resolved;
} rc_event_fields;

/* clang-format on */

#endif
