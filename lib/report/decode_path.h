/* rc_decode_path: the decoder's position (JSON pointer, line and column) and its error message. */
#ifndef RC_REPORT_DECODE_PATH_H
#define RC_REPORT_DECODE_PATH_H

#include <recourse/json.h>

typedef struct rc_decode_path {
    rc_str text;          /* The whole input. */
    rc_decode_info *info; /* Receives the error and the dropped members; borrowed from the
                             caller. */
    rc_buf pointer;       /* JSON pointer of the current value, in `memory`. */
    char memory[RC_DECODE_POINTER_MAX - 1];
} rc_decode_path;

/* Initialises the path at the root of the JSON. text: views until the decoding ends. info: borrows
 * until the decoding ends; is cleared now. */
void rc_decode_path_init(rc_decode_path *path, rc_str text, rc_decode_info *info);

/* rc_decode_path_enter appends a member's name to the JSON pointer of the path, and
 * rc_decode_path_enter_index appends an array index. Both functions return the previous length of
 * the pointer, which rc_decode_path_leave restores. A name that does not fit into the buffer is
 * left out, so the pointer then names the parent. rc_decode_path_enter_untrusted is for a name that
 * is not in the table of fields: it removes secrets from the name and replaces control characters
 * by '?'. */
size_t rc_decode_path_enter(rc_decode_path *path, rc_str step);
size_t rc_decode_path_enter_untrusted(rc_decode_path *path, rc_str step);
size_t rc_decode_path_enter_index(rc_decode_path *path, size_t index);
void rc_decode_path_leave(rc_decode_path *path, size_t parent_len);

/* Writes the position of `offset` and the message into `info`. The message is `what`, followed by
 * `name` in quotes unless `name` is empty. */
void rc_decode_path_set_info(rc_decode_path *path, rc_status status, size_t offset,
                             const char *what, rc_str name);

/* Counts a member that the tolerant decoder drops, and stores the member's JSON pointer, up to
 * RC_DECODE_DROPPED_MAX pointers. */
void rc_decode_path_note_dropped(rc_decode_path *path);

#endif
