/* Budgets, as clients and people are told of them. */
#include "base/str.h"
#include "codec/datetime.h"
#include "gateway/job.h"

#define SCOPE_MAX_BYTES 512

void rc_gate_job_tell_money(rc_gate_job *job, const rc_spend_told *told)
{
    const rc_gate_settings *settings = &job->gate->settings;
    for (uint32_t i = 0; settings->on_budget != NULL && i < told->count; i++) {
        char room[SCOPE_MAX_BYTES];
        rc_buf scope;
        rc_buf_init_fixed(&scope, room, sizeof room);
        rc_purse_scope(&rc_gate_job_plans(job)->money, told->list[i].row, &scope);
        settings->on_budget(settings->record_ctx, &told->list[i], rc_buf_get(&scope));
    }
}

/* The day, by the calendar of UTC: windows begin at midnight. */
static void push_renewal(rc_buf *text, int64_t renews_unix_ms)
{
    char room[40];
    rc_buf date;
    if (renews_unix_ms == 0) {
        rc_buf_push(text, RC_STR(" It does not renew."));
        return;
    }
    rc_buf_init_fixed(&date, room, sizeof room);
    rc_rfc3339_push(&date, renews_unix_ms);
    rc_buf_push(text, RC_STR(" It renews on "));
    rc_buf_push(text, rc_str_slice(rc_buf_get(&date), 0, 10));
    rc_buf_push(text, RC_STR(" (UTC)."));
}

static void push_amount(rc_buf *text, rc_str what, uint64_t amount)
{
    rc_buf_push(text, what);
    rc_spend_push_usd(text, amount);
}

static rc_str verdict_of(const rc_spend_answer *answer)
{
    if (answer->spent >= answer->limit)
        return RC_STR(" is used up: limit ");
    return answer->reason == RC_WHY_BUDGET_TOO_SMALL
               ? RC_STR(" is smaller than this request may cost: limit ")
               : RC_STR(" has no room for this request: limit ");
}

/* "The budget of client app has no room for this request: limit $0.05, spent $0.031, reserved for
 * requests in flight $0.01, estimate for this request $0.04. It renews on 2026-12-01 (UTC)." */
static void push_message(const rc_gate_try *try, const rc_spend_answer *answer, rc_buf *text)
{
    char room[RC_PURSE_MARK_MAX];
    rc_buf scope;
    rc_buf_init_fixed(&scope, room, sizeof room);
    rc_purse_scope(&rc_gate_job_plans(try->job)->money, answer->row, &scope);
    rc_buf_push(text, RC_STR("The "));
    rc_spend_push_scope(text, rc_buf_get(&scope));
    push_amount(text, verdict_of(answer), answer->limit);
    push_amount(text, RC_STR(", spent "), answer->spent);
    push_amount(text, RC_STR(", reserved for requests in flight "), answer->held);
    push_amount(text, RC_STR(", estimate for this request "), answer->asked);
    rc_buf_push_byte(text, '.');
    push_renewal(text, answer->renews_unix_ms);
}

static rc_str what_next(const rc_spend_answer *answer)
{
    if (answer->reason == RC_WHY_BUDGET_TOO_SMALL)
        return RC_STR("Allow a shorter answer (max_tokens), or have the budget raised: waiting "
                      "does not help.");
    if (answer->reason == RC_WHY_BUDGET_HELD)
        return RC_STR("Try again when calls in flight have ended, allow a shorter answer "
                      "(max_tokens), or have the budget raised.");
    if (answer->spent < answer->limit)
        return answer->renews_unix_ms != 0
                   ? RC_STR("Allow a shorter answer (max_tokens), have the budget raised, or wait "
                            "until it renews.")
                   : RC_STR("Allow a shorter answer (max_tokens), or have the budget raised.");
    return answer->renews_unix_ms != 0 ? RC_STR("Have the budget raised, or wait until it renews.")
                                       : RC_STR("Have the budget raised.");
}

void rc_gate_try_refuse_money(rc_gate_try *try, const rc_spend_answer *answer)
{
    rc_gate_job *job = try->job;
    char room[1024];
    rc_buf text;
    rc_builder builder;
    const int64_t now_unix_ms = rc_gate_unix_ms(job->gate);
    rc_buf_init_fixed(&text, room, sizeof room);
    push_message(try, answer, &text);
    rc_gate_job_begin_report(job, &builder, RC_CODE_BUDGET_EXCEEDED, rc_buf_get(&text));
    rc_builder_set_provider(&builder, try->provider->config->name);
    rc_builder_set_model(&builder, try->model);
    rc_builder_set_context(&builder, RC_STR("budget"), rc_str_c(rc_reason_name(answer->reason)));
    rc_builder_set_context_int(&builder, RC_STR("spent_usd_micro"), (int64_t)answer->spent);
    rc_builder_set_context_int(&builder, RC_STR("held_usd_micro"), (int64_t)answer->held);
    rc_builder_set_context_int(&builder, RC_STR("limit_usd_micro"), (int64_t)answer->limit);
    rc_builder_set_context_int(&builder, RC_STR("asked_usd_micro"), (int64_t)answer->asked);
    rc_builder_set_action(&builder, RC_ACTION_RAISE_LIMIT, what_next(answer));
    if (answer->renews_unix_ms > now_unix_ms)
        rc_builder_set_retry_after_ms(&builder, answer->renews_unix_ms - now_unix_ms);
    rc_gate_try_refuse(try, rc_builder_finish(&builder), answer->reason);
}
