/* Connection faults in reports. Called by verdict_report.c, the gateway's deadlines and the call
 * command. */
#include "classify/connection.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "codec/datetime.h"
#include "codec/duration.h"
#include "report/message.h"

/* The numbers in the generated connections.h must be those of the table. */
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated, \
                      limit)                                                                    \
    _Static_assert(RC_CONNECTION_##ID == (number), "connections.h is stale: run make generate");
#include "spec/connection.def"

static const rc_connection_info rows[] = {
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated, \
                      limit)                                                                    \
    {RC_CONNECTION_##ID,                                                                        \
     name,                                                                                      \
     RC_TRANSPORT_##TRANSPORT,                                                                  \
     STAYS,                                                                                     \
     RC_ACTION_##ACTION,                                                                        \
     advice,                                                                                    \
     text,                                                                                      \
     message,                                                                                   \
     dated,                                                                                     \
     limit},
#include "spec/connection.def"
};

const rc_connection_info *rc_connection_get(rc_connection_fault fault)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].fault == fault)
            return &rows[i];
    return NULL;
}

/* ---- texts ---- */

static bool is_timed(const rc_connection_info *row, int64_t limit_ms)
{
    return row->limit_setting[0] != '\0' && limit_ms > 0;
}

void rc_connection_push_limit(rc_buf *buf, int64_t limit_ms)
{
    const bool is_round = limit_ms % (limit_ms < 3600000 ? 1000 : 60000) == 0;
    if (is_round) {
        rc_duration_push(buf, limit_ms);
        return;
    }
    rc_buf_push_i64(buf, limit_ms);
    rc_buf_push(buf, RC_STR("ms"));
}

/* Appends the sentence of the fault's row, with the provider's name and the limit: "exp did not
 * begin its response within 60s (timeouts.first_byte_ms)". */
static void push_sentence(rc_buf *buf, const rc_connection_info *row, int64_t limit_ms,
                          rc_str provider)
{
    static const rc_str IN_TIME = RC_STR_INIT("in time");
    rc_str sentence = rc_str_c(row->message);
    const bool has_limit = is_timed(row, limit_ms) && rc_str_ends_with(sentence, IN_TIME);
    if (has_limit)
        sentence.len -= IN_TIME.len;
    rc_message_push(buf, sentence, provider, RC_STR(""));
    if (!has_limit)
        return;
    rc_buf_push(buf, RC_STR("within "));
    rc_connection_push_limit(buf, limit_ms);
    rc_buf_push(buf, RC_STR(" ("));
    rc_buf_push(buf, rc_str_c(row->limit_setting));
    rc_buf_push_byte(buf, ')');
}

static void set_message(rc_builder *builder, rc_buf *text)
{
    rc_buf_push_byte(text, '.');
    if (rc_buf_status(text) == RC_OK)
        rc_builder_set_message(builder, rc_buf_get(text));
}

/* Sets the message from the fault's row, for example "exp's certificate has expired: it was valid
 * until 2025-01-01." for the provider "exp". */
static void set_row_message(rc_builder *builder, const rc_connection_info *row,
                            const rc_failure *failure, rc_str provider)
{
    char scratch[RC_REPORT_MESSAGE_MAX];
    char day[40];
    rc_buf text;
    rc_buf when;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_init_fixed(&when, day, sizeof day);
    push_sentence(&text, row, failure->limit_ms, provider);
    if (row->date_prefix[0] != '\0' && failure->certificate_unix_ms != 0) {
        rc_rfc3339_push(&when, failure->certificate_unix_ms);
        rc_buf_push(&text, rc_str_c(row->date_prefix));
        rc_buf_push(&text, rc_str_slice(rc_buf_get(&when), 0, sizeof "2025-01-01" - 1));
    }
    set_message(builder, &text);
}

/* Sets the message of the error code, followed by a sentence that names the expired timeout. */
static void set_code_message(rc_builder *builder, const rc_connection_info *row, rc_code code,
                             int64_t limit_ms, rc_str provider)
{
    char scratch[RC_REPORT_MESSAGE_MAX];
    rc_buf text;
    rc_str sentence = rc_str_c(rc_code_get(code)->message);
    if (rc_str_ends_with(sentence, RC_STR(".")))
        sentence.len--;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_message_push(&text, sentence, provider, RC_STR(""));
    rc_buf_push(&text, RC_STR(". "));
    push_sentence(&text, row, limit_ms, provider);
    set_message(builder, &text);
}

/* Sets the advice: "Try again. To allow more time, raise timeouts.first_byte_ms." */
static void set_advice(rc_builder *builder, const rc_connection_info *row, rc_user_action action,
                       rc_str advice, int64_t limit_ms)
{
    char scratch[RC_REPORT_MESSAGE_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, advice);
    if (is_timed(row, limit_ms)) {
        rc_buf_push(&text, advice.len > 0 ? RC_STR(" ") : RC_STR(""));
        rc_buf_push(&text, RC_STR("To allow more time, raise "));
        rc_buf_push(&text, rc_str_c(row->limit_setting));
        rc_buf_push_byte(&text, '.');
    }
    rc_builder_set_action(builder, action, rc_buf_get(&text));
}

/* Sets the detail: "api.x.com:443: the response did not begin in time; timeouts.first_byte_ms:
 * 60000ms". */
static void set_detail(rc_builder *builder, const rc_connection_info *row, rc_str known,
                       int64_t limit_ms)
{
    char scratch[RC_REPORT_MESSAGE_MAX];
    rc_buf text;
    const rc_str detail = known.len > 0 ? known : rc_str_c(row->text);
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, detail);
    if (is_timed(row, limit_ms)) {
        rc_buf_push(&text, RC_STR("; "));
        rc_buf_push(&text, rc_str_c(row->limit_setting));
        rc_buf_push(&text, RC_STR(": "));
        rc_connection_push_limit(&text, limit_ms);
    }
    rc_builder_set_detail(builder, rc_buf_status(&text) == RC_OK ? rc_buf_get(&text) : detail);
}

/* ---- reports ---- */

/* Returns whether the code means only that the connection failed. */
static bool is_connection_code(rc_code code)
{
    return code == RC_CODE_CONNECTION_FAILED || code == RC_CODE_CONNECTION_RESET ||
           code == RC_CODE_NETWORK_TIMEOUT;
}

void rc_connection_describe(rc_builder *builder, const rc_failure *failure,
                            const rc_verdict *verdict)
{
    const rc_connection_info *row = rc_connection_get(failure->connection);
    const rc_str provider =
        failure->provider_label.len > 0 ? failure->provider_label : verdict->provider;
    const rc_code code = verdict->code;
    if (row == NULL)
        return;
    if (verdict->message.len == 0)
        set_detail(builder, row, failure->connection_detail, failure->limit_ms);
    if (row->message[0] == '\0')
        return;
    if (is_connection_code(code)) {
        set_row_message(builder, row, failure, provider);
        set_advice(builder, row, row->action, rc_str_c(row->advice), failure->limit_ms);
    } else if (code == RC_CODE_STREAM_INTERRUPTED && row->limit_setting[0] != '\0') {
        /* A timeout ended the stream. The message of the error code is about a connection that was
         * cut, so it would be wrong here. */
        const rc_code_info *info = rc_code_get(code);
        set_row_message(builder, row, failure, provider);
        set_advice(builder, row, info->action, rc_str_c(info->action_detail), failure->limit_ms);
    } else if (code == RC_CODE_OUTCOME_UNKNOWN && is_timed(row, failure->limit_ms)) {
        set_code_message(builder, row, code, failure->limit_ms, provider);
    }
}

void rc_connection_describe_deadline(rc_builder *builder, rc_connection_fault fault,
                                     int64_t limit_ms)
{
    const rc_connection_info *row = rc_connection_get(fault);
    const rc_failure failure = {.limit_ms = limit_ms};
    if (row == NULL)
        return;
    set_row_message(builder, row, &failure, RC_STR(""));
    set_advice(builder, row, row->action, rc_str_c(row->advice), limit_ms);
    set_detail(builder, row, RC_STR(""), limit_ms);
}
