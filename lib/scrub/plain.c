/* Plain values: recognises ordinary words in place of a secret, such as "missing" or "invalid".
 * Called by member.c and auth.c. */
#include "scrub/parts.h"

#include "base/str.h"

#define LOOK_MAX 128u /* maximum number of bytes of a line that are examined */
#define NAME_MAX_LEN 64u
#define COOKIE_MIN 4u
#define ELEMENT_MAX 1024u

static bool is_mixed(rc_str text, size_t from, size_t to)
{
    unsigned seen = 0;
    for (size_t at = from; at < to; at++)
        seen |= rc_scrub_class(text, at);
    return (seen & RC_SCRUB_DIGIT) && (seen & RC_SCRUB_ALPHA);
}

/* Returns whether a cookie value begins at `at`. A value shorter than COOKIE_MIN is not secret. The
 * length is counted in characters, not bytes, because the scrubber replaces an ill-formed byte by
 * three bytes. */
static bool is_cookie_value(rc_str text, size_t at)
{
    rc_glyph glyph = rc_glyph_at(text, at);
    if (rc_glyph_is_quote(glyph))
        return true;
    for (unsigned count = 0; count < COOKIE_MIN; count++) {
        bool is_end = glyph.ch == RC_GLYPH_END || glyph.ch == RC_GLYPH_ELLIPSIS ||
                      glyph.ch == ';' || rc_glyph_is_blank(glyph) || rc_glyph_is_newline(glyph) ||
                      rc_glyph_is_quote(glyph);
        if (is_end || rc_scrub_has(text, at, RC_STR(RC_SCRUB_REDACTED)))
            return false;
        at += glyph.len;
        glyph = rc_glyph_at(text, at);
    }
    return true;
}

/* Returns whether the line contains something that a sentence would not contain: a = in a cookie
 * header, or a word with digits in an Authorization header. The search stops at a marker, so that a
 * second pass gives the same result. */
static bool holds_more(rc_str text, size_t at, rc_scrub_kind kind, size_t *ret_seen)
{
    for (size_t most = at + LOOK_MAX; at < most;) {
        size_t to = rc_scrub_run(text, at, RC_SCRUB_WORD, most - at);
        if (kind == RC_SCRUB_KIND_AUTH && is_mixed(text, at, to))
            return true;
        rc_glyph glyph = rc_glyph_at(text, to);
        bool is_end = glyph.ch == RC_GLYPH_END || glyph.ch == RC_GLYPH_ELLIPSIS ||
                      rc_glyph_is_newline(glyph) || rc_glyph_is_quote(glyph);
        bool is_mark = rc_scrub_has(text, to, RC_STR(RC_SCRUB_REDACTED));
        *ret_seen = to + (is_mark ? sizeof RC_SCRUB_REDACTED - 1 : 0);
        if (is_end || is_mark)
            return false;
        at = to + glyph.len;
        if (kind == RC_SCRUB_KIND_COOKIE && glyph.ch == '=' && is_cookie_value(text, at))
            return true;
    }
    *ret_seen = at + LOOK_MAX < text.len ? at + LOOK_MAX : text.len;
    return false;
}

/* Returns whether the next word of the line is the name of another member, or the line has no
 * further word. *ret_seen is the offset up to which the text was read. */
static bool is_next_member(rc_str text, size_t at, size_t *ret_seen)
{
    size_t from = rc_glyph_skip_blanks(text, at, false);
    size_t to = from;
    if (from > at && rc_scrub_is(text, from, RC_SCRUB_ALNUM))
        to = rc_scrub_run(text, from, RC_SCRUB_WORD | RC_SCRUB_DOT, NAME_MAX_LEN);
    rc_glyph glyph = rc_glyph_at(text, to);
    bool is_marked = rc_scrub_has(text, to, RC_STR(RC_SCRUB_REDACTED)); /* the word contained a key,
                                                                           which was masked */
    *ret_seen = to + (is_marked ? sizeof RC_SCRUB_REDACTED - 1 : glyph.len);
    return to == from || is_marked || glyph.ch == '=' || glyph.ch == ':';
}

size_t rc_scrub_phrase_end(rc_str text, size_t at, rc_scrub_style style)
{
    size_t seen;
    size_t to = rc_scrub_bare_end(text, at, style);
    while (!is_next_member(text, to, &seen)) {
        size_t from = rc_glyph_skip_blanks(text, to, false);
        size_t next = rc_scrub_bare_end(text, from, style);
        if (next == from)
            break;
        to = next;
    }
    return to;
}

/* Returns whether a plain word after "=" is the whole value, because it is alone or the next member
 * follows it. Prose does not follow "=", so a plain word before other words is part of a secret. */
static bool is_assigned_word(rc_str text, const rc_scrub_slot *slot, size_t from, size_t to,
                             size_t *ret_release)
{
    bool is_text = slot->kind == RC_SCRUB_KIND_TEXT;
    if (!rc_scrub_is(text, from, RC_SCRUB_ALNUM)) /* the value is a reference to a variable, or
                                                     dots */
        return true;
    if (rc_scrub_bare_end(text, from, slot->style) != to)
        return false;
    size_t seen;
    bool is_alone = !is_text || is_next_member(text, to, &seen);
    if (is_text && is_alone && !slot->style.is_listed)
        *ret_release = seen;
    return is_alone;
}

bool rc_scrub_is_element(rc_str text, rc_str name, size_t value_at)
{
    size_t at = value_at;
    bool is_word = true;
    for (size_t most = at + ELEMENT_MAX; at < most;) {
        rc_glyph glyph = rc_glyph_at(text, at);
        size_t next = at + glyph.len;
        if (glyph.ch == RC_GLYPH_END || rc_scrub_has(text, at, RC_STR(RC_SCRUB_REDACTED)))
            return false;
        if (glyph.ch == '<' && !glyph.is_percent) {
            glyph = rc_glyph_at(text, next);
            next += glyph.len;
            bool is_own = rc_str_eq_nocase(rc_str_slice(text, next, next + name.len), name);
            return glyph.ch == '/' && at > value_at && (is_word || is_own);
        }
        is_word = is_word && !rc_glyph_is_blank(glyph) && !rc_glyph_is_newline(glyph);
        at = next;
    }
    return false;
}

bool rc_scrub_is_plain_value(rc_str text, const rc_scrub_slot *slot, rc_glyph open, size_t from,
                             size_t *ret_release)
{
    size_t to;
    if (!rc_scrub_is_plain(text, from, RC_SCRUB_AFTER_NAME, &to))
        return false;
    rc_glyph behind = rc_glyph_at(text, to);
    *ret_release = to;
    if (open.len) {
        *ret_release = to + behind.len;
        return rc_scrub_quoted_end(text, to, open) == to;
    }
    if (slot->style.is_element)
        return behind.ch == '<';
    if (slot->kind == RC_SCRUB_KIND_COOKIE && !slot->is_flowing &&
        (behind.ch == '=' || behind.ch == ';'))
        return false;
    if (slot->is_flowing && rc_scrub_is(text, from, RC_SCRUB_ALNUM) &&
        (slot->kind == RC_SCRUB_KIND_COOKIE || slot->kind == RC_SCRUB_KIND_AUTH))
        return !holds_more(text, to, slot->kind, slot->style.is_listed ? &to : ret_release);
    return !slot->is_assigned || is_assigned_word(text, slot, from, to, ret_release);
}
