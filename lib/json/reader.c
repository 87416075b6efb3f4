/* JSON pull reader: syntax of values and containers, nesting, skipping. Called by the decoders, the
 * classifier and the gateway's admin API. */
#include "json/reader.h"

#include "json/lex.h"
#include "json/scan.h"

/* The state decides which lexemes are expected next. Between two calls the reader is in one of
 *
 *   VALUE         at the start, or after a KEY token that replaces a missing key
 *   ARRAY_FIRST   after the opening bracket of an array
 *   OBJECT_FIRST  after the opening bracket of an object
 *   COLON         after a key
 *   AFTER         after a complete value
 *   DONE, FAILED  at the end; the same token is returned again
 *
 * and passes through ELEMENT (after a comma in an array), MEMBER (after a comma in an object) and
 * VALUE (after a colon) within one call. */
typedef enum state {
    VALUE,
    ARRAY_FIRST,
    OBJECT_FIRST,
    COLON,
    AFTER,
    ELEMENT,
    MEMBER,
    DONE,
    FAILED
} state;

/* The result of one step. TOKEN: the step has produced a token. GO_ON: the step has consumed a
 * byte, or moved to a state whose step will consume one, so the loop always ends. */
typedef enum step {
    GO_ON,
    TOKEN
} step;

/* Records a fault; does nothing if a fault has already been recorded. */
static void note(rc_json_reader *r, rc_status status, size_t offset, const char *message)
{
    if (r->fault.status == RC_OK)
        r->fault = (rc_json_fault){.status = status, .offset = offset, .message = message};
}

static void put_token(const rc_json_reader *r, rc_json_type type, size_t from, size_t to,
                      rc_json_token *ret_token)
{
    ret_token->type = type;
    ret_token->raw = rc_str_make(r->text.ptr + from, to - from);
    ret_token->has_escapes = false;
    ret_token->offset = from;
    ret_token->end = to;
}

/* Writes a token of length 0 at the current position in place of a lexeme that the text lacks. */
static step put_missing(rc_json_reader *r, rc_json_type type, state next, rc_json_token *ret_token)
{
    put_token(r, type, r->at, r->at, ret_token);
    r->state = (uint8_t)next;
    return TOKEN;
}

static step fail(rc_json_reader *r, rc_status status, size_t offset, const char *message,
                 rc_json_token *ret_token)
{
    r->fault = (rc_json_fault){.status = status, .offset = offset, .message = message};
    r->state = FAILED;
    put_token(r, RC_JSON_ERROR, offset, offset, ret_token);
    return TOKEN;
}

/* Handles an unexpected byte: the strict mode fails, the tolerant mode skips the byte. */
static step stray(rc_json_reader *r, const char *message, rc_json_token *ret_token)
{
    if (!r->is_tolerant)
        return fail(r, RC_E_SYNTAX, r->at, message, ret_token);
    note(r, RC_E_SYNTAX, r->at, message);
    r->at++;
    return GO_ON;
}

/* Handles a missing lexeme: the strict mode fails, the tolerant mode continues in the state
 * `next`. */
static step missing(rc_json_reader *r, const char *message, state next, rc_json_token *ret_token)
{
    if (!r->is_tolerant)
        return fail(r, RC_E_SYNTAX, r->at, message, ret_token);
    note(r, RC_E_SYNTAX, r->at, message);
    r->state = (uint8_t)next;
    return GO_ON;
}

/* ---- the stack of open containers ---- */

static bool is_in_object(const rc_json_reader *r)
{
    if (r->depth == 0)
        return false;
    uint32_t level = r->depth - 1;
    return r->is_object[level / 64] >> (level % 64) & 1;
}

/* Returns whether any open container is an object; if is_object is false, an array. */
static bool is_open(const rc_json_reader *r, bool is_object)
{
    for (uint32_t word = 0; word * 64 < r->depth; word++) {
        uint32_t left = r->depth - word * 64;
        uint64_t levels = left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
        uint64_t bits = is_object ? r->is_object[word] : ~r->is_object[word];
        if (bits & levels)
            return true;
    }
    return false;
}

static step open_container(rc_json_reader *r, rc_json_token *ret_token)
{
    bool is_object = r->text.ptr[r->at] == '{';
    if (r->depth >= r->max_depth)
        return fail(r, RC_E_TOO_DEEP, r->at, "nested too deep", ret_token);
    uint64_t bit = UINT64_C(1) << (r->depth % 64);
    uint64_t *word = &r->is_object[r->depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    r->depth++;
    put_token(r, is_object ? RC_JSON_OBJECT_BEGIN : RC_JSON_ARRAY_BEGIN, r->at, r->at + 1,
              ret_token);
    r->at++;
    r->state = is_object ? OBJECT_FIRST : ARRAY_FIRST;
    return TOKEN;
}

/* Closes the innermost container. `len` is the length of the closing bracket at the current
 * position, or 0 if the text lacks the bracket. */
static step close_container(rc_json_reader *r, size_t len, rc_json_token *ret_token)
{
    rc_json_type type = is_in_object(r) ? RC_JSON_OBJECT_END : RC_JSON_ARRAY_END;
    put_token(r, type, r->at, r->at + len, ret_token);
    r->at += len;
    r->depth--;
    r->state = AFTER;
    return TOKEN;
}

/* Handles a closing bracket at a position where a value, a key or a comma may also follow. In
 * tolerant mode, a bracket that does not match the innermost container also closes the containers
 * inside the one it matches. A bracket that matches no open container is skipped. */
static step on_closer(rc_json_reader *r, rc_json_token *ret_token)
{
    bool is_object = r->text.ptr[r->at] == '}';
    if (r->depth > 0 && is_object == is_in_object(r))
        return close_container(r, 1, ret_token);
    if (!r->is_tolerant || !is_open(r, is_object))
        return stray(r, "closing bracket without its opening one", ret_token);
    note(r, RC_E_SYNTAX, r->at, "closing bracket of the other kind");
    return close_container(r, 0, ret_token);
}

/* ---- keys, values and punctuation ---- */

/* Completes the step after the lexer has filled in the token. In strict mode a fault of the lexer
 * ends the reading. */
static step put_word(rc_json_reader *r, state next, rc_json_token *ret_token)
{
    if (!r->is_tolerant && r->fault.status != RC_OK)
        return fail(r, r->fault.status, r->fault.offset, r->fault.message, ret_token);
    r->at = ret_token->end;
    r->state = (uint8_t)next;
    return TOKEN;
}

/* Returns whether a string begins with c. In tolerant mode a string inside a container may be in
 * single quotes; outside, an apostrophe is probably part of prose. */
static bool is_string_start(const rc_json_reader *r, char c)
{
    return c == '"' || (c == '\'' && r->is_tolerant && r->depth > 0);
}

static step on_key(rc_json_reader *r, rc_json_token *ret_token)
{
    char c = r->text.ptr[r->at];
    if (c == '}' || c == ']') {
        if (r->state == MEMBER)
            return missing(r, "comma before a closing bracket", AFTER, ret_token);
        return on_closer(r, ret_token);
    }
    if (r->is_tolerant && (c == '{' || c == '[')) {
        note(r, RC_E_SYNTAX, r->at, "value without a key");
        return put_missing(r, RC_JSON_KEY, VALUE, ret_token);
    }
    if (is_string_start(r, c))
        rc_json_lex_string(r->text, r->at, r->is_tolerant, ret_token, &r->fault);
    else if (r->is_tolerant && rc_json_lex_is_bare_start(c))
        rc_json_lex_bare(r->text, r->at, true, ret_token, &r->fault);
    else
        return stray(r, "expected a key", ret_token);
    ret_token->type = RC_JSON_KEY;
    return put_word(r, COLON, ret_token);
}

/* Reads a value: an element of an array, the value after a colon, or the value at the top level. */
static step on_value(rc_json_reader *r, rc_json_token *ret_token)
{
    char c = r->text.ptr[r->at];
    if (c == '{' || c == '[')
        return open_container(r, ret_token);
    if (is_string_start(r, c)) {
        rc_json_lex_string(r->text, r->at, r->is_tolerant, ret_token, &r->fault);
        return put_word(r, AFTER, ret_token);
    }
    bool is_after_key = is_in_object(r);
    bool is_closer = c == '}' || c == ']';
    if (is_closer && r->state == ARRAY_FIRST)
        return on_closer(r, ret_token);
    if (r->is_tolerant && is_after_key && (is_closer || c == ',')) {
        note(r, RC_E_SYNTAX, r->at, "expected a value");
        return put_missing(r, RC_JSON_NULL, AFTER, ret_token);
    }
    if (is_closer && r->state == ELEMENT)
        return missing(r, "comma before a closing bracket", AFTER, ret_token);
    if (!r->is_tolerant) {
        rc_json_lex_scalar(r->text, r->at, ret_token, &r->fault);
        return put_word(r, AFTER, ret_token);
    }
    if (!rc_json_lex_is_bare_start(c))
        return stray(r, "expected a value", ret_token);
    rc_json_lex_bare(r->text, r->at, false, ret_token, &r->fault);
    return put_word(r, AFTER, ret_token);
}

static step on_colon(rc_json_reader *r, rc_json_token *ret_token)
{
    char c = r->text.ptr[r->at];
    if (c == ':') {
        r->at++;
        r->state = VALUE;
        return GO_ON;
    }
    return missing(r, "expected a colon", VALUE, ret_token);
}

static step on_after(rc_json_reader *r, rc_json_token *ret_token)
{
    char c = r->text.ptr[r->at];
    if (r->depth == 0) {
        if (!r->is_tolerant)
            return fail(r, RC_E_SYNTAX, r->at, "text after the value", ret_token);
        note(r, RC_E_SYNTAX, r->at, "text after the value");
        return put_missing(r, RC_JSON_END, DONE, ret_token);
    }
    state next = is_in_object(r) ? MEMBER : ELEMENT;
    if (c == ',') {
        r->at++;
        r->state = (uint8_t)next;
        return GO_ON;
    }
    if (c == '}' || c == ']')
        return on_closer(r, ret_token);
    bool can_begin = is_string_start(r, c) || c == '{' || c == '[' || rc_json_lex_is_bare_start(c);
    if (!can_begin)
        return stray(r, "expected a comma or a closing bracket", ret_token);
    return missing(r, "expected a comma", next == MEMBER ? OBJECT_FIRST : ARRAY_FIRST, ret_token);
}

/* Handles the end of the text. In tolerant mode the reader completes the open containers, one token
 * per call. */
static step on_end(rc_json_reader *r, rc_json_token *ret_token)
{
    if (r->state == AFTER && r->depth == 0)
        return put_missing(r, RC_JSON_END, DONE, ret_token);
    const char *message = r->depth == 0 ? "text has no value" : "text ends inside a container";
    if (!r->is_tolerant)
        return fail(r, RC_E_TRUNCATED, r->at, message, ret_token);
    note(r, RC_E_TRUNCATED, r->at, message);
    if (r->depth == 0)
        return put_missing(r, RC_JSON_END, DONE, ret_token);
    if (r->state == COLON || (r->state == VALUE && is_in_object(r)))
        return put_missing(r, RC_JSON_NULL, AFTER, ret_token);
    return close_container(r, 0, ret_token);
}

static void skip_space(rc_json_reader *r)
{
    while (r->at < r->text.len) {
        char c = r->text.ptr[r->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            return;
        r->at++;
    }
}

static step take_step(rc_json_reader *r, rc_json_token *ret_token)
{
    if (r->state != DONE && r->state != FAILED) {
        skip_space(r);
        if (r->at == r->text.len)
            return on_end(r, ret_token);
    }
    switch ((state)r->state) {
    case DONE:
        return put_missing(r, RC_JSON_END, DONE, ret_token);
    case FAILED:
        put_token(r, RC_JSON_ERROR, r->fault.offset, r->fault.offset, ret_token);
        return TOKEN;
    case OBJECT_FIRST:
    case MEMBER:
        return on_key(r, ret_token);
    case COLON:
        return on_colon(r, ret_token);
    case AFTER:
        return on_after(r, ret_token);
    case VALUE:
    case ARRAY_FIRST:
    case ELEMENT:
        break;
    }
    return on_value(r, ret_token);
}

rc_json_token rc_json_reader_next(rc_json_reader *r)
{
    rc_json_token token;
    step taken;
    do {
        taken = take_step(r, &token);
    } while (taken != TOKEN);
    return token;
}

void rc_json_reader_init(rc_json_reader *r, rc_str text, const rc_json_limits *limits)
{
    if (!text.ptr)
        text = RC_STR("");
    *r = (rc_json_reader){
        .text = text,
        .max_depth = limits->max_depth < RC_JSON_DEPTH_MAX ? limits->max_depth : RC_JSON_DEPTH_MAX,
        .is_tolerant = limits->is_tolerant,
        .state = VALUE,
    };
    if (text.len > limits->max_bytes) {
        note(r, RC_E_TOO_LARGE, limits->max_bytes, "text is longer than the ceiling");
        r->text.len = limits->max_bytes;
        r->state = r->is_tolerant ? VALUE : FAILED;
    }
    if (r->is_tolerant && r->text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0)
        r->at = 3;
}

/* ---- skipping ---- */

static size_t single_quoted_end(rc_str text, size_t at)
{
    rc_json_token token;
    rc_json_fault fault = {.status = RC_OK};
    rc_json_lex_string(text, at, true, &token, &fault);
    return token.end;
}

/* The variant of rc_json_scan.container_end for tolerant mode; it also handles strings in single
 * quotes. */
static size_t tolerant_container_end(rc_str text, size_t at)
{
    const rc_json_scan *scan = rc_json_scan_best();
    size_t depth = 1;
    char before = '{'; /* the latest byte that is not white space */
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (c == '"')
            at = scan->string_end(text, at + 1);
        else if (c == '\'' && memchr("{[:,", before, 4) != NULL)
            at = single_quoted_end(text, at) - 1;
        else if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return at + 1;
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            before = c;
    }
    return RC_JSON_SCAN_NONE;
}

/* Skips a truncated value, which extends to the end of the text. */
static void skip_to_end(rc_json_reader *r, const char *message)
{
    r->at = r->text.len;
    note(r, RC_E_TRUNCATED, r->at, message);
    r->state = r->is_tolerant ? AFTER : FAILED;
}

/* Skips a container whose opening bracket has been read. */
static void skip_container(rc_json_reader *r)
{
    size_t end = r->is_tolerant ? tolerant_container_end(r->text, r->at)
                                : rc_json_scan_best()->container_end(r->text, r->at);
    r->at = end;
    r->state = AFTER;
    if (end == RC_JSON_SCAN_NONE)
        skip_to_end(r, "text ends inside a container");
}

/* Skips a string whose opening quote has been read. */
static void skip_string(rc_json_reader *r)
{
    size_t end = rc_json_scan_best()->string_end(r->text, r->at);
    r->at = end + 1;
    r->state = AFTER;
    if (end == r->text.len)
        skip_to_end(r, "text ends inside a string");
}

/* Returns the first byte of the value after a key without consuming it, or NUL if the text ends. */
static char peek_value(rc_json_reader *r)
{
    rc_json_token unused;
    skip_space(r);
    if (r->state == COLON && r->at < r->text.len && on_colon(r, &unused) == TOKEN)
        return '\0';
    skip_space(r);
    return r->state == VALUE && r->at < r->text.len ? r->text.ptr[r->at] : '\0';
}

static void skip_value(rc_json_reader *r)
{
    char c = peek_value(r);
    if (c != '"' && c != '{' && c != '[') {
        rc_json_reader_next(r);
        return;
    }
    r->at++;
    if (c == '"')
        skip_string(r);
    else
        skip_container(r);
}

size_t rc_json_reader_skip(rc_json_reader *r)
{
    if (r->state == COLON || r->state == VALUE) {
        skip_value(r);
    } else if (r->state == ARRAY_FIRST || r->state == OBJECT_FIRST) {
        r->depth--;
        skip_container(r);
    }
    return r->at;
}
