/* Panel: draws boxed text for terminals. Called by human.c and the CLI. */
#include "render/panel.h"

#include "base/str.h"
#include "render/wrap.h"

#define LABEL_COLUMNS 9u
#define NARROW_BELOW 48u
#define NARROW_INDENT 2u

/* Lines of the longest name in the narrowest panel; a name made of line breaks is cut to this. */
#define NAME_LINES 40u
#define CELL_LINES 12u

typedef enum box_part {
    BOX_TOP_LEFT,
    BOX_TOP_RIGHT,
    BOX_BOTTOM_LEFT,
    BOX_BOTTOM_RIGHT,
    BOX_TEE_LEFT,
    BOX_TEE_RIGHT,
    BOX_ACROSS,
    BOX_DOWN,
    BOX_PARTS
} box_part;

static const char *const BOX_UTF8[BOX_PARTS] = {"╭", "╮", "╰", "╯", "├", "┤", "─", "│"};
static const char *const BOX_ASCII[BOX_PARTS] = {"+", "+", "+", "+", "+", "+", "-", "|"};

static void push_part(rc_panel *p, box_part part)
{
    rc_buf_push(p->buf, rc_str_c((p->has_utf8 ? BOX_UTF8 : BOX_ASCII)[part]));
}

static void push_spaces(rc_panel *p, unsigned count)
{
    while (count-- > 0)
        rc_buf_push_byte(p->buf, ' ');
}

static const char *sequence_of(const rc_panel *p, rc_tone tone)
{
    switch (tone) {
    case RC_TONE_STRONG:
        return "\x1b[1m";
    case RC_TONE_DIM:
        return "\x1b[2m";
    case RC_TONE_ACCENT:
        return p->severity == RC_PANEL_FATAL       ? "\x1b[31m"
               : p->severity == RC_PANEL_RETRYABLE ? "\x1b[33m"
                                                   : "\x1b[36m";
    case RC_TONE_PLAIN:
        break;
    }
    return "";
}

static void tone_on(rc_panel *p, rc_tone tone)
{
    if (p->has_colour)
        rc_buf_push(p->buf, rc_str_c(sequence_of(p, tone)));
}

static void tone_off(rc_panel *p, rc_tone tone)
{
    if (p->has_colour && tone != RC_TONE_PLAIN)
        rc_buf_push(p->buf, RC_STR("\x1b[0m"));
}

void rc_panel_init(rc_panel *panel, const rc_panel_style *style, rc_panel_severity severity,
                   rc_buf *buf)
{
    unsigned width = style->width ? style->width : 80;
    if (width < RC_PANEL_WIDTH_MIN)
        width = RC_PANEL_WIDTH_MIN;
    if (width > RC_PANEL_WIDTH_MAX)
        width = RC_PANEL_WIDTH_MAX;
    *panel = (rc_panel){
        .buf = buf,
        .width = width,
        .inner = width - 4,
        .has_colour = style->has_colour,
        .has_utf8 = style->has_utf8,
        .severity = severity,
    };
}

bool rc_panel_is_narrow(const rc_panel *panel)
{
    return panel->width < NARROW_BELOW;
}

/* Writes "├─ heading ────── tag ─┤"; heading and tag may be empty. */
static void push_border(rc_panel *p, box_part left, box_part right, rc_str heading, rc_str tag)
{
    unsigned used = 4; /* both corners and one line character beside each */
    tone_on(p, RC_TONE_ACCENT);
    push_part(p, left);
    push_part(p, BOX_ACROSS);
    if (heading.len) {
        tone_on(p, RC_TONE_STRONG);
        rc_buf_push_byte(p->buf, ' ');
        used += 2 + rc_visible_push_cut(p->buf, heading, p->width - 6, p->has_utf8);
        rc_buf_push_byte(p->buf, ' ');
        tone_off(p, RC_TONE_STRONG);
        tone_on(p, RC_TONE_ACCENT);
    }
    unsigned tag_columns = tag.len ? rc_visible_width(tag, p->has_utf8) + 2 : 0;
    for (; used + tag_columns < p->width; used++)
        push_part(p, BOX_ACROSS);
    if (tag.len) {
        rc_buf_push_byte(p->buf, ' ');
        rc_visible_push(p->buf, tag, p->has_utf8);
        rc_buf_push_byte(p->buf, ' ');
    }
    push_part(p, BOX_ACROSS);
    push_part(p, right);
    tone_off(p, RC_TONE_ACCENT);
    rc_buf_push_byte(p->buf, '\n');
}

bool rc_panel_open(rc_panel *panel, rc_str title, rc_str tag)
{
    /* Corners, lines and spaces, and three more columns of line that separate title and tag. */
    unsigned need =
        rc_visible_width(title, panel->has_utf8) + rc_visible_width(tag, panel->has_utf8) + 11;
    bool fits = need <= panel->width;
    push_border(panel, BOX_TOP_LEFT, BOX_TOP_RIGHT, title, fits ? tag : RC_STR(""));
    return fits;
}

void rc_panel_section(rc_panel *panel, rc_str heading)
{
    push_border(panel, BOX_TEE_LEFT, BOX_TEE_RIGHT, heading, RC_STR(""));
}

void rc_panel_close(rc_panel *panel)
{
    push_border(panel, BOX_BOTTOM_LEFT, BOX_BOTTOM_RIGHT, RC_STR(""), RC_STR(""));
}

static void row_begin(rc_panel *p)
{
    tone_on(p, RC_TONE_ACCENT);
    push_part(p, BOX_DOWN);
    tone_off(p, RC_TONE_ACCENT);
    rc_buf_push_byte(p->buf, ' ');
}

static void row_end(rc_panel *p, unsigned used)
{
    push_spaces(p, used < p->inner ? p->inner - used : 0);
    rc_buf_push_byte(p->buf, ' ');
    tone_on(p, RC_TONE_ACCENT);
    push_part(p, BOX_DOWN);
    tone_off(p, RC_TONE_ACCENT);
    rc_buf_push_byte(p->buf, '\n');
}

void rc_panel_blank(rc_panel *panel)
{
    row_begin(panel);
    row_end(panel, 0);
}

static void push_toned(rc_panel *p, rc_tone tone, rc_str text)
{
    tone_on(p, tone);
    rc_visible_push(p->buf, text, p->has_utf8);
    tone_off(p, tone);
}

static void push_text_line(rc_panel *p, const rc_panel_block *block, const rc_wrap_line *line)
{
    row_begin(p);
    push_toned(p, block->first_tone, block->first);
    push_spaces(p, block->indent - rc_visible_width(block->first, p->has_utf8));
    push_toned(p, block->tone, line->text);
    row_end(p, block->indent + line->width);
}

void rc_panel_text(rc_panel *panel, const rc_panel_block *block, rc_str text)
{
    rc_panel_block rest = *block;
    unsigned max_lines = block->max_lines ? block->max_lines : RC_PANEL_LINES_MAX;
    rc_wrap wrap;
    rc_wrap_line line;
    rc_wrap_init(&wrap, text, panel->has_utf8);
    for (unsigned lines = 0; lines < max_lines; lines++) {
        if (rc_buf_status(panel->buf) != RC_OK ||
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
    rc_buf_push(&line, panel->has_utf8 ? RC_STR("… ") : RC_STR("... "));
    rc_buf_push_u64(&line, count);
    rc_buf_push(&line, what);
    rc_panel_block block = {.tone = RC_TONE_DIM, .indent = indent};
    rc_panel_text(panel, &block, rc_buf_get(&line));
}

void rc_panel_field(rc_panel *panel, rc_str label, rc_tone tone, rc_str text)
{
    if (text.len == 0)
        return;
    rc_tone label_tone = tone == RC_TONE_DIM ? RC_TONE_DIM : RC_TONE_STRONG;
    rc_panel_block block = {.tone = tone, .indent = LABEL_COLUMNS, .first_tone = label_tone};
    block.max_lines = tone == RC_TONE_DIM ? NAME_LINES : 0;
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
    for (size_t i = 0; i + 1 < count; i++)
        indent += cells[i].width + RC_PANEL_GAP;

    rc_wrap wrap;
    rc_wrap_line line = {0};
    rc_wrap_init(&wrap, cells[count - 1].text, panel->has_utf8);
    rc_wrap_next(&wrap, panel->inner - indent, &line);
    row_begin(panel);
    tone_on(panel, tone);
    for (size_t i = 0; i + 1 < count; i++) {
        unsigned used =
            rc_visible_push_cut(panel->buf, cells[i].text, cells[i].width, panel->has_utf8);
        push_spaces(panel, cells[i].width - used + RC_PANEL_GAP);
    }
    rc_visible_push(panel->buf, line.text, panel->has_utf8);
    tone_off(panel, tone);
    row_end(panel, indent + line.width);
    rc_panel_block rest = {.tone = tone, .indent = indent, .max_lines = CELL_LINES};
    rc_panel_text(panel, &rest, rc_str_slice(wrap.text, wrap.at, wrap.text.len));
}
