/* Where a decoder is and what it has to say: JSON pointer, line and column, one phrase. */
#ifndef RC_REPORT_DECODE_PATH_H
#define RC_REPORT_DECODE_PATH_H

#include <recourse/json.h>

typedef struct rc_decode_path {
    rc_str text;          /* the whole input */
    rc_decode_info *info; /* borrowed */
    rc_buf pointer;       /* in `memory` */
    char memory[RC_DECODE_POINTER_MAX - 1];
} rc_decode_path;

/* info: borrows; cleared. */
void rc_decode_path_init(rc_decode_path *path, rc_str text, rc_decode_info *info);

/* One step down; the mark takes it back. A step that does not fit is left out: the pointer then
 * ends at its parent. A foreign step may be anybody's text: it is scrubbed, and control characters
 * are shown as '?'. */
size_t rc_decode_path_enter(rc_decode_path *path, rc_str step);
size_t rc_decode_path_enter_untrusted(rc_decode_path *path, rc_str step);
size_t rc_decode_path_enter_index(rc_decode_path *path, size_t index);
void rc_decode_path_leave(rc_decode_path *path, size_t parent_len);

/* Writes where and why into the info. The phrase is `what`, and `name` (may be empty) in quotes
 * behind it. */
void rc_decode_path_set_info(rc_decode_path *path, rc_status status, size_t offset,
                             const char *what, rc_str name);

/* Counts what a tolerant decoder drops, and keeps the first pointers. */
void rc_decode_path_note_dropped(rc_decode_path *path);

#endif
