/* Tolerant reader of cases (failures as JSON objects, see case.h): reads damaged JSON and names the
 * fault. Called by jsonl.c, detect.c and case_plain.c. */
#include "cli/explain/case.h"

#include <recourse/taxonomy.h>

#include "cli/explain/case_parts.h"
#include "json/find.h"
#include "json/lex.h"
#include "json/reader.h"

/* State of the reader. */
typedef struct reading {
    rc_case *c;
    rc_json_reader json;
    rc_status status; /* Status of the first fault. */
    rc_case_fault fault;
} reading;

void rc_case_init(rc_case *c, const rc_alloc *alloc)
{
    memset(c, 0, sizeof *c);
    rc_buf_init(&c->text, alloc, 3 * RC_CASE_MAX_BYTES + 64 + RC_JSON_VALUE_SLACK);
}

void rc_case_done(rc_case *c)
{
    rc_buf_done(&c->text);
}

static void fail(reading *r, rc_status status, const char *key, size_t offset, const char *what)
{
    if (r->status != RC_OK)
        return;
    r->status = status;
    r->fault = (rc_case_fault){.key = key, .what = what, .offset = offset};
}

/* Returns the next token. Invalid Unicode in a string (half of a surrogate pair, bytes that are not
 * UTF-8) is no fault, because it is common in logs and does not affect the JSON structure. */
static rc_json_token next(reading *r)
{
    rc_json_token token = rc_json_reader_next(&r->json);
    const rc_json_fault *fault = &r->json.fault;
    bool is_text = token.type == RC_JSON_STRING || token.type == RC_JSON_KEY;
    if (fault->status == RC_E_SYNTAX && is_text && fault->offset >= token.offset &&
        (rc_str_eq(rc_str_c(fault->message), RC_STR("half of a surrogate pair")) ||
         rc_str_eq(rc_str_c(fault->message), RC_STR("invalid UTF-8"))))
        r->json.fault = (rc_json_fault){.status = RC_OK};
    return token;
}

/* Returns the value of a string. c->text has capacity for all strings of the case, so that earlier
 * values do not move. */
static rc_str text_of(rc_case *c, const rc_json_token *token)
{
    if (!token->has_escapes)
        return token->raw;
    size_t start = rc_buf_get(&c->text).len;
    if (rc_json_unescape(token->raw, &c->text) != RC_OK)
        return rc_str_make(NULL, 0);
    rc_str all = rc_buf_get(&c->text);
    return rc_str_make(all.ptr + start, all.len - start);
}

static bool is_begin(rc_json_type type)
{
    return type == RC_JSON_OBJECT_BEGIN || type == RC_JSON_ARRAY_BEGIN;
}

static bool is_end(rc_json_type type)
{
    return type == RC_JSON_OBJECT_END || type == RC_JSON_ARRAY_END;
}

/* Reads to the end of the value that begins with the token first, so that damage inside the value
 * is noticed. Returns the end of the value. */
static size_t pass(reading *r, const rc_json_token *first)
{
    size_t depth = is_begin(first->type) ? 1 : 0;
    rc_json_token token = *first;
    while (depth > 0) {
        token = next(r);
        if (is_begin(token.type))
            depth++;
        else if (is_end(token.type))
            depth--;
        else if (token.type == RC_JSON_END || token.type == RC_JSON_ERROR)
            return token.end;
    }
    return token.end;
}

/* ---- members ---- */

static void take_id(reading *r, const char *key, const rc_json_token *token)
{
    if (token->type != RC_JSON_STRING && token->type != RC_JSON_NUMBER) {
        fail(r, RC_E_TYPE, key, token->offset, "must be a string");
        pass(r, token);
        return;
    }
    r->c->is_id_number = token->type == RC_JSON_NUMBER;
    r->c->id = r->c->is_id_number ? token->raw : text_of(r->c, token);
    r->c->has_id = true;
}

static rc_str take_string(reading *r, const char *key, const rc_json_token *token)
{
    if (token->type == RC_JSON_STRING)
        return text_of(r->c, token);
    if (token->type != RC_JSON_NULL)
        fail(r, RC_E_TYPE, key, token->offset, "must be a string");
    pass(r, token);
    return rc_str_make(NULL, 0);
}

/* Returns the text of a string, or the JSON text of any other value. */
static rc_str take_any(reading *r, const rc_json_token *token)
{
    if (token->type == RC_JSON_STRING)
        return text_of(r->c, token);
    size_t end = pass(r, token);
    if (token->type == RC_JSON_NULL)
        return rc_str_make(NULL, 0);
    return rc_str_make(r->json.text.ptr + token->offset, end - token->offset);
}

static int64_t take_number(reading *r, const char *key, const rc_json_token *token, int64_t max,
                           const char *what)
{
    int64_t number = 0;
    if (token->type == RC_JSON_NULL)
        return 0;
    if (token->type == RC_JSON_NUMBER && rc_json_to_i64(token->raw, &number) == RC_OK &&
        number >= 0 && number <= max)
        return number;
    fail(r, RC_E_TYPE, key, token->offset, what);
    pass(r, token);
    return 0;
}

static void add_header(rc_failure *failure, rc_case *c, rc_str name, rc_str value)
{
    if (failure->header_count < RC_CASE_HEADERS_MAX)
        c->headers[failure->header_count++] = (rc_header){name, value};
}

/* Adds a header. The value may be a string, or a number or boolean, which is used as written. An
 * array gives one header per element. */
static void take_header_value(reading *r, rc_failure *failure, rc_str name,
                              const rc_json_token *first)
{
    if (first->type == RC_JSON_OBJECT_BEGIN)
        fail(r, RC_E_TYPE, "headers", first->offset, "must be an object of strings");
    if (first->type != RC_JSON_ARRAY_BEGIN) {
        rc_str value = take_any(r, first);
        if (first->type != RC_JSON_NULL)
            add_header(failure, r->c, name, value);
        return;
    }
    rc_json_token token = next(r);
    while (!is_end(token.type) && token.type != RC_JSON_ERROR) {
        add_header(failure, r->c, name, take_any(r, &token));
        token = next(r);
    }
}

/* Adds a header from an array [name, value]; further elements of the array are ignored. */
static void take_header_pair(reading *r, rc_failure *failure, const rc_json_token *first)
{
    static const char EXPECTED[] = "must be a list of [name, value]";
    if (first->type != RC_JSON_ARRAY_BEGIN) {
        fail(r, RC_E_TYPE, "headers", first->offset, EXPECTED);
        pass(r, first);
        return;
    }
    rc_json_token name = next(r);
    if (name.type != RC_JSON_STRING) {
        fail(r, RC_E_TYPE, "headers", name.offset, EXPECTED);
        if (!is_end(name.type)) {
            pass(r, &name);
            pass(r, first);
        }
        return;
    }
    rc_str text = text_of(r->c, &name);
    rc_json_token value = next(r);
    if (is_end(value.type)) {
        fail(r, RC_E_TYPE, "headers", value.offset, EXPECTED);
        return;
    }
    take_header_value(r, failure, text, &value);
    pass(r, first);
}

static void take_headers(reading *r, rc_failure *failure, const rc_json_token *first)
{
    failure->header_count = 0;
    failure->headers = r->c->headers;
    if (first->type == RC_JSON_NULL)
        return;
    if (!is_begin(first->type)) {
        fail(r, RC_E_TYPE, "headers", first->offset, "must be an object of strings");
        return;
    }
    rc_json_token token = next(r);
    while (!is_end(token.type) && token.type != RC_JSON_ERROR) {
        if (first->type == RC_JSON_ARRAY_BEGIN) {
            take_header_pair(r, failure, &token);
        } else {
            rc_str name = text_of(r->c, &token);
            rc_json_token value = next(r);
            take_header_value(r, failure, name, &value);
        }
        token = next(r);
    }
}

static rc_family take_family(reading *r, const rc_json_token *token)
{
    rc_family family = rc_family_parse(take_string(r, "family", token));
    if (family != RC_FAMILY_UNKNOWN)
        return family;
    fail(r, RC_E_TYPE, "family", token->offset,
         "must be one of llm, image, audio, embedding, extract, search, tool");
    return RC_FAMILY_NONE;
}

static rc_transport take_transport(reading *r, const rc_json_token *token)
{
    rc_str name = take_string(r, "transport", token);
    rc_transport transport = rc_transport_parse(name);
    if (name.len > 0 && transport == RC_TRANSPORT_NONE)
        fail(r, RC_E_TYPE, "transport", token->offset,
             "must be one of timeout, connect_refused, dns, tls, reset, eof");
    return transport;
}

static rc_phase take_phase(reading *r, const rc_json_token *token)
{
    rc_str name = take_string(r, "phase", token);
    rc_phase phase = rc_phase_parse(name);
    if (name.len > 0 && phase == RC_PHASE_NONE)
        fail(r, RC_E_TYPE, "phase", token->offset,
             "must be one of connect, sent, headers, committed");
    return phase;
}

static rc_replay take_replay(reading *r, const rc_json_token *token)
{
    if (token->type == RC_JSON_TRUE)
        return RC_REPLAY_YES;
    if (token->type == RC_JSON_FALSE)
        return RC_REPLAY_NO;
    if (token->type != RC_JSON_NULL)
        fail(r, RC_E_TYPE, "replayable", token->offset, "must be true or false");
    pass(r, token);
    return RC_REPLAY_BY_FAMILY;
}

/* Compares a name with a literal of the same length; the compiler inlines memcmp because the length
 * is constant. */
#define IS(literal) (memcmp(name.ptr, (literal), sizeof(literal) - 1) == 0)

rc_case_member rc_case_member_of(rc_str name)
{
    switch (name.len) {
    case 2:
        return IS("id") ? RC_CASE_ID : RC_CASE_OTHER;
    case 4:
        return IS("body") ? RC_CASE_BODY : RC_CASE_OTHER;
    case 5:
        return IS("model")   ? RC_CASE_MODEL
               : IS("event") ? RC_CASE_EVENT
               : IS("phase") ? RC_CASE_PHASE
                             : RC_CASE_OTHER;
    case 6:
        return IS("status") ? RC_CASE_STATUS : IS("family") ? RC_CASE_FAMILY : RC_CASE_OTHER;
    case 7:
        return IS("headers") ? RC_CASE_HEADERS : RC_CASE_OTHER;
    case 8:
        return IS("provider") ? RC_CASE_PROVIDER : RC_CASE_OTHER;
    case 9:
        return IS("transport") ? RC_CASE_TRANSPORT : RC_CASE_OTHER;
    case 10:
        return IS("replayable") ? RC_CASE_REPLAYABLE : RC_CASE_OTHER;
    case 11:
        return IS("exit_status") ? RC_CASE_EXIT_STATUS : RC_CASE_OTHER;
    case 14:
        return IS("context_window") ? RC_CASE_CONTEXT_WINDOW : RC_CASE_OTHER;
    default:
        return RC_CASE_OTHER;
    }
}

static void take_member(reading *r, const rc_json_token *key)
{
    rc_failure *failure = &r->c->failure;
    rc_json_token value = next(r);
    switch (rc_case_member_of(text_of(r->c, key))) {
    case RC_CASE_ID:
        take_id(r, "id", &value);
        return;
    case RC_CASE_PROVIDER:
        failure->provider = take_string(r, "provider", &value);
        return;
    case RC_CASE_MODEL:
        failure->model = take_string(r, "model", &value);
        return;
    case RC_CASE_FAMILY:
        failure->family = take_family(r, &value);
        return;
    case RC_CASE_STATUS:
        failure->status = (int)take_number(r, "status", &value, RC_CASE_STATUS_MAX,
                                           "must be a whole number from 0 to 999");
        return;
    case RC_CASE_HEADERS:
        take_headers(r, failure, &value);
        return;
    case RC_CASE_BODY:
        failure->body = take_any(r, &value);
        return;
    case RC_CASE_EVENT:
        failure->event = take_any(r, &value);
        return;
    case RC_CASE_TRANSPORT:
        failure->transport = take_transport(r, &value);
        return;
    case RC_CASE_PHASE:
        failure->phase = take_phase(r, &value);
        return;
    case RC_CASE_REPLAYABLE:
        failure->replay = take_replay(r, &value);
        return;
    case RC_CASE_EXIT_STATUS:
        failure->exit_status = (int)take_number(r, "exit_status", &value, RC_CASE_EXIT_STATUS_MAX,
                                                "must be a whole number from 0 to 255");
        return;
    case RC_CASE_CONTEXT_WINDOW:
        failure->context_window =
            take_number(r, "context_window", &value, RC_CASE_CONTEXT_WINDOW_MAX,
                        "must be a whole number of tokens up to 1000000000");
        return;
    case RC_CASE_OTHER:
        break;
    }
    if (is_begin(value.type))
        rc_json_reader_skip(&r->json);
}

/* ---- whole case ---- */

static void read_object(reading *r)
{
    rc_json_token token = next(r);
    if (token.type != RC_JSON_OBJECT_BEGIN) {
        bool is_end_of_text = token.type == RC_JSON_END || token.type == RC_JSON_ERROR;
        fail(r, RC_E_SYNTAX, NULL, is_end_of_text ? r->json.fault.offset : token.offset,
             "expected an object");
        return;
    }
    token = next(r);
    while (token.type == RC_JSON_KEY) {
        take_member(r, &token);
        token = next(r);
    }
    /* Text after the object is reported by the JSON reader as a fault. */
    while (token.type != RC_JSON_END && token.type != RC_JSON_ERROR)
        token = next(r);
}

static void clear(rc_case *c)
{
    c->failure = (rc_failure){0};
    c->has_id = false;
    c->is_id_number = false;
    c->id = rc_str_make(NULL, 0);
    rc_buf_reset(&c->text);
}

/* Reads a damaged case with the tolerant JSON reader, which continues after damage, so that an id
 * behind the damage is found. */
static rc_status read_damaged(rc_case *c, rc_str json, rc_case_fault *ret_fault)
{
    static const rc_json_limits LIMITS = {
        .max_bytes = RC_CASE_MAX_BYTES, .max_depth = RC_JSON_DEPTH_MAX, .is_tolerant = true};
    reading r = {.c = c};
    rc_json_reader_init(&r.json, json, &LIMITS);
    read_object(&r);
    bool is_object = r.status != RC_E_SYNTAX;
    /* Damage of the JSON has priority over a wrong member, because the damage may have caused
     * it. */
    if (is_object && r.json.fault.status != RC_OK) {
        *ret_fault = (rc_case_fault){.what = r.json.fault.message, .offset = r.json.fault.offset};
        return RC_E_SYNTAX;
    }
    if (r.status != RC_OK)
        *ret_fault = r.fault;
    return r.status;
}

rc_status rc_case_read(rc_case *c, rc_str json, rc_case_fault *ret_fault)
{
    clear(c);
    /* Three times the length, because an invalid UTF-8 byte becomes a replacement character of
     * three bytes. */
    if (rc_buf_reserve(&c->text, 3 * json.len + RC_JSON_VALUE_SLACK) != RC_OK) {
        *ret_fault = (rc_case_fault){.what = "out of memory"};
        return RC_E_NOMEM;
    }
    if (rc_case_read_plain(c, json))
        return RC_OK;
    clear(c);
    return read_damaged(c, json, ret_fault);
}

void rc_case_find_id(rc_case *c, rc_str json)
{
    rc_json_member id = {.key = RC_STR("id")};
    clear(c);
    rc_json_find(json, &id, 1, true);
    if (!id.is_found || (id.value.type != RC_JSON_STRING && id.value.type != RC_JSON_NUMBER))
        return;
    c->is_id_number = id.value.type == RC_JSON_NUMBER;
    c->id = c->is_id_number ? id.value.raw : text_of(c, &id.value);
    c->has_id = true;
}
