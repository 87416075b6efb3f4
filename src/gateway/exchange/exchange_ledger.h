/* The steps of an exchange: its events in order, with their cost. The audit, the reports, the
 * metrics and the headers of the reply read the steps. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_LEDGER_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/call.h>
#include <recourse/report.h>

#include "dialect/usage_charge.h"
#include "gateway/state/quota_cache.h"
#include "gateway/state/unavailable.h"
#include "store/record.h"

typedef struct rc_attempt rc_attempt;
typedef struct rc_exchange rc_exchange;
typedef struct rc_ledger_decision rc_ledger_decision;
typedef struct rc_reply_facts rc_reply_facts;
typedef struct rc_snapshot_provider rc_snapshot_provider;

#define RC_EXCHANGE_STEPS_MAX 256u

/* A provider's limit that is nearly used up. */
typedef struct rc_exchange_quota {
    rc_quota quota; /* The quota; its name views `name`. */
    char name[RC_QUOTA_NAME_MAX];
    bool is_emitted; /* The warning was sent to the client. */
} rc_exchange_quota;

/* One step of a request: an attempt, a wait, a switch, a skip or a warning. */
typedef struct rc_ledger_step {
    rc_record_kind kind;
    uint16_t entry;
    uint16_t credential;
    uint32_t attempt;
    rc_reason reason; /* For an ATTEMPT: the reason of the next action. */
    int status;
    uint64_t wait_ms;
    int64_t at_unix_ms;
    int64_t latency_ms;
    int64_t first_byte_ms;
    uint64_t bytes;
    rc_charge charge; /* Tokens used. */
    uint64_t cost_usd_micro;
    uint32_t flags;             /* RC_RECORD_ bits. */
    bool is_paused;             /* For a WAIT: the attempt waits for a budget. */
    uint32_t budget;            /* For a WAIT with is_paused: the budget, as a row of rc_budgets. */
    const rc_report *report;    /* Report of the failure. NULL: success. */
    rc_unavailable unavailable; /* For a SKIP: why the target is unavailable, as far as it is
                                   known. */
    rc_str text;                /* For a SKIP: the reason; for an ATTEMPT: how the request was
                                   translated. In memory of the step. */
    rc_exchange_quota *quota;   /* For a QUOTA: the limit, in memory of the step. */
} rc_ledger_step;

/* Adds a step. Returns NULL if there are too many steps or memory runs out. */
rc_ledger_step *rc_exchange_add_step(rc_exchange *exchange, rc_record_kind kind);
/* Adds the end of an attempt. report: the failure; borrows during the call. If `report` is NULL,
 * the attempt succeeded (is_done) or was cancelled. */
void rc_exchange_add_attempt(rc_attempt *attempt, const rc_report *report, bool is_done);
/* Adds the next action of rc_call, and the targets that rc_call skipped. */
void rc_exchange_add_action(rc_exchange *exchange, const rc_action *action);
/* Adds the flaw of a complete but unusable response, so that all outputs report the same result.
 * flaw: borrows during the call. */
void rc_exchange_add_flaw(rc_exchange *exchange, const rc_report *flaw);
/* Returns the reason of a call whose response is complete but unusable. */
rc_reason rc_exchange_flaw_reason(const rc_exchange *exchange);
/* Adds a skip of a chain entry that was chosen for a hedge and is not used. */
void rc_exchange_add_skip(rc_exchange *exchange, uint16_t entry, rc_reason why);
/* Called when a wait ends early, and when any wait in the queue ends: sets the recorded length of
 * the wait to the time that has passed. */
void rc_exchange_cut_wait(rc_exchange *exchange);
/* Adds a warning about a provider's limit. low: copies the struct and its name. */
void rc_exchange_add_quota(const rc_attempt *attempt, const rc_quota *low);
/* rc_exchange_add_pause adds a wait for a budget, and rc_exchange_end_pause sets its length when it
 * is over. decision: borrows during the call. */
void rc_exchange_add_pause(rc_exchange *exchange, const rc_ledger_decision *decision);
void rc_exchange_end_pause(rc_exchange *exchange);
void rc_exchange_steps_done(rc_exchange *exchange);
/* Sets the text of a step without text. text: copies; not set if memory runs out. */
void rc_exchange_set_step_text(const rc_exchange *exchange, rc_ledger_step *step, rc_str text);
/* Fills in the cost. done: an attempt with a complete response that is not a step yet; NULL if all
 * attempts are steps. */
void rc_exchange_fill_cost(const rc_exchange *exchange, rc_attempt *done, rc_reply_facts *facts);
/* Fills in the failures that fallback_on of the route has hidden, such as "ModelNotFound at
 * openai/gpt-5". text: an empty buffer, which facts->masked views. */
void rc_exchange_fill_masked(const rc_exchange *exchange, rc_buf *text, rc_reply_facts *facts);
/* Fills in the durations until now of the request and of its latest attempt. current: the latest
 * attempt if it is not a step yet; NULL if it is a step already. */
void rc_exchange_fill_times(const rc_exchange *exchange, const rc_attempt *current,
                            rc_reply_facts *facts);
rc_str rc_exchange_model_of(const rc_exchange *exchange, uint16_t entry);
const rc_snapshot_provider *rc_exchange_provider_of(const rc_exchange *exchange, uint16_t entry);

#endif
