/* The report of a call for which no target is available: why each target was skipped. Called by
 * exchange_ledger.c and exchange_reply.c. */
#include "gateway/exchange/exchange_unavailable.h"
#include "base/str.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/translate/exchange_translate.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/snapshot.h"

#define WORDS_MAX 512u
#define MESSAGE_MAX 2048u

void rc_exchange_note_unavailable(rc_exchange *exchange, rc_ledger_step *step)
{
    char scratch[WORDS_MAX];
    rc_buf words;
    rc_buf_init_fixed(&words, scratch, sizeof scratch);
    if (step->reason == RC_WHY_SKIP_TRANSLATION)
        rc_exchange_push_unfit(exchange, step->entry, &words);
    else
        step->unavailable = rc_hub_why_unavailable(
            exchange->runtime->hub, exchange->plan.entries[step->entry].target, step->reason,
            rc_runtime_now(exchange->runtime), &words);
    if (rc_buf_status(&words) == RC_OK)
        rc_exchange_set_step_text(exchange, step, rc_buf_get(&words));
}

/* Returns whether the step is the last skip of its chain entry, and has another reason than a
 * missing capability. */
static bool is_unavailable(const rc_exchange *exchange, uint32_t at)
{
    const rc_ledger_step *step = &exchange->steps[at];
    if (step->kind != RC_RECORD_SKIP || step->reason == RC_WHY_SKIP_CAPABILITY ||
        step->reason == RC_WHY_SKIP_TRANSLATION)
        return false;
    for (uint32_t i = at + 1; i < exchange->step_count; i++)
        if (exchange->steps[i].kind == RC_RECORD_SKIP && exchange->steps[i].entry == step->entry)
            return false;
    return true;
}

/* Returns the failure of the target that becomes available first. If no such time is known, returns
 * the failure of the first target. */
static rc_code first_to_open(const rc_exchange *exchange)
{
    const rc_ledger_step *found = NULL;
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        if (!is_unavailable(exchange, i) || step->unavailable.code == RC_CODE_NONE ||
            rc_outcome_is_lasting(step->unavailable.code))
            continue;
        if (found == NULL || (step->wait_ms > 0 && step->wait_ms < found->wait_ms))
            found = step;
    }
    return found != NULL ? found->unavailable.code : RC_CODE_NONE;
}

rc_unavailable_causes rc_exchange_causes(const rc_exchange *exchange)
{
    rc_unavailable_causes causes = {
        .other = exchange->runtime->skips.count > RC_SKIPS_MAX ? 1 : 0,
        .first = first_to_open(exchange),
    };
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        if (!is_unavailable(exchange, i))
            continue;
        if (rc_outcome_is_used_up(step->unavailable.code))
            causes.used_up++;
        else if (rc_outcome_is_lasting(step->unavailable.code))
            causes.refused++;
        else if (step->reason != RC_WHY_SKIP_OUT_OF_SERVICE)
            causes.other++;
    }
    return causes;
}

bool rc_exchange_is_retry_time_named(const rc_exchange *exchange)
{
    for (uint32_t i = 0; i < exchange->step_count; i++)
        if (is_unavailable(exchange, i) && exchange->steps[i].unavailable.is_time_named)
            return true;
    return false;
}

/* Returns whether a provider reported a used-up quota with status 429. */
static bool is_429(const rc_exchange *exchange)
{
    for (uint32_t i = 0; i < exchange->step_count; i++)
        if (is_unavailable(exchange, i) &&
            rc_outcome_is_used_up(exchange->steps[i].unavailable.code) &&
            exchange->steps[i].unavailable.is_429)
            return true;
    return false;
}

/* Appends a target and the reason, such as "m/gpt-4o: quota used up (key m:1)". */
static void push_target(const rc_exchange *exchange, const rc_ledger_step *step, rc_buf *text)
{
    rc_buf_push(text, rc_exchange_provider_of(exchange, step->entry)->config->name);
    rc_buf_push_byte(text, '/');
    rc_buf_push(text, rc_exchange_model_of(exchange, step->entry));
    rc_buf_push(text, RC_STR(": "));
    rc_buf_push(text, step->text.len > 0 ? step->text : rc_str_c(rc_reason_text(step->reason)));
}

/* Appends the skipped targets, as many as fit. */
static void push_targets(const rc_exchange *exchange, rc_buf *text)
{
    uint32_t count = 0;
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        char scratch[MESSAGE_MAX / 2];
        rc_buf one;
        if (!is_unavailable(exchange, i))
            continue;
        rc_buf_init_fixed(&one, scratch, sizeof scratch);
        push_target(exchange, &exchange->steps[i], &one);
        if (rc_buf_status(&one) != RC_OK ||
            rc_buf_get(text).len + rc_buf_get(&one).len > MESSAGE_MAX - 64) {
            left_out++;
            continue;
        }
        rc_buf_push(text, count++ > 0 ? RC_STR("; ") : RC_STR(" "));
        rc_buf_push(text, rc_buf_get(&one));
    }
    if (left_out > 0) {
        rc_buf_push(text, count > 0 ? RC_STR("; and ") : RC_STR(" Also affected: "));
        rc_buf_push_u64(text, left_out);
        rc_buf_push(text, RC_STR(" more"));
    }
    rc_buf_push(text, count + left_out > 0 ? RC_STR(".") : RC_STR(""));
}

#define RETRY_ADVICE                                                                             \
    " The gateway tries the keys again by itself; \"Try it again\" on the dashboard does so at " \
    "once."

/* Sets the advice: it names the causes of the cooldowns, and how the operator can have the targets
 * tried sooner. */
static void advise(const rc_unavailable_causes *causes, rc_builder *builder)
{
    const bool needs_operator = rc_outcome_needs_operator(causes);
    if (needs_operator && causes->used_up > 0 && causes->refused > 0)
        rc_builder_set_action(
            builder, RC_ACTION_ADD_CREDIT,
            RC_STR("Add credit, raise the plan or the spending limit, or wait "
                   "for the quota to renew; replace the rejected keys." RETRY_ADVICE));
    else if (needs_operator && causes->used_up > 0)
        rc_builder_set_action(builder, RC_ACTION_ADD_CREDIT,
                              RC_STR("Add credit, raise the plan or the spending limit, or wait "
                                     "for the quota to renew." RETRY_ADVICE));
    else if (needs_operator)
        rc_builder_set_action(builder, RC_ACTION_CHECK_CREDENTIALS,
                              RC_STR("Check that the API keys are complete and still valid, and "
                                     "replace invalid keys." RETRY_ADVICE));
    else if (causes->used_up + causes->refused > 0)
        rc_builder_set_action(builder, RC_ACTION_WAIT_AND_RETRY,
                              RC_STR("Wait for the stated time, or use another model. The other "
                                     "targets need credit or valid keys."));
}

void rc_exchange_describe_unavailable(const rc_exchange *exchange,
                                      const rc_unavailable_causes *causes, rc_builder *builder)
{
    char scratch[MESSAGE_MAX];
    char clause[128];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, rc_exchange_sentence(rc_reason_text(exchange->machine.action.reason), clause,
                                            sizeof clause));
    push_targets(exchange, &text);
    rc_builder_set_message(builder, rc_buf_get(&text));
    advise(causes, builder);
    if (rc_outcome_needs_operator(causes) && is_429(exchange))
        rc_builder_set_http_status(builder, 429);
}
