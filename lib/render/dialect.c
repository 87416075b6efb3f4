/* Error bodies in the clients' API dialects (OpenAI, Anthropic, Gemini, RFC 9457). Called by the
 * gateway, http.c, stream.c and the CLI. */
#include "render/dialect.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "render/text.h"
#include "report/view.h"
#include "report/view_json.h"
#include "json/find.h"

#define GOOGLE_TYPE "type.googleapis.com/google.rpc."

static const rc_dialect_error ERRORS[] = {
#define RC_DIALECT_ROW(ID, openai_type, openai_code, anthropic_type, gemini_status) \
    {RC_CODE_##ID, #ID, openai_type, openai_code, anthropic_type, gemini_status},
#include "spec/dialects.def"
};

static const rc_dialect_error UNKNOWN_ERROR = {RC_CODE_UNKNOWN, "UNKNOWN",   "server_error",
                                               "server_error",  "api_error", "UNKNOWN"};

const rc_dialect_error *rc_dialect_error_get(rc_code code)
{
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
        if (ERRORS[i].code == code)
            return &ERRORS[i];
    }
    return &UNKNOWN_ERROR;
}

rc_str rc_render_message(const rc_report *report)
{
    rc_str message = rc_report_message(report);
    if (message.len)
        return message;
    const rc_code_info *info = rc_code_get(rc_report_code(report));
    return info ? rc_str_c(info->message) : RC_STR("An unknown error occurred.");
}

int rc_dialect_status(rc_dialect dialect, rc_code code, int status)
{
    const rc_str type = rc_str_c(rc_dialect_error_get(code)->anthropic_type);
    if (dialect == RC_DIALECT_ANTHROPIC && status == 503 &&
        rc_str_eq(type, RC_STR("overloaded_error")))
        return 529;
    if (dialect == RC_DIALECT_GEMINI && status == 402 && code == RC_CODE_QUOTA_EXHAUSTED)
        return 429;
    return status;
}

int rc_render_status(const rc_report *report, rc_dialect dialect)
{
    const int status =
        rc_dialect_status(dialect, rc_report_code(report), rc_report_http_status(report));
    return status >= 400 && status <= 599 ? status : 500;
}

static const struct {
    rc_dialect dialect;
    const char *name;
} NAMES[] = {
    {RC_DIALECT_PROBLEM, "problem"},
    {RC_DIALECT_OPENAI_CHAT, "openai-chat"},
    {RC_DIALECT_OPENAI_RESPONSES, "openai-responses"},
    {RC_DIALECT_ANTHROPIC, "anthropic"},
    {RC_DIALECT_GEMINI, "gemini"},
};

const char *rc_dialect_name(rc_dialect dialect)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (NAMES[i].dialect == dialect)
            return NAMES[i].name;
    }
    return "unknown";
}

rc_dialect rc_dialect_parse(rc_str name)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (rc_str_eq(name, rc_str_c(NAMES[i].name)))
            return NAMES[i].dialect;
    }
    return (rc_dialect)0;
}

const char *rc_dialect_content_type(rc_dialect dialect)
{
    switch (dialect) {
    case RC_DIALECT_OPENAI_CHAT:
    case RC_DIALECT_OPENAI_RESPONSES:
    case RC_DIALECT_ANTHROPIC:
    case RC_DIALECT_GEMINI:
        return "application/json";
    case RC_DIALECT_PROBLEM:
        break;
    }
    return "application/problem+json";
}

/* Returns `name`, the provider's name for the error, if the client can fix the error and the text
 * has the form of a name; otherwise the empty text. */
static rc_str own_name(const rc_report *report, rc_str name)
{
    return rc_view_is_client_fixable(report) && rc_view_is_name(name) &&
                   rc_ascii_is_alpha(name.ptr[0])
               ? name
               : rc_str_make(NULL, 0);
}

/* Returns whether a name consists of underscores and letters from `first` to `last`. */
static bool is_snake(rc_str name, char first, char last)
{
    for (size_t i = 0; i < name.len; i++)
        if ((name.ptr[i] < first || name.ptr[i] > last) && name.ptr[i] != '_')
            return false;
    return name.len > 0;
}

/* Returns whether a name ends in "error", as OpenAI's types do: "invalid_request_error",
 * "BadRequestError". */
static bool is_called_error(rc_str name)
{
    return name.len > 5 &&
           rc_str_eq_nocase(rc_str_slice(name, name.len - 5, name.len), RC_STR("error"));
}

/* Returns the value of "type" in OpenAI's error object. For a rate limit, the type is the unit that
 * is limited: requests or tokens. */
static rc_str openai_type(const rc_report *report, const rc_dialect_error *row)
{
    const rc_str own = own_name(report, rc_report_provider_type(report));
    bool is_tokens =
        row->code == RC_CODE_RATE_LIMITED && rc_report_limit_kind(report) == RC_LIMIT_KIND_TOKENS;
    if (is_called_error(own))
        return own;
    return rc_str_c(is_tokens ? "tokens" : row->openai_type);
}

/* Returns the provider's error type if the response has the provider's status, otherwise the empty
 * text. Used for dialects in which each type belongs to one status. */
static rc_str own_pair(const rc_report *report, rc_dialect dialect)
{
    return rc_report_provider_status(report) == rc_render_status(report, dialect)
               ? own_name(report, rc_report_provider_type(report))
               : rc_str_make(NULL, 0);
}

static rc_str anthropic_type(const rc_report *report, const rc_dialect_error *row)
{
    const rc_str own = own_pair(report, RC_DIALECT_ANTHROPIC);
    const bool is_theirs = is_snake(own, 'a', 'z') && is_called_error(own);
    return is_theirs ? own : rc_str_c(row->anthropic_type);
}

static rc_str gemini_status(const rc_report *report, const rc_dialect_error *row)
{
    const rc_str own = own_pair(report, RC_DIALECT_GEMINI);
    return is_snake(own, 'A', 'Z') ? own : rc_str_c(row->gemini_status);
}

/* Returns whether a code only means that an error occurred. */
static bool is_vague(rc_str code, const rc_report *report)
{
    static const char *const names[] = {"error", "bad_request", "BadRequest"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rc_str_eq_nocase(code, rc_str_c(names[i])))
            return true;
    return is_called_error(code) || rc_str_eq(code, rc_report_provider_type(report));
}

/* Client programs decide by the provider's own code, so this code is passed on. For a context
 * overflow and a missing model, however, the programs expect OpenAI's codes for every provider. */
rc_str rc_render_openai_code(const rc_report *report)
{
    const rc_code code = rc_report_code(report);
    const rc_str own = own_name(report, rc_report_provider_code(report));
    const bool is_common = code == RC_CODE_CONTEXT_OVERFLOW || code == RC_CODE_MODEL_NOT_FOUND;
    if (own.len > 0 && !is_common && !is_vague(own, report))
        return own;
    return rc_str_c(rc_dialect_error_get(code)->openai_code);
}

void rc_render_openai_param(rc_json_writer *w, const rc_report *report, rc_view view)
{
    /* the client's own request contains this name, so every view may show it */
    rc_str param = rc_report_provider_param(report);
    if (param.len) {
        rc_view_json_member(w, view, RC_STR("param"), param);
        return;
    }
    rc_json_key(w, RC_STR("param"));
    rc_json_null(w);
}

void rc_render_openai_error(rc_json_writer *w, const rc_report *report, rc_view view)
{
    const rc_dialect_error *row = rc_dialect_error_get(rc_report_code(report));
    rc_view_json_member(w, view, RC_STR("message"), rc_render_message(report));
    rc_json_member_string(w, RC_STR("type"), openai_type(report, row));
    rc_render_openai_param(w, report, view);
    rc_json_member_string(w, RC_STR("code"), rc_render_openai_code(report));
    rc_view_json_member_report(w, view, RC_STR("recourse"), report);
}

static void put_openai(rc_json_writer *w, const rc_report *report, rc_view view)
{
    rc_json_key(w, RC_STR("error"));
    rc_json_object_begin(w);
    rc_render_openai_error(w, report, view);
    rc_json_object_end(w);
}

/* Writes the id that users quote in support requests: the provider's request id, or the report id
 * if the view has no request id. */
static void put_request_id(rc_json_writer *w, const rc_report *report, rc_view view)
{
    rc_str id = rc_report_request_id(report);
    if (id.len == 0 || !rc_view_has_metadata(view, report, RC_STR("request_id")))
        id = rc_report_id(report);
    rc_view_json_member(w, view, RC_STR("request_id"), id);
    if (id.len == 0) {
        rc_json_key(w, RC_STR("request_id"));
        rc_json_null(w);
    }
}

bool rc_render_is_overload(const rc_report *report)
{
    const rc_dialect_error *row = rc_dialect_error_get(rc_report_code(report));
    return rc_str_eq(anthropic_type(report, row), RC_STR("overloaded_error"));
}

void rc_render_anthropic_members(rc_json_writer *w, const rc_report *report, rc_view view,
                                 bool has_message)
{
    const rc_dialect_error *row = rc_dialect_error_get(rc_report_code(report));
    rc_json_member_string(w, RC_STR("type"), RC_STR("error"));
    rc_json_key(w, RC_STR("error"));
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("type"), anthropic_type(report, row));
    rc_view_json_member(w, view, RC_STR("message"), rc_render_message(report));
    rc_json_object_end(w);
    if (has_message)
        rc_view_json_member(w, view, RC_STR("message"), rc_render_message(report));
    put_request_id(w, report, view);
}

/* Writes Google's RetryInfo with the wait as a protobuf Duration in JSON: "4s", "0.250s". */
static void put_retry_info(rc_json_writer *w, int64_t wait_ms)
{
    char memory[32];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push_i64(&text, wait_ms / 1000);
    int64_t rest = wait_ms % 1000;
    if (rest) {
        char digits[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                         (char)('0' + rest % 10)};
        rc_buf_push(&text, rc_str_make(digits, sizeof digits));
    }
    rc_buf_push_byte(&text, 's');

    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("@type"), RC_STR(GOOGLE_TYPE "RetryInfo"));
    rc_json_member_string(w, RC_STR("retryDelay"), rc_buf_get(&text));
    rc_json_object_end(w);
}

/* Repeats the report id in the error's details, because some clients pass on only the details. */
static void put_error_metadata(rc_json_writer *w, const rc_report *report, rc_view view)
{
    if (rc_report_id(report).len == 0)
        return;
    rc_json_key(w, RC_STR("metadata"));
    rc_json_object_begin(w);
    rc_view_json_member(w, view, RC_STR("report_id"), rc_report_id(report));
    rc_json_object_end(w);
}

static void put_gemini(rc_json_writer *w, const rc_report *report, rc_view view)
{
    const rc_dialect_error *row = rc_dialect_error_get(rc_report_code(report));
    rc_json_key(w, RC_STR("error"));
    rc_json_object_begin(w);
    rc_json_member_i64(w, RC_STR("code"), rc_render_status(report, RC_DIALECT_GEMINI));
    rc_view_json_member(w, view, RC_STR("message"), rc_render_message(report));
    rc_json_member_string(w, RC_STR("status"), gemini_status(report, row));
    rc_json_key(w, RC_STR("details"));
    rc_json_array_begin(w);
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("@type"), RC_STR(GOOGLE_TYPE "ErrorInfo"));
    rc_json_member_string(w, RC_STR("reason"), rc_str_c(row->id));
    rc_json_member_string(w, RC_STR("domain"), RC_STR("recourse"));
    put_error_metadata(w, report, view);
    rc_json_object_end(w);
    if (rc_wait_helps(report))
        put_retry_info(w, rc_report_retry_after_ms(report));
    rc_json_array_end(w);
    rc_json_object_end(w);
}

rc_status rc_render_body(const rc_report *report, rc_dialect dialect, rc_view view, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    view = rc_view_checked(view);
    rc_json_object_begin(&w);
    switch (dialect) {
    case RC_DIALECT_OPENAI_CHAT:
    case RC_DIALECT_OPENAI_RESPONSES:
        put_openai(&w, report, view);
        rc_json_object_end(&w);
        return rc_buf_status(buf);
    case RC_DIALECT_ANTHROPIC:
        rc_render_anthropic_members(&w, report, view, true);
        break;
    case RC_DIALECT_GEMINI:
        put_gemini(&w, report, view);
        break;
    case RC_DIALECT_PROBLEM:
    default:
        rc_render_problem_members(&w, report, view);
        break;
    }
    rc_view_json_member_report(&w, view, RC_STR("recourse"), report);
    rc_json_object_end(&w);
    return rc_buf_status(buf);
}

static bool find_object(rc_str json, rc_str key, rc_str *ret_object)
{
    rc_json_member member = {.key = key};
    (void)rc_json_find(json, &member, 1, true);
    if (!member.is_found || member.value.type != RC_JSON_OBJECT_BEGIN)
        return false;
    *ret_object = rc_str_slice(json, member.value.offset, member.value_end);
    return true;
}

bool rc_dialect_find_report(rc_str body, rc_str *ret_report)
{
    rc_str error;
    return find_object(body, RC_STR("recourse"), ret_report) ||
           (find_object(body, RC_STR("error"), &error) &&
            find_object(error, RC_STR("recourse"), ret_report));
}
