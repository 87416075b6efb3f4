/* Usage scan: finds token counts in a response while it is passed on. Called by the gateway's
 * attempt_response.c. */
#include "dialect/usage_scan.h"

#include <string.h>

#include "base/str.h"
#include "dialect/usage_weight.h"
#include "json/scan.h"

typedef enum scan_form {
    FORM_START,
    FORM_JSON,
    FORM_LINES
} scan_form;

typedef enum scan_line {
    LINE_NAME, /* at the start of a line, which may begin with "data:" */
    LINE_DATA,
    LINE_OTHER
} scan_line;

typedef enum scan_string {
    STRING_NONE,
    STRING_KEY,
    STRING_VALUE
} scan_string;

typedef enum scan_copy {
    COPY_NONE,
    COPY_OBJECT,
    COPY_NUMBER
} scan_copy;

#define KEY_TOO_LONG (RC_USAGE_SCAN_KEY_MAX + 1)
#define LEVELS_MAX 64u

void rc_usage_scan_init(rc_usage_scan *scan, rc_buf *scratch)
{
    memset(scan, 0, sizeof *scan);
    scan->scratch = scratch;
    rc_buf_reset(scratch);
}

/* ---- the copied value ---- */

static void copy(rc_usage_scan *scan, rc_str bytes)
{
    const bool fits = bytes.len <= RC_USAGE_OBJECT_MAX_BYTES - rc_buf_get(scan->scratch).len &&
                      rc_buf_push(scan->scratch, bytes) == RC_OK;
    if (fits)
        return;
    rc_buf_reset(scan->scratch);
    scan->copying = COPY_NONE;
}

static rc_str key_of(const rc_usage_scan *scan)
{
    return rc_str_make(scan->key, scan->key_len < KEY_TOO_LONG ? scan->key_len : 0);
}

/* Reads the copied value as usage and empties the copy. */
static void end_copy(rc_usage_scan *scan, rc_usage *usage)
{
    const rc_str value = rc_buf_get(scan->scratch);
    if (scan->copying == COPY_OBJECT)
        scan->is_read |= rc_usage_read_object(usage, value);
    else if (scan->copying == COPY_NUMBER)
        scan->is_read |= rc_usage_read_number(usage, key_of(scan), value);
    rc_buf_reset(scan->scratch);
    scan->copying = COPY_NONE;
}

/* ---- nesting and locations ---- */

static uint32_t level(const rc_usage_scan *scan)
{
    return scan->depth > scan->base ? scan->depth - scan->base : 0;
}

static bool is_in_object(const rc_usage_scan *scan)
{
    return scan->depth > 0 && scan->depth <= LEVELS_MAX &&
           (scan->objects >> (scan->depth - 1) & 1) != 0;
}

/* Returns whether a member of the current object can be a usage object or a count. */
static bool is_location(const rc_usage_scan *scan)
{
    return level(scan) == 1 || (scan->is_inside && level(scan) == 2);
}

static void begin_value(rc_usage_scan *scan, bool is_object)
{
    if (scan->copying != COPY_NONE || !is_location(scan) || !is_in_object(scan))
        return;
    const rc_usage_location location = rc_usage_location_of(key_of(scan));
    if (location == RC_USAGE_LOCATION_USAGE && is_object)
        scan->copying = COPY_OBJECT;
    else if (location == RC_USAGE_LOCATION_NUMBERS && !is_object)
        scan->copying = COPY_NUMBER;
    scan->copy_depth = scan->depth;
}

static void open(rc_usage_scan *scan, bool is_object)
{
    if (scan->depth == 0)
        scan->base = is_object ? 0 : 1;
    if (is_object)
        begin_value(scan, true);
    if (level(scan) == 1 && is_in_object(scan)) {
        scan->is_inside =
            is_object && rc_usage_location_of(key_of(scan)) == RC_USAGE_LOCATION_INSIDE;
        scan->is_in_data = !is_object && rc_str_eq(key_of(scan), RC_STR("data"));
    }
    scan->depth++;
    if (scan->depth <= LEVELS_MAX) {
        const uint64_t bit = UINT64_C(1) << (scan->depth - 1);
        scan->objects = is_object ? scan->objects | bit : scan->objects & ~bit;
    }
    if (level(scan) == 3)
        scan->has_image = false;
    scan->is_key_next = is_object;
}

/* Handles the closing bracket of an object or array. */
static void close_one(rc_usage_scan *scan)
{
    if (scan->depth == 0)
        return;
    scan->depth--;
    scan->is_key_next = false;
    if (level(scan) <= 1)
        scan->is_inside = scan->is_in_data = false;
}

/* Handles a complete key. The name of the key decides whether the top-level member contains text,
 * and whether an element of "data" is a generated image or a vector. */
static void end_key(rc_usage_scan *scan, rc_usage *usage)
{
    const rc_str key = key_of(scan);
    if (level(scan) == 1)
        scan->is_text_member = scan->form == FORM_LINES || rc_usage_is_text_member(key);
    if (!scan->is_in_data || level(scan) != 3)
        return;
    if (rc_str_eq(key, RC_STR("embedding")))
        scan->is_embedding = true;
    if (scan->has_image || !(rc_str_eq(key, RC_STR("b64_json")) || rc_str_eq(key, RC_STR("url"))))
        return;
    scan->has_image = true;
    usage->images = usage->images < 0 ? 1 : usage->images + 1;
}

/* ---- strings ---- */

static void push_key(rc_usage_scan *scan, rc_str part)
{
    if (part.len > RC_USAGE_SCAN_KEY_MAX - (scan->key_len < KEY_TOO_LONG ? scan->key_len : 0u) ||
        scan->key_len == KEY_TOO_LONG) {
        scan->key_len = KEY_TOO_LONG;
        return;
    }
    if (part.len > 0)
        memcpy(scan->key + scan->key_len, part.ptr, part.len);
    scan->key_len = (uint8_t)(scan->key_len + part.len);
}

static void take_text(rc_usage_scan *scan, rc_str part)
{
    if (scan->string == STRING_KEY)
        push_key(scan, part);
    else if (scan->is_weighed)
        scan->weight += rc_weight_text(part);
    scan->has_content |= scan->string == STRING_VALUE && scan->is_content && part.len > 0;
}

static void begin_string(rc_usage_scan *scan)
{
    if (scan->is_key_next && is_in_object(scan)) {
        scan->string = STRING_KEY;
        scan->key_len = 0;
        return;
    }
    scan->string = STRING_VALUE;
    scan->is_weighed = rc_weight_is_text(key_of(scan));
    scan->is_content = scan->is_text_member && rc_weight_is_content(key_of(scan));
}

/* Reads an escape, which may be split over two pieces. Returns the number of bytes read. */
static size_t read_escape(rc_usage_scan *scan, rc_str text, size_t at)
{
    const size_t from = at;
    while (at < text.len && scan->escape_len > 0) {
        scan->escape[scan->escape_len++] = text.ptr[at++];
        if (scan->escape_len < 6 && scan->escape[1] == 'u')
            continue;
        take_text(scan, rc_str_make(scan->escape, scan->escape_len));
        scan->escape_len = 0;
    }
    return at - from;
}

/* Continues reading the current string. Returns the offset of the string's end; if the string does
 * not end in this piece, returns the piece's length. */
static size_t read_string(rc_usage_scan *scan, rc_usage *usage, rc_str text, size_t at)
{
    while (at < text.len) {
        bool has_high = false;
        at += read_escape(scan, text, at);
        const size_t end = at < text.len ? rc_json_scan_special(text, at, &has_high) : at;
        take_text(scan, rc_str_slice(text, at, end));
        at = end;
        if (at == text.len)
            break;
        if (text.ptr[at] == '\\')
            scan->escape[scan->escape_len++] = '\\';
        if (text.ptr[at++] != '"')
            continue;
        if (scan->string == STRING_KEY)
            end_key(scan, usage);
        scan->string = STRING_NONE;
        break;
    }
    return at;
}

/* ---- JSON ---- */

static bool is_of_number(char c)
{
    return rc_ascii_is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Handles one byte that is not inside a string. */
static void read_byte(rc_usage_scan *scan, char c)
{
    switch (c) {
    case '"':
        begin_string(scan);
        break;
    case '{':
        open(scan, true);
        break;
    case '[':
        open(scan, false);
        break;
    case '}':
    case ']':
        close_one(scan);
        break;
    case ',':
        scan->is_key_next = is_in_object(scan);
        break;
    case ':':
        scan->is_key_next = false;
        break;
    default:
        if (!scan->is_key_next && is_of_number(c))
            begin_value(scan, false);
        break;
    }
}

static bool is_copy_over(const rc_usage_scan *scan, char c)
{
    if (scan->copying == COPY_NUMBER)
        return !is_of_number(c);
    return scan->copying == COPY_OBJECT && (c == '}' || c == ']') &&
           scan->depth == scan->copy_depth;
}

static void read_json(rc_usage_scan *scan, rc_usage *usage, rc_str text)
{
    size_t from = 0; /* offset in this piece at which the copied value begins */
    size_t at = 0;
    while (at < text.len) {
        if (scan->string != STRING_NONE) {
            at = read_string(scan, usage, text, at);
            continue;
        }
        const char c = text.ptr[at];
        const bool is_copied = scan->copying != COPY_NONE;
        if (scan->copying == COPY_NUMBER && is_copy_over(scan, c)) {
            copy(scan, rc_str_slice(text, from, at));
            end_copy(scan, usage);
        }
        read_byte(scan, c);
        if (!is_copied && scan->copying != COPY_NONE)
            from = at;
        at++;
        if (scan->copying == COPY_OBJECT && is_copy_over(scan, c)) {
            copy(scan, rc_str_slice(text, from, at));
            end_copy(scan, usage);
        }
    }
    if (scan->copying != COPY_NONE)
        copy(scan, rc_str_slice(text, from, text.len));
}

/* Discards the state of an object whose end is missing. Called before the next object begins. */
static void discard_object(rc_usage_scan *scan)
{
    rc_buf_reset(scan->scratch);
    scan->copying = COPY_NONE;
    scan->string = STRING_NONE;
    scan->depth = 0;
    scan->escape_len = 0;
    scan->key_len = 0;
    scan->is_key_next = scan->is_inside = scan->is_in_data = false;
}

/* ---- events ---- */

static size_t line_end(rc_str text, size_t at)
{
    const size_t end = rc_str_find_byte(text, '\n', at);
    const size_t cr =
        rc_str_find_byte(rc_str_slice(text, 0, end < text.len ? end : text.len), '\r', at);
    if (cr != RC_STR_NPOS)
        return cr;
    return end != RC_STR_NPOS ? end : text.len;
}

/* Handles the end of a line. An empty line ends an event. */
static void end_line(rc_usage_scan *scan, char c)
{
    const bool is_rest = c == '\n' && scan->is_after_cr;
    if (!is_rest && scan->line == LINE_NAME && scan->line_len == 0)
        discard_object(scan);
    scan->is_after_cr = c == '\r';
    scan->line = LINE_NAME;
    scan->line_len = 0;
}

static void read_name(rc_usage_scan *scan, char c)
{
    static const char name[] = "data:";
    if (c != name[scan->line_len])
        scan->line = LINE_OTHER;
    else if (++scan->line_len == sizeof name - 1)
        scan->line = LINE_DATA;
}

static void read_lines(rc_usage_scan *scan, rc_usage *usage, rc_str text)
{
    for (size_t at = 0; at < text.len;) {
        const char c = text.ptr[at];
        if (c == '\n' || c == '\r') {
            end_line(scan, c);
            at++;
            continue;
        }
        scan->is_after_cr = false;
        if (scan->line == LINE_NAME) {
            read_name(scan, c);
            at++;
            continue;
        }
        const size_t end = line_end(text, at);
        if (scan->line == LINE_DATA)
            read_json(scan, usage, rc_str_slice(text, at, end));
        at = end;
    }
}

/* ---- interface ---- */

/* Determines the form of the response from the first byte that is neither white space nor part of a
 * byte order mark. Returns the offset of this byte; piece.len if the piece does not contain it. */
static size_t find_form(rc_usage_scan *scan, rc_str piece)
{
    for (size_t at = 0; at < piece.len; at++) {
        const char c = piece.ptr[at];
        if (rc_ascii_is_space(c) || c == '\xEF' || c == '\xBB' || c == '\xBF')
            continue;
        scan->form = c == '{' || c == '[' ? FORM_JSON : FORM_LINES;
        return at;
    }
    return piece.len;
}

void rc_usage_scan_push(rc_usage_scan *scan, rc_usage *usage, rc_str piece)
{
    if (scan->form == FORM_START)
        piece = rc_str_slice(piece, find_form(scan, piece), piece.len);
    if (piece.len == 0)
        return;
    if (scan->form == FORM_JSON)
        read_json(scan, usage, piece);
    else
        read_lines(scan, usage, piece);
}

void rc_usage_scan_end(rc_usage_scan *scan, rc_usage *usage)
{
    /* A count in a stream is not final, because a later count may be missing. */
    if (scan->is_read && scan->form == FORM_JSON && scan->base == 0)
        usage->is_final = true;
    if (!scan->is_embedding && (!scan->is_read || rc_usage_lacks_output(usage) ||
                                (scan->has_content && rc_usage_has_no_output(usage))))
        usage->weight += scan->weight;
    scan->weight = 0;
}
