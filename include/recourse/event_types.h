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
    RC_EVENT_TYPE_AUTO_RETRY_START = 1, /* a failure is going to be tried again */
    RC_EVENT_TYPE_AUTO_RETRY_END = 2, /* the try that was announced has ended */
    RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED = 3, /* another target is asked from now on */
    /* another target than the first one gave the answer */
    RC_EVENT_TYPE_RETRY_FALLBACK_SUCCEEDED = 4,
    /* another credential of the same target is used from now on */
    RC_EVENT_TYPE_CREDENTIAL_SWITCHED = 5,
    /* a budget is nearly used up, or used up where that only warns */
    RC_EVENT_TYPE_BUDGET_WARNING = 10,
    RC_EVENT_TYPE_BUDGET_PAUSED = 11, /* a budget is used up; the work waits for an approval */
    RC_EVENT_TYPE_COST_UPDATED = 12, /* what one try cost, whether it worked or not */
    /* a provider's limit is nearly used up; refusals are to come */
    RC_EVENT_TYPE_QUOTA_WARNING = 13,
    /* the context is too long; it must be shortened before another try */
    RC_EVENT_TYPE_COMPACTION_NEEDED = 20,
    RC_EVENT_TYPE_SUPPRESSED_ERROR = 21, /* an error was ignored on purpose */
    RC_EVENT_TYPE_NODE_FAILED = 30, /* a step of a flow failed for good */
    RC_EVENT_TYPE_NODE_RETRYING = 31, /* a step of a flow is going to be tried again */
    RC_EVENT_TYPE_RUN_FAILED = 32, /* a run ended in a failure */
    RC_EVENT_TYPE_RUN_COMPLETED = 33, /* a run reached its end */
    RC_EVENT_TYPE_INTERACTION_REQUESTED = 40, /* a person is asked something */
    RC_EVENT_TYPE_INTERACTION_RESOLVED = 41, /* a question was answered, or will not be */
} rc_event_type;

/* auto_retry_start: a failure is going to be tried again. */
typedef struct rc_event_auto_retry_start {
    uint64_t attempt; /* the number of the try that is to come, over the whole call */
    uint64_t max_attempts; /* tries of the whole call as far as is known, the first included */
    uint64_t delay_ms; /* how long it waits; 0: at once */
    rc_str error_message; /* the failure's message, safe for people */
    rc_str report_id; /* the failure's report */
} rc_event_auto_retry_start;

/* auto_retry_end: the try that was announced has ended. */
typedef struct rc_event_auto_retry_end {
    bool success; /* it worked */
    uint64_t attempt; /* as in its auto_retry_start */
    rc_str final_error; /* there is no other try, because of this */
} rc_event_auto_retry_end;

/* retry_fallback_applied: another target is asked from now on. */
typedef struct rc_event_retry_fallback_applied {
    rc_str from; /* the target before */
    rc_str to; /* the target from now on */
    rc_str role; /* what the call is for, as its owner names it */
} rc_event_retry_fallback_applied;

/* retry_fallback_succeeded: another target than the first one gave the answer. */
typedef struct rc_event_retry_fallback_succeeded {
    rc_str model; /* the target that answered */
    rc_str role; /* as in retry_fallback_applied */
} rc_event_retry_fallback_succeeded;

/* credential_switched: another credential of the same target is used from now on. */
typedef struct rc_event_credential_switched {
    rc_str provider; /* whose credentials they are */
    rc_str from; /* an id, never a key */
    rc_str to; /* an id, never a key */
} rc_event_credential_switched;

/* budget:warning: a budget is nearly used up, or used up where that only warns. */
typedef struct rc_event_budget_warning {
    rc_str scope; /* whose budget: a client, a run, a session */
    uint64_t spent_micro_usd; /* what was spent of it */
    uint64_t limit_micro_usd; /* what may be spent */
} rc_event_budget_warning;

/* budget:paused: a budget is used up; the work waits for an approval. */
typedef struct rc_event_budget_paused {
    rc_str scope; /* whose budget: a client, a run, a session */
    uint64_t spent_micro_usd; /* what was spent of it */
    uint64_t limit_micro_usd; /* what may be spent */
    rc_str interaction_id; /* the question that waits for an answer */
} rc_event_budget_paused;

/* cost:updated: what one try cost, whether it worked or not. */
typedef struct rc_event_cost_updated {
    uint64_t attempt; /* the number of the try, over the whole call */
    rc_str model; /* the target that was asked */
    uint64_t input_tokens; /* of this try */
    uint64_t output_tokens; /* of this try */
    uint64_t cost_micro_usd; /* of this try */
    uint64_t total_micro_usd; /* of the call so far, this try included */
} rc_event_cost_updated;

/* quota:warning: a provider's limit is nearly used up; refusals are to come. */
typedef struct rc_event_quota_warning {
    rc_str model; /* the target that said so */
    rc_str credential; /* whose limit it is: an id, never a key */
    rc_str kind; /* what is limited, as the provider calls it: requests, input-tokens, ... */
    uint64_t remaining; /* what is left of the limit */
    uint64_t limit; /* the whole limit; 100 for one that is told in per cent */
    uint64_t reset_ms; /* until it is renewed, when that is known */
} rc_event_quota_warning;

/* compaction_needed: the context is too long; it must be shortened before another try. */
typedef struct rc_event_compaction_needed {
    rc_str model; /* the target that it is too long for */
    rc_str error_message; /* the failure's message, safe for people */
    rc_str report_id; /* the failure's report */
} rc_event_compaction_needed;

/* SuppressedError: an error was ignored on purpose. */
typedef struct rc_event_suppressed_error {
    rc_str reason; /* why it may be ignored */
    const rc_report *error; /* what was ignored; the whole report */
} rc_event_suppressed_error;

/* node:failed: a step of a flow failed for good. */
typedef struct rc_event_node_failed {
    rc_str run_id; /* the run */
    rc_str node_id; /* the step */
    uint64_t attempt; /* how often the step was tried */
    rc_run_event code; /* the failure in one word of a closed set */
    const rc_report *error; /* what happened */
} rc_event_node_failed;

/* node:retrying: a step of a flow is going to be tried again. */
typedef struct rc_event_node_retrying {
    rc_str run_id; /* the run */
    rc_str node_id; /* the step */
    uint64_t attempt; /* the number of the try that is to come */
    uint64_t max_attempts; /* tries that the step may have, the first included */
    uint64_t delay_ms; /* how long it waits; 0: at once */
    rc_str error_message; /* the failure's message, safe for people */
    rc_str report_id; /* the failure's report */
} rc_event_node_retrying;

/* run:failed: a run ended in a failure. */
typedef struct rc_event_run_failed {
    rc_str run_id; /* the run */
    rc_str node_id; /* the step that it ended at */
    rc_run_event code; /* the failure in one word of a closed set */
    const rc_report *error; /* what happened */
} rc_event_run_failed;

/* run:completed: a run reached its end. */
typedef struct rc_event_run_completed {
    rc_str run_id; /* the run */
    uint64_t duration_ms; /* from its start, pauses included */
    uint64_t cost_micro_usd; /* of all tries */
} rc_event_run_completed;

/* interaction_requested: a person is asked something. */
typedef struct rc_event_interaction_requested {
    rc_str interaction_id; /* what the answer has to name */
    rc_str kind; /* what is asked for: Ask, Approve, Select, ... */
    rc_str prompt; /* the question */
    uint64_t timeout_ms; /* how long it waits for the answer; 0: for ever */
} rc_event_interaction_requested;

/* interaction_resolved: a question was answered, or will not be. */
typedef struct rc_event_interaction_resolved {
    rc_str interaction_id; /* as in interaction_requested */
    rc_str kind; /* as in interaction_requested */
    rc_str outcome; /* answered, defaulted, timed_out or cancelled; the answer itself stays out */
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
