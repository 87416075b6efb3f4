/* Scrubber: plans and applies all edits to a text. Called by the report builder, the event encoder,
 * the configuration, the gateway (log, requests, repeats), the SQLite store and the CLI. */
#include "scrub/scrub.h"

#include "scrub/parts.h"

/* The two parts of the note at the end of a cut text, before and after the number of omitted
 * bytes. */
static const rc_str CUT_OPEN = RC_STR_INIT("\xE2\x80\xA6 [+");
static const rc_str CUT_CLOSE = RC_STR_INIT(" bytes]");
static const rc_str REDACTED = RC_STR_INIT(RC_SCRUB_REDACTED);
static const rc_str BROKEN = RC_STR_INIT("\xEF\xBF\xBD");

#define MAX_BYTES_LEAST 64u

static rc_str replacement_of(const rc_scrub_edit *edit)
{
    switch (edit->replacement) {
    case RC_SCRUB_REPLACE_NONE:
        break;
    case RC_SCRUB_REPLACE_SECRET:
        return REDACTED;
    case RC_SCRUB_REPLACE_BROKEN:
        return BROKEN;
    }
    return (rc_str){NULL, 0};
}

static size_t count_digits(size_t number)
{
    size_t digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static size_t cut_note_len(size_t left_out)
{
    return CUT_OPEN.len + count_digits(left_out) + CUT_CLOSE.len;
}

/* number of edits that are stored; if a text has more, a second scan finds them */
#define FIRST_MAX 16u

/* The plan of a result: its edits and its length. The plan is computed before the first byte is
 * written. */
typedef struct plan {
    rc_str text;
    size_t max_bytes;
    size_t cut_space; /* Maximum length of a cut text without the note at its end. */
    size_t at;        /* Offset in the text up to which the plan is complete. */
    size_t out;       /* Length of the result up to `at`. */
    size_t held;      /* The text must not be cut before this offset, because of the edits so
                         far. */
    size_t cut_at;    /* Latest offset at which a cut is possible. */
    size_t cut_out;   /* Length of the result up to `cut_at`. */
    size_t changes;
    rc_scrub_edit first[FIRST_MAX]; /* The first FIRST_MAX edits. */
} plan;

static void plan_init(plan *p, rc_str text, size_t max_bytes)
{
    p->text = text;
    p->max_bytes = max_bytes;
    p->cut_space = max_bytes - cut_note_len(text.len);
    p->at = p->out = p->held = 0;
    p->cut_at = p->cut_out = 0;
    p->changes = 0;
}

#define GLYPH_MAX 6u /* length of the longest escapes, \u0022 and &quot; */

/* Returns the last offset in [from, at] that is not inside a character or an escape. */
static size_t step_back(rc_str text, size_t from, size_t at)
{
    while (at > from && ((unsigned char)text.ptr[at] & 0xC0) == 0x80)
        at--;
    for (size_t back = 1; back <= GLYPH_MAX && back <= at - from; back++) {
        char c = text.ptr[at - back];
        if ((c == '&' || c == '%' || c == '\\') && rc_glyph_at(text, at - back).len > back) {
            at -= back;
            break;
        }
    }
    while (at > from && text.ptr[at - 1] == '\\')
        at--;
    return at;
}

/* Records the last possible cut in [from, to], a range that is copied unchanged and may be cut
 * between any two characters. */
static void allow_cut(plan *p, size_t from, size_t to)
{
    size_t out = p->out + (from - p->at);
    if (out > p->cut_space)
        return;
    size_t space = p->cut_space - out;
    size_t at = to - from <= space ? to : from + space;
    if (at < p->text.len)
        at = step_back(p->text, from, at);
    p->cut_at = at;
    p->cut_out = out + (at - from);
}

static void plan_edit(plan *p, const rc_scrub_edit *edit)
{
    size_t free_from = p->at > p->held ? p->at : p->held;
    if (free_from <= edit->hold)
        allow_cut(p, free_from, edit->hold);
    p->out += edit->from - p->at + replacement_of(edit).len;
    p->at = edit->to;
    if (p->held < edit->release)
        p->held = edit->release;
    if (edit->replacement == RC_SCRUB_REPLACE_NONE)
        return;
    if (p->changes < FIRST_MAX)
        p->first[p->changes] = *edit;
    p->changes++;
}

/* Plans the whole text. Returns false if the text must be cut. Text that is too far behind the
 * maximum length to be part of the result is not read. */
static bool plan_all(plan *p)
{
    rc_scrub_scan scan;
    rc_scrub_scan_init(&scan, p->text);
    for (;;) {
        if (p->out > p->max_bytes)
            return false;
        size_t space = p->max_bytes - p->out;
        scan.stop = space < p->text.len - p->at ? p->at + space + 1 : p->text.len;
        rc_scrub_edit edit;
        if (!rc_scrub_scan_next(&scan, &edit))
            break;
        plan_edit(p, &edit);
    }
    size_t free_from = p->at > p->held ? p->at : p->held;
    if (free_from <= p->text.len)
        allow_cut(p, free_from, p->text.len);
    p->out += p->text.len - p->at;
    return p->out <= p->max_bytes;
}

static void write_edit(rc_str text, size_t *at, const rc_scrub_edit *edit, rc_buf *buf)
{
    rc_buf_push(buf, rc_str_make(text.ptr + *at, edit->from - *at));
    rc_buf_push(buf, replacement_of(edit));
    *at = edit->to;
}

/* Writes the text up to `end`, which must not be inside an edit. */
static void write_up_to(const plan *p, size_t end, rc_buf *buf)
{
    size_t at = 0;
    for (size_t i = 0; i < p->changes && p->changes <= FIRST_MAX && p->first[i].to <= end; i++)
        write_edit(p->text, &at, &p->first[i], buf);
    if (p->changes > FIRST_MAX) {
        rc_scrub_scan scan;
        rc_scrub_scan_init(&scan, p->text);
        scan.stop = end;
        rc_scrub_edit edit;
        while (rc_scrub_scan_next(&scan, &edit) && edit.to <= end)
            write_edit(p->text, &at, &edit, buf);
    }
    rc_buf_push(buf, rc_str_make(p->text.ptr + at, end - at));
}

/* Scrubs the text once. Sets *ret_changed to whether the result differs from the text. */
static rc_status scrub_once(rc_str text, size_t max_bytes, rc_buf *buf, bool *ret_changed)
{
    plan p; /* not initialised, because `first` is large and rarely used */
    plan_init(&p, text, max_bytes);
    bool is_whole = plan_all(&p);
    *ret_changed = !is_whole || p.changes > 0;
    if (!*ret_changed)
        return rc_buf_push(buf, text);

    size_t end = is_whole ? text.len : p.cut_at;
    size_t left_out = text.len - end;
    size_t len = is_whole ? p.out : p.cut_out + cut_note_len(left_out);
    if (rc_buf_reserve(buf, len) != RC_OK)
        return rc_buf_status(buf);
    write_up_to(&p, end, buf);
    if (!is_whole) {
        rc_buf_push(buf, CUT_OPEN);
        rc_buf_push_u64(buf, left_out);
        rc_buf_push(buf, CUT_CLOSE);
    }
    return rc_buf_status(buf);
}

/* Applies the planned edits in the buffer itself, the last edit first. Returns false if the buffer
 * has too little space or if the plan has too many edits. */
static bool change_in_place(const plan *p, rc_buf *buf, size_t start)
{
    size_t len = buf->len - start;
    size_t growth = p->out > len ? p->out - len : 0;
    if (p->changes > FIRST_MAX || (buf->is_fixed && growth > buf->size - buf->len) ||
        rc_buf_reserve(buf, growth) != RC_OK)
        return false;
    char *text = buf->ptr + start;
    for (size_t i = p->changes; i-- > 0;) {
        const rc_scrub_edit *edit = &p->first[i];
        rc_str put = replacement_of(edit);
        memmove(text + edit->from + put.len, text + edit->to, len - edit->to);
        memcpy(text + edit->from, put.ptr, put.len);
        len = len - (edit->to - edit->from) + put.len;
    }
    buf->len = start + len;
    return true;
}

#define PASSES_MAX 4u

/* A replacement can change how the remaining text is read, so the result is scrubbed again until
 * nothing changes. A text that still changes after PASSES_MAX passes is replaced as a whole. */
static rc_status settle(size_t max_bytes, rc_buf *buf, size_t start)
{
    for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
        plan p;
        plan_init(&p, rc_str_make(buf->ptr + start, buf->len - start), max_bytes);
        bool is_whole = plan_all(&p);
        if (is_whole && p.changes == 0)
            return rc_buf_status(buf);
        if (!is_whole || !change_in_place(&p, buf, start))
            break;
    }
    buf->len = start;
    return rc_buf_push(buf, REDACTED);
}

/* Returns whether the text is a single word that is neither a name nor a key. Such a word is no
 * name, because no value follows it, and no key, because it is too short or has neither digits nor
 * capitals. */
static bool is_plain_word(rc_str text)
{
    unsigned seen = 0;
    for (size_t at = 0; at < text.len; at++) {
        const unsigned class = rc_scrub_class(text, at);
        if ((class & RC_SCRUB_WORD) == 0)
            return false;
        seen |= class;
    }
    return text.ptr[0] != '-' &&
           (text.len < RC_SCRUB_LONG_WORD || !(seen & (RC_SCRUB_DIGIT | RC_SCRUB_UPPER)));
}

/* Most texts of a report are names and codes, which the first tests recognise as clean without a
 * scan. */
bool rc_scrub_is_clean(rc_str text)
{
    if (text.len == 0 || is_plain_word(text))
        return true;
    rc_scrub_prefilter prefilter;
    rc_scrub_prefilter_load(&prefilter, text, 0);
    if (prefilter.candidates == 0 && prefilter.to == text.len)
        return true;
    rc_scrub_scan scan;
    rc_scrub_edit edit;
    rc_scrub_scan_init(&scan, text);
    scan.prefilter = prefilter;
    while (rc_scrub_scan_next(&scan, &edit)) {
        if (edit.replacement != RC_SCRUB_REPLACE_NONE)
            return false;
    }
    return true;
}

rc_status rc_scrub(rc_str text, size_t max_bytes, rc_buf *buf)
{
    if (max_bytes < MAX_BYTES_LEAST)
        return RC_E_ARGUMENT;
    if (text.len == 0)
        return rc_buf_status(buf);
    size_t start = buf->len;
    bool is_changed;
    rc_status status = scrub_once(text, max_bytes, buf, &is_changed);
    return status == RC_OK && is_changed ? settle(max_bytes, buf, start) : status;
}
