/* JSON writer. Called by the report encoder, the renderers, the admin API and the mock. */
#include "json/writer.h"

#include "base/utf8.h"
#include "base/vec16.h"

/* Size in bytes of the local buffer for escaped text, which is used when the output buffer has too
 * little space. */
#define PIECE_BYTES 256
/* Maximum number of bytes that one step of put_escaped() writes: a vector, or an escape. */
#define STEP_BYTES RC_VEC16_BYTES

/* ---- escapes ---- */

static size_t put_u_escape(char *out, uint32_t unit)
{
    static const char HEX[] = "0123456789abcdef";
    out[0] = '\\';
    out[1] = 'u';
    for (unsigned i = 0; i < 4; i++)
        out[2 + i] = HEX[unit >> (12 - 4 * i) & 0xF];
    return 6;
}

/* Writes the escape of a quote, a backslash, a control character or DEL. */
static size_t put_ascii_escape(char *out, unsigned char c)
{
    static const char SHORT[128] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};
    if (!SHORT[c])
        return put_u_escape(out, c);
    out[0] = '\\';
    out[1] = SHORT[c];
    return 2;
}

/* Writes the \u escape of cp, as a surrogate pair above U+FFFF. */
static size_t put_unsafe(char *out, uint32_t cp)
{
    if (cp <= 0xFFFF)
        return put_u_escape(out, cp);
    cp -= 0x10000;
    const size_t len = put_u_escape(out, 0xD800 | cp >> 10);
    return len + put_u_escape(out + len, 0xDC00 | (cp & 0x3FF));
}

size_t rc_json_escaped_len(uint32_t cp, size_t len)
{
    char out[STEP_BYTES];
    if (cp == '"' || cp == '\\' || (cp < 0x80 && rc_utf8_is_unsafe(cp)))
        return put_ascii_escape(out, (unsigned char)cp);
    return rc_utf8_is_unsafe(cp) ? put_unsafe(out, cp) : len;
}

/* Writes the character at `at`, escaped if necessary. Returns the number of bytes written and sets
 * *ret_taken to the number of bytes read. */
static size_t put_character(char *out, rc_str value, size_t at, size_t *ret_taken)
{
    unsigned char c = (unsigned char)value.ptr[at];
    *ret_taken = 1;
    if (c < 0x80)
        return put_ascii_escape(out, c);
    uint32_t cp = rc_utf8_decode(value, at, ret_taken);
    if (rc_utf8_is_unsafe(cp))
        return put_unsafe(out, cp);
    return rc_utf8_encode(cp, out);
}

/* Returns a mask of the bytes that may need an escape: a quote, a backslash, a byte below 0x20 or
 * above 0x7E. */
static rc_vec16 unclean_lanes(rc_vec16 bytes)
{
    typedef int8_t signed_lanes __attribute__((vector_size(16)));
    rc_vec16 low_or_high = (rc_vec16)((signed_lanes)bytes < 0x20);
    return low_or_high | (rc_vec16)(bytes == '"') | (rc_vec16)(bytes == '\\') |
           (rc_vec16)(bytes == 0x7F);
}

/* Writes `value`, from *at on, with its escapes, as far as it fits into `space` bytes at `out`.
 * Advances *at and returns the number of bytes written. Whole vectors are copied before they are
 * checked, because a copy of only the bytes that need no escape would be slower. */
static size_t put_escaped(char *out, size_t space, rc_str value, size_t *at)
{
    size_t from = *at;
    size_t len = 0;
    while (from < value.len && space - len >= 2 * STEP_BYTES) {
        size_t left = value.len - from;
        rc_vec16 bytes = rc_vec16_load_some(value.ptr + from, left);
        rc_vec16_store(out + len, bytes);
        uint32_t unclean = rc_vec16_bits(unclean_lanes(bytes));
        if (!unclean) {
            len += RC_VEC16_BYTES;
            from += RC_VEC16_BYTES;
            continue;
        }
        /* Lanes after the last byte are zeros, which count as unclean, so the search also stops at
         * the end of the value. */
        size_t clean = (size_t)__builtin_ctz(unclean);
        from += clean;
        len += clean;
        if (clean >= left)
            break;
        size_t taken;
        len += put_character(out + len, value, from, &taken);
        from += taken;
    }
    *at = from;
    return len;
}

/* Appends `value`, escaped. As long as the buffer has space, the text is written directly into it,
 * otherwise through a local buffer. */
void rc_json_push_escaped(rc_buf *buf, rc_str value)
{
    size_t at = 0;
    for (;;) {
        if (buf->status != RC_OK)
            return;
        size_t space = buf->size - buf->len;
        if (space >= 2 * STEP_BYTES)
            buf->len += put_escaped(buf->ptr + buf->len, space, value, &at);
        if (at == value.len)
            return;
        char piece[PIECE_BYTES];
        size_t len = put_escaped(piece, sizeof piece, value, &at);
        rc_buf_push(buf, rc_str_make(piece, len));
    }
}

/* As rc_buf_push_byte(), with the common case inlined. */
static inline void push_byte(rc_buf *buf, char byte)
{
    if (buf->status == RC_OK && buf->len < buf->size)
        buf->ptr[buf->len++] = byte;
    else
        rc_buf_push_byte(buf, byte);
}

void rc_json_push_quoted(rc_buf *buf, rc_str value)
{
    push_byte(buf, '"');
    rc_json_push_escaped(buf, value);
    push_byte(buf, '"');
}

/* ---- structure ---- */

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

/* Writes the comma and the line break that precede a key or a value. */
static void push_item_begin(rc_json_writer *w)
{
    if (w->is_after_key) {
        w->is_after_key = false;
        return;
    }
    if (w->depth == 0)
        return;
    if (w->has_items[w->depth])
        push_byte(w->buf, ',');
    w->has_items[w->depth] = true;
    if (w->indent > 0)
        push_line(w);
}

/* Sets the buffer's sticky status to RC_E_TOO_LARGE: reserves more bytes than the buffer can
 * have. */
static void fail(rc_json_writer *w)
{
    rc_buf_push_byte(w->buf, ' ');
    rc_buf_reserve(w->buf, SIZE_MAX);
}

static void open_container(rc_json_writer *w, char bracket)
{
    push_item_begin(w);
    push_byte(w->buf, bracket);
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
    push_byte(w->buf, bracket);
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

/* ---- values ---- */

void rc_json_key(rc_json_writer *w, rc_str key)
{
    push_item_begin(w);
    rc_json_push_quoted(w->buf, key);
    push_byte(w->buf, ':');
    if (w->indent > 0)
        push_byte(w->buf, ' ');
    w->is_after_key = true;
}

void rc_json_key_escaped(rc_json_writer *w, rc_str raw)
{
    rc_json_string_escaped(w, raw);
    push_byte(w->buf, ':');
    if (w->indent > 0)
        push_byte(w->buf, ' ');
    w->is_after_key = true;
}

void rc_json_string_escaped(rc_json_writer *w, rc_str raw)
{
    push_item_begin(w);
    push_byte(w->buf, '"');
    rc_buf_push(w->buf, raw);
    push_byte(w->buf, '"');
}

void rc_json_member_escaped(rc_json_writer *w, rc_str key, rc_str raw)
{
    rc_json_key(w, key);
    rc_json_string_escaped(w, raw);
}

void rc_json_ready_key_push(rc_json_writer *w, const rc_json_ready_key *key)
{
    rc_buf *buf = w->buf;
    size_t comma = w->has_items[w->depth] ? 0 : 1;
    size_t len = key->len - comma;
    w->has_items[w->depth] = true;
    w->is_after_key = true;
    /* A copy of constant length takes only two move instructions. The bytes after the key are
     * overwritten by the next write. */
    if (buf->status == RC_OK && buf->size - buf->len >= sizeof key->text) {
        memcpy(buf->ptr + buf->len, key->text + comma, sizeof key->text - 1);
        buf->len += len;
        return;
    }
    rc_buf_push(buf, rc_str_make(key->text + comma, len));
}

void rc_json_string(rc_json_writer *w, rc_str value)
{
    push_item_begin(w);
    rc_json_push_quoted(w->buf, value);
}

void rc_json_string_verbatim(rc_json_writer *w, rc_str name)
{
    push_item_begin(w);
    push_byte(w->buf, '"');
    rc_buf_push(w->buf, name);
    push_byte(w->buf, '"');
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
