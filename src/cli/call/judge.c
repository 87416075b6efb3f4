/* Chooses the report of a failed call from all known facts. Called by result.c; rc_caller_fail is
 * called by all files of the command. */
#include <recourse/builder.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "classify/connection.h"
#include "cli/call/call.h"
#include "cli/error_text.h"

void rc_caller_fail(rc_caller *c, rc_code code, rc_str message, rc_str advice)
{
    rc_builder builder;
    rc_builder_init(&builder, &c->cli->alloc, code);
    rc_cli_set_identity(c->cli, &builder);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, message);
    const rc_code_info *info = rc_code_get(code);
    if (advice.len > 0 && info != NULL)
        rc_builder_set_action(&builder, info->action, advice);
    if (c->model.len > 0)
        rc_builder_set_model(&builder, c->model);
    rc_report_free(c->report);
    c->report = rc_builder_finish(&builder);
}

/* Gives the report the id under which the gateway recorded the call, so that `recourse audit` finds
 * it. */
static void set_known_id(const rc_caller *c, rc_builder *builder)
{
    const rc_gateway_call_facts *facts = &c->gateway_call.facts;
    const bool has_report = strlen(facts->report_id) == RC_ID_LEN;
    rc_id id = {.text = "rep"};
    if (!has_report && strlen(facts->request_id) != RC_ID_LEN)
        return;
    memcpy(id.text + 3, (has_report ? facts->report_id : facts->request_id) + 3, RC_ID_LEN - 3);
    rc_builder_set_id(builder, &id);
}

/* Makes a report for a failure of the gateway itself; the report of rc_gateway_call becomes its
 * cause. code: NONE to take the code of the cause. */
static void fail_via(rc_caller *c, rc_code code, rc_str message, rc_user_action action,
                     rc_str advice)
{
    rc_builder builder;
    rc_builder_init(&builder, &c->cli->alloc, code);
    rc_cli_set_identity(c->cli, &builder);
    if (code != RC_CODE_NONE)
        rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_cause(&builder, c->gateway_call.facts.report);
    rc_builder_set_message(&builder, message);
    rc_builder_set_action(&builder, action, advice);
    rc_builder_set_context(&builder, RC_STR("gateway"), rc_str_c(c->via));
    c->report = rc_builder_finish(&builder);
}

/* Builds "SUBJECT URL PREDICATE REASON." and returns a view of message. */
static rc_str via_message(const rc_caller *c, rc_buf *message, const char *subject,
                          const char *predicate, const char *reason)
{
    rc_buf_push(message, rc_str_c(subject));
    rc_buf_push(message, rc_str_slice(rc_str_c(c->via), 0, 512));
    rc_buf_push(message, rc_str_c(predicate));
    rc_buf_push(message, rc_str_c(reason));
    rc_buf_push_byte(message, '.');
    return rc_buf_get(message);
}

/* A TLS handshake without a response usually means that the server expects plain HTTP. */
static rc_str advice_unreachable(const rc_caller *c)
{
    const rc_upstream_kind kind = c->gateway_call.facts.failure_kind;
    const bool is_silent = kind == RC_UPSTREAM_TLS_TIMEOUT || kind == RC_UPSTREAM_TLS_RESET ||
                           kind == RC_UPSTREAM_TLS_CLOSED;
    if (c->origin.is_https && is_silent)
        return RC_STR("Use http:// if it listens without TLS, as `recourse serve` does; or leave "
                      "out --via: then the call is made without one.");
    return RC_STR("Start it with `recourse serve`, or leave out --via: then the call is made "
                  "without one.");
}

static void fail_unreachable(rc_caller *c)
{
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf message;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    if (c->gateway_call.facts.failure_kind == RC_UPSTREAM_TLS_NOT_SPOKEN) {
        fail_via(c, RC_CODE_ENDPOINT_NOT_FOUND,
                 via_message(c, &message, "What answers at ", " does not speak TLS", ""),
                 RC_ACTION_CHECK_CONFIG,
                 RC_STR("Use http:// in place of https://: `recourse serve` listens without TLS. "
                        "To another machine that needs --insecure."));
        return;
    }
    fail_via(
        c, RC_CODE_NONE,
        via_message(c, &message, "No gateway answers at ", ": ", c->gateway_call.facts.failure),
        RC_ACTION_CHECK_CONFIG, advice_unreachable(c));
}

/* The connection to the gateway broke. A failing provider would have been reported by the gateway,
 * so the gateway itself is gone, and the provider's state is unknown. */
static void fail_cut(rc_caller *c)
{
    const bool has_text = c->gateway_call.reply.text_bytes > 0;
    const char *when = has_text ? " closed the connection before the answer was complete"
                                : " closed the connection before it answered";
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf message;
    rc_builder builder;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    rc_builder_init(&builder, &c->cli->alloc,
                    has_text ? RC_CODE_STREAM_INTERRUPTED : RC_CODE_CONNECTION_RESET);
    rc_cli_set_identity(c->cli, &builder);
    set_known_id(c, &builder);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, via_message(c, &message, "The gateway at ", when, ""));
    rc_builder_set_action(&builder, RC_ACTION_WAIT_AND_RETRY,
                          has_text ? RC_STR("See whether the gateway still runs, then try again; "
                                            "what was received is incomplete.")
                                   : RC_STR("See whether the gateway still runs, then try again."));
    rc_builder_set_model(&builder, c->model);
    rc_builder_set_detail(&builder, rc_report_detail(c->gateway_call.facts.report));
    rc_builder_set_context(&builder, RC_STR("gateway"), rc_str_c(c->via));
    c->report = rc_builder_finish(&builder);
}

static void fail_foreign(rc_caller *c)
{
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf message;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    fail_via(c, RC_CODE_ENDPOINT_NOT_FOUND,
             via_message(c, &message, "What answers at ", " is no gateway of Recourse: ",
                         rc_foreign_text(c->gateway_call.facts.foreign_kind)),
             RC_ACTION_CHECK_CONFIG,
             RC_STR("Give --via the address at which `recourse serve` listens, such as "
                    "http://127.0.0.1:8787; with https:// where it is behind TLS."));
}

static void fail_cancelled(rc_caller *c)
{
    rc_builder builder;
    const bool is_waiting = c->live.retry_at_ms > c->ended_ms;
    rc_builder_init(&builder, &c->cli->alloc,
                    is_waiting ? RC_CODE_RETRY_CANCELLED : RC_CODE_TURN_CANCELLED);
    rc_cli_set_identity(c->cli, &builder);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_model(&builder, c->model);
    rc_builder_set_action(&builder, RC_ACTION_NO_ACTION, RC_STR("Call again when you are ready."));
    c->report = rc_builder_finish(&builder);
}

/* Takes the gateway's report, which has an id; a report made on this side gets an id, the provider
 * and the model. */
static void fail_at_target(rc_caller *c, const rc_report *why)
{
    rc_builder builder;
    const rc_str target = rc_str_c(c->target[0] != '\0' ? c->target : c->gateway_call.facts.target);
    const size_t slash = rc_str_find_byte(target, '/', 0);
    if (rc_report_id(why).len > 0) {
        c->report = rc_report_dup(why);
        return;
    }
    rc_builder_init(&builder, &c->cli->alloc, RC_CODE_NONE);
    rc_cli_set_identity(c->cli, &builder);
    set_known_id(c, &builder);
    rc_builder_set_cause(&builder, why);
    rc_builder_set_message(&builder, rc_report_message(why));
    if (slash != RC_STR_NPOS) {
        rc_builder_set_provider(&builder, rc_str_slice(target, 0, slash));
        rc_builder_set_model(&builder, rc_str_slice(target, slash + 1, target.len));
    } else {
        rc_builder_set_model(&builder, c->model);
    }
    c->report = rc_builder_finish(&builder);
}

static bool is_token_missing(const rc_caller *c)
{
    const rc_gateway_call_facts *facts = &c->gateway_call.facts;
    return c->via != NULL && facts->status == 401 && facts->report != NULL &&
           rc_report_provider(facts->report).len == 0;
}

#define LATE_ADVICE "To allow more time, raise --deadline."

static void push_late(const rc_caller *c, rc_buf *text)
{
    rc_buf_push(text, RC_STR("The call was not finished within "));
    rc_connection_push_limit(text, (int64_t)c->deadline_ms);
    rc_buf_push(text, RC_STR(" (--deadline)."));
}

/* The deadline passed without a response from the gateway. */
static void fail_late(rc_caller *c)
{
    char scratch[128];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    push_late(c, &text);
    rc_caller_fail(c, RC_CODE_DEADLINE_EXCEEDED, rc_buf_get(&text), RC_STR(LATE_ADVICE));
}

/* Does the report's message name the deadline header that the gateway receives? */
static bool names_header(const rc_report *report)
{
    const rc_str name = rc_str_c(rc_connection_get(RC_CONNECTION_DEADLINE_CLIENT)->limit_setting);
    return report != NULL && rc_str_find(rc_report_message(report), name, 0) != RC_STR_NPOS;
}

/* Replaces a message about the deadline header, which the user never typed, by one about
 * --deadline. */
static void name_deadline_option(rc_caller *c)
{
    const rc_report *reported = c->report;
    char scratch[128];
    rc_buf text;
    rc_builder builder;
    if (reported == NULL || rc_report_code(reported) != RC_CODE_DEADLINE_EXCEEDED ||
        c->deadline_ms == 0 || !names_header(reported))
        return;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_builder_init(&builder, &c->cli->alloc, RC_CODE_DEADLINE_EXCEEDED);
    rc_builder_set_id_text(&builder, rc_report_id(reported));
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    push_late(c, &text);
    rc_builder_set_message(&builder, rc_buf_get(&text));
    rc_builder_set_action(&builder, RC_ACTION_RAISE_LIMIT, RC_STR(LATE_ADVICE));
    rc_builder_set_provider(&builder, rc_report_provider(reported));
    rc_builder_set_model(&builder, rc_report_model(reported));
    rc_builder_set_request_id(&builder, rc_report_request_id(reported));
    rc_builder_set_rule(&builder, rc_report_rule(reported));
    rc_builder_set_retry_exhausted(&builder, rc_report_is_retry_exhausted(reported));
    for (size_t i = 0; i < rc_report_attempt_count(reported); i++)
        rc_builder_add_attempt(&builder, rc_report_attempt_at(reported, i));
    if (rc_report_cause(reported) != NULL && !names_header(rc_report_cause(reported)))
        rc_builder_set_cause(&builder, rc_report_cause(reported));
    c->report = rc_builder_finish(&builder);
    rc_report_free(reported);
}

static void judge(rc_caller *c)
{
    const rc_report *why = c->gateway_call.facts.report;
    if (c->report != NULL || !c->is_started)
        return;
    if (c->is_escaped || c->signal != 0)
        fail_cancelled(c);
    else if (c->is_late && why == NULL)
        fail_late(c);
    else if (why != NULL && c->own_report != NULL)
        c->report = rc_report_dup(c->own_report);
    else if (why != NULL && c->via != NULL && c->gateway_call.facts.is_unreachable)
        fail_unreachable(c);
    else if (why != NULL && c->via != NULL && c->gateway_call.facts.foreign_kind != RC_FOREIGN_NONE)
        fail_foreign(c);
    else if (why != NULL && c->via != NULL && c->gateway_call.facts.is_cut &&
             !c->gateway_call.facts.is_foreign)
        fail_cut(c);
    else if (is_token_missing(c))
        fail_via(c, RC_CODE_NONE, rc_report_message(why), RC_ACTION_CHECK_CREDENTIALS,
                 RC_STR("Set RECOURSE_TOKEN, or give the file that holds the token with "
                        "--token-file."));
    else if (why != NULL)
        fail_at_target(c, why);
}

/* Copies the target of a failed call from its report when no other source named it. */
static void note_target(rc_caller *c)
{
    rc_buf target;
    if (c->report == NULL || c->target[0] != '\0' || c->gateway_call.facts.target[0] != '\0' ||
        rc_report_provider(c->report).len == 0)
        return;
    rc_buf_init_fixed(&target, c->target, sizeof c->target - 1);
    rc_buf_push(&target, rc_report_provider(c->report));
    rc_buf_push_byte(&target, '/');
    rc_buf_push(&target, rc_report_model(c->report));
    c->target[rc_buf_get(&target).len] = '\0';
}

void rc_caller_judge(rc_caller *c)
{
    judge(c);
    name_deadline_option(c);
    note_target(c);
}
