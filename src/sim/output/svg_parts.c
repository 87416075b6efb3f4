/* Writes the elements of the SVG files. Called by svg_chart.c and svg_rows.c. */
#include "sim/output/svg_parts.h"

#include "base/utf8.h"

static void push_c(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

/* Style sheet. The dark theme changes only the variables. Recourse's policies have the accent
 * colour; faults and wasted calls have the warm colour. */
static const char STYLE[] =
    "<style>\n"
    ":root{color-scheme:light dark;--paper:#ffffff;--ink:#1c2128;--soft:#5b6570;--rule:#e3e7eb;"
    "--axis:#b3bbc3;--ours:#0b62d6;--other:#66727f;--warm:#d9480f;--beside:#1c2128}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#0f141a;--ink:#e8edf2;--soft:#97a3af;"
    "--rule:#252d36;--axis:#4a5561;--ours:#58a6ff;--other:#93a0ad;--warm:#ff8a4c;"
    "--beside:#e8edf2}}\n"
    "text{font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',"
    "'DejaVu Sans',Arial,sans-serif;font-size:12px;fill:var(--ink);"
    "font-variant-numeric:tabular-nums}\n"
    ".paper{fill:var(--paper)}.title{font-size:20px;font-weight:600}"
    ".soft{fill:var(--soft)}.tick{fill:var(--soft);font-size:11px}"
    ".name{font-size:13px;font-weight:600}.big{font-size:13px}"
    ".ours-text{fill:var(--ours)}"
    ".halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px}\n"
    ".rule{stroke:var(--rule);stroke-width:1}.axis{stroke:var(--axis);stroke-width:1}"
    ".band{fill:var(--warm);fill-opacity:.13}.mark{stroke:var(--axis);stroke-width:1;"
    "stroke-dasharray:4 3}\n"
    ".line{fill:none;stroke:var(--other);stroke-width:1.6;stroke-linejoin:round}"
    ".line.ours{stroke:var(--ours);stroke-width:2}"
    ".area{fill:var(--other);fill-opacity:.16}.area.ours{fill:var(--ours);fill-opacity:.18}"
    ".beside{fill:none;stroke:var(--beside);stroke-width:1;stroke-dasharray:3 3;"
    "stroke-opacity:.7}\n"
    ".bar{fill:var(--other)}.bar.ours{fill:var(--ours)}.waste{fill:var(--warm);fill-opacity:.75}"
    ".span{stroke:var(--other);stroke-width:4;stroke-linecap:round;stroke-opacity:.35}"
    ".span.ours{stroke:var(--ours)}\n"
    ".dot{fill:var(--other)}.dot.ours{fill:var(--ours)}"
    ".ring{fill:var(--paper);stroke:var(--other);stroke-width:2}.ring.ours{stroke:var(--ours)}\n"
    "</style>\n";

void rc_svg_push_length(rc_buf *buf, int64_t tenths)
{
    const int64_t size = tenths < 0 ? -tenths : tenths;
    if (tenths < 0)
        rc_buf_push_byte(buf, '-');
    rc_buf_push_i64(buf, size / 10);
    if (size % 10 == 0)
        return;
    rc_buf_push_byte(buf, '.');
    rc_buf_push_byte(buf, (char)('0' + size % 10));
}

/* Appends escaped text. Most control characters become U+FFFD, because XML cannot represent them
 * even escaped. Bytes that are not UTF-8 also become U+FFFD. */
static void push_escaped(rc_buf *buf, rc_str text)
{
    for (size_t at = 0, len; at < text.len; at += len) {
        const uint32_t cp = rc_utf8_decode(text, at, &len);
        char bytes[4];
        if (cp == '<')
            push_c(buf, "&lt;");
        else if (cp == '>')
            push_c(buf, "&gt;");
        else if (cp == '&')
            push_c(buf, "&amp;");
        else if (cp == '"')
            push_c(buf, "&quot;");
        else if (cp == '\'')
            push_c(buf, "&#39;");
        else if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp == 0xFFFE || cp == 0xFFFF)
            rc_buf_push(buf, rc_str_make(bytes, rc_utf8_encode(RC_UTF8_REPLACEMENT, bytes)));
        else
            rc_buf_push(buf, rc_str_make(bytes, rc_utf8_encode(cp, bytes)));
    }
}

static void push_attribute(rc_buf *buf, const char *name, int64_t tenths)
{
    rc_buf_push_byte(buf, ' ');
    push_c(buf, name);
    push_c(buf, "=\"");
    rc_svg_push_length(buf, tenths);
    rc_buf_push_byte(buf, '"');
}

static void push_class(rc_buf *buf, const char *css)
{
    push_c(buf, " class=\"");
    push_c(buf, css);
    push_c(buf, "\"");
}

int64_t rc_svg_text_width(rc_str text)
{
    int64_t columns = 0;
    for (size_t at = 0, len; at < text.len; at += len)
        columns += rc_utf8_width(rc_utf8_decode(text, at, &len));
    return columns * 68;
}

void rc_svg_text(rc_buf *buf, int64_t x, int64_t y, rc_svg_anchor anchor, const char *css,
                 rc_str text)
{
    push_c(buf, "<text");
    push_attribute(buf, "x", x);
    push_attribute(buf, "y", y);
    if (anchor != RC_SVG_START)
        push_c(buf, anchor == RC_SVG_END ? " text-anchor=\"end\"" : " text-anchor=\"middle\"");
    push_class(buf, css);
    rc_buf_push_byte(buf, '>');
    push_escaped(buf, text);
    push_c(buf, "</text>\n");
}

/* Approximate width of a character in the bold font. */
#define NAME_COLUMN 82
/* More bytes than any name that fits the width. */
#define NAME_MAX_BYTES 1024

void rc_svg_name(rc_buf *buf, int64_t x, int64_t y, rc_svg_anchor anchor, bool is_ours, rc_str name,
                 int64_t width)
{
    const char *css = is_ours ? "name ours-text" : "name";
    int64_t columns = 0;
    size_t fits = 0;
    for (size_t at = 0, len; at < name.len; at += len) {
        columns += rc_utf8_width(rc_utf8_decode(name, at, &len));
        if ((columns + 1) * NAME_COLUMN <= width)
            fits = at + len;
    }
    if (columns * NAME_COLUMN <= width) {
        rc_svg_text(buf, x, y, anchor, css, name);
        return;
    }
    char scratch[NAME_MAX_BYTES];
    rc_buf cut;
    rc_buf_init_fixed(&cut, scratch, sizeof(scratch));
    rc_buf_push(&cut, rc_str_make(name.ptr, fits));
    push_c(&cut, "…");
    rc_svg_text(buf, x, y, anchor, css, rc_buf_get(&cut));
}

void rc_svg_rect(rc_buf *buf, const rc_svg_box *box, int64_t radius, const char *css)
{
    push_c(buf, "<rect");
    push_attribute(buf, "x", box->x);
    push_attribute(buf, "y", box->y);
    push_attribute(buf, "width", box->width);
    push_attribute(buf, "height", box->height);
    if (radius > 0)
        push_attribute(buf, "rx", radius);
    push_class(buf, css);
    push_c(buf, "/>\n");
}

void rc_svg_line(rc_buf *buf, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *css)
{
    push_c(buf, "<line");
    push_attribute(buf, "x1", x1);
    push_attribute(buf, "y1", y1);
    push_attribute(buf, "x2", x2);
    push_attribute(buf, "y2", y2);
    push_class(buf, css);
    push_c(buf, "/>\n");
}

void rc_svg_dot(rc_buf *buf, int64_t x, int64_t y, int64_t radius, const char *css)
{
    push_c(buf, "<circle");
    push_attribute(buf, "cx", x);
    push_attribute(buf, "cy", y);
    push_attribute(buf, "r", radius);
    push_class(buf, css);
    push_c(buf, "/>\n");
}

void rc_svg_path_begin(rc_buf *buf, const char *css)
{
    push_c(buf, "<path");
    push_class(buf, css);
    push_c(buf, " d=\"");
}

void rc_svg_path_point(rc_buf *buf, char command, int64_t x, int64_t y)
{
    rc_buf_push_byte(buf, command);
    rc_svg_push_length(buf, x);
    rc_buf_push_byte(buf, ' ');
    rc_svg_push_length(buf, y);
}

void rc_svg_path_end(rc_buf *buf)
{
    push_c(buf, "\"/>\n");
}

void rc_svg_open(rc_buf *buf, int64_t height, rc_str title, rc_str subtitle, rc_str scenario)
{
    push_c(buf, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    rc_svg_push_length(buf, RC_SVG_WIDTH);
    rc_buf_push_byte(buf, ' ');
    rc_svg_push_length(buf, height);
    rc_buf_push_byte(buf, '"');
    push_attribute(buf, "width", RC_SVG_WIDTH);
    push_attribute(buf, "height", height);
    push_c(buf, " role=\"img\">\n<title>");
    push_escaped(buf, title);
    push_c(buf, ": ");
    push_escaped(buf, scenario);
    push_c(buf, "</title>\n<desc>");
    push_escaped(buf, subtitle);
    push_c(buf, "</desc>\n");
    push_c(buf, STYLE);
    rc_svg_rect(buf, &(rc_svg_box){0, 0, RC_SVG_WIDTH, height}, 0, "paper");
    rc_svg_text(buf, RC_SVG_MARGIN, 420, RC_SVG_START, "title", title);
    rc_svg_text(buf, RC_SVG_WIDTH - RC_SVG_MARGIN, 420, RC_SVG_END, "soft", scenario);
    rc_svg_text(buf, RC_SVG_MARGIN, 640, RC_SVG_START, "soft big", subtitle);
}

void rc_svg_close(rc_buf *buf)
{
    push_c(buf, "</svg>\n");
}
