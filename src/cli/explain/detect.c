/* Recognises the form of a pasted text; called by explanation.c, explain.c and `exec`. */
#include "cli/explain/detect.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/explain/curl.h"
#include "render/dialect.h"
#include "json/find.h"

/* Limit of the text for the classifier; only the end of a longer log is used. */
#define TEXT_MAX ((size_t)1 << 20)

void rc_detected_init(rc_detected *detected, const rc_alloc *alloc)
{
    memset(detected, 0, sizeof *detected);
    rc_case_init(&detected->parsed_case, alloc);
}

void rc_detected_done(rc_detected *detected)
{
    rc_case_done(&detected->parsed_case);
}

/* ---- lines ---- */

/* Returns the next line that is not blank, without surrounding white space; empty at the end of the
 * text. */
static rc_str next_line(rc_str text, size_t *at)
{
    while (*at < text.len) {
        size_t end = rc_str_find_byte(text, '\n', *at);
        if (end == RC_STR_NPOS)
            end = text.len;
        rc_str line = rc_str_trim(rc_str_slice(text, *at, end));
        *at = end < text.len ? end + 1 : text.len;
        if (line.len > 0)
            return line;
    }
    return rc_str_make(NULL, 0);
}

static bool begins_with_any(rc_str line, const rc_str *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rc_str_starts_with(line, prefixes[i]))
            return true;
    }
    return false;
}

/* ---- streams ---- */

/* Returns whether the text is an event stream: a "data:" line with only fields of an event stream
 * before it. */
static bool is_sse(rc_str text)
{
    static const rc_str FIELDS[] = {
        RC_STR_INIT("data:"),  RC_STR_INIT("event:"), RC_STR_INIT("id:"),
        RC_STR_INIT("retry:"), RC_STR_INIT(": "),
    };
    size_t at = 0;
    for (rc_str line = next_line(text, &at); line.len > 0; line = next_line(text, &at)) {
        if (rc_str_starts_with(line, FIELDS[0]))
            return true;
        if (!begins_with_any(line, FIELDS, sizeof FIELDS / sizeof *FIELDS))
            return false;
    }
    return false;
}

static bool is_aws(rc_str text)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT(":message-type"),
        RC_STR_INIT(":exception-type"),
        RC_STR_INIT(":event-type"),
        RC_STR_INIT(":error-code"),
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        size_t found = rc_str_find(text, NAMES[i], 0);
        if (found != RC_STR_NPOS && (found == 0 || rc_ascii_is_space(text.ptr[found - 1])))
            return true;
    }
    return false;
}

static bool is_whole_object(rc_str line)
{
    rc_json_member none = {.key = RC_STR("")};
    return line.len > 1 && line.ptr[0] == '{' && line.ptr[line.len - 1] == '}' &&
           rc_json_find(line, &none, 1, false) == RC_OK;
}

/* Returns whether the text is JSON lines: two or more objects, each on a separate line. */
static bool is_ndjson(rc_str text)
{
    size_t at = 0;
    rc_str first = next_line(text, &at);
    rc_str second = next_line(text, &at);
    return is_whole_object(first) && second.len > 0 && second.ptr[0] == '{';
}

static bool is_page(rc_str text)
{
    static const rc_str BEGINNINGS[] = {
        RC_STR_INIT("<!"),    RC_STR_INIT("<?xml"), RC_STR_INIT("<html"),  RC_STR_INIT("<HTML"),
        RC_STR_INIT("<head"), RC_STR_INIT("<body"), RC_STR_INIT("<Error"), RC_STR_INIT("<h1"),
    };
    return begins_with_any(text, BEGINNINGS, sizeof BEGINNINGS / sizeof *BEGINNINGS);
}

/* ---- objects ---- */

enum {
    KEY_ERROR,
    KEY_ID,
    KEY_BODY,
    KEY_STATUS,
    KEY_HEADERS,
    KEY_EVENT,
    KEY_TRANSPORT,
    KEY_REPORT_ID,
    KEY_ERROR_CODE,
    KEY_ERROR_CLASS,
    KEY_COUNT
};

typedef struct object {
    rc_json_member keys[KEY_COUNT];
} object;

static void find_keys(object *o, rc_str json)
{
    static const rc_str NAMES[KEY_COUNT] = {
        RC_STR_INIT("error"),       RC_STR_INIT("id"),        RC_STR_INIT("body"),
        RC_STR_INIT("status"),      RC_STR_INIT("headers"),   RC_STR_INIT("event"),
        RC_STR_INIT("transport"),   RC_STR_INIT("report_id"), RC_STR_INIT("error_code"),
        RC_STR_INIT("error_class"),
    };
    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < KEY_COUNT; i++)
        o->keys[i].key = NAMES[i];
    rc_json_find(json, o->keys, KEY_COUNT, false);
}

static bool has(const object *o, int key)
{
    return o->keys[key].is_found;
}

/* Returns whether the object is a report of Recourse. A provider's body may have fields of the same
 * names, so the value of error_code must be a known code. */
static bool is_report(const object *o)
{
    if (!has(o, KEY_ERROR_CODE) || o->keys[KEY_ERROR_CODE].value.type != RC_JSON_STRING)
        return false;
    rc_code code = rc_code_parse(o->keys[KEY_ERROR_CODE].value.raw);
    return (has(o, KEY_REPORT_ID) || has(o, KEY_ERROR_CLASS)) && rc_code_get(code) != NULL;
}

/* Finds a report: the object itself, or a report inside the body of a gateway response. */
static bool find_report(rc_str json, const object *o, rc_str *ret_report)
{
    if (is_report(o)) {
        *ret_report = json;
        return true;
    }
    rc_str text;
    if (!rc_dialect_find_report(json, &text))
        return false;
    object inner;
    find_keys(&inner, text);
    if (!is_report(&inner))
        return false;
    *ret_report = text;
    return true;
}

static bool may_be_case(const object *o)
{
    if (has(o, KEY_ERROR) || !(has(o, KEY_BODY) || has(o, KEY_STATUS)))
        return false;
    return has(o, KEY_ID) || has(o, KEY_HEADERS) || has(o, KEY_EVENT) || has(o, KEY_TRANSPORT);
}

static bool begins_with_case(rc_str text)
{
    object o;
    size_t at = 0;
    find_keys(&o, next_line(text, &at));
    return may_be_case(&o) && has(&o, KEY_ID);
}

static void read_object(rc_detected *detected, rc_str text)
{
    object o;
    rc_case_fault fault;
    find_keys(&o, text);
    if (find_report(text, &o, &detected->report)) {
        detected->kind = RC_DETECTED_REPORT;
    } else if (may_be_case(&o) && rc_case_read(&detected->parsed_case, text, &fault) == RC_OK) {
        detected->kind = RC_DETECTED_CASE;
        detected->failure = detected->parsed_case.failure;
    } else {
        detected->kind = RC_DETECTED_JSON;
        detected->failure.body = text;
    }
}

/* ---- all forms ---- */

static void set_event(rc_detected *detected, rc_detected_kind kind, rc_str text)
{
    detected->kind = kind;
    detected->failure.event = text;
}

static rc_str content_type(const rc_http_text *http)
{
    for (size_t i = 0; i < http->header_count; i++) {
        if (rc_str_eq_nocase(http->headers[i].name, RC_STR("content-type")))
            return http->headers[i].value;
    }
    return rc_str_make(NULL, 0);
}

static bool is_stream(const rc_http_text *http)
{
    rc_str type = content_type(http);
    if (http->body.len == 0)
        return false;
    return rc_str_starts_with_nocase(type, RC_STR("text/event-stream")) ||
           rc_str_starts_with_nocase(type, RC_STR("application/x-ndjson")) ||
           rc_str_starts_with_nocase(type, RC_STR("application/vnd.amazon.eventstream")) ||
           is_sse(http->body) || is_ndjson(http->body);
}

/* Returns whether the body contains a report, as error responses of a Recourse gateway do. */
static bool has_report(rc_str body, rc_str *ret_report)
{
    object o;
    if (body.len == 0 || body.ptr[0] != '{')
        return false;
    find_keys(&o, body);
    return find_report(body, &o, ret_report);
}

static void read_http(rc_detected *detected)
{
    const rc_http_text *http = &detected->http;
    detected->kind =
        has_report(http->body, &detected->report) ? RC_DETECTED_REPORT : RC_DETECTED_HTTP;
    detected->failure.status = http->status;
    detected->failure.headers = http->headers;
    detected->failure.header_count = http->header_count;
    if (is_stream(http))
        detected->failure.event = http->body;
    else
        detected->failure.body = http->body;
}

rc_str rc_explain_text_tail(rc_str text, size_t max_bytes)
{
    if (text.len <= max_bytes)
        return text;
    size_t start = text.len - max_bytes;
    size_t line = rc_str_find_byte(text, '\n', start);
    return rc_str_slice(text, line == RC_STR_NPOS ? start : line + 1, text.len);
}

static void read_text(rc_detected *detected, rc_str text)
{
    detected->kind = RC_DETECTED_TEXT;
    detected->failure.body = rc_explain_text_tail(text, TEXT_MAX);
    detected->is_tail = detected->failure.body.len < text.len;
}

/* Recognises HTTP responses, AWS streams, JSON and plain text. The text of an AWS event stream
 * that begins with a colon is never parsed as HTTP, although the lines look like headers. */
static void read_other(rc_detected *detected, rc_str text, rc_str bare)
{
    bool has_aws = is_aws(bare);
    bool may_be_http = !has_aws || bare.ptr[0] != ':';
    if (may_be_http && rc_http_text_parse(text, &detected->http)) {
        read_http(detected);
    } else if (has_aws) {
        set_event(detected, RC_DETECTED_AWS, bare);
    } else if (bare.ptr[0] == '[' || bare.ptr[0] == '"') {
        detected->kind = RC_DETECTED_JSON;
        detected->failure.body = bare;
    } else {
        read_text(detected, bare);
    }
}

void rc_detected_read(rc_detected *detected, rc_str text)
{
    detected->kind = RC_DETECTED_NOTHING;
    detected->failure = (rc_failure){0};
    detected->is_tail = false;
    detected->is_cases = false;
    detected->text = text;
    rc_str bare = rc_str_trim(text);
    if (bare.len == 0)
        return;
    bool is_object = bare.ptr[0] == '{' && !rc_str_starts_with(bare, RC_STR("{ ["));
    if (is_object && is_ndjson(bare)) {
        set_event(detected, RC_DETECTED_NDJSON, bare);
        detected->is_cases = begins_with_case(bare);
    } else if (is_object) {
        read_object(detected, bare);
    } else if (is_page(bare)) {
        detected->kind = RC_DETECTED_PAGE;
        detected->failure.body = bare;
    } else if (is_sse(bare)) {
        set_event(detected, RC_DETECTED_SSE, bare);
    } else {
        read_other(detected, text, bare);
    }
    if (detected->kind == RC_DETECTED_HTTP || detected->kind == RC_DETECTED_TEXT)
        rc_curl_read(text, &detected->failure);
}

/* ---- description for people ---- */

static void push_count(rc_buf *buf, size_t count, const char *one, const char *many)
{
    rc_buf_push(buf, RC_STR(", "));
    rc_buf_push_u64(buf, count);
    rc_buf_push_byte(buf, ' ');
    rc_buf_push(buf, rc_str_c(count == 1 ? one : many));
}

static const char *name_of(rc_detected_kind kind)
{
    switch (kind) {
    case RC_DETECTED_NOTHING:
        return "nothing but the options";
    case RC_DETECTED_HTTP:
        return "an HTTP response";
    case RC_DETECTED_JSON:
        return "a JSON body";
    case RC_DETECTED_SSE:
        return "server-sent events";
    case RC_DETECTED_NDJSON:
        return "JSON lines of a stream";
    case RC_DETECTED_AWS:
        return "an AWS event stream";
    case RC_DETECTED_CASE:
        return "a case";
    case RC_DETECTED_REPORT:
        return "a report";
    case RC_DETECTED_PAGE:
        return "a page";
    case RC_DETECTED_TEXT:
        return "text";
    }
    return "";
}

void rc_detected_push(const rc_detected *detected, rc_buf *buf)
{
    const rc_failure *failure = &detected->failure;
    rc_buf_push(buf, rc_str_c(name_of(detected->kind)));
    if (detected->kind == RC_DETECTED_HTTP && detected->http.responses > 1) {
        rc_buf_push(buf, RC_STR(", the last of "));
        rc_buf_push_u64(buf, detected->http.responses);
    }
    if (failure->status > 0) {
        rc_buf_push(buf, RC_STR(", status "));
        rc_buf_push_i64(buf, failure->status);
    }
    if (failure->header_count > 0)
        push_count(buf, failure->header_count, "header", "headers");
    if (failure->body.len > 0)
        push_count(buf, failure->body.len, "byte", "bytes");
    if (failure->event.len > 0 && detected->kind == RC_DETECTED_HTTP)
        rc_buf_push(buf, RC_STR(", a stream"));
    if (failure->event.len > 0)
        push_count(buf, failure->event.len, "byte", "bytes");
    if (failure->transport != RC_TRANSPORT_NONE) {
        rc_buf_push(buf, RC_STR(", transport "));
        rc_buf_push(buf, rc_str_c(rc_transport_name(failure->transport)));
    }
}
