/* Conditions that every rendered output satisfies: used by unit tests and by the fuzz target. Each
 * check returns NULL, or a phrase that describes the fault. */
#ifndef TESTS_SUPPORT_RENDER_CHECKS_H
#define TESTS_SUPPORT_RENDER_CHECKS_H

#include <recourse/render.h>

#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "json/reader.h"

/* Checks that the text is one strict JSON value with nothing after it. */
static inline const char *check_json(rc_str text)
{
    rc_json_limits limits = {.max_bytes = SIZE_MAX, .max_depth = RC_JSON_DEPTH_MAX};
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    for (;;) {
        rc_json_token token = rc_json_reader_next(&reader);
        if (token.type == RC_JSON_END)
            return NULL;
        if (token.type == RC_JSON_ERROR)
            return reader.fault.message;
    }
}

/* Returns whether a character is a control character, or reorders, hides or joins text on a
 * terminal. */
static inline bool check_is_unsafe(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp == 0xAD || cp == 0x61C || cp == 0x200B ||
           (cp >= 0x200D && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202E) ||
           (cp >= 0x2060 && cp <= 0x206F) || (cp >= 0xFE00 && cp <= 0xFE0F) || cp == 0xFEFF ||
           (cp >= 0xE0000 && cp <= 0xE0FFF);
}

/* Checks text for people: it is UTF-8 and has no control character except the line feed. */
static inline const char *check_clean(rc_str text)
{
    size_t len;
    for (size_t at = 0; at < text.len; at += len) {
        uint32_t cp = rc_utf8_decode(text, at, &len);
        if (cp != '\n' && check_is_unsafe(cp))
            return "a control or invisible character came through";
    }
    return rc_utf8_is_valid(text) ? NULL : "not UTF-8";
}

/* Returns the length of one of the panel's colour sequences at the start of text; 0 if the text
 * does not begin with one. */
static inline size_t check_sequence(rc_str text)
{
    static const char *const OWN[] = {"\x1b[0m",  "\x1b[1m",  "\x1b[2m",
                                      "\x1b[31m", "\x1b[33m", "\x1b[36m"};
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        if (rc_str_starts_with(text, rc_str_c(OWN[i])))
            return strlen(OWN[i]);
    }
    return 0;
}

/* Checks one line of a panel: its width, its borders, that it contains only text and the panel's
 * own sequences, and that colours are reset at its end. */
static inline const char *check_panel_line(rc_str line, const rc_panel_style *style)
{
    unsigned width = 0;
    bool is_toned = false;
    size_t len;
    for (size_t at = 0; at < line.len; at += len) {
        rc_str rest = rc_str_slice(line, at, line.len);
        len = style->has_colour ? check_sequence(rest) : 0;
        if (len) {
            is_toned = !rc_str_starts_with(rest, RC_STR("\x1b[0m"));
            continue;
        }
        uint32_t cp = rc_utf8_decode(line, at, &len);
        if (check_is_unsafe(cp))
            return "a control or invisible character came through";
        if (!style->has_utf8 && cp >= 0x80)
            return "a character that is not ASCII";
        width += rc_utf8_width(cp);
    }
    if (is_toned)
        return "colours are not reset at the end of a line";
    return width == style->width ? NULL : "a line is not as wide as the panel";
}

static inline bool check_ends_in_border(rc_str line, const rc_panel_style *style)
{
    static const char *const UTF8[] = {"│", "╮", "╯", "┤"};
    if (style->has_colour && rc_str_ends_with(line, RC_STR("\x1b[0m")))
        line.len -= 4;
    if (!style->has_utf8)
        return rc_str_ends_with(line, RC_STR("|")) || rc_str_ends_with(line, RC_STR("+"));
    for (size_t i = 0; i < sizeof UTF8 / sizeof *UTF8; i++) {
        if (rc_str_ends_with(line, rc_str_c(UTF8[i])))
            return true;
    }
    return false;
}

/* Checks a whole panel of style->width columns. */
static inline const char *check_panel(rc_str text, const rc_panel_style *style)
{
    if (!rc_utf8_is_valid(text))
        return "not UTF-8";
    if (!rc_str_ends_with(text, RC_STR("\n")))
        return "the last line has no end";
    for (size_t at = 0; at < text.len;) {
        size_t feed = rc_str_find_byte(text, '\n', at);
        rc_str line = rc_str_slice(text, at, feed);
        const char *complaint = check_panel_line(line, style);
        if (complaint)
            return complaint;
        if (!check_ends_in_border(line, style))
            return "a line does not end in the border";
        at = feed + 1;
    }
    return NULL;
}

/* Checks header lines: each is "name: value\r\n" in visible ASCII, with a value of at most 256
 * bytes. */
static inline const char *check_headers(rc_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = rc_str_find(text, RC_STR("\r\n"), at);
        if (end == RC_STR_NPOS)
            return "a header line has no end";
        rc_str line = rc_str_slice(text, at, end);
        size_t colon = rc_str_find(line, RC_STR(": "), 0);
        if (colon == RC_STR_NPOS || colon == 0)
            return "a header line has no name";
        if (line.len - colon - 2 > 256 || line.len - colon - 2 == 0)
            return "a header value is empty or too long";
        for (size_t i = 0; i < line.len; i++) {
            if (line.ptr[i] < 0x20 || line.ptr[i] > 0x7E)
                return "a header has a byte that is not visible ASCII";
        }
        at = end + 2;
    }
    return NULL;
}

/* Checks a whole response: status line, headers, and as many bytes of JSON as content-length
 * states. */
static inline const char *check_http(rc_str text)
{
    size_t head = rc_str_find(text, RC_STR("\r\n"), 0);
    size_t body = rc_str_find(text, RC_STR("\r\n\r\n"), 0);
    if (head == RC_STR_NPOS || body == RC_STR_NPOS ||
        !rc_str_starts_with(text, RC_STR("HTTP/1.1 ")))
        return "no head";
    rc_str headers = rc_str_slice(text, head + 2, body + 2);
    const char *complaint = check_headers(headers);
    if (complaint)
        return complaint;
    size_t at = rc_str_find(headers, RC_STR("content-length: "), 0);
    if (at == RC_STR_NPOS)
        return "no content-length";
    size_t length = 0;
    for (at += 16; at < headers.len && rc_ascii_is_digit(headers.ptr[at]); at++)
        length = length * 10 + (size_t)(headers.ptr[at] - '0');
    rc_str rest = rc_str_slice(text, body + 4, text.len);
    return rest.len == length ? check_json(rest) : "content-length is wrong";
}

/* Returns the text after "data: ", including the end of its line; empty if no blank line
 * follows. */
static inline rc_str check_data(rc_str text)
{
    size_t feed = rc_str_find_byte(text, '\n', 0);
    size_t end = feed != RC_STR_NPOS && feed > 0 && text.ptr[feed - 1] == '\r' ? feed - 1 : feed;
    rc_str blank = end == feed ? RC_STR("\n\n") : RC_STR("\r\n\r\n");
    if (feed == RC_STR_NPOS || !rc_str_starts_with(rc_str_slice(text, end, text.len), blank))
        return rc_str_make(text.ptr, 0);
    return rc_str_slice(text, 0, end + blank.len);
}

/* Checks server-sent events: lines "event: NAME" and "data: JSON", then an empty line. A line of
 * JSON without a line end may follow the last event. */
static inline const char *check_frame(rc_str text)
{
    static const rc_str NAMES[] = {RC_STR_INIT("event: error\n"),
                                   RC_STR_INIT("event: response.failed\n")};
    static const rc_str DATA = RC_STR_INIT("data: ");
    size_t count = 0;
    for (; text.len > 0; count++) {
        if (count > 0 && text.ptr[0] == '{')
            return rc_str_find_byte(text, '\n', 0) == RC_STR_NPOS ? check_json(text)
                                                                  : "more than one line is left";
        for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
            if (rc_str_starts_with(text, NAMES[i]))
                text = rc_str_slice(text, NAMES[i].len, text.len);
        if (!rc_str_starts_with(text, DATA))
            return "not an event";
        rc_str data = check_data(rc_str_slice(text, DATA.len, text.len));
        if (data.len == 0)
            return "no blank line ends it";
        const char *complaint = check_json(data);
        if (complaint)
            return complaint;
        text = rc_str_slice(text, DATA.len + data.len, text.len);
    }
    return count > 0 ? NULL : "nothing";
}

static inline const char *check_log(rc_str text)
{
    if (text.len > 1024)
        return "a log line is longer than 1 KiB";
    if (rc_str_find_byte(text, '\n', 0) + 1 != text.len)
        return "a log line is not one line";
    return check_json(rc_str_slice(text, 0, text.len - 1));
}

#endif
