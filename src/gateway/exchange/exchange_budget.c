/* Messages about budgets for clients and operators. Called by attempt.c,
 * exchange.c and exchange_ledger.c. */
#include "gateway/exchange/exchange_budget.h"
#include "base/str.h"
#include "codec/datetime.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/snapshot.h"

#define SCOPE_MAX_BYTES 512

void rc_exchange_emit_budgets(rc_exchange *exchange, const rc_ledger_notices *notices)
{
    const rc_exchange_observer *observer = &exchange->runtime->observer;
    for (uint32_t i = 0; observer->on_budget != NULL && i < notices->count; i++) {
        char scratch[SCOPE_MAX_BYTES];
        rc_buf scope;
        rc_buf_init_fixed(&scope, scratch, sizeof scratch);
        rc_budgets_push_scope(&exchange->snapshot->budgets, notices->list[i].budget, &scope);
        observer->on_budget(observer->ctx, &notices->list[i], rc_buf_get(&scope));
    }
}

/* Appends the day on which the budget renews, in UTC. The time of day is left out, because budget
 * periods begin at midnight. */
static void push_renewal(rc_buf *text, int64_t renews_unix_ms)
{
    char scratch[40];
    rc_buf date;
    if (renews_unix_ms == 0) {
        rc_buf_push(text, RC_STR(" It does not renew."));
        return;
    }
    rc_buf_init_fixed(&date, scratch, sizeof scratch);
    rc_rfc3339_push(&date, renews_unix_ms);
    rc_buf_push(text, RC_STR(" It renews on "));
    rc_buf_push(text, rc_str_slice(rc_buf_get(&date), 0, 10));
    rc_buf_push(text, RC_STR(" (UTC)."));
}

static void push_amount(rc_buf *text, rc_str label, uint64_t amount)
{
    rc_buf_push(text, label);
    rc_ledger_push_usd(text, amount);
}

static rc_str verdict_of(const rc_ledger_decision *decision)
{
    if (decision->spent >= decision->limit)
        return RC_STR(" is used up: limit ");
    return decision->reason == RC_WHY_BUDGET_TOO_SMALL
               ? RC_STR(" is smaller than the possible cost of this request: limit ")
               : RC_STR(" has no room for this request: limit ");
}

/* Writes "The budget of client app has no room for this request: limit $0.05, spent $0.031,
 * reserved for requests in flight $0.01, estimate for this request $0.04. It renews on 2026-12-01
 * (UTC)." */
static void push_message(const rc_attempt *attempt, const rc_ledger_decision *decision,
                         rc_buf *text)
{
    char scratch[RC_BUDGETS_RAISE_NAME_MAX];
    rc_buf scope;
    rc_buf_init_fixed(&scope, scratch, sizeof scratch);
    rc_budgets_push_scope(&attempt->exchange->snapshot->budgets, decision->budget, &scope);
    rc_buf_push(text, RC_STR("The "));
    rc_ledger_push_scope(text, rc_buf_get(&scope));
    push_amount(text, verdict_of(decision), decision->limit);
    push_amount(text, RC_STR(", spent "), decision->spent);
    push_amount(text, RC_STR(", reserved for requests in flight "), decision->held);
    push_amount(text, RC_STR(", estimate for this request "), decision->requested);
    rc_buf_push_byte(text, '.');
    push_renewal(text, decision->renews_unix_ms);
}

static rc_str advice_of(const rc_ledger_decision *decision)
{
    if (decision->reason == RC_WHY_BUDGET_TOO_SMALL)
        return RC_STR("Lower max_tokens, or have the budget raised; waiting does not help.");
    if (decision->reason == RC_WHY_BUDGET_HELD)
        return RC_STR("Try again when calls in flight have ended, lower max_tokens, or have the "
                      "budget raised.");
    if (decision->spent < decision->limit)
        return decision->renews_unix_ms != 0
                   ? RC_STR("Lower max_tokens, have the budget raised, or wait until the budget "
                            "renews.")
                   : RC_STR("Lower max_tokens, or have the budget raised.");
    return decision->renews_unix_ms != 0
               ? RC_STR("Have the budget raised, or wait until the budget renews.")
               : RC_STR("Have the budget raised.");
}

void rc_attempt_report_budget(rc_attempt *attempt)
{
    rc_exchange *exchange = attempt->exchange;
    const rc_ledger_decision *decision = &exchange->decision;
    char scratch[1024];
    rc_buf text;
    rc_builder builder;
    const int64_t now_unix_ms = rc_runtime_unix_ms(exchange->runtime);
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    push_message(attempt, decision, &text);
    rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_BUDGET, rc_buf_get(&text));
    rc_builder_set_provider(&builder, attempt->provider->config->name);
    rc_builder_set_model(&builder, attempt->model);
    rc_builder_set_context(&builder, RC_STR("budget"), rc_str_c(rc_reason_name(decision->reason)));
    rc_builder_set_context_int(&builder, RC_STR("spent_usd_micro"), (int64_t)decision->spent);
    rc_builder_set_context_int(&builder, RC_STR("held_usd_micro"), (int64_t)decision->held);
    rc_builder_set_context_int(&builder, RC_STR("limit_usd_micro"), (int64_t)decision->limit);
    rc_builder_set_context_int(&builder, RC_STR("asked_usd_micro"), (int64_t)decision->requested);
    rc_builder_set_action(&builder, RC_ACTION_RAISE_LIMIT, advice_of(decision));
    if (decision->renews_unix_ms > now_unix_ms)
        rc_builder_set_retry_after_ms(&builder, decision->renews_unix_ms - now_unix_ms);
    rc_report_free(exchange->report);
    exchange->report = rc_builder_finish(&builder);
}
