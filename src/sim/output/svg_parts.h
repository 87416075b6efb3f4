/* The parts that the pictures are made of. Lengths are tenths of a pixel: whole numbers, so that
 * the same picture has the same bytes everywhere. */
#ifndef RC_SIM_OUTPUT_SVG_PARTS_H
#define RC_SIM_OUTPUT_SVG_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_SVG_WIDTH 9600
#define RC_SVG_MARGIN 320
/* Where the title's part ends and the chart may begin. */
#define RC_SVG_HEAD 1180

typedef enum rc_svg_anchor {
    RC_SVG_START,
    RC_SVG_MIDDLE,
    RC_SVG_END
} rc_svg_anchor;

typedef struct rc_svg_box {
    int64_t x, y, width, height;
} rc_svg_box;

/* Opens the picture: style, background, title and subtitle, the scenario in the corner. */
void rc_svg_open(rc_buf *buf, int64_t height, rc_str title, rc_str subtitle, rc_str scenario);
void rc_svg_close(rc_buf *buf);

/* Text at its base line. css: the classes, ours. text: from anywhere, escaped. */
void rc_svg_text(rc_buf *buf, int64_t x, int64_t y, rc_svg_anchor anchor, const char *css,
                 rc_str text);
/* The same for a name in bold, cut to what roughly fits into width. */
void rc_svg_name(rc_buf *buf, int64_t x, int64_t y, rc_svg_anchor anchor, bool is_ours, rc_str name,
                 int64_t width);
void rc_svg_rect(rc_buf *buf, const rc_svg_box *box, int64_t radius, const char *css);
void rc_svg_line(rc_buf *buf, int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char *css);
void rc_svg_dot(rc_buf *buf, int64_t x, int64_t y, int64_t radius, const char *css);

/* A path, point by point. */
void rc_svg_path_begin(rc_buf *buf, const char *css);
void rc_svg_path_point(rc_buf *buf, char command, int64_t x, int64_t y);
void rc_svg_path_end(rc_buf *buf);

/* Columns that a text takes in the 12 pixel face, roughly: for things that stand behind it. */
int64_t rc_svg_text_width(rc_str text);

/* Appends a length: "12.5". */
void rc_svg_push_length(rc_buf *buf, int64_t tenths);

#endif
