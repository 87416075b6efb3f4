#include "scrub/parts.h"

#include "base/str.h"

#define LABEL_MAX 40u
#define LINE_MIN 16u   /* shorter runs are words of a sentence, unless the end line follows */
#define HEADERS_MAX 4u /* Proc-Type and DEK-Info, RFC 1421 */
#define HEADER_MAX 128u

static const rc_str DASHES = RC_STR_INIT("-----");
static const rc_str BEGIN = RC_STR_INIT("-----BEGIN ");
static const rc_str END = RC_STR_INIT("-----END ");

/* Behind the line that `opening` begins and five dashes end, or 0. Sets where its label ends. */
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

/* Line ends as they are or escaped, and what a source file puts around the lines of a literal,
 * a mail before the lines of another. */
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

/* Behind "Name: value" and its line end, or `at`. The name is too short for a line of the key:
 * where the text is cut inside the value, it is not taken for one. */
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

/* Is the line that ends at `to` rather the name of a member, whose value would be left behind
 * alone? A mark stands for text that may have been such a value. Sets how far it had to look. */
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

/* Behind the lines of the key, or `at` when there is none: then *ret_seen is set as by is_name().
 */
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

/* Where the block that begins at `at` ends, or 0: then *ret_seen is set when it all but was one. */
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
    /* Up to the end of the word, so that what follows is read alike with the block and without. */
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
