/* rc_decode_path: the decoder's position (JSON pointer, line and column) and its error message. */
#ifndef RC_REPORT_DECODE_PATH_H
#define RC_REPORT_DECODE_PATH_H

#include <recourse/json.h>

typedef struct rc_decode_path {
    rc_str text;          /* The whole input. */
    rc_decode_info *info; /* Borrowed; receives errors and dropped members. */
    rc_buf pointer;       /* JSON pointer of the current value, in `memory`. */
    char memory[RC_DECODE_POINTER_MAX - 1];
} rc_decode_path;

/* Starts at the root. text: views. info: borrows and clears. */
void rc_decode_path_init(rc_decode_path *path, rc_str text, rc_decode_info *info);

/* Enter a member or array element and return the pointer's previous length, which leave restores. A
 * step that does not fit is left out; the pointer then ends at the parent. An untrusted step may be
 * any text: it is scrubbed, and control characters are shown as '?'. */
size_t rc_decode_path_enter(rc_decode_path *path, rc_str step);
size_t rc_decode_path_enter_untrusted(rc_decode_path *path, rc_str step);
size_t rc_decode_path_enter_index(rc_decode_path *path, size_t index);
void rc_decode_path_leave(rc_decode_path *path, size_t parent_len);

/* Writes position and message into the info. The message is `what`, followed by `name` (may be
 * empty) in quotes. */
void rc_decode_path_set_info(rc_decode_path *path, rc_status status, size_t offset,
                             const char *what, rc_str name);

/* Counts a member that the tolerant decoder drops, and stores the first pointers. */
void rc_decode_path_note_dropped(rc_decode_path *path);

#endif
