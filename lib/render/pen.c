/* Pen: writes lines of text with tones (colours by meaning) for terminals. Called by panel.c, the
 * UI kit and the CLI. */
#include "render/pen.h"

#include <limits.h>

#include "base/str.h"

#define WIDTH_DEFAULT 80u

void rc_pen_init(rc_pen *pen, const rc_panel_style *style, rc_buf *buf)
{
    *pen = (rc_pen){
        .buf = buf,
        .width = style->width > 0 ? style->width : WIDTH_DEFAULT,
        .has_colour = style->has_colour,
        .has_utf8 = style->has_utf8,
    };
}

/* Writes the pending spaces and, if the tone changes, the escape sequences. */
static void begin(rc_pen *pen, rc_tone tone)
{
    if (tone != pen->tone)
        rc_tone_end(pen->buf, pen->tone, pen->has_colour);
    for (; pen->spaces > 0; pen->spaces--)
        rc_buf_push_byte(pen->buf, ' ');
    if (tone != pen->tone)
        rc_tone_begin(pen->buf, tone, pen->has_colour);
    pen->tone = tone;
}

void rc_pen_cut(rc_pen *pen, rc_tone tone, rc_str text, unsigned max)
{
    if (text.len == 0)
        return;
    begin(pen, tone);
    pen->column += rc_visible_push_cut(pen->buf, text, max, pen->has_utf8);
}

void rc_pen_text(rc_pen *pen, rc_tone tone, rc_str text)
{
    rc_pen_cut(pen, tone, text, UINT_MAX);
}

void rc_pen_symbol(rc_pen *pen, rc_tone tone, rc_symbol symbol)
{
    rc_pen_text(pen, tone, rc_symbol_text(symbol, pen->has_utf8));
}

void rc_pen_skip(rc_pen *pen, unsigned columns)
{
    pen->spaces += columns;
    pen->column += columns;
}

void rc_pen_to(rc_pen *pen, unsigned column)
{
    if (column > pen->column)
        rc_pen_skip(pen, column - pen->column);
}

void rc_pen_end_line(rc_pen *pen)
{
    rc_tone_end(pen->buf, pen->tone, pen->has_colour);
    rc_buf_push_byte(pen->buf, '\n');
    pen->tone = RC_TONE_PLAIN;
    pen->column = 0;
    pen->spaces = 0;
}

/* Writes the next line of a text from the current column on, without a line feed. */
static bool next_line(rc_pen *pen, rc_tone tone, rc_wrap *wrap)
{
    const bool has_space = pen->width >= pen->column + RC_VISIBLE_CHAR_WIDTH_MAX;
    rc_wrap_line line;
    if (!rc_wrap_next(wrap, has_space ? pen->width - pen->column : RC_VISIBLE_CHAR_WIDTH_MAX,
                      &line))
        return false;
    rc_pen_text(pen, tone, line.text);
    return true;
}

bool rc_pen_wrap_rest(rc_pen *pen, rc_tone tone, unsigned indent, rc_wrap *rest, unsigned max_lines)
{
    for (; rest->at < rest->text.len; max_lines--) {
        if (max_lines == 0)
            return false;
        rc_pen_to(pen, indent);
        (void)next_line(pen, tone, rest);
        rc_pen_end_line(pen);
    }
    return true;
}

void rc_pen_wrap(rc_pen *pen, rc_tone tone, unsigned indent, rc_str text)
{
    rc_wrap wrap;
    rc_wrap_init(&wrap, text, pen->has_utf8);
    (void)next_line(pen, tone, &wrap);
    rc_pen_end_line(pen);
    (void)rc_pen_wrap_rest(pen, tone, indent, &wrap, UINT_MAX);
}
