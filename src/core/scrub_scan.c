#include "core/scrub_parts.h"

/* No shape is shorter, but for those whose prefix goes on behind the word. */
#define SHAPE_MIN 16u
#define SHAPE_PREFIX_MAX 8u

static const rc_str PEM_BEGIN = RC_STR_INIT("-----BEGIN");

void rc_scrub_scan_init(rc_scrub_scan *scan, rc_str text)
{
    *scan = (rc_scrub_scan){.text = text, .stop = text.len};
}

/* Could the word [from, to) hold or begin a key? Few words of ordinary text could. */
static bool may_be_shape(rc_str text, size_t from, size_t to)
{
    if (to - from >= SHAPE_MIN)
        return true;
    return to - from <= SHAPE_PREFIX_MAX && rc_scrub_is(text, to, RC_SCRUB_DOT | RC_SCRUB_BASE64) &&
           rc_scrub_is(text, to + 1, RC_SCRUB_WORD);
}

static bool find_in_word(rc_scrub_scan *scan, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    rc_str text = scan->text;
    size_t key_from;
    size_t key_to;
    if (may_be_shape(text, from, to) && rc_scrub_find_shape(text, from, to, &key_from, &key_to)) {
        *ret_edit = rc_scrub_mask(key_from, key_from, key_to, key_to);
        return true;
    }
    if (rc_scrub_find_member(text, from, to, ret_edit, &scan->list)) {
        scan->is_in_list = scan->list.style.is_listed;
        return true;
    }
    size_t len = to - from;
    if ((len == 5 || len == 6) && (text.ptr[from] == 'B' || text.ptr[from] == 'b') &&
        rc_scrub_find_scheme(text, from, to, ret_edit))
        return true;
    if (len < PEM_BEGIN.len || !rc_scrub_has(text, to - PEM_BEGIN.len, PEM_BEGIN))
        return false;
    size_t block = to - PEM_BEGIN.len;
    size_t block_len = rc_scrub_pem_len(text, block);
    *ret_edit = rc_scrub_mask(block, block, block + block_len, block + block_len);
    return block_len > 0;
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
