/* The line that is redrawn during a wait or a long operation. Called by console.c, `simulate` and
 * `audit`. */
#include "sys/status_line.h"

#include "base/str.h"
#include "base/utf8.h"

#define TO_START RC_STR("\r")
#define ERASE_TO_END RC_STR("\x1b[K")

void rc_status_line_init(rc_status_line *line, const rc_terminal *terminal)
{
    *line = (rc_status_line){.is_live = terminal->can_redraw, .width = terminal->width};
}

unsigned rc_status_line_columns(const rc_status_line *line)
{
    return line->width > 1 ? line->width - 1 : 1;
}

static rc_str cut(rc_str text, unsigned columns)
{
    size_t len = 0;
    for (size_t at = 0; at < text.len; at += len) {
        const unsigned width = rc_utf8_width(rc_utf8_decode(text, at, &len));
        if (width > columns)
            return rc_str_slice(text, 0, at);
        columns -= width;
    }
    return text;
}

void rc_status_line_draw(rc_status_line *line, rc_buf *buf, rc_str text)
{
    if (!line->is_live)
        return;
    rc_buf_push(buf, TO_START);
    rc_buf_push(buf, cut(text, rc_status_line_columns(line)));
    rc_buf_push(buf, ERASE_TO_END);
    line->is_drawn = true;
}

void rc_status_line_erase(rc_status_line *line, rc_buf *buf)
{
    if (!line->is_drawn)
        return;
    rc_buf_push(buf, TO_START);
    rc_buf_push(buf, ERASE_TO_END);
    line->is_drawn = false;
}
