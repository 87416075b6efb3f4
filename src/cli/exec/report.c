/* Reports of `recourse exec`: of one attempt and of the whole run. Called by exec.c. */
#include <signal.h>
#include <string.h>

#include <recourse/builder.h>
#include <recourse/classify.h>
#include <recourse/json.h>
#include <recourse/taxonomy.h>

#include "cli/exec/exec.h"
#include "sys/clock.h"
#include "sys/entropy.h"
#include "sys/file.h"

rc_id rc_exec_id(rc_exec *x)
{
    uint8_t entropy[10];
    rc_id none = {{0}};
    if (!rc_entropy_get(x->calls, entropy, sizeof entropy))
        return none;
    return rc_id_make(&x->ids, rc_clock_unix_ms(x->calls), entropy);
}

/* ---- one attempt ---- */

static void set_context(rc_exec *x, rc_builder *builder)
{
    rc_id id = rc_exec_id(x);
    if (id.text[0] != '\0')
        rc_builder_set_id(builder, &id);
    rc_builder_set_context(builder, RC_STR("command"), rc_str_c(x->argv[0]));
    if (x->end.is_started)
        rc_builder_set_context_int(builder, RC_STR("exit_status"), x->end.status);
}

static void push_command(const rc_exec *x, rc_buf *message)
{
    rc_str name = rc_str_c(x->argv[0]);
    rc_buf_push_byte(message, '"');
    rc_buf_push(message,
                name.len > RC_REPORT_NAME_MAX ? rc_str_make(name.ptr, RC_REPORT_NAME_MAX) : name);
    rc_buf_push_byte(message, '"');
}

/* Gives the report for a command that did not start: it was not found, is not executable, or a
 * system call of exec failed. */
static const rc_report *judge_start(rc_exec *x)
{
    char scratch[2 * RC_REPORT_NAME_MAX];
    rc_buf message;
    rc_builder builder;
    bool is_command_fault = x->end.status != 0 && !x->end.is_started;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    /* The name of the command comes last, because the scrubber would remove the text after a name
     * like passwd as a secret. */
    rc_buf_push(&message, rc_str_c(rc_sys_error_text(x->end.error)));
    rc_buf_push(&message, RC_STR(": cannot "));
    if (!is_command_fault) {
        rc_buf_push(&message, rc_str_c(x->end.failed_step));
        rc_buf_push(&message, RC_STR(": "));
    } else {
        rc_buf_push(&message, RC_STR("run "));
    }
    push_command(x, &message);
    rc_buf_push_byte(&message, '.');

    rc_builder_init(&builder, &x->cli->alloc,
                    is_command_fault ? RC_CODE_UNAVAILABLE : RC_CODE_INTERNAL);
    set_context(x, &builder);
    rc_builder_set_message(&builder, rc_buf_get(&message));
    if (is_command_fault)
        rc_builder_set_action(&builder, RC_ACTION_CHECK_CONFIG,
                              RC_STR("Check the command's name, path and permissions."));
    rc_builder_add_source(&builder, RC_HERE("CommandNotStarted"));
    return rc_builder_finish(&builder);
}

static const rc_report *judge_over_deadline(rc_exec *x)
{
    rc_builder builder;
    rc_builder_init(&builder, &x->cli->alloc, RC_CODE_DEADLINE_EXCEEDED);
    set_context(x, &builder);
    rc_builder_set_message(&builder,
                           RC_STR("The command was stopped at the time limit of --budget."));
    rc_builder_set_action(&builder, RC_ACTION_RAISE_LIMIT,
                          RC_STR("Allow more time with --budget."));
    rc_builder_add_source(&builder, RC_HERE("BudgetOver"));
    return rc_builder_finish(&builder);
}

static const rc_report *judge_signal(rc_exec *x)
{
    rc_builder builder;
    rc_builder_init(&builder, &x->cli->alloc, RC_CODE_TOOL_CANCELLED);
    set_context(x, &builder);
    rc_builder_set_message(&builder, RC_STR("A signal stopped the command."));
    rc_builder_set_context_int(&builder, RC_STR("signal"),
                               x->end.signal != 0 ? x->end.signal : x->end_signal);
    rc_builder_add_source(&builder, RC_HERE("Signalled"));
    return rc_builder_finish(&builder);
}

/* Gives the report that the command printed; NULL: it cannot be decoded. Such a failure is not
 * classified again, because the program that made the report had more evidence. */
static const rc_report *read_report(rc_exec *x)
{
    const rc_report *report = NULL;
    rc_decode_info info;
    rc_status status =
        rc_report_decode(x->detected.report, RC_DECODE_TOLERANT, &x->cli->alloc, &report, &info);
    return status == RC_OK ? report : NULL;
}

/* Gives the report of a failed command: its own report, or the classified output with the same
 * result as `recourse explain --exit N`. */
static const rc_report *judge_output(rc_exec *x)
{
    const rc_report *inner = rc_exec_inner_report(x);
    if (inner != NULL)
        return inner;
    rc_buf_reset(&x->cleaned);
    rc_detected_read(&x->detected, rc_explain_text_clean(rc_tail_get(&x->tail), &x->cleaned));
    if (x->detected.kind == RC_DETECTED_REPORT) {
        const rc_report *report = read_report(x);
        if (report != NULL)
            return report;
    }
    rc_failure failure = x->detected.failure;
    rc_id id = rc_exec_id(x);
    failure.exit_status = x->end.status;
    failure.now_unix_ms = rc_clock_unix_ms(x->calls);
    failure.report_id = rc_str_c(id.text);
    /* A user who runs a command with exec accepts that the command may run several times. */
    failure.replay = RC_REPLAY_YES;
    return rc_classify(&failure, NULL, &x->cli->alloc);
}

const rc_report *rc_exec_judge(rc_exec *x)
{
    if (x->end.error != 0)
        return judge_start(x);
    if (x->end.signal != 0 || x->end_signal != 0)
        return judge_signal(x);
    if (x->end.is_over_deadline)
        return judge_over_deadline(x);
    return judge_output(x);
}

rc_failure_facts rc_exec_failure_facts(const rc_exec *x)
{
    rc_failure_facts facts = rc_failure_facts_of(x->report);
    /* A failure without evidence of its cause is not retried, because a retry would probably fail,
     * too. */
    if (facts.code == RC_CODE_EXECUTION_FAILED || x->refusal != NULL)
        facts.is_retryable = false;
    return facts;
}

/* ---- whole run ---- */

static void add_attempts(const rc_exec *x, rc_builder *builder)
{
    size_t count =
        x->attempt_count < RC_REPORT_ATTEMPTS_MAX ? x->attempt_count : RC_REPORT_ATTEMPTS_MAX;
    for (size_t i = x->attempt_count - count; i < x->attempt_count; i++) {
        const rc_exec_attempt *one = &x->attempts[i % RC_REPORT_ATTEMPTS_MAX];
        rc_report_attempt attempt = {
            .attempt = (int64_t)i + 1,
            .provider = rc_str_c(x->argv[0]),
            .code = one->code,
            .started_unix_ms = one->started_unix_ms,
            .duration_ms = one->duration_ms,
            .wait_ms = one->wait_ms,
            .reason = rc_str_c(one->reason),
        };
        rc_builder_add_attempt(builder, &attempt);
    }
}

/* Sets the message, such as "\"curl\" failed with exit status 7 in try 3. No connection ..." */
static void set_message(const rc_exec *x, rc_builder *builder)
{
    char scratch[RC_REPORT_MESSAGE_MAX];
    rc_buf message;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    if (x->end.is_started && x->end.error == 0) {
        push_command(x, &message);
        if (x->end.killed_by != 0) {
            rc_buf_push(&message, RC_STR(" was terminated by signal "));
            rc_buf_push_i64(&message, x->end.killed_by);
        } else {
            rc_buf_push(&message, RC_STR(" failed with exit status "));
            rc_buf_push_i64(&message, x->end.status);
        }
        if (x->attempt_count > 1) {
            rc_buf_push(&message, RC_STR(" in attempt "));
            rc_buf_push_u64(&message, x->attempt_count);
        }
        rc_buf_push(&message, RC_STR(". "));
    }
    rc_buf_push(&message, rc_report_message(x->report));
    rc_builder_set_message(builder, rc_buf_get(&message));
}

const rc_report *rc_exec_finish(rc_exec *x, const rc_action *action)
{
    rc_builder builder;
    rc_builder_init(&builder, &x->cli->alloc,
                    x->is_cancelled ? RC_CODE_RETRY_CANCELLED : RC_CODE_NONE);
    rc_builder_set_cause(&builder, x->report);
    set_context(x, &builder);
    rc_builder_set_error_type(&builder, RC_STR("CommandError"));
    if (!x->is_cancelled)
        set_message(x, &builder);
    else
        rc_builder_set_action(&builder, RC_ACTION_NO_ACTION,
                              RC_STR("Run the command again when you are ready."));
    if (!rc_exec_failure_facts(x).is_retryable)
        rc_builder_set_retryable(&builder, false);
    if (rc_report_code(x->report) == RC_CODE_EXECUTION_FAILED)
        rc_builder_set_action(&builder, RC_ACTION_FIX_REQUEST,
                              RC_STR("Check the command's output: nothing in it indicates "
                                     "that a retry would help."));
    if (action->is_retry_exhausted)
        rc_builder_set_retry_exhausted(&builder, true);
    rc_builder_set_context(&builder, RC_STR("stopped"), rc_str_c(rc_reason_name(action->reason)));
    if (x->refusal != NULL)
        rc_builder_set_context(&builder, RC_STR("not_retried"), rc_str_c(x->refusal));
    add_attempts(x, &builder);
    return rc_builder_finish(&builder);
}
