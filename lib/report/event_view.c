/* Event view: parses an event received as a JSON line. Called by the client in
 * src/client/client_call.c. */
#include "report/event_view.h"

#include "base/str.h"
#include "json/find.h"

enum {
    AT_TYPE,
    AT_ATTEMPT,
    AT_MAX_ATTEMPTS,
    AT_DELAY_MS,
    AT_INPUT_TOKENS,
    AT_OUTPUT_TOKENS,
    AT_COST_USD,
    AT_TOTAL_USD,
    AT_SUCCESS,
    AT_ERROR_MESSAGE,
    AT_FINAL_ERROR,
    AT_FROM,
    AT_TO,
    AT_MODEL,
    AT_PROVIDER,
    AT_CORRELATION_ID,
    AT_SCOPE,
    AT_SPENT_USD,
    AT_LIMIT_USD,
    AT_KIND,
    AT_REMAINING,
    AT_LIMIT,
    AT_RESET_MS,
    AT_COUNT
};

static const rc_json_member wanted[AT_COUNT] = {
    [AT_TYPE] = {.key = RC_STR_INIT("type")},
    [AT_ATTEMPT] = {.key = RC_STR_INIT("attempt")},
    [AT_MAX_ATTEMPTS] = {.key = RC_STR_INIT("max_attempts")},
    [AT_DELAY_MS] = {.key = RC_STR_INIT("delay_ms")},
    [AT_INPUT_TOKENS] = {.key = RC_STR_INIT("input_tokens")},
    [AT_OUTPUT_TOKENS] = {.key = RC_STR_INIT("output_tokens")},
    [AT_COST_USD] = {.key = RC_STR_INIT("cost_usd")},
    [AT_TOTAL_USD] = {.key = RC_STR_INIT("total_usd")},
    [AT_SUCCESS] = {.key = RC_STR_INIT("success")},
    [AT_ERROR_MESSAGE] = {.key = RC_STR_INIT("error_message")},
    [AT_FINAL_ERROR] = {.key = RC_STR_INIT("final_error")},
    [AT_FROM] = {.key = RC_STR_INIT("from")},
    [AT_TO] = {.key = RC_STR_INIT("to")},
    [AT_MODEL] = {.key = RC_STR_INIT("model")},
    [AT_PROVIDER] = {.key = RC_STR_INIT("provider")},
    [AT_CORRELATION_ID] = {.key = RC_STR_INIT("correlation_id")},
    [AT_SCOPE] = {.key = RC_STR_INIT("scope")},
    [AT_SPENT_USD] = {.key = RC_STR_INIT("spent_usd")},
    [AT_LIMIT_USD] = {.key = RC_STR_INIT("limit_usd")},
    [AT_KIND] = {.key = RC_STR_INIT("kind")},
    [AT_REMAINING] = {.key = RC_STR_INIT("remaining")},
    [AT_LIMIT] = {.key = RC_STR_INIT("limit")},
    [AT_RESET_MS] = {.key = RC_STR_INIT("reset_ms")},
};

static uint64_t count_of(const rc_json_member *member)
{
    int64_t count = 0;
    if (!member->is_found || member->value.type != RC_JSON_NUMBER ||
        rc_json_to_i64(member->value.raw, &count) != RC_OK || count < 0)
        return 0;
    return (uint64_t)count;
}

/* Converts a member in dollars to micro-dollars. A number with at most six decimals is accepted, as
 * put_MONEY in event.c writes it; the result for any other value is 0. */
static uint64_t micro_of(const rc_json_member *member)
{
    const rc_str text = member->value.raw;
    const size_t point = rc_str_find_byte(text, '.', 0);
    const rc_str whole = rc_str_slice(text, 0, point);
    const rc_str decimals =
        point == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(text, point + 1, text.len);
    uint64_t micro = 0;
    if (!member->is_found || member->value.type != RC_JSON_NUMBER || whole.len > 12 ||
        decimals.len > 6)
        return 0;
    for (size_t i = 0; i < whole.len + 6; i++) {
        const size_t at = i - whole.len;
        char digit = '0';
        if (i < whole.len)
            digit = whole.ptr[i];
        else if (at < decimals.len)
            digit = decimals.ptr[at];
        if (!rc_ascii_is_digit(digit))
            return 0;
        micro = micro * 10 + (uint64_t)(digit - '0');
    }
    return micro;
}

static rc_str text_of(const rc_json_member *member, rc_buf *scratch)
{
    const size_t from = rc_buf_get(scratch).len;
    if (!member->is_found || member->value.type != RC_JSON_STRING)
        return rc_str_make(NULL, 0);
    if (rc_json_unescape(member->value.raw, scratch) != RC_OK)
        return rc_str_make(NULL, 0);
    return rc_str_slice(rc_buf_get(scratch), from, RC_STR_NPOS);
}

bool rc_event_view_read(rc_str json, rc_buf *scratch, rc_event_view *ret_view)
{
    rc_json_member members[AT_COUNT];
    memcpy(members, wanted, sizeof members);
    rc_buf_reset(scratch);
    /* The texts of the view point into `scratch`, whose memory therefore must not move: its full
     * size is reserved before the first text is read. */
    if (rc_json_find(json, members, AT_COUNT, false) != RC_OK || !members[AT_TYPE].is_found ||
        members[AT_TYPE].value.type != RC_JSON_STRING ||
        rc_buf_reserve(scratch, RC_EVENT_VIEW_SCRATCH_MAX) != RC_OK)
        return false;
    const rc_event_type type = rc_event_type_parse(members[AT_TYPE].value.raw);
    if (type == RC_EVENT_TYPE_NONE)
        return false;
    *ret_view = (rc_event_view){
        .type = type,
        .attempt = count_of(&members[AT_ATTEMPT]),
        .max_attempts = count_of(&members[AT_MAX_ATTEMPTS]),
        .delay_ms = count_of(&members[AT_DELAY_MS]),
        .input_tokens = count_of(&members[AT_INPUT_TOKENS]),
        .output_tokens = count_of(&members[AT_OUTPUT_TOKENS]),
        .cost_micro_usd = micro_of(&members[AT_COST_USD]),
        .total_micro_usd = micro_of(&members[AT_TOTAL_USD]),
        .is_success =
            members[AT_SUCCESS].is_found && members[AT_SUCCESS].value.type == RC_JSON_TRUE,
        .error_message = text_of(&members[AT_ERROR_MESSAGE], scratch),
        .final_error = text_of(&members[AT_FINAL_ERROR], scratch),
        .from = text_of(&members[AT_FROM], scratch),
        .to = text_of(&members[AT_TO], scratch),
        .model = text_of(&members[AT_MODEL], scratch),
        .provider = text_of(&members[AT_PROVIDER], scratch),
        .correlation_id = text_of(&members[AT_CORRELATION_ID], scratch),
        .scope = text_of(&members[AT_SCOPE], scratch),
        .spent_micro_usd = micro_of(&members[AT_SPENT_USD]),
        .limit_micro_usd = micro_of(&members[AT_LIMIT_USD]),
        .kind = text_of(&members[AT_KIND], scratch),
        .remaining = count_of(&members[AT_REMAINING]),
        .limit = count_of(&members[AT_LIMIT]),
        .reset_ms = count_of(&members[AT_RESET_MS]),
    };
    return true;
}
