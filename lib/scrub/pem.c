/* Finds PEM private key blocks. Called by scan.c and value.c. */
#include "scrub/parts.h"

#include "base/str.h"

#define LABEL_MAX 40u
/* minimum length of a line of a key; a shorter line is a word of a sentence, unless END follows */
#define LINE_MIN 16u
/* maximum number of header lines, such as Proc-Type and DEK-Info (RFC 1421) */
#define HEADERS_MAX 4u
#define HEADER_MAX 128u

static const rc_str DASHES = RC_STR_INIT("-----");
static const rc_str BEGIN = RC_STR_INIT("-----BEGIN ");
static const rc_str END = RC_STR_INIT("-----END ");

/* Returns the offset after a line that begins with `opening` and ends with five dashes, or 0 if the
 * text has no such line at `at`. *ret_label_end is the end of the label between `opening` and the
 * dashes. */
static size_t boundary_end(rc_str text, size_t at, rc_str opening, size_t *ret_label_end)
{
    if (!rc_scrub_has(text, at, opening))
        return 0;
    size_t from = at + opening.len;
    for (size_t i = from; i - from <= LABEL_MAX && i < text.len; i++) {
        if (rc_scrub_has(text, i, DASHES)) {
            *ret_label_end = i;
            return i + DASHES.len;
        }
        if (!rc_ascii_is_alnum(text.ptr[i]) && text.ptr[i] != ' ')
            return 0;
    }
    return 0;
}

/* Skips line ends, escaped or not, and the quotes, commas and > around the lines of a string
 * literal or of a quoted mail. */
static size_t skip_between(rc_str text, size_t at)
{
    for (;;) {
        rc_glyph glyph = rc_glyph_at(text, at);
        bool is_between = rc_glyph_is_blank(glyph) || rc_glyph_is_newline(glyph) ||
                          rc_glyph_is_quote(glyph) || glyph.ch == ',' || glyph.ch == '\\' ||
                          glyph.ch == '>' || glyph.ch == '|';
        if (!is_between)
            return at;
        at += glyph.len;
    }
}

static size_t base64_end(rc_str text, size_t at)
{
    return rc_scrub_run(text, at, RC_SCRUB_ALNUM | RC_SCRUB_BASE64, text.len);
}

/* Returns the offset after a header line "Name: value", or `at` if no header line begins there. The
 * name must be shorter than a line of the key, so that a text that is cut within the value does not
 * end like a line of the key. */
static size_t skip_header(rc_str text, size_t at)
{
    size_t to = rc_scrub_run(text, at, RC_SCRUB_ALPHA | RC_SCRUB_DASH, LINE_MIN - 1);
    if (to == at || to >= text.len || text.ptr[to] != ':')
        return at;
    for (size_t most = at + HEADER_MAX; to < most; to++) {
        if (rc_glyph_is_newline(rc_glyph_at(text, to)))
            return skip_between(text, to);
        bool is_part = rc_scrub_is(text, to, RC_SCRUB_TOKEN) ||
                       (to < text.len && memchr(" ,", text.ptr[to], 2));
        if (!is_part)
            return at;
    }
    return at;
}

/* Returns whether the line that ends at `to` is the name of a member and not a line of the key. If
 * the name were masked, its value would have no name and would not be recognised. The marker counts
 * as a value, too. *ret_seen is the offset up to which the text was read. */
static bool is_name(rc_str text, size_t to, size_t *ret_seen)
{
    static const rc_str mark = RC_STR_INIT(RC_SCRUB_REDACTED);
    rc_glyph glyph = rc_glyph_at(text, to);
    if (rc_glyph_is_quote(glyph))
        to += glyph.len;
    to = rc_glyph_skip_blanks(text, to, false);
    glyph = rc_glyph_at(text, to);
    bool is_mark = rc_scrub_has(text, to, mark);
    *ret_seen = to + (is_mark ? mark.len : glyph.len);
    return is_mark || glyph.ch == ':' || glyph.ch == '=';
}

/* Returns the end of the key's lines, or `at` if no such line follows. *ret_seen is set as by
 * is_name(). */
static size_t body_end(rc_str text, size_t at, size_t *ret_seen)
{
    size_t end = at;
    size_t next = skip_between(text, at);
    for (unsigned i = 0; i < HEADERS_MAX; i++)
        next = skip_header(text, next);
    for (;;) {
        size_t to = base64_end(text, next);
        size_t after = skip_between(text, to);
        bool is_last =
            end != at && to > next && (after == text.len || rc_scrub_has(text, after, END));
        if ((to - next < LINE_MIN && !is_last) || is_name(text, to, ret_seen))
            return end;
        end = to;
        next = after;
    }
}

/* Returns the end of the block that begins at `at`, or 0 if no block begins there. *ret_seen is set
 * if the only reason is that a line is the name of a member. */
static size_t block_end(rc_str text, size_t at, size_t *ret_seen)
{
    size_t label_end = 0;
    size_t body = boundary_end(text, at, BEGIN, &label_end);
    if (!body)
        return 0;
    rc_str label = rc_str_slice(text, at + BEGIN.len, label_end);
    if (rc_str_find(label, RC_STR("PRIVATE KEY"), 0) == RC_STR_NPOS)
        return 0;
    size_t end = body_end(text, body, ret_seen);
    if (end == body)
        return 0;
    size_t closing = boundary_end(text, skip_between(text, end), END, &label_end);
    /* The block extends to the end of the word, so that the following text is read in the same way
     * with the block and with the marker in its place. */
    return rc_scrub_run(text, closing ? closing : end, RC_SCRUB_WORD, text.len);
}

size_t rc_scrub_skip_block(rc_str text, size_t at)
{
    size_t seen;
    size_t end = block_end(text, at, &seen);
    return end ? end : at;
}

bool rc_scrub_find_block(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    static const rc_str opening = RC_STR_INIT("-----BEGIN");
    if (to - from < opening.len || !rc_scrub_has(text, to - opening.len, opening))
        return false;
    size_t at = to - opening.len;
    size_t seen = 0;
    size_t end = block_end(text, at, &seen);
    if (end)
        *ret_edit = rc_scrub_mask(at, at, end, end);
    else if (seen)
        *ret_edit = rc_scrub_keep(at, to, seen);
    return end || seen;
}
