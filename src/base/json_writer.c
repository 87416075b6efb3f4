#include "base/json_writer.h"

#include "base/json_scan.h"
#include "base/utf8.h"

/* Strings up to this long that need no escapes, most by far, go to the buffer in one push. */
#define SHORT_MAX 128

/* Escapes. */

static void push_u_escape(rc_buf *buf, uint32_t unit)
{
    static const char HEX[] = "0123456789abcdef";
    char bytes[6] = {'\\', 'u'};
    for (unsigned i = 0; i < 4; i++)
        bytes[2 + i] = HEX[unit >> (12 - 4 * i) & 0xF];
    rc_buf_push(buf, rc_str_make(bytes, sizeof bytes));
}

/* A quote, a backslash, a control character or DEL. */
static void push_ascii_escape(rc_buf *buf, char c)
{
    static const char FROM[] = "\"\\\b\f\n\r\t";
    static const char TO[] = "\"\\bfnrt";
    const char *found = memchr(FROM, c, sizeof FROM - 1);
    if (!found) {
        push_u_escape(buf, (unsigned char)c);
        return;
    }
    char bytes[2] = {'\\', TO[found - FROM]};
    rc_buf_push(buf, rc_str_make(bytes, sizeof bytes));
}

/* The C1 control characters move a terminal's cursor as the C0 ones do. */
static bool is_unsafe(uint32_t cp)
{
    return cp < 0xA0 || cp == 0x2028 || cp == 0x2029;
}

/* Appends value[at..], escaped, in runs as long as they go. */
static void push_escaped(rc_buf *buf, rc_str value, size_t at)
{
    const rc_json_scan *scan = rc_json_scan_best();
    size_t run = at;
    while ((at = scan->unclean(value, at)) < value.len) {
        size_t len;
        uint32_t cp = rc_utf8_decode(value, at, &len);
        if (cp > 0x7F && !is_unsafe(cp) && cp != RC_UTF8_REPLACEMENT) {
            at += len;
            continue;
        }
        rc_buf_push(buf, rc_str_make(value.ptr + run, at - run));
        if (cp < 0x80)
            push_ascii_escape(buf, (char)cp);
        else if (is_unsafe(cp))
            push_u_escape(buf, cp);
        else
            rc_buf_push(buf, RC_STR("\xEF\xBF\xBD"));
        at += len;
        run = at;
    }
    rc_buf_push(buf, rc_str_make(value.ptr ? value.ptr + run : NULL, value.len - run));
}

/* Copies eight bytes; returns how many of them a writer need not look at. */
static inline size_t copy_clean_word(char *out, const char *from)
{
    uint64_t found = rc_json_scan_unclean_bits(rc_json_scan_word(from));
    memcpy(out, from, sizeof found);
    return found ? (size_t)__builtin_ctzll(found) / 8 : sizeof found;
}

/* Copies the bytes of value up to the first that a writer has to look at; returns how many. */
static size_t copy_clean(char *out, rc_str value)
{
    const size_t word = sizeof(uint64_t);
    size_t at = 0;
    for (; value.len - at >= word; at += word) {
        size_t clean = copy_clean_word(out + at, value.ptr + at);
        if (clean < word)
            return at + clean;
    }
    /* The last word again, up to the end: what it shares with the one before is clean. */
    if (at < value.len && value.len >= word) {
        at = value.len - word;
        return at + copy_clean_word(out + at, value.ptr + at);
    }
    for (; at < value.len && !rc_json_scan_is_unclean(value.ptr[at]); at++)
        out[at] = value.ptr[at];
    return at;
}

/* Where up to n bytes may be put together: at the end of the buffer when there is room already,
 * which saves copying them, else in bytes. */
static char *begin_bytes(rc_buf *buf, size_t n, char *bytes)
{
    bool has_room = buf->status == RC_OK && buf->size - buf->len >= n;
    return has_room ? buf->ptr + buf->len : bytes;
}

/* Appends the len bytes that were put together at p. */
static void end_bytes(rc_buf *buf, const char *p, size_t len, const char *bytes)
{
    if (p == bytes)
        rc_buf_push(buf, rc_str_make(p, len));
    else
        buf->len += len;
}

/* Appends lead, value between quotes, tail. lead and tail are at most two bytes each. */
static void push_quoted_between(rc_buf *buf, rc_str lead, rc_str value, rc_str tail)
{
    char bytes[SHORT_MAX + 16];
    bool is_short = value.len <= SHORT_MAX;
    char *p = begin_bytes(buf, (is_short ? value.len : 0) + 16, bytes);
    size_t len = 0;
    for (; len < lead.len; len++)
        p[len] = lead.ptr[len];
    p[len++] = '"';
    size_t clean = is_short ? copy_clean(p + len, value) : 0;
    len += clean;
    if (clean < value.len) {
        end_bytes(buf, p, len, bytes);
        push_escaped(buf, value, clean);
        p = bytes;
        len = 0;
    }
    p[len++] = '"';
    for (size_t i = 0; i < tail.len; i++)
        p[len++] = tail.ptr[i];
    end_bytes(buf, p, len, bytes);
}

void rc_json_push_quoted(rc_buf *buf, rc_str value)
{
    push_quoted_between(buf, RC_STR(""), value, RC_STR(""));
}

/* Structure. */

void rc_json_writer_init(rc_json_writer *w, rc_buf *buf, uint32_t indent)
{
    w->buf = buf;
    w->depth = 0;
    w->indent = indent;
    w->has_items[0] = false;
    w->is_after_key = false;
}

static void push_line(rc_json_writer *w)
{
    static const char SPACES[] = "                                ";
    rc_buf_push_byte(w->buf, '\n');
    size_t left = (size_t)w->depth * w->indent;
    while (left > 0 && rc_buf_status(w->buf) == RC_OK) {
        size_t n = left < sizeof SPACES - 1 ? left : sizeof SPACES - 1;
        rc_buf_push(w->buf, rc_str_make(SPACES, n));
        left -= n;
    }
}

/* Begins a key or a value. Returns what has to stand before it and was not pushed. */
static rc_str begin_item(rc_json_writer *w)
{
    rc_str nothing = RC_STR("");
    if (w->is_after_key) {
        w->is_after_key = false;
        return nothing;
    }
    if (w->depth == 0)
        return nothing;
    rc_str comma = w->has_items[w->depth] ? RC_STR(",") : nothing;
    w->has_items[w->depth] = true;
    if (w->indent == 0)
        return comma;
    rc_buf_push(w->buf, comma);
    push_line(w);
    return nothing;
}

/* The same, with all of it pushed. */
static void push_item_begin(rc_json_writer *w)
{
    rc_str lead = begin_item(w);
    if (lead.len > 0)
        rc_buf_push(w->buf, lead);
}

/* Makes the buffer's failure stick: what was asked for can not be written. */
static void fail(rc_json_writer *w)
{
    rc_buf_push_byte(w->buf, ' ');
    rc_buf_reserve(w->buf, SIZE_MAX);
}

static void open_container(rc_json_writer *w, char bracket)
{
    push_item_begin(w);
    rc_buf_push_byte(w->buf, bracket);
    if (w->depth == RC_JSON_WRITER_DEPTH_MAX) {
        fail(w);
        return;
    }
    w->depth++;
    w->has_items[w->depth] = false;
}

static void close_container(rc_json_writer *w, char bracket)
{
    if (w->depth == 0) {
        fail(w);
        return;
    }
    bool has_items = w->has_items[w->depth];
    w->depth--;
    if (has_items && w->indent > 0)
        push_line(w);
    rc_buf_push_byte(w->buf, bracket);
}

void rc_json_object_begin(rc_json_writer *w)
{
    open_container(w, '{');
}

void rc_json_object_end(rc_json_writer *w)
{
    close_container(w, '}');
}

void rc_json_array_begin(rc_json_writer *w)
{
    open_container(w, '[');
}

void rc_json_array_end(rc_json_writer *w)
{
    close_container(w, ']');
}

/* Values. */

void rc_json_key(rc_json_writer *w, rc_str key)
{
    rc_str lead = begin_item(w);
    push_quoted_between(w->buf, lead, key, w->indent > 0 ? RC_STR(": ") : RC_STR(":"));
    w->is_after_key = true;
}

void rc_json_string(rc_json_writer *w, rc_str value)
{
    rc_str lead = begin_item(w);
    push_quoted_between(w->buf, lead, value, RC_STR(""));
}

void rc_json_raw(rc_json_writer *w, rc_str json)
{
    push_item_begin(w);
    rc_buf_push(w->buf, json);
}

void rc_json_i64(rc_json_writer *w, int64_t value)
{
    push_item_begin(w);
    rc_buf_push_i64(w->buf, value);
}

void rc_json_u64(rc_json_writer *w, uint64_t value)
{
    push_item_begin(w);
    rc_buf_push_u64(w->buf, value);
}

void rc_json_bool(rc_json_writer *w, bool value)
{
    rc_json_raw(w, value ? RC_STR("true") : RC_STR("false"));
}

void rc_json_null(rc_json_writer *w)
{
    rc_json_raw(w, RC_STR("null"));
}

void rc_json_member_string(rc_json_writer *w, rc_str key, rc_str value)
{
    rc_json_key(w, key);
    rc_json_string(w, value);
}

void rc_json_member_i64(rc_json_writer *w, rc_str key, int64_t value)
{
    rc_json_key(w, key);
    rc_json_i64(w, value);
}

void rc_json_member_bool(rc_json_writer *w, rc_str key, bool value)
{
    rc_json_key(w, key);
    rc_json_bool(w, value);
}
