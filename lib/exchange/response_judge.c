/* rc_response: judges a response with a success status: whether the response is valid, an error or
 * empty, and for which reason the model stopped. Called by the gateway's attempt_response.c. */
#include "base/str.h"
#include "base/utf8.h"
#include "dialect/finish.h"
#include "dialect/stream_table.h"
#include "dialect/stream_walk.h"
#include "exchange/response_private.h"
#include "json/find.h"

/* Number of bytes at the end of a list of choices in which the last finish reason is searched.
 * TAIL_BYTES suffices for most servers, LONG_TAIL_BYTES for servers that add non-standard
 * members. */
#define TAIL_BYTES 64u
#define LONG_TAIL_BYTES 512u

/* The top-level members of a whole response that are read: a required list, and a member that
 * contains a reason for the end of the response. */
typedef struct response_row {
    rc_str required_list; /* Name of the required list; empty: any object is valid. */
    bool may_be_empty;
    rc_str extra_member;
} response_row;

static response_row row_of(rc_endpoint_id id)
{
    switch ((int)id) {
    case RC_ENDPOINT_CHAT:
    case RC_ENDPOINT_COMPLETIONS:
        return (response_row){.required_list = RC_STR("choices")};
    case RC_ENDPOINT_RESPONSES:
        return (response_row){.extra_member = RC_STR("incomplete_details")};
    case RC_ENDPOINT_MESSAGES:
        return (response_row){.required_list = RC_STR("content"),
                              .may_be_empty = true,
                              .extra_member = RC_STR("stop_reason")};
    case RC_ENDPOINT_GENERATE:
    case RC_ENDPOINT_GENERATE_V1:
    case RC_ENDPOINT_GENERATE_STREAM:
    case RC_ENDPOINT_GENERATE_STREAM_V1:
        return (response_row){.required_list = RC_STR("candidates"),
                              .extra_member = RC_STR("promptFeedback")};
    default:
        return (response_row){.required_list = {NULL, 0}};
    }
}

static rc_str value_of(rc_str body, const rc_json_member *member)
{
    return rc_str_slice(body, member->value.offset, member->value_end);
}

static bool is_list(rc_str body, const rc_json_member *member, bool may_be_empty)
{
    if (!member->is_found || member->value.type != RC_JSON_ARRAY_BEGIN)
        return false;
    const rc_str list = value_of(body, member);
    return may_be_empty || rc_str_trim(rc_str_slice(list, 1, list.len - 1)).len > 0;
}

/* Returns the finish reason in a string member of an object: Gemini's reason for a blocked prompt,
 * or OpenAI's reason for an incomplete response. */
static rc_stream_finish finish_in(rc_str body, const rc_json_member *member, rc_str key)
{
    rc_json_member reason = {.key = key};
    if (!member->is_found || member->value.type != RC_JSON_OBJECT_BEGIN)
        return RC_STREAM_FINISH_NONE;
    (void)rc_json_find(value_of(body, member), &reason, 1, true);
    return reason.is_found && reason.value.type == RC_JSON_STRING
               ? rc_stream_finish_parse(reason.value.raw)
               : RC_STREAM_FINISH_NONE;
}

/* Returns whether Gemini blocked the prompt. After a block the response has no content, whatever
 * the reason for the block is. */
static bool is_blocked(rc_str body, const rc_json_member *feedback)
{
    return finish_in(body, feedback, RC_STR("blockReason")) != RC_STREAM_FINISH_NONE;
}

/* ---- the finish reason ---- */

/* Parses the body as if it were one event of a stream. */
static void watch_body(rc_response *response, rc_str body, bool is_cut,
                       rc_stream_event_info *ret_seen)
{
    const rc_stream_event event = rc_stream_event_of_body(body, is_cut);
    response->is_watched = true;
    rc_stream_watch_init(&response->watch, rc_response_dialect(response));
    rc_stream_watch_step(&response->watch, &event, ret_seen);
}

/* Finds the last finish reason in the last tail_bytes of a list of choices. *ret_key_at is the
 * position of its key in the list; it is written only if a finish reason is found. */
static rc_stream_finish finish_in_tail(const rc_response *response, rc_str list, size_t tail_bytes,
                                       size_t *ret_key_at)
{
    const size_t from = list.len > tail_bytes ? list.len - tail_bytes : 0;
    size_t key_at;
    const rc_str text = rc_stream_tail_finish(rc_response_dialect(response),
                                              rc_str_slice(list, from, list.len), &key_at);
    if (text.len == 0)
        return RC_STREAM_FINISH_NONE;
    *ret_key_at = from + key_at;
    return rc_stream_finish_parse(text);
}

static rc_stream_finish finish_of_list(rc_response *response, rc_str body,
                                       const rc_json_member *member)
{
    const rc_str key = rc_stream_dialects[rc_response_dialect(response)].finish;
    const rc_str list = value_of(body, member);
    rc_stream_event_info seen;
    size_t key_at = 0;
    rc_stream_finish finish = finish_in_tail(response, list, TAIL_BYTES, &key_at);
    if (finish == RC_STREAM_FINISH_NONE)
        finish = finish_in_tail(response, list, LONG_TAIL_BYTES, &key_at);
    /* If the key occurs earlier, too, the list may have several choices. The finish reason of the
     * last choice is then not sufficient, so the body is parsed. */
    if (finish != RC_STREAM_FINISH_NONE &&
        rc_str_find(rc_str_slice(list, 0, key_at), key, 0) == RC_STR_NPOS)
        return finish;
    watch_body(response, body, false, &seen);
    return seen.finish;
}

static rc_stream_finish finish_of(rc_response *response, rc_str body,
                                  const rc_json_member members[2])
{
    switch (rc_response_dialect(response)) {
    case RC_STREAM_ANTHROPIC:
        return members[1].is_found && members[1].value.type == RC_JSON_STRING
                   ? rc_stream_finish_parse(members[1].value.raw)
                   : RC_STREAM_FINISH_NONE;
    case RC_STREAM_OPENAI_RESPONSES:
        return finish_in(body, &members[1], RC_STR("reason"));
    case RC_STREAM_GEMINI:
        if (is_blocked(body, &members[1]))
            return RC_STREAM_FINISH_FILTER;
        break;
    case RC_STREAM_OPENAI_CHAT:
    case RC_STREAM_OPENAI_COMPLETIONS:
    case RC_STREAM_OLLAMA:
    case RC_STREAM_DIALECT_COUNT:
        break;
    }
    return members[0].is_found ? finish_of_list(response, body, &members[0])
                               : RC_STREAM_FINISH_NONE;
}

/* ---- validity ---- */

/* Returns whether the complete body is a response and not an error, and reads its usage and finish
 * reason. One scan finds the usage and the required list and detects a body that ends too early.
 * The body is parsed only if it is damaged or contains the word "error", which is rare. */
static bool is_good(rc_response *response, rc_str body)
{
    const response_row row = row_of(response->request.endpoint->id);
    rc_json_member members[2] = {{.key = row.required_list}, {.key = row.extra_member}};
    rc_stream_event_info seen;
    /* An empty name (no required list, no extra member) matches no member of the body. */
    const rc_status status = rc_usage_read_checked(&response->usage, body, members, 2);
    if (status != RC_OK && status != RC_E_TYPE)
        return false;
    if (status != RC_OK || rc_str_find(body, RC_STR("error\""), 0) != RC_STR_NPOS) {
        watch_body(response, body, false, &seen);
        if ((seen.kinds & (RC_STREAM_ERROR | RC_STREAM_DAMAGED)) != 0) {
            /* The tokens that a model used before it stopped with a failure must be paid, so their
             * usage is not discarded. */
            if (!rc_finish_is_failure(seen.finish))
                rc_usage_init(&response->usage);
            return false;
        }
    }
    if (row.required_list.len > 0 && !is_list(body, &members[0], row.may_be_empty) &&
        !(rc_response_dialect(response) == RC_STREAM_GEMINI && is_blocked(body, &members[1])))
        return false;
    if (row.required_list.len == 0 && row.extra_member.len == 0)
        return true;
    response->finish = finish_of(response, body, members);
    return !rc_finish_is_failure(response->finish);
}

/* ---- verdicts ---- */

rc_response_verdict rc_response_judge_whole(rc_response *response, rc_str body, rc_buf *scratch)
{
    const rc_str text = rc_utf8_without_bom(body);
    const bool is_usable = text.len == 0 ? response->is_bodiless : is_good(response, text);
    rc_response_verdict verdict = {.result = RC_RESPONSE_ERROR, .kind = rc_body_kind_of(text)};
    if (rc_response_judge_shape(response, text, verdict.kind, is_usable, scratch, &verdict) ||
        !is_usable)
        return verdict;
    verdict.result = RC_RESPONSE_GOOD;
    verdict.code = rc_finish_code(response->finish);
    return verdict;
}

rc_response_verdict rc_response_judge_start(rc_response *response, rc_str start, rc_buf *scratch)
{
    const rc_str text = rc_utf8_without_bom(start);
    rc_response_verdict verdict = {.result = RC_RESPONSE_ERROR, .kind = rc_body_kind_of(text)};
    rc_stream_event_info seen;
    watch_body(response, text, true, &seen);
    const bool is_error = (seen.kinds & RC_STREAM_ERROR) != 0;
    if (is_error || !rc_response_fits(response, verdict.kind)) {
        (void)rc_response_judge_shape(response, text, verdict.kind, !is_error, scratch, &verdict);
        return verdict;
    }
    verdict.result = RC_RESPONSE_GOOD;
    response->mode = RC_MODE_RELAY;
    return verdict;
}
