/* Fast reader of cases: accepts strictly valid objects whose members have the expected types, in
 * one pass. Returns false for anything else, which case.c then reads and reports. For valid cases
 * both readers give the same result. Called by case.c. */
#include "cli/explain/case_parts.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "json/lex.h"
#include "json/scan.h"

typedef struct plain {
    rc_case *c;
    rc_str text;
    size_t at;
} plain;

static inline char byte_at(const plain *p)
{
    return p->at < p->text.len ? p->text.ptr[p->at] : '\0';
}

static void skip_space(plain *p)
{
    while (byte_at(p) == ' ' || byte_at(p) == '\t' || byte_at(p) == '\n' || byte_at(p) == '\r')
        p->at++;
}

/* Skips the character c and the white space around c. Optimized for no space before c and at most
 * one space after c. */
static inline bool take(plain *p, char c)
{
    if (byte_at(p) != c)
        skip_space(p);
    if (byte_at(p) != c)
        return false;
    p->at++;
    if (byte_at(p) == ' ')
        p->at++;
    if ((unsigned char)byte_at(p) <= ' ')
        skip_space(p);
    return true;
}

/* ---- values ---- */

/* Reads the string whose opening quote is at p->at. */
static bool take_string(plain *p, rc_str *ret_value)
{
    if (byte_at(p) != '"')
        return false;
    size_t end = rc_json_lex_value(p->text, p->at + 1, &p->c->text, ret_value);
    p->at = end + 1;
    return end != RC_JSON_SCAN_NONE;
}

static bool take_null(plain *p)
{
    if (p->text.len - p->at < 4 || memcmp(p->text.ptr + p->at, "null", 4) != 0)
        return false;
    p->at += 4;
    return true;
}

/* Reads a string; null gives the empty string. */
static bool take_text(plain *p, rc_str *ret_value)
{
    *ret_value = rc_str_make(NULL, 0);
    return byte_at(p) == 'n' ? take_null(p) : take_string(p, ret_value);
}

/* Reads a number, true, false or null. The caller checks the next character: only white space, a
 * comma or a closing bracket is valid there. */
static bool take_scalar(plain *p, rc_json_token *ret_token)
{
    rc_json_fault fault = {.status = RC_OK};
    if (p->at == p->text.len)
        return false;
    rc_json_lex_scalar(p->text, p->at, ret_token, &fault);
    p->at = ret_token->end;
    return fault.status == RC_OK;
}

/* Reads a whole number; null gives 0. */
static bool take_number(plain *p, int64_t max, int64_t *ret_number)
{
    *ret_number = 0;
    if (byte_at(p) == 'n')
        return take_null(p);
    size_t from = p->at;
    int64_t number = 0;
    for (; rc_ascii_is_digit(byte_at(p)) && number <= max; p->at++)
        number = number * 10 + (byte_at(p) - '0');
    *ret_number = number;
    bool has_zeros = p->at > from + 1 && p->text.ptr[from] == '0';
    return p->at > from && !has_zeros && number <= max;
}

/* Reads the object or array whose bracket is at p->at, with the checks of the tolerant reader. The
 * depth limit is one lower, because the container is inside the case. */
static bool take_container(plain *p, bool is_checked)
{
    static const rc_json_limits LIMITS = {
        .max_bytes = RC_CASE_MAX_BYTES, .max_depth = RC_JSON_DEPTH_MAX - 1, .is_tolerant = true};
    rc_json_reader reader;
    rc_json_reader_init(&reader, rc_str_slice(p->text, p->at, p->text.len), &LIMITS);
    rc_json_token token = rc_json_reader_next(&reader);
    if (!is_checked)
        rc_json_reader_skip(&reader);
    while (reader.depth > 0 && token.type != RC_JSON_ERROR && reader.fault.status == RC_OK)
        token = rc_json_reader_next(&reader);
    p->at += reader.at;
    return reader.fault.status == RC_OK;
}

/* Skips the object or array of an unknown member. The fast scanner finds the end reliably only if
 * the container has no backslash and no single quote. */
static bool pass_container(plain *p)
{
    size_t end = rc_json_scan_best()->container_end(p->text, p->at + 1);
    if (end == RC_JSON_SCAN_NONE)
        return false;
    rc_str inside = rc_str_slice(p->text, p->at, end);
    if (rc_str_find_byte(inside, '\\', 0) != RC_STR_NPOS ||
        rc_str_find_byte(inside, '\'', 0) != RC_STR_NPOS)
        return take_container(p, false);
    p->at = end;
    return true;
}

static bool pass_value(plain *p)
{
    rc_str unused;
    rc_json_token token;
    char c = byte_at(p);
    if (c == '"')
        return take_string(p, &unused);
    return c == '{' || c == '[' ? pass_container(p) : take_scalar(p, &token);
}

/* Reads a string, null as the empty string, or an object or array as JSON text. */
static bool take_any(plain *p, rc_str *ret_value)
{
    char c = byte_at(p);
    if (c != '{' && c != '[')
        return take_text(p, ret_value);
    size_t from = p->at;
    bool is_taken = take_container(p, true);
    *ret_value = rc_str_slice(p->text, from, p->at);
    return is_taken;
}

/* ---- members ---- */

static bool take_id(plain *p)
{
    rc_json_token token;
    rc_case *c = p->c;
    c->has_id = true;
    c->is_id_number = byte_at(p) != '"';
    if (!c->is_id_number)
        return take_string(p, &c->id);
    if (!take_scalar(p, &token) || token.type != RC_JSON_NUMBER)
        return false;
    c->id = token.raw;
    return true;
}

/* Reads an object of strings, or null. */
static bool take_headers(plain *p)
{
    rc_failure *failure = &p->c->failure;
    failure->headers = p->c->headers;
    failure->header_count = 0;
    if (byte_at(p) == 'n')
        return take_null(p);
    if (!take(p, '{'))
        return false;
    if (take(p, '}'))
        return true;
    do {
        rc_header header;
        if (failure->header_count == RC_CASE_HEADERS_MAX || !take_string(p, &header.name) ||
            !take(p, ':') || !take_string(p, &header.value))
            return false;
        p->c->headers[failure->header_count++] = header;
    } while (take(p, ','));
    return take(p, '}');
}

static bool take_family(plain *p, rc_family *ret_family)
{
    rc_str name;
    if (!take_text(p, &name))
        return false;
    *ret_family = rc_family_parse(name);
    return *ret_family != RC_FAMILY_UNKNOWN;
}

static bool take_transport(plain *p, rc_transport *ret_transport)
{
    rc_str name;
    if (!take_text(p, &name))
        return false;
    *ret_transport = name.len > 0 ? rc_transport_parse(name) : RC_TRANSPORT_NONE;
    return name.len == 0 || *ret_transport != RC_TRANSPORT_NONE;
}

static bool take_phase(plain *p, rc_phase *ret_phase)
{
    rc_str name;
    if (!take_text(p, &name))
        return false;
    *ret_phase = name.len > 0 ? rc_phase_parse(name) : RC_PHASE_NONE;
    return name.len == 0 || *ret_phase != RC_PHASE_NONE;
}

static bool take_replay(plain *p, rc_replay *ret_replay)
{
    rc_json_token token;
    if (!take_scalar(p, &token) || token.type == RC_JSON_NUMBER)
        return false;
    *ret_replay = token.type == RC_JSON_NULL   ? RC_REPLAY_BY_FAMILY
                  : token.type == RC_JSON_TRUE ? RC_REPLAY_YES
                                               : RC_REPLAY_NO;
    return true;
}

static bool take_value(plain *p, rc_case_member member)
{
    rc_failure *failure = &p->c->failure;
    int64_t number = 0;
    bool is_taken = false;
    switch (member) {
    case RC_CASE_ID:
        return take_id(p);
    case RC_CASE_PROVIDER:
        return take_text(p, &failure->provider);
    case RC_CASE_MODEL:
        return take_text(p, &failure->model);
    case RC_CASE_FAMILY:
        return take_family(p, &failure->family);
    case RC_CASE_STATUS:
        is_taken = take_number(p, RC_CASE_STATUS_MAX, &number);
        failure->status = (int)number;
        return is_taken;
    case RC_CASE_HEADERS:
        return take_headers(p);
    case RC_CASE_BODY:
        return take_any(p, &failure->body);
    case RC_CASE_EVENT:
        return take_any(p, &failure->event);
    case RC_CASE_TRANSPORT:
        return take_transport(p, &failure->transport);
    case RC_CASE_PHASE:
        return take_phase(p, &failure->phase);
    case RC_CASE_REPLAYABLE:
        return take_replay(p, &failure->replay);
    case RC_CASE_EXIT_STATUS:
        is_taken = take_number(p, RC_CASE_EXIT_STATUS_MAX, &number);
        failure->exit_status = (int)number;
        return is_taken;
    case RC_CASE_CONTEXT_WINDOW:
        return take_number(p, RC_CASE_CONTEXT_WINDOW_MAX, &failure->context_window);
    case RC_CASE_OTHER:
        break;
    }
    return pass_value(p);
}

bool rc_case_read_plain(rc_case *c, rc_str json)
{
    plain p = {.c = c, .text = json};
    if (json.len > RC_CASE_MAX_BYTES || !take(&p, '{'))
        return false;
    if (!take(&p, '}')) {
        do {
            rc_str key;
            if (!take_string(&p, &key) || !take(&p, ':') || !take_value(&p, rc_case_member_of(key)))
                return false;
        } while (take(&p, ','));
        if (!take(&p, '}'))
            return false;
    }
    return p.at == json.len;
}
