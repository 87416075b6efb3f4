/* Writes CSV cells. Called by `audit export`. */
#include "cli/csv.h"

#include "base/str.h"
#include "base/utf8.h"
#include "render/wrap.h"

static void begin_cell(rc_buf *buf)
{
    const rc_str so_far = rc_buf_get(buf);
    if (so_far.len > 0 && so_far.ptr[so_far.len - 1] != '\n')
        rc_buf_push_byte(buf, ',');
}

/* Returns whether the text begins like a formula. Full-width characters (U+FF01..U+FF5E) are
 * checked, too, because spreadsheets in East Asian locales accept them. */
static bool is_like_formula(rc_str text)
{
    size_t at = 0;
    size_t len = 0;
    while (at < text.len && rc_ascii_is_space(text.ptr[at]))
        at++;
    if (at == text.len)
        return false;
    uint32_t cp = rc_utf8_decode(text, at, &len);
    cp = cp >= 0xFF01 && cp <= 0xFF5E ? cp - 0xFEE0 : cp;
    return cp == '=' || cp == '+' || cp == '-' || cp == '@';
}

/* Appends a control character as \u{XXXX}, also tab and line feed, which rc_visible_push_char would
 * write as spaces or line breaks. */
static void push_control(rc_buf *buf, uint32_t cp)
{
    static const char HEX[] = "0123456789ABCDEF";
    rc_buf_push(buf, RC_STR("\\u{"));
    if (cp > 0xF)
        rc_buf_push_byte(buf, HEX[cp >> 4 & 0xF]);
    rc_buf_push_byte(buf, HEX[cp & 0xF]);
    rc_buf_push_byte(buf, '}');
}

void rc_csv_text(rc_buf *buf, rc_str text)
{
    size_t len = 0;
    begin_cell(buf);
    rc_buf_push_byte(buf, '"');
    if (is_like_formula(text))
        rc_buf_push_byte(buf, '\'');
    for (size_t at = 0; at < text.len && rc_buf_status(buf) == RC_OK; at += len) {
        const uint32_t cp = rc_utf8_decode(text, at, &len);
        if (cp == '"')
            rc_buf_push_byte(buf, '"');
        if (cp < 0x20)
            push_control(buf, cp);
        else
            rc_visible_push_char(buf, cp, true);
    }
    rc_buf_push_byte(buf, '"');
}

void rc_csv_number(rc_buf *buf, int64_t number)
{
    begin_cell(buf);
    rc_buf_push_i64(buf, number);
}

void rc_csv_empty(rc_buf *buf)
{
    begin_cell(buf);
    /* An empty first cell of a line is written as "", because begin_cell puts a comma only if the
     * line has text before it. */
    const rc_str so_far = rc_buf_get(buf);
    if (so_far.len == 0 || so_far.ptr[so_far.len - 1] == '\n')
        rc_buf_push(buf, RC_STR("\"\""));
}

void rc_csv_end(rc_buf *buf)
{
    rc_buf_push_byte(buf, '\n');
}
