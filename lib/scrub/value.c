/* Values: decides how random a value looks, and finds its end. Called by member.c, auth.c, plain.c
 * and scan.c. */
#include "scrub/parts.h"

/* Maximum number of bytes of a value that are read to decide whether it is secret; shapes.c
 * explains the limit. */
#define WINDOW 64u

static const rc_str MARK = RC_STR_INIT(RC_SCRUB_REDACTED);

bool rc_scrub_looks_secret(rc_str text, size_t at, rc_scrub_need need)
{
    /* Paths and omission dots consist of token characters, but are not tokens. */
    if (need != RC_SCRUB_NEED_NOTHING && !rc_scrub_is(text, at, RC_SCRUB_WORD))
        return false;
    size_t len = rc_scrub_run(text, at, RC_SCRUB_TOKEN, WINDOW) - at;
    unsigned seen = 0;
    for (size_t i = at; i < at + len; i++)
        seen |= rc_scrub_class(text, i);
    bool is_mixed = (seen & RC_SCRUB_DIGIT) && (seen & RC_SCRUB_ALPHA);
    switch (need) {
    case RC_SCRUB_NEED_NOTHING:
        return true;
    case RC_SCRUB_NEED_LITTLE:
        return (seen & RC_SCRUB_DIGIT) || len >= 6;
    case RC_SCRUB_NEED_RANDOM:
        return (is_mixed && len >= 8) || rc_scrub_run(text, at, RC_SCRUB_ALNUM, 16) - at == 16;
    case RC_SCRUB_NEED_LONG:
        return is_mixed && len >= 16;
    }
    return false;
}

static const struct {
    rc_str text;
    rc_scrub_after after;
} WORDS[] = {
#define RC_SECRET_WORD(word, AFTER) {RC_STR_INIT(word), RC_SCRUB_AFTER_##AFTER},
#include "spec/secrets.def"
};

#define WORD_MAX 24u /* limit for the length of a word; every word of the table is shorter */

/* Returns whether a word ends at `at`. A word does not end where the value continues: "is.this" is
 * not the word "is". */
static bool is_word_end(rc_str text, size_t at)
{
    rc_glyph glyph = rc_glyph_at(text, at);
    if (glyph.ch == '.' || glyph.ch == ':' || glyph.ch == '!' || glyph.ch == '?')
        glyph = rc_glyph_at(text, at + glyph.len);
    switch (glyph.ch) {
    case RC_GLYPH_END:
    case RC_GLYPH_ELLIPSIS:
    case RC_GLYPH_STOP:
    case ',':
    case ';':
    case '(':
    case ')':
    case '[':
    case ']':
    case '}':
    case '<':
    case '&':
    case '|':
    case '=':
        return true;
    default:
        return rc_glyph_is_blank(glyph) || rc_glyph_is_newline(glyph) || rc_glyph_is_quote(glyph);
    }
}

static bool is_table_word(rc_str text, size_t at, rc_scrub_after after, size_t *ret_to)
{
    size_t to = rc_scrub_run(text, at, RC_SCRUB_WORD, WORD_MAX);
    if (to == at || !is_word_end(text, to))
        return false;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (!(WORDS[i].after & after) || WORDS[i].text.len != to - at)
            continue;
        if (rc_scrub_has_nocase(text, at, WORDS[i].text)) {
            *ret_to = to;
            return true;
        }
    }
    return false;
}

/* Matches a reference to an environment variable in place of a secret, such as env:OPENAI_API_KEY
 * or ${OPENAI_API_KEY}. */
static bool is_reference(rc_str text, size_t at, size_t *ret_to)
{
    static const rc_str OPENINGS[] = {
        RC_STR_INIT("env:"),
        RC_STR_INIT("os.environ/"),
        RC_STR_INIT("${"),
        RC_STR_INIT("$"),
    };
    for (size_t i = 0; i < sizeof OPENINGS / sizeof *OPENINGS; i++) {
        if (!rc_scrub_has(text, at, OPENINGS[i]))
            continue;
        size_t from = at + OPENINGS[i].len;
        size_t to = from;
        bool has_underscore = false;
        for (; to < text.len &&
               (rc_scrub_is(text, to, RC_SCRUB_UPPER | RC_SCRUB_DIGIT) || text.ptr[to] == '_');
             to++)
            has_underscore |= text.ptr[to] == '_';
        bool is_braced = to < text.len && text.ptr[to] == '}';
        *ret_to = to + is_braced;
        size_t key_from;
        size_t key_to;
        if (rc_scrub_find_shape(text, from, to, &key_from, &key_to))
            return false;
        return has_underscore && is_word_end(text, to + is_braced);
    }
    return false;
}

/* Matches the placeholders of documentation, such as YOUR_API_KEY or your-key. */
static bool is_placeholder(rc_str text, size_t at, size_t *ret_to)
{
    size_t to = rc_scrub_run(text, at, RC_SCRUB_ALPHA | RC_SCRUB_DASH, WORD_MAX);
    size_t key_from;
    size_t key_to;
    bool is_yours =
        rc_scrub_has_nocase(text, at, RC_STR("your")) && rc_scrub_is(text, at + 4, RC_SCRUB_DASH);
    *ret_to = to;
    return is_yours && is_word_end(text, to) &&
           !rc_scrub_find_shape(text, at, to, &key_from, &key_to);
}

/* Matches the dots or asterisks that another program left in place of a secret: ... and ***. */
static bool is_elision(rc_str text, size_t at, size_t *ret_to)
{
    size_t to = at;
    while (to < text.len && (text.ptr[to] == '.' || text.ptr[to] == '*'))
        to++;
    *ret_to = to;
    return to > at && is_word_end(text, to);
}

bool rc_scrub_is_plain(rc_str text, size_t at, rc_scrub_after after, size_t *ret_to)
{
    return is_table_word(text, at, after, ret_to) || is_reference(text, at, ret_to) ||
           is_elision(text, at, ret_to) || is_placeholder(text, at, ret_to);
}

/* Skips a marker or a private key block at the beginning of a value. The end of the value must not
 * be searched inside a marker or block. */
static size_t skip_opening(rc_str text, size_t at)
{
    if (rc_scrub_has(text, at, MARK))
        return at + MARK.len;
    return rc_scrub_skip_block(text, at);
}

/* Skips bytes that never end a value. */
static size_t skip_ordinary(rc_str text, size_t at)
{
    return rc_scrub_run(text, at, RC_SCRUB_WORD | RC_SCRUB_DOT | RC_SCRUB_BASE64, text.len);
}

/* Returns whether a quote closes a value: it must have been escaped as often as the opening quote.
 * If the opening quote has n backslashes, the closing quote has n, or n plus a multiple of 2(n +
 * 1), because escaped backslashes of the value may precede it. */
static bool closes(rc_glyph glyph, rc_glyph open)
{
    return glyph.ch == open.ch && glyph.is_percent == open.is_percent &&
           glyph.slashes % (2 * (open.slashes + 1)) == open.slashes;
}

size_t rc_scrub_quoted_end(rc_str text, size_t at, rc_glyph open)
{
    at = skip_opening(text, at);
    for (;;) {
        at = skip_ordinary(text, at);
        rc_glyph glyph = rc_glyph_at(text, at);
        bool is_raw_newline = glyph.ch == '\n' && glyph.len == 1;
        if (closes(glyph, open)) /* surplus backslashes before the quote belong to the value */
            return at + (glyph.slashes - open.slashes);
        if (glyph.ch == RC_GLYPH_END || is_raw_newline)
            return at;
        at += glyph.len;
    }
}

static bool is_alnum(rc_str text, size_t at)
{
    return rc_scrub_is(text, at, RC_SCRUB_ALNUM);
}

/* Returns the offset after the glyph at `at` if the glyph belongs to the value, otherwise `at`. */
static size_t bare_step(rc_str text, size_t at, rc_scrub_style style)
{
    rc_glyph glyph = rc_glyph_at(text, at);
    size_t next = at + glyph.len;
    bool is_strict = !style.is_text || style.is_listed;
    if (glyph.is_percent && !style.is_percent)
        return next;
    switch (glyph.ch) {
    case RC_GLYPH_END:
    case RC_GLYPH_STOP:
    case RC_GLYPH_ELLIPSIS:
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case '&':
    case ';':
    case '<':
        return at;
    case '"':
    case '\'':
    case '`': /* an apostrophe in a password, or the end of the string that contains the member */
        return style.is_text && glyph.len == 1 && is_alnum(text, next) ? next : at;
    case '#':
        return style.is_parameter ? at : next;
    case ',':
        return is_strict || bare_step(text, next, (rc_scrub_style){0}) == next ? at : next;
    case ')':
    case ']':
    case '}':
    case '>':
        return is_strict ? at : next;
    case '(':
    case '[':
    case '{': { /* a call or index such as SecretStr('...'), os.environ["..."] or get_key(name) */
        rc_glyph inner = rc_glyph_at(text, next);
        if (rc_glyph_is_quote(inner))
            return rc_scrub_quoted_end(text, next + inner.len, inner);
        return !is_strict || is_alnum(text, next) ? next : at;
    }
    default:
        return next;
    }
}

/* Returns whether the character c at the end of a value is punctuation of the sentence. The
 * characters ! and ? may belong to a password. */
static bool is_trailing(char c, rc_scrub_style style)
{
    static const rc_str MARKS = RC_STR_INIT(".,:)]}>");
    if (memchr(MARKS.ptr, (unsigned char)c, MARKS.len))
        return true;
    return !style.is_text && (c == '!' || c == '?');
}

static size_t element_end(rc_str text, size_t at)
{
    for (;;) {
        at = skip_ordinary(text, at);
        rc_glyph glyph = rc_glyph_at(text, at);
        if (glyph.ch == RC_GLYPH_END || glyph.ch == RC_GLYPH_ELLIPSIS ||
            (glyph.ch == '<' && !glyph.is_percent))
            return at;
        at += glyph.len;
    }
}

size_t rc_scrub_bare_end(rc_str text, size_t at, rc_scrub_style style)
{
    size_t least = skip_opening(text, at);
    if (style.is_element)
        return element_end(text, least);
    size_t to = least;
    for (;;) {
        to = skip_ordinary(text, to);
        size_t next = bare_step(text, to, style);
        if (next == to)
            break;
        to = next;
    }
    while (to > least && is_trailing(text.ptr[to - 1], style))
        to--;
    return to;
}

static bool ends_line(rc_glyph glyph, rc_scrub_style style)
{
    return glyph.ch == RC_GLYPH_END || glyph.ch == '<' || rc_glyph_is_newline(glyph) ||
           (style.is_listed && glyph.ch == ']');
}

size_t rc_scrub_line_end(rc_str text, size_t at, rc_scrub_style style)
{
    at = skip_opening(text, at);
    for (int before = 0;;) {
        rc_glyph glyph = rc_glyph_at(text, at);
        bool is_plain = !glyph.is_percent || style.is_percent;
        if (is_plain && ends_line(glyph, style))
            return at;
        if (is_plain && rc_glyph_is_quote(glyph)) {
            if (before != '=')
                return at;
            at = rc_scrub_quoted_end(text, at + glyph.len, glyph);
            before = glyph.ch;
            glyph = rc_glyph_at(text, at);
            if (!rc_glyph_is_quote(glyph))
                continue;
        }
        before = glyph.ch;
        at += glyph.len;
    }
}

#define FOLDED_MIN 8u /* minimum length of a line that continues the value of the previous line */

size_t rc_scrub_folded_end(rc_str text, size_t at, rc_scrub_need need)
{
    for (;;) {
        size_t from = rc_glyph_skip_blanks(text, at, true);
        bool is_folded = from > at && rc_glyph_is_newline(rc_glyph_at(text, at));
        if (!is_folded)
            return at;
        size_t to = rc_scrub_run(text, from, RC_SCRUB_TOKEN, text.len);
        rc_glyph glyph = rc_glyph_at(text, to);
        bool is_alone = glyph.ch == RC_GLYPH_END || rc_glyph_is_newline(glyph);
        if (to - from < FOLDED_MIN || !is_alone || !rc_scrub_looks_secret(text, from, need))
            return at;
        at = to;
    }
}

rc_scrub_edit rc_scrub_mask_value(rc_str text, size_t hold, size_t value, size_t end,
                                  size_t release)
{
    if (end - value == MARK.len && rc_scrub_has(text, value, MARK))
        return rc_scrub_keep(hold, end, release);
    return rc_scrub_mask(hold, value, end, release);
}
