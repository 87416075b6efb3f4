/* JSON lexer: reads single strings, numbers, literals and bare words. Called by the reader and the
 * member search. */
#include "json/lex.h"

#include "base/str.h"
#include "base/utf8.h"
#include "json/scan.h"

/* Records a fault; does nothing if a fault has already been recorded. */
static void note(rc_json_fault *fault, rc_status status, size_t offset, const char *message)
{
    if (fault->status == RC_OK)
        *fault = (rc_json_fault){.status = status, .offset = offset, .message = message};
}

static bool is_hex(char c)
{
    char low = rc_ascii_lower(c);
    return rc_ascii_is_digit(c) || (low >= 'a' && low <= 'f');
}

/* ---- strings ---- */

/* Returns how many of the bytes at `at` (0 to 6) match the form \uXXXX, without reading past the
 * end of the text. */
static size_t unicode_escape_len(rc_str text, size_t at)
{
    size_t n = 0;
    while (n < 6 && at + n < text.len) {
        char c = text.ptr[at + n];
        bool fits = n == 0 ? c == '\\' : n == 1 ? c == 'u' : is_hex(c);
        if (!fits)
            break;
        n++;
    }
    return n;
}

/* Returns 'H' if the \u escape at `at` is a high surrogate (\uD8xx to \uDBxx), 'L' if it is a low
 * surrogate (\uDCxx to \uDFxx), otherwise 0. */
static char surrogate_half(rc_str text, size_t at)
{
    if (rc_ascii_lower(text.ptr[at + 2]) != 'd')
        return 0;
    char third = rc_ascii_lower(text.ptr[at + 3]);
    if (third < '8' || (third > '9' && third < 'a'))
        return 0;
    return third == '8' || third == '9' || third == 'a' || third == 'b' ? 'H' : 'L';
}

/* Reads the \u escape at `at` and returns its length in bytes. If the escape is malformed, the
 * result is two, because the bytes after \u may include the closing quote. */
static size_t lex_unicode_escape(rc_str text, size_t at, rc_json_fault *fault)
{
    size_t len = unicode_escape_len(text, at);
    if (len < 6) {
        bool is_cut = at + len == text.len;
        note(fault, is_cut ? RC_E_TRUNCATED : RC_E_SYNTAX, is_cut ? text.len : at,
             is_cut ? "text ends inside an escape" : "\\u needs four hexadecimal digits");
        return 2;
    }
    char half = surrogate_half(text, at);
    if (half == 0)
        return 6;
    size_t next_len = unicode_escape_len(text, at + 6);
    if (half == 'H' && next_len == 6 && surrogate_half(text, at + 6) == 'L')
        return 12;
    /* At the end of the text, a high surrogate may have been cut from its low surrogate, unless the
     * bytes after it cannot begin a low surrogate. */
    bool is_cut = half == 'H' && next_len < 6 && at + 6 + next_len == text.len &&
                  (next_len < 3 || rc_ascii_lower(text.ptr[at + 8]) == 'd') &&
                  (next_len < 4 || rc_ascii_lower(text.ptr[at + 9]) > 'b');
    note(fault, is_cut ? RC_E_TRUNCATED : RC_E_SYNTAX, is_cut ? text.len : at,
         is_cut ? "text ends inside a surrogate pair" : "half of a surrogate pair");
    return 6;
}

/* Reads the escape whose backslash is at `at` and returns its length in bytes. */
static size_t lex_escape(rc_str text, size_t at, rc_json_fault *fault)
{
    if (at + 1 == text.len) {
        note(fault, RC_E_TRUNCATED, text.len, "text ends inside an escape");
        return 1;
    }
    switch (text.ptr[at + 1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return 2;
    case 'u':
        return lex_unicode_escape(text, at, fault);
    default:
        note(fault, RC_E_SYNTAX, at, "unknown escape");
        return 2;
    }
}

/* Returns whether the ill-formed sequence at `at` is a character that was cut by the end of the
 * text. */
static bool is_cut_character(rc_str text, size_t at)
{
    unsigned char first = (unsigned char)text.ptr[at];
    size_t len;
    rc_utf8_decode(text, at, &len);
    return at + len == text.len && first >= 0xC2 && first <= 0xF4;
}

/* Validates the UTF-8 of the string. If the string has another fault, too, the fault with the lower
 * offset is recorded. */
static void check_utf8(rc_str text, rc_json_token *token, rc_json_fault *fault)
{
    size_t good = rc_utf8_valid_prefix(token->raw);
    size_t at = token->offset + 1 + good;
    if (good == token->raw.len)
        return;
    token->has_escapes = true;
    /* A recorded fault with a lower offset is not replaced, nor is RC_E_TOO_LARGE, whose offset is
     * the ceiling. A recorded fault with a higher offset belongs to this string and is replaced. */
    if (fault->status != RC_OK && (fault->offset <= at || fault->status == RC_E_TOO_LARGE))
        return;
    if (fault->status == RC_E_TRUNCATED && is_cut_character(text, at))
        return;
    *fault = (rc_json_fault){.status = RC_E_SYNTAX, .offset = at, .message = "invalid UTF-8"};
}

/* Returns the offset of the next quote, backslash or control character of the string. Strings in
 * single quotes, which Python prints, are searched byte by byte. */
static size_t next_special(rc_str text, size_t at, char quote, bool *has_high)
{
    if (quote == '"')
        return rc_json_scan_special(text, at, has_high);
    for (; at < text.len; at++) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (c == '\'' || c == '\\' || c < 0x20)
            break;
        *has_high |= c > 0x7F;
    }
    return at;
}

void rc_json_lex_string(rc_str text, size_t at, bool is_tolerant, rc_json_token *ret_token,
                        rc_json_fault *fault)
{
    char quote = text.ptr[at];
    bool has_high = false;
    bool has_escapes = false;
    if (quote != '"')
        note(fault, RC_E_SYNTAX, at, "string in single quotes");

    size_t pos = at + 1;
    while (is_tolerant || fault->status == RC_OK) {
        pos = next_special(text, pos, quote, &has_high);
        if (pos == text.len) {
            note(fault, RC_E_TRUNCATED, pos, "text ends inside a string");
            break;
        }
        if (text.ptr[pos] == quote)
            break;
        if (text.ptr[pos] == '\\') {
            has_escapes = true;
            pos += lex_escape(text, pos, fault);
            continue;
        }
        note(fault, RC_E_SYNTAX, pos, "control character in a string");
        pos++;
    }
    ret_token->type = RC_JSON_STRING;
    ret_token->raw = rc_str_make(text.ptr + at + 1, pos - (at + 1));
    ret_token->has_escapes = has_escapes;
    ret_token->offset = at;
    ret_token->end = pos < text.len && text.ptr[pos] == quote ? pos + 1 : pos;
    if (has_high)
        check_utf8(text, ret_token, fault);
}

/* ---- numbers and literals ---- */

static size_t skip_digits(rc_str text, size_t at)
{
    while (at < text.len && rc_ascii_is_digit(text.ptr[at]))
        at++;
    return at;
}

/* Reads one or more digits at `at` and returns the offset after the last digit. If the text has no
 * digit at `at`, records a fault and returns `at`. */
static size_t lex_digits(rc_str text, size_t at, rc_json_fault *fault)
{
    size_t end = skip_digits(text, at);
    if (end > at)
        return end;
    if (at == text.len)
        note(fault, RC_E_TRUNCATED, at, "text ends inside a number");
    else
        note(fault, RC_E_SYNTAX, at, "number needs a digit here");
    return at;
}

static char byte_at(rc_str text, size_t at)
{
    return at < text.len ? text.ptr[at] : '\0';
}

static void put_lexeme(rc_str text, rc_json_type type, size_t from, size_t to,
                       rc_json_token *ret_token)
{
    ret_token->type = type;
    ret_token->raw = rc_str_make(text.ptr + from, to - from);
    ret_token->has_escapes = false;
    ret_token->offset = from;
    ret_token->end = to;
}

/* Reads a number and returns the offset after it; for a malformed number, the offset after its last
 * valid byte. */
static size_t lex_number(rc_str text, size_t at, rc_json_fault *fault)
{
    if (byte_at(text, at) == '-')
        at++;
    /* After a leading zero, the integer part of a number must not have further digits. */
    at = byte_at(text, at) == '0' ? at + 1 : lex_digits(text, at, fault);
    if (fault->status == RC_OK && byte_at(text, at) == '.')
        at = lex_digits(text, at + 1, fault);
    char e = byte_at(text, at);
    if (fault->status == RC_OK && (e == 'e' || e == 'E')) {
        char sign = byte_at(text, at + 1);
        at = lex_digits(text, sign == '+' || sign == '-' ? at + 2 : at + 1, fault);
    }
    return at;
}

typedef struct literal {
    rc_str word;
    rc_json_type type;
} literal;

static const literal LITERALS[] = {
    {RC_STR_INIT("true"), RC_JSON_TRUE},
    {RC_STR_INIT("false"), RC_JSON_FALSE},
    {RC_STR_INIT("null"), RC_JSON_NULL},
};

/* Returns how many of the bytes at `at` match the word. Records a fault if the whole word does not
 * match. */
static size_t lex_word(rc_str text, size_t at, rc_str word, rc_json_fault *fault)
{
    size_t n = 0;
    if (text.len - at >= word.len && rc_bytes_eq(text.ptr + at, word.ptr, word.len))
        return word.len;
    while (n < word.len && at + n < text.len && text.ptr[at + n] == word.ptr[n])
        n++;
    if (n < word.len && at + n == text.len)
        note(fault, RC_E_TRUNCATED, text.len, "text ends inside a word");
    else if (n < word.len)
        note(fault, RC_E_SYNTAX, at, "unknown word");
    return n;
}

void rc_json_lex_scalar(rc_str text, size_t at, rc_json_token *ret_token, rc_json_fault *fault)
{
    char c = text.ptr[at];
    if (c == '-' || rc_ascii_is_digit(c)) {
        put_lexeme(text, RC_JSON_NUMBER, at, lex_number(text, at, fault), ret_token);
        return;
    }
    for (size_t i = 0; i < sizeof LITERALS / sizeof *LITERALS; i++) {
        if (LITERALS[i].word.ptr[0] != c)
            continue;
        size_t n = lex_word(text, at, LITERALS[i].word, fault);
        put_lexeme(text, LITERALS[i].type, at, at + n, ret_token);
        return;
    }
    note(fault, RC_E_SYNTAX, at, "expected a value");
    put_lexeme(text, RC_JSON_ERROR, at, at, ret_token);
}

/* ---- bare words ---- */

bool rc_json_lex_is_bare_start(char c)
{
    return rc_ascii_is_alnum(c) || (unsigned char)c > 0x7F ||
           (c != '\0' && memchr("_-+.$/<", c, 7) != NULL);
}

static bool is_word_end(char c)
{
    return (unsigned char)c <= 0x20 || memchr("{}[],:\"", c, 7) != NULL;
}

/* Returns whether an unquoted (bare) value ends before c. Such a value may contain spaces and
 * colons, as in: upstream: timed out. */
static bool is_phrase_end(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || memchr("{}[],\"", c, 6) != NULL;
}

static size_t word_end(rc_str text, size_t at)
{
    while (at < text.len && !is_word_end(text.ptr[at]))
        at++;
    return at;
}

static size_t phrase_end(rc_str text, size_t at)
{
    size_t end = at;
    for (; at < text.len && !is_phrase_end(text.ptr[at]); at++) {
        if (!rc_ascii_is_space(text.ptr[at]))
            end = at + 1;
    }
    return end;
}

/* Returns whether the word is Python's spelling of a literal: True, False or None. */
static bool python_literal(rc_str word, rc_json_type *ret_type)
{
    static const literal PYTHON[] = {
        {RC_STR_INIT("True"), RC_JSON_TRUE},
        {RC_STR_INIT("False"), RC_JSON_FALSE},
        {RC_STR_INIT("None"), RC_JSON_NULL},
    };
    for (size_t i = 0; i < sizeof PYTHON / sizeof *PYTHON; i++) {
        if (rc_str_eq(word, PYTHON[i].word)) {
            *ret_type = PYTHON[i].type;
            return true;
        }
    }
    return false;
}

void rc_json_lex_bare(rc_str text, size_t at, bool is_key, rc_json_token *ret_token,
                      rc_json_fault *fault)
{
    size_t end = word_end(text, at);
    rc_json_type type;
    if (!is_key) {
        rc_json_fault own = {.status = RC_OK};
        rc_json_lex_scalar(text, at, ret_token, &own);
        size_t next = ret_token->end;
        if (own.status == RC_OK && (next == text.len || !rc_json_lex_is_bare_start(text.ptr[next])))
            return;
        if (own.status == RC_E_TRUNCATED)
            note(fault, own.status, own.offset, own.message);
    }
    note(fault, RC_E_SYNTAX, at, "bare word");
    if (!is_key && python_literal(rc_str_slice(text, at, end), &type)) {
        put_lexeme(text, type, at, end, ret_token);
        return;
    }
    put_lexeme(text, RC_JSON_STRING, at, is_key ? end : phrase_end(text, at), ret_token);
    rc_str word = ret_token->raw;
    ret_token->has_escapes = memchr(word.ptr, '\\', word.len) != NULL || !rc_utf8_is_valid(word);
}
