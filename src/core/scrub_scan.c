#include "core/scrub_parts.h"

/* No shape is shorter, but for those whose prefix is more than one word: SPLIT_MAX is the longest
 * first word of such a prefix. */
#define SHAPE_MIN 16u
#define SPLIT_MAX 6u

static const rc_str PEM_BEGIN = RC_STR_INIT("-----BEGIN");

void rc_scrub_scan_init(rc_scrub_scan *scan, rc_str text)
{
    *scan = (rc_scrub_scan){.text = text, .stop = text.len};
}

static bool is_split(rc_str text, size_t from, size_t to)
{
    return to - from <= SPLIT_MAX && rc_scrub_is(text, to, RC_SCRUB_DOT | RC_SCRUB_BASE64) &&
           rc_scrub_is(text, to + 1, RC_SCRUB_WORD);
}

/* "api_key = ...", "key is: ...", "--api-key ...": may a separator follow the blank at `at`? */
static bool is_far_separator(rc_str text, size_t from, size_t at)
{
    char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    if (text.ptr[from] == '-' || next == ' ' || next == '\t')
        return true;
    return rc_scrub_is(text, at + 1, RC_SCRUB_BEHIND) ||
           memchr("pPsSgGrRuUiIwWvV", next, 16) != NULL;
}

/* Could the word [from, to) be the name of a member? */
static bool may_name_member(rc_str text, size_t from, size_t to)
{
    if (to - from < 3 || !rc_scrub_may_be_name(text.ptr[to - 2], text.ptr[to - 1]) ||
        to == text.len)
        return false;
    if (rc_scrub_is(text, to, RC_SCRUB_BEHIND))
        return true;
    return (text.ptr[to] == ' ' || text.ptr[to] == '\t') && is_far_separator(text, from, to);
}

static bool may_be_scheme(rc_str text, size_t from, size_t to)
{
    size_t len = to - from;
    return (text.ptr[from] == 'B' || text.ptr[from] == 'b') && (len == 5 || len == 6);
}

static bool find_key(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    size_t key_from = from;
    size_t key_to = 0;
    if (is_split(text, from, to))
        key_to = rc_scrub_split_shape_end(text, from);
    if (!key_to &&
        (to - from < SHAPE_MIN || !rc_scrub_find_shape(text, from, to, &key_from, &key_to)))
        return false;
    *ret_edit = rc_scrub_mask(key_from, key_from, key_to, key_to);
    return true;
}

static bool find_block(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    if (to - from < PEM_BEGIN.len || !rc_scrub_has(text, to - PEM_BEGIN.len, PEM_BEGIN))
        return false;
    size_t block = to - PEM_BEGIN.len;
    size_t len = rc_scrub_pem_len(text, block);
    *ret_edit = rc_scrub_mask(block, block, block + len, block + len);
    return len > 0;
}

/* Most words of ordinary text are passed over here, with a look at their length, their last letters
 * and the byte behind them. */
static bool find_in_word(rc_scrub_scan *scan, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    size_t len = to - from;
    if ((len >= SHAPE_MIN || len <= SPLIT_MAX) && find_key(text, from, to, ret_edit))
        return true;
    if (may_name_member(text, from, to) &&
        rc_scrub_find_member(text, from, to, ret_edit, &scan->list)) {
        scan->is_in_list = scan->list.style.is_listed;
        return true;
    }
    if (may_be_scheme(text, from, to) && rc_scrub_find_scheme(text, from, to, ret_edit))
        return true;
    return len >= PEM_BEGIN.len && find_block(text, from, to, ret_edit);
}

/* The end of ESC [ ... m and its like, so that a word begins behind a colour. */
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

/* A byte that is no part of a word and not nothing either. Moves the scan behind it. */
static bool find_at_special(rc_scrub_scan *scan, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    size_t at = scan->at;
    char c = text.ptr[at];
    if (c == '\x1b') {
        scan->at = escape_sequence_end(text, at);
        return false;
    }
    rc_glyph glyph = rc_glyph_at(text, at);
    scan->at = at + glyph.len;
    if (glyph.ch == RC_GLYPH_BROKEN && !rc_scrub_has(text, at, RC_STR("\xEF\xBF\xBD"))) {
        *ret_edit = (rc_scrub_edit){at, at, scan->at, scan->at, RC_SCRUB_PUT_BROKEN};
        return true;
    }
    return glyph.ch == ':' && rc_scrub_find_userinfo(text, at, &scan->no_at_before, ret_edit);
}

static bool find_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    while (scan->at < scan->stop) {
        unsigned classes = rc_scrub_class(text, scan->at);
        if (classes & RC_SCRUB_WORD) {
            size_t from = scan->at;
            scan->at = rc_scrub_run(text, from, RC_SCRUB_WORD, text.len);
            if (find_in_word(scan, from, scan->at, ret_edit))
                return true;
        } else if (!(classes & RC_SCRUB_SPECIAL)) {
            scan->at++;
        } else if (find_at_special(scan, ret_edit)) {
            return true;
        }
    }
    return false;
}

bool rc_scrub_scan_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit)
{
    scan->is_in_list = scan->is_in_list && rc_scrub_find_element(scan->text, &scan->list, ret_edit);
    if (!scan->is_in_list && !find_next(scan, ret_edit))
        return false;
    scan->at = ret_edit->to;
    scan->list.at = ret_edit->release;
    return true;
}
