/* Finds user names and passwords in URLs. Called by scan.c. */
#include "scrub/parts.h"

#include "base/str.h"

/* Returns whether the URL ends before this glyph. Even passwords that are not escaped correctly do
 * not contain such a glyph. A marker ends the URL, too, because it may have replaced text with such
 * a glyph. */
static bool ends_url(rc_str text, size_t at, rc_glyph glyph)
{
    switch (glyph.ch) {
    case RC_GLYPH_END:
    case RC_GLYPH_ELLIPSIS:
    case RC_GLYPH_STOP:
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case '<':
    case '>':
        return true;
    case '[':
        return rc_scrub_has(text, at, RC_STR(RC_SCRUB_REDACTED));
    default:
        return rc_glyph_is_quote(glyph);
    }
}

/* The authority part of a URL (user, host and port). */
typedef struct authority {
    size_t end;
    size_t last_at;    /* Offset of the last @; RC_STR_NPOS: none. */
    bool has_odd_port; /* The part has a colon without a digit after it; a password and not a port
                          follows such a colon. */
} authority;

static authority read_authority(rc_str text, size_t from, bool is_percent)
{
    authority a = {.end = from, .last_at = RC_STR_NPOS};
    for (;;) {
        a.end = rc_scrub_run(text, a.end, RC_SCRUB_WORD | RC_SCRUB_DOT, text.len);
        rc_glyph glyph = rc_glyph_at(text, a.end);
        bool is_plain = !glyph.is_percent || is_percent;
        bool is_end = glyph.ch == '/' || glyph.ch == '?' || glyph.ch == '#';
        if (is_plain && (is_end || ends_url(text, a.end, glyph)))
            return a;
        size_t next = a.end + glyph.len;
        if (is_plain && glyph.ch == '@')
            a.last_at = a.end;
        if (is_plain && glyph.ch == ':' && !rc_scrub_is(text, next, RC_SCRUB_DIGIT))
            a.has_odd_port = true;
        a.end = next;
    }
}

/* Returns the offset of the @ after the userinfo, or RC_STR_NPOS if the URL has no userinfo. A
 * password may contain an unescaped / ? or #, so the search extends to the end of the URL. */
static size_t find_late_at(rc_str text, size_t from, size_t *no_at_before)
{
    if (from < *no_at_before)
        return RC_STR_NPOS;
    for (size_t at = from;;) {
        at = rc_scrub_run(text, at, RC_SCRUB_WORD | RC_SCRUB_DOT, text.len);
        rc_glyph glyph = rc_glyph_at(text, at);
        if (!glyph.is_percent && ends_url(text, at, glyph)) {
            *no_at_before = at;
            return RC_STR_NPOS;
        }
        if (!glyph.is_percent && glyph.ch == '@') {
            size_t last = read_authority(text, at + 1, false).last_at;
            return last == RC_STR_NPOS ? at : last;
        }
        at += glyph.len;
    }
}

static bool is_kept(rc_str userinfo)
{
    return userinfo.len == 0 || rc_str_eq(userinfo, RC_STR("git")); /* the user name "git" is not a
                                                                       secret: every ssh remote has
                                                                       it */
}

bool rc_scrub_find_userinfo(rc_str text, size_t colon, size_t *no_at_before,
                            rc_scrub_edit *ret_edit)
{
    rc_glyph glyph = rc_glyph_at(text, colon);
    if (glyph.ch != ':')
        return false;
    bool is_percent = glyph.is_percent;
    size_t from = colon + glyph.len;
    for (int i = 0; i < 2; i++) {
        glyph = rc_glyph_at(text, from);
        if (glyph.ch != '/')
            return false;
        from += glyph.len;
    }
    authority a = read_authority(text, from, is_percent);
    if (a.last_at == RC_STR_NPOS && a.has_odd_port && !is_percent)
        a.last_at = find_late_at(text, a.end, no_at_before);
    if (a.last_at == RC_STR_NPOS || is_kept(rc_str_slice(text, from, a.last_at)))
        return false;
    size_t release = a.last_at + rc_glyph_at(text, a.last_at).len;
    *ret_edit = rc_scrub_mask(colon, from, a.last_at, release);
    return true;
}
