/* Writes the errors of each dialect. Called by response.c and the dialect_*.c files. */
#include "mock/error.h"

#include "codec/datetime.h"
#include "json/writer.h"

static const rc_mock_error_row rows[RC_MOCK_ERROR_COUNT][RC_MOCK_FAMILY_COUNT] = {
#define RC_MOCK_ERROR(ID, DIALECT, status, type, code, message) \
    [RC_MOCK_ERROR_##ID][RC_MOCK_##DIALECT] = {status, type, code, message},
#include "spec/mock.def"
};

const rc_mock_error_row *rc_mock_error_get(rc_mock_error error, rc_mock_family family)
{
    if (error == RC_MOCK_ERROR_NONE)
        error = RC_MOCK_ERROR_SERVER;
    return &rows[error][family];
}

static void text_member(rc_json_writer *w, const char *key, const char *value)
{
    rc_json_member_string(w, rc_str_c(key), rc_str_c(value));
}

static void text_or_null(rc_json_writer *w, const char *key, const char *value)
{
    rc_json_key(w, rc_str_c(key));
    if (value[0] == '\0')
        rc_json_null(w);
    else
        rc_json_string(w, rc_str_c(value));
}

static void push_openai(rc_json_writer *w, const rc_mock_error_row *row, const char *message)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("error"));
    rc_json_object_begin(w);
    text_member(w, "message", message);
    text_member(w, "type", row->type);
    text_or_null(w, "param", "");
    text_or_null(w, "code", row->code);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

static void push_anthropic(rc_json_writer *w, const rc_mock_error_row *row, const char *message,
                           const char *id)
{
    char request_id[32];
    rc_buf scratch;
    rc_buf_init_fixed(&scratch, request_id, sizeof request_id);
    rc_buf_push(&scratch, RC_STR("req_"));
    rc_buf_push(&scratch, rc_str_c(id));
    rc_json_object_begin(w);
    text_member(w, "type", "error");
    rc_json_key(w, RC_STR("error"));
    rc_json_object_begin(w);
    text_member(w, "type", row->type);
    text_member(w, "message", message);
    rc_json_object_end(w);
    rc_json_member_string(w, RC_STR("request_id"), rc_buf_get(&scratch));
    rc_json_object_end(w);
}

/* Appends a time in the form of google.protobuf.Duration: "1.5s". */
static void push_duration(rc_buf *buf, uint32_t ms)
{
    rc_buf_push_u64(buf, ms / 1000);
    if (ms % 1000 != 0) {
        rc_buf_push_byte(buf, '.');
        rc_buf_push_byte(buf, (char)('0' + ms % 1000 / 100));
        rc_buf_push_byte(buf, (char)('0' + ms % 100 / 10));
        rc_buf_push_byte(buf, (char)('0' + ms % 10));
    }
    rc_buf_push_byte(buf, 's');
}

static void push_gemini_details(rc_json_writer *w, const rc_mock_error_row *row, uint32_t hint_ms)
{
    if (row->code[0] == '\0' && hint_ms == 0)
        return;
    rc_json_key(w, RC_STR("details"));
    rc_json_array_begin(w);
    rc_json_object_begin(w);
    if (row->code[0] != '\0') {
        text_member(w, "@type", "type.googleapis.com/google.rpc.ErrorInfo");
        text_member(w, "reason", row->code);
        text_member(w, "domain", "googleapis.com");
    } else {
        char text[24];
        rc_buf scratch;
        rc_buf_init_fixed(&scratch, text, sizeof text);
        push_duration(&scratch, hint_ms);
        text_member(w, "@type", "type.googleapis.com/google.rpc.RetryInfo");
        rc_json_member_string(w, RC_STR("retryDelay"), rc_buf_get(&scratch));
    }
    rc_json_object_end(w);
    rc_json_array_end(w);
}

static void push_gemini(rc_json_writer *w, const rc_mock_error_row *row, const char *message,
                        uint32_t hint_ms)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("error"));
    rc_json_object_begin(w);
    rc_json_member_i64(w, RC_STR("code"), row->status);
    text_member(w, "message", message);
    text_member(w, "status", row->type);
    push_gemini_details(w, row, hint_ms);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

/* Writes Gemini's report of a blocked prompt, which is part of an otherwise successful response. */
static void push_block(const rc_mock_response *response, rc_json_writer *w,
                       const rc_mock_error_row *row)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("promptFeedback"));
    rc_json_object_begin(w);
    text_member(w, "blockReason", row->type);
    rc_json_object_end(w);
    rc_json_key(w, RC_STR("usageMetadata"));
    rc_json_object_begin(w);
    rc_json_member_i64(w, RC_STR("promptTokenCount"), (int64_t)response->input_tokens);
    rc_json_member_i64(w, RC_STR("totalTokenCount"), (int64_t)response->input_tokens);
    rc_json_object_end(w);
    text_member(w, "modelVersion", response->model);
    rc_json_object_end(w);
}

void rc_mock_error_push(const rc_mock_response *response, rc_buf *buf)
{
    const rc_mock_error error = response->plan.error;
    const rc_mock_error_row *row = rc_mock_error_get(error, response->family);
    const char *message = response->message[0] != '\0' ? response->message : row->message;
    rc_json_writer w;
    if (error == RC_MOCK_ERROR_HTML) {
        rc_buf_push(buf,
                    RC_STR("<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"
                           "<center><h1>502 Bad Gateway</h1></center>\r\n"
                           "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"));
        return;
    }
    if (error == RC_MOCK_ERROR_REDIRECT)
        return;
    if (response->is_block)
        rc_buf_push(buf, response->is_array ? RC_STR("[") : RC_STR("data: "));
    rc_json_writer_init(&w, buf, 0);
    if (response->family == RC_MOCK_GEMINI && error == RC_MOCK_ERROR_FILTER)
        push_block(response, &w, row);
    else if (response->family == RC_MOCK_GEMINI)
        push_gemini(&w, row, message, response->hint_ms);
    else if (response->family == RC_MOCK_ANTHROPIC)
        push_anthropic(&w, row, message, response->id);
    else
        push_openai(&w, row, message);
    if (response->is_block)
        rc_buf_push(buf, response->is_array ? RC_STR("]") : RC_STR("\r\n\r\n"));
}

void rc_mock_error_hint(rc_mock_response *response, int64_t now_unix_ms)
{
    char text[64];
    rc_buf value;
    const char *name = "retry-after";
    const uint32_t ms = response->hint_ms;
    rc_buf_init_fixed(&value, text, sizeof text);
    switch (response->plan.hint) {
    case RC_MOCK_HINT_NONE:
        return;
    case RC_MOCK_HINT_SECONDS: /* Rounded up, so that the stated time is never too short. */
        rc_buf_push_u64(&value, (ms + 999) / 1000);
        break;
    case RC_MOCK_HINT_MILLIS:
        name = "retry-after-ms";
        rc_buf_push_u64(&value, ms);
        break;
    case RC_MOCK_HINT_DATE: /* Rounded up, because an HTTP date has whole seconds. */
        rc_http_date_push(&value, now_unix_ms + ms + 999);
        break;
    case RC_MOCK_HINT_OPENAI:
        rc_mock_response_add_header(response, "x-ratelimit-limit-requests", RC_STR("60"));
        rc_mock_response_add_header(response, "x-ratelimit-remaining-requests", RC_STR("0"));
        name = "x-ratelimit-reset-requests";
        push_duration(&value, ms);
        break;
    case RC_MOCK_HINT_ANTHROPIC:
        rc_mock_response_add_header(response, "anthropic-ratelimit-requests-limit", RC_STR("60"));
        rc_mock_response_add_header(response, "anthropic-ratelimit-requests-remaining",
                                    RC_STR("0"));
        name = "anthropic-ratelimit-requests-reset";
        rc_rfc3339_push(&value, now_unix_ms + ms);
        break;
    }
    rc_mock_response_add_header(response, name, rc_buf_get(&value));
}
