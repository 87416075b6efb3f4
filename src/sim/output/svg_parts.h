/* Elements of the SVG files. Lengths are integers in tenths of a pixel, so that a chart has the
 * same bytes on every machine. */
#ifndef RC_SIM_OUTPUT_SVG_PARTS_H
#define RC_SIM_OUTPUT_SVG_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_SVG_WIDTH 9600
#define RC_SVG_MARGIN 320
/* Height of the title area, above the chart. */
#define RC_SVG_HEAD 1180

typedef enum rc_svg_anchor {
    RC_SVG_START,
    RC_SVG_MIDDLE,
    RC_SVG_END
} rc_svg_anchor;

typedef struct rc_svg_box {
    int64_t x, y, width, height;
} rc_svg_box;

/* Begins the document with style, background, title, subtitle and, in the corner, the scenario. */
void rc_svg_open(rc_buf *buf, int64_t height, rc_str title, rc_str subtitle, rc_str scenario);
/* Ends the document. */
void rc_svg_close(rc_buf *buf);

/* Appends `text`, which is escaped; `y` is its baseline. `css` has class names, which are not
 * escaped. */
void rc_svg_text(rc_buf *buf, int64_t x, int64_t y, rc_svg_anchor anchor, const char *css,
                 rc_str text);
/* Like rc_svg_text for a name in bold, truncated to about `width`. */
void rc_svg_name(rc_buf *buf, int64_t x, int64_t y, rc_svg_anchor anchor, bool is_ours, rc_str name,
                 int64_t width);
/* rc_svg_rect, rc_svg_line and rc_svg_dot append a shape. `css` has class names, which
 * are not escaped. */
void rc_svg_rect(rc_buf *buf, const rc_svg_box *box, int64_t radius, const char *css);
void rc_svg_line(rc_buf *buf, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *css);
void rc_svg_dot(rc_buf *buf, int64_t x, int64_t y, int64_t radius, const char *css);

/* The rc_svg_path functions append a path point by point. `command` is the SVG command of a point,
 * M (move) or L (line). */
void rc_svg_path_begin(rc_buf *buf, const char *css);
void rc_svg_path_point(rc_buf *buf, char command, int64_t x, int64_t y);
void rc_svg_path_end(rc_buf *buf);

/* Returns the approximate width of a text in the 12 pixel font, so that the caller can place the
 * next element. */
int64_t rc_svg_text_width(rc_str text);

/* Appends a length in pixels, such as "12.5". */
void rc_svg_push_length(rc_buf *buf, int64_t tenths);

#endif
