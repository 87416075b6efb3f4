/* Carries out the verdicts of rc_response: notes the flaw of a response, or fails the attempt.
 * Called by attempt_response.c. */
#include "base/str.h"
#include "dialect/finish.h"
#include "gateway/exchange/exchange.h"

/* Notes the flaw for the record. The response is passed on unchanged. */
static void note_flaw(rc_attempt *attempt, rc_code code)
{
    rc_builder builder;
    if (code == RC_CODE_NONE)
        return;
    rc_exchange_begin_report(attempt->exchange, &builder, code, RC_STR(""));
    rc_builder_set_provider(&builder, attempt->provider->config->name);
    rc_builder_set_model(&builder, attempt->model);
    rc_builder_set_provider_status(&builder, rc_http1_status(attempt->reader));
    rc_builder_set_context_int(&builder, RC_STR("attempt"), (int64_t)attempt->number);
    rc_report_free(attempt->flaw);
    attempt->flaw = rc_builder_finish(&builder);
}

void rc_attempt_judge_stream(rc_attempt *attempt)
{
    note_flaw(attempt, rc_finish_code(attempt->watch.finish));
}

/* The ledger and the events read usage and watch of the attempt. */
static void take_facts(rc_attempt *attempt)
{
    const rc_response *response = &attempt->response;
    attempt->usage = response->usage;
    if (!response->is_watched)
        return;
    attempt->is_watched = true;
    attempt->watch = response->watch;
}

void rc_attempt_fail_body(rc_attempt *attempt)
{
    rc_failure failure = {.body = rc_buf_get(&attempt->held), .phase = RC_PHASE_HEADERS};
    rc_attempt_fail(attempt, &failure);
}

static void fail_shape(rc_attempt *attempt, const rc_response_verdict *verdict)
{
    char scratch[RC_RESPONSE_MISSHAPE_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_response_push_misshape(&attempt->response, verdict->kind, &text);
    if (verdict->code != RC_CODE_NONE)
        rc_attempt_fail_ended(attempt, verdict->code, RC_STR(""));
    else
        rc_attempt_fail_unusable_text(attempt, RC_LOCAL_NOT_A_STREAM, rc_buf_get(&text));
}

static void fail(rc_attempt *attempt, const rc_response_verdict *verdict)
{
    rc_failure failure = {.event = verdict->error, .phase = RC_PHASE_HEADERS};
    switch (verdict->result) {
    case RC_RESPONSE_GOOD:
        return;
    case RC_RESPONSE_ERROR:
        rc_attempt_fail_body(attempt);
        return;
    case RC_RESPONSE_ERROR_EVENT:
        rc_attempt_fail(attempt, &failure);
        return;
    case RC_RESPONSE_MISSHAPEN:
        fail_shape(attempt, verdict);
        return;
    }
}

bool rc_attempt_judge_whole(rc_attempt *attempt)
{
    const rc_response_verdict verdict =
        rc_response_judge_whole(&attempt->response, rc_buf_get(&attempt->held), &attempt->scratch);
    take_facts(attempt);
    if (verdict.result == RC_RESPONSE_GOOD)
        note_flaw(attempt, verdict.code);
    else
        fail(attempt, &verdict);
    return verdict.result == RC_RESPONSE_GOOD;
}

bool rc_attempt_judge_start(rc_attempt *attempt)
{
    const rc_response_verdict verdict =
        rc_response_judge_start(&attempt->response, rc_buf_get(&attempt->held), &attempt->scratch);
    take_facts(attempt);
    if (verdict.result == RC_RESPONSE_GOOD)
        return true;
    rc_attempt_stop(attempt);
    fail(attempt, &verdict);
    return false;
}
