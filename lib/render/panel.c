/* Panel: draws boxed text for terminals. Called by human.c and the CLI. */
#include "render/panel.h"

#include "base/str.h"
#include "render/wrap.h"

#define LABEL_COLUMNS 9u
#define NARROW_BELOW 48u
#define NARROW_INDENT 2u

/* Maximum number of lines of a name, sufficient for the longest name in the narrowest panel. Only a
 * name that consists of line breaks is longer and is cut. */
#define NAME_LINES 40u
#define CELL_LINES 12u

void rc_panel_init(rc_panel *panel, const rc_panel_style *style, rc_tone frame, rc_buf *buf)
{
    *panel = (rc_panel){.frame = frame};
    rc_pen_init(&panel->pen, style, buf);
    if (panel->pen.width < RC_PANEL_WIDTH_MIN)
        panel->pen.width = RC_PANEL_WIDTH_MIN;
    if (panel->pen.width > RC_PANEL_WIDTH_MAX)
        panel->pen.width = RC_PANEL_WIDTH_MAX;
    panel->inner = panel->pen.width - 4;
}

bool rc_panel_is_narrow(const rc_panel *panel)
{
    return panel->pen.width < NARROW_BELOW;
}

/* Writes a line such as "├─ heading ────── tag ─┤". Heading and tag may be empty. */
static void push_border(rc_panel *p, rc_symbol left, rc_symbol right, rc_str heading, rc_str tag)
{
    rc_pen *pen = &p->pen;
    const unsigned tag_columns = tag.len ? rc_visible_width(tag, pen->has_utf8) + 2 : 0;
    rc_pen_symbol(pen, p->frame, left);
    rc_pen_symbol(pen, p->frame, RC_SYMBOL_ACROSS);
    if (heading.len) {
        rc_pen_skip(pen, 1);
        /* The heading is bold and has the tone of the frame. */
        rc_tone_begin(pen->buf, RC_TONE_STRONG, pen->has_colour);
        rc_pen_cut(pen, p->frame, heading, pen->width - 6);
        rc_tone_end(pen->buf, RC_TONE_STRONG, pen->has_colour);
        pen->tone = RC_TONE_PLAIN;
        rc_pen_skip(pen, 1);
    }
    while (pen->column + tag_columns + 2 < pen->width)
        rc_pen_symbol(pen, p->frame, RC_SYMBOL_ACROSS);
    if (tag.len) {
        rc_pen_skip(pen, 1);
        rc_pen_text(pen, p->frame, tag);
        rc_pen_skip(pen, 1);
    }
    rc_pen_symbol(pen, p->frame, RC_SYMBOL_ACROSS);
    rc_pen_symbol(pen, p->frame, right);
    rc_pen_end_line(pen);
}

bool rc_panel_open(rc_panel *panel, rc_str title, rc_str tag)
{
    /* The number of columns of title and tag, of corners, lines and spaces, and of at least three
     * line characters between title and tag. */
    unsigned need = rc_visible_width(title, panel->pen.has_utf8) +
                    rc_visible_width(tag, panel->pen.has_utf8) + 11;
    bool fits = need <= panel->pen.width;
    push_border(panel, RC_SYMBOL_TOP_LEFT, RC_SYMBOL_TOP_RIGHT, title, fits ? tag : RC_STR(""));
    return fits;
}

void rc_panel_section(rc_panel *panel, rc_str heading)
{
    push_border(panel, RC_SYMBOL_TEE_LEFT, RC_SYMBOL_TEE_RIGHT, heading, RC_STR(""));
}

void rc_panel_close(rc_panel *panel)
{
    push_border(panel, RC_SYMBOL_BOTTOM_LEFT, RC_SYMBOL_BOTTOM_RIGHT, RC_STR(""), RC_STR(""));
}

static void row_begin(rc_panel *p)
{
    rc_pen_symbol(&p->pen, p->frame, RC_SYMBOL_DOWN);
    rc_pen_skip(&p->pen, 1);
}

static void row_end(rc_panel *p)
{
    rc_pen_to(&p->pen, p->pen.width - 1);
    rc_pen_symbol(&p->pen, p->frame, RC_SYMBOL_DOWN);
    rc_pen_end_line(&p->pen);
}

void rc_panel_blank(rc_panel *panel)
{
    row_begin(panel);
    row_end(panel);
}

static void push_text_line(rc_panel *p, const rc_panel_block *block, const rc_wrap_line *line)
{
    row_begin(p);
    rc_pen_text(&p->pen, block->first_tone, block->first);
    rc_pen_to(&p->pen, 2 + block->indent);
    rc_pen_text(&p->pen, block->tone, line->text);
    row_end(p);
}

void rc_panel_text(rc_panel *panel, const rc_panel_block *block, rc_str text)
{
    rc_panel_block rest = *block;
    unsigned max_lines = block->max_lines ? block->max_lines : RC_PANEL_LINES_MAX;
    rc_wrap wrap;
    rc_wrap_line line;
    rc_wrap_init(&wrap, text, panel->pen.has_utf8);
    for (unsigned lines = 0; lines < max_lines; lines++) {
        if (rc_buf_status(panel->pen.buf) != RC_OK ||
            !rc_wrap_next(&wrap, panel->inner - block->indent, &line))
            return;
        push_text_line(panel, &rest, &line);
        rest.first = RC_STR("");
    }
    if (wrap.at < text.len)
        rc_panel_more(panel, block->indent, text.len - wrap.at, RC_STR(" more bytes"));
}

void rc_panel_more(rc_panel *panel, unsigned indent, size_t count, rc_str what)
{
    char memory[64];
    rc_buf line;
    rc_buf_init_fixed(&line, memory, sizeof memory);
    rc_buf_push(&line, rc_symbol_text(RC_SYMBOL_MORE, panel->pen.has_utf8));
    rc_buf_push_byte(&line, ' ');
    rc_buf_push_u64(&line, count);
    rc_buf_push(&line, what);
    rc_panel_block block = {.tone = RC_TONE_FAINT, .indent = indent};
    rc_panel_text(panel, &block, rc_buf_get(&line));
}

void rc_panel_field(rc_panel *panel, rc_str label, rc_tone tone, rc_str text)
{
    if (text.len == 0)
        return;
    rc_tone label_tone = tone == RC_TONE_FAINT ? RC_TONE_FAINT : RC_TONE_STRONG;
    rc_panel_block block = {.tone = tone, .indent = LABEL_COLUMNS, .first_tone = label_tone};
    block.max_lines = tone == RC_TONE_FAINT ? NAME_LINES : 0;
    block.first = label;
    if (rc_panel_is_narrow(panel)) {
        rc_panel_text(panel, &(rc_panel_block){.tone = label_tone}, label);
        block.indent = NARROW_INDENT;
        block.first = RC_STR("");
    }
    rc_panel_text(panel, &block, text);
}

void rc_panel_row(rc_panel *panel, rc_tone tone, const rc_panel_cell *cells, size_t count)
{
    unsigned indent = 0;
    row_begin(panel);
    for (size_t i = 0; i + 1 < count; i++) {
        rc_pen_cut(&panel->pen, tone, cells[i].text, cells[i].width);
        indent += cells[i].width + RC_PANEL_GAP;
        rc_pen_to(&panel->pen, 2 + indent);
    }
    rc_wrap wrap;
    rc_wrap_line line = {0};
    rc_wrap_init(&wrap, cells[count - 1].text, panel->pen.has_utf8);
    rc_wrap_next(&wrap, panel->inner - indent, &line);
    rc_pen_text(&panel->pen, tone, line.text);
    row_end(panel);
    rc_panel_block rest = {.tone = tone, .indent = indent, .max_lines = CELL_LINES};
    rc_panel_text(panel, &rest, rc_str_slice(wrap.text, wrap.at, wrap.text.len));
}
