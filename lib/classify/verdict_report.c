/* Reports from verdicts: rc_verdict_report and rc_classify of recourse/classify.h. Called by the
 * gateway, the CLI and library users. */
#include <recourse/builder.h>
#include <recourse/classify.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "classify/connection.h"
#include "classify/echo.h"
#include "classify/redirect.h"
#include "report/client_fixable.h"
#include "report/message.h"
#include "scrub/account.h"

/* Maximum number of bytes of the raw body that a report contains. */
#define RAW_MAX ((size_t)4096)
_Static_assert(RAW_MAX <= RC_ECHO_TEXT_MAX, "the echo search covers all of it");
#define MESSAGE_MAX (RC_MESSAGE_DETAIL_MAX + 1024)

static rc_str cut(rc_str text, size_t max)
{
    return rc_str_make(text.ptr, rc_utf8_cut(text, text.len < max ? text.len : max));
}

static rc_str without_echo(const rc_failure *failure, rc_str text, char *memory)
{
    return rc_echo_clean(text, failure->request, failure->model, memory);
}

static bool is_part_of(rc_str part, rc_str whole)
{
    const uintptr_t from = (uintptr_t)part.ptr;
    const uintptr_t whole_from = (uintptr_t)whole.ptr;
    return part.len <= whole.len && from >= whole_from && from - whole_from <= whole.len - part.len;
}

/* Sets the raw body and returns the provider's message, both without text of the request. A message
 * that is a part of a body without such text is not searched again. */
static rc_str set_raw(rc_builder *b, const rc_failure *failure, rc_str message, char *memory)
{
    const rc_str raw = cut(failure->body.len > 0 ? failure->body : failure->event, RAW_MAX);
    bool is_searched = false;
    if (!failure->is_request_gone) {
        const rc_str cleaned = without_echo(failure, raw, memory);
        rc_builder_set_raw(b, cleaned);
        is_searched = cleaned.ptr == raw.ptr && is_part_of(message, raw);
    }
    return is_searched ? message : without_echo(failure, message, memory);
}

/* Returns the part of the provider's message that a client may read. The result is the whole
 * message if the client can fix the error, and the message with masked account data if the error is
 * an account limit. The result is empty for other errors, for an HTML page, and for an account
 * limit if the request is no longer available, because the message may repeat the prompt. `memory`
 * has RC_ECHO_TEXT_MAX bytes. */
static rc_str detail_for_client(const rc_failure *failure, rc_code code, rc_user_action action,
                                rc_str detail, char *memory)
{
    rc_buf masked;
    if (rc_user_action_is_client_fixable(action))
        return detail;
    if (!rc_code_is_account_limit(code) || failure->is_request_gone ||
        rc_str_starts_with(detail, RC_STR("<")))
        return rc_str_make(NULL, 0);
    rc_buf_init_fixed(&masked, memory, RC_ECHO_TEXT_MAX);
    return rc_account_mask(detail, &masked) == RC_OK ? rc_buf_get(&masked) : rc_str_make(NULL, 0);
}

/* Sets a message that quotes the provider's message: "openai refused the request as invalid:
 * Unsupported parameter: 'max_tokens' ..." */
static void set_message(rc_builder *b, const rc_failure *failure, const rc_verdict *verdict,
                        rc_str detail)
{
    char memory[MESSAGE_MAX];
    char masked[RC_ECHO_TEXT_MAX];
    rc_buf text;
    const rc_code_info *info = rc_code_get(verdict->code);
    if (info == NULL)
        return;
    if (verdict->looks_like.len > 0) {
        rc_buf_init_fixed(&text, memory, sizeof memory);
        rc_buf_push(&text, RC_STR("This looks like "));
        rc_buf_push(&text, verdict->looks_like);
        rc_buf_push(&text, RC_STR(". It is not the failure of a model or a tool."));
        rc_builder_set_message(b, rc_buf_get(&text));
        return;
    }
    detail = detail_for_client(failure, verdict->code, info->action, rc_str_trim(detail), masked);
    if (detail.len == 0)
        return;
    rc_str sentence = rc_str_c(info->message);
    if (rc_str_ends_with(sentence, RC_STR(".")))
        sentence.len--;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_message_push(&text, sentence,
                    failure->provider_label.len > 0 ? failure->provider_label : verdict->provider,
                    failure->model);
    rc_message_push_detail(&text, detail);
    if (rc_buf_status(&text) == RC_OK)
        rc_builder_set_message(b, rc_buf_get(&text));
}

/* Sets advice for a code whose default advice is to try again although the verdict forbids a retry:
 * advice that fits the verdict's category. */
static void set_action(rc_builder *b, const rc_verdict *verdict)
{
    const rc_code_info *row = rc_code_get(verdict->code);
    if (verdict->looks_like.len > 0)
        rc_builder_set_action(
            b, RC_ACTION_NONE,
            RC_STR("No provider failed. If the text is an error, it tells what to "
                   "correct; the same command would fail again."));
    if (row == NULL || !row->is_retryable || verdict->is_retryable)
        return;
    switch (verdict->category) {
    case RC_CATEGORY_CONTENT:
        row = rc_code_get(RC_CODE_INVALID_REQUEST);
        break;
    case RC_CATEGORY_CAPACITY:
        row = rc_code_get(RC_CODE_QUOTA_EXHAUSTED);
        break;
    case RC_CATEGORY_AMBIGUOUS:
        row = rc_code_get(RC_CODE_OUTCOME_UNKNOWN);
        break;
    case RC_CATEGORY_CONFIGURATION:
    case RC_CATEGORY_UNKNOWN:
    case RC_CATEGORY_NONE:
    case RC_CATEGORY_TRANSIENT:
    default:
        rc_builder_set_action(b, RC_ACTION_CHECK_CONFIG,
                              RC_STR("Check the base URL, and any proxy or certificate in between; "
                                     "the same request would fail again."));
        return;
    }
    rc_builder_set_action(b, row->action, rc_str_c(row->action_detail));
}

const rc_report *rc_verdict_report(const rc_failure *failure, const rc_verdict *verdict,
                                   const rc_alloc *alloc)
{
    char memory[RC_ECHO_TEXT_MAX];
    rc_builder b;
    rc_builder_init(&b, alloc, verdict->code);
    rc_builder_set_id_text(&b, failure->report_id);
    rc_builder_set_family(&b, failure->family == RC_FAMILY_NONE ? RC_FAMILY_LLM : failure->family);
    if (verdict->category != RC_CATEGORY_NONE)
        rc_builder_set_category(&b, verdict->category);
    rc_builder_set_retryable(&b, verdict->is_retryable);
    set_action(&b, verdict);
    rc_builder_set_provider(&b, failure->provider_label.len > 0 ? failure->provider_label
                                                                : verdict->provider);
    rc_builder_set_model(&b, failure->model);
    rc_builder_set_rule(&b, verdict->rule);
    rc_builder_set_known_by(&b, rc_str_c(rc_basis_name(verdict->basis)));
    const rc_str detail = set_raw(&b, failure, verdict->message, memory);
    set_message(&b, failure, verdict, detail);
    rc_builder_set_detail(&b, detail);
    rc_connection_describe(&b, failure, verdict);
    rc_redirect_describe(&b, failure, verdict);
    if (verdict->status > 0)
        rc_builder_set_provider_status(&b, verdict->status);
    rc_builder_set_provider_type(&b, verdict->type);
    rc_builder_set_provider_code(&b, verdict->error_code);
    rc_builder_set_provider_param(&b, verdict->param);
    rc_builder_set_request_id(&b, verdict->request_id);
    /* retry_exhausted is set only for a retryable error, because other errors are not retried
     * anyway. */
    if (verdict->is_retry_refused && verdict->is_retryable)
        rc_builder_set_retry_exhausted(&b, true);
    if (verdict->retry_after_ms >= 0)
        rc_builder_set_retry_after_ms(&b, verdict->retry_after_ms);
    rc_builder_set_limit_kind(&b, verdict->limit_kind);
    return rc_builder_finish(&b);
}

const rc_report *rc_classify(const rc_failure *failure, const rc_rules *rules,
                             const rc_alloc *alloc)
{
    rc_classify_space space;
    space.text[0] = '\0'; /* Static checkers cannot see that the space is always written before it
                             is read. */
    rc_verdict verdict = rc_judge(failure, rules, NULL, &space);
    return rc_verdict_report(failure, &verdict, alloc);
}
