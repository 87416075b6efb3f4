/* Budgets, as clients and people are told of them. */
#include "base/str.h"
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

/* "$0.034567" */
static void push_usd(rc_buf *buf, uint64_t micros)
{
    char digits[6];
    uint64_t part = micros % 1000000;
    rc_buf_push_byte(buf, '$');
    rc_buf_push_u64(buf, micros / 1000000);
    for (int i = 5; i >= 0; i--) {
        digits[i] = (char)('0' + part % 10);
        part /= 10;
    }
    rc_buf_push_byte(buf, '.');
    rc_buf_push(buf, rc_str_make(digits, sizeof digits));
}

static void push_message(const rc_gate_try *try, const rc_spend_answer *answer, rc_buf *text)
{
    rc_buf_push(text, RC_STR("The budget of "));
    rc_purse_scope(&rc_gate_job_plans(try->job)->money, answer->row, text);
    rc_buf_push(text, RC_STR(" is used up: "));
    push_usd(text, answer->spent);
    rc_buf_push(text, RC_STR(" spent and "));
    push_usd(text, answer->held);
    rc_buf_push(text, RC_STR(" held of "));
    push_usd(text, answer->limit);
    rc_buf_push(text, RC_STR("; this request may cost "));
    push_usd(text, answer->asked);
    rc_buf_push_byte(text, '.');
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
    rc_builder_set_context_int(&builder, RC_STR("limit_usd_micro"), (int64_t)answer->limit);
    if (answer->renews_unix_ms > now_unix_ms)
        rc_builder_set_retry_after_ms(&builder, answer->renews_unix_ms - now_unix_ms);
    rc_gate_try_fail_report(try, rc_builder_finish(&builder));
}
