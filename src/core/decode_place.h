/* Where a decoder is and what it has to say: JSON pointer, line and column, one phrase. */
#ifndef RC_CORE_DECODE_PLACE_H
#define RC_CORE_DECODE_PLACE_H

#include <recourse/json.h>

typedef struct rc_decode_place {
    rc_str text;          /* the whole input */
    rc_decode_info *info; /* borrowed */
    rc_buf pointer;       /* in `memory` */
    char memory[RC_DECODE_POINTER_MAX - 1];
} rc_decode_place;

/* info: borrows; cleared. */
void rc_decode_place_init(rc_decode_place *place, rc_str text, rc_decode_info *info);

/* One step down; the mark takes it back. A step that does not fit is left out: the pointer then
 * ends at its parent. A foreign step may be anybody's text: it is scrubbed, and control characters
 * are shown as '?'. */
size_t rc_decode_enter(rc_decode_place *place, rc_str step);
size_t rc_decode_enter_foreign(rc_decode_place *place, rc_str step);
size_t rc_decode_enter_index(rc_decode_place *place, size_t index);
void rc_decode_leave(rc_decode_place *place, size_t mark);

/* Writes where and why into the info. The phrase is `what`, and `name` (may be empty) in quotes
 * behind it. */
void rc_decode_tell(rc_decode_place *place, rc_status status, size_t offset, const char *what,
                    rc_str name);

/* Counts what a tolerant decoder drops, and keeps the first pointers. */
void rc_decode_note_dropped(rc_decode_place *place);

#endif
