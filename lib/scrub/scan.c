/* Scanner: finds the edits of a text, in the order of their offsets. Called by scrub.c. */
#include "scrub/parts.h"

#include "base/utf8.h"

void rc_scrub_scan_init(rc_scrub_scan *scan, rc_str text)
{
    *scan = (rc_scrub_scan){.text = text, .stop = text.len};
}

/* Finds a key in the word [from, to) that begins before `stop`. */
static bool find_long_key(rc_str text, size_t from, size_t to, size_t stop, rc_scrub_edit *ret_edit)
{
    size_t key_from;
    size_t key_to;
    if (to - from < RC_SCRUB_LONG_WORD)
        return false;
    to = stop > from && stop < to ? stop : to;
    if (!rc_scrub_find_shape(text, from, to, &key_from, &key_to))
        return false;
    key_to = rc_scrub_folded_end(text, key_to, RC_SCRUB_NEED_RANDOM);
    *ret_edit = rc_scrub_mask(key_from, key_from, key_to, key_to);
    return true;
}

static bool find_split_key(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    if (to - from < RC_SCRUB_LONG_WORD && !rc_scrub_is(text, to, RC_SCRUB_DOT | RC_SCRUB_BASE64))
        return false;
    size_t key_to = rc_scrub_split_shape_end(text, from);
    *ret_edit = rc_scrub_mask(from, from, key_to, key_to);
    return key_to > 0;
}

/* Returns whether a member, a scheme or a private key block may begin with the word [from, to). */
static bool may_begin(rc_str text, size_t from, size_t to)
{
    if (to - from < 2 || to == text.len || !rc_scrub_may_begin_construct(text.ptr + to - 1))
        return false;
    return text.ptr[to] != ' ' || rc_scrub_has(text, from, RC_STR("--")) ||
           rc_scrub_may_go_on_after_blank(text, to);
}

/* Finds an edit that begins in the word [from, to). The result depends only on the word and the
 * text after it, not on the reason for which the prefilter selected the word. */
static bool find_in_word(rc_scrub_scan *scan, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    if (find_long_key(text, from, to, scan->stop, ret_edit) ||
        find_split_key(text, from, to, ret_edit))
        return true;
    if (!may_begin(text, from, to))
        return false;
    if ((text.ptr[from] | 0x20) == 'b' && rc_scrub_find_scheme(text, from, to, ret_edit))
        return true;
    if (rc_scrub_find_member(text, from, to, ret_edit, &scan->list))
        return true;
    return rc_scrub_find_block(text, from, to, ret_edit);
}

/* Returns the end of a terminal escape sequence such as ESC [ ... m. The sequence includes its
 * final letter, which would otherwise count as part of the next word. */
static size_t escape_sequence_end(rc_str text, size_t at)
{
    size_t end = at + 1;
    if (end >= text.len || text.ptr[end] != '[')
        return end;
    end++;
    while (end < text.len && (rc_scrub_is(text, end, RC_SCRUB_DIGIT) || text.ptr[end] == ';'))
        end++;
    return rc_scrub_is(text, end, RC_SCRUB_ALPHA) ? end + 1 : end;
}

static bool replace_broken(rc_scrub_scan *scan, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    scan->at = to;
    *ret_edit = (rc_scrub_edit){from, from, to, to, RC_SCRUB_REPLACE_BROKEN};
    return true;
}

/* Moves the scan past characters outside ASCII up to the first ill-formed sequence. Returns true
 * and writes the edit if an ill-formed sequence was found. */
static bool find_broken(rc_scrub_scan *scan, size_t at, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    while (at < text.len && (unsigned char)text.ptr[at] >= 0x80) {
        size_t len;
        uint32_t cp = rc_utf8_decode(text, at, &len);
        if (cp == RC_UTF8_REPLACEMENT && !rc_scrub_has(text, at, RC_STR("\xEF\xBF\xBD")))
            return replace_broken(scan, at, at + len, ret_edit);
        at += len;
    }
    scan->at = at;
    return false;
}

/* Handles an escape, an ill-formed byte or the colon of a URL at `at`, and moves the scan past it.
 * Returns true and writes the edit if the text must be changed there. */
static bool find_at_special(rc_scrub_scan *scan, size_t at, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    unsigned char c = (unsigned char)text.ptr[at];
    if (c == 0)
        return replace_broken(scan, at, at + 1, ret_edit);
    if (c >= 0x80)
        return find_broken(scan, at, ret_edit);
    if (c == 0x1B) {
        scan->at = escape_sequence_end(text, at);
        return false;
    }
    rc_glyph glyph = rc_glyph_at(text, at);
    scan->at = at + glyph.len;
    return glyph.ch == ':' && rc_scrub_find_userinfo(text, at, &scan->no_at_before, ret_edit);
}

static bool find_at_word(rc_scrub_scan *scan, size_t from, rc_scrub_edit *ret_edit)
{
    scan->at = rc_scrub_run(scan->text, from, RC_SCRUB_WORD, scan->text.len);
    return find_in_word(scan, from, scan->at, ret_edit);
}

static bool find_at_candidate(rc_scrub_scan *scan, size_t candidate, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    if (!rc_scrub_is(text, candidate, RC_SCRUB_WORD)) {
        if (find_at_special(scan, candidate, ret_edit))
            return true;
        /* The word after an escape must be examined here, because the prefilter has read the
         * letters of the escape as a part of the word. */
        bool is_inside = rc_scrub_is(text, scan->at, RC_SCRUB_WORD) &&
                         rc_scrub_is(text, scan->at - 1, RC_SCRUB_WORD);
        return is_inside && find_at_word(scan, scan->at, ret_edit);
    }
    size_t from = candidate;
    while (from > scan->at && rc_scrub_is(text, from - 1, RC_SCRUB_WORD))
        from--;
    return find_at_word(scan, from, ret_edit);
}

static bool find_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit)
{
    for (;;) {
        size_t candidate =
            rc_scrub_prefilter_next(&scan->prefilter, scan->text, scan->at, scan->stop);
        if (candidate >= scan->stop)
            return false;
        if (find_at_candidate(scan, candidate, ret_edit))
            return true;
    }
}

bool rc_scrub_scan_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit)
{
    bool is_element =
        scan->list.style.is_listed && rc_scrub_find_element(scan->text, &scan->list, ret_edit);
    if (!is_element) {
        scan->list.style.is_listed = false;
        if (!find_next(scan, ret_edit))
            return false;
    }
    scan->at = ret_edit->to;
    scan->list.at = ret_edit->release;
    return true;
}
