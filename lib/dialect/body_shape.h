/* rc_body_shape: what a body is, by its first bytes.
 *
 *   "  {", "\n["                OBJECT, ARRAY
 *   ": ping", "data:", "id:"    EVENTS, server-sent
 *   "<html", "Busy"             OTHER
 *
 * White space and a byte order mark may stand in front of all of them. What a header calls the body
 * says less: there are servers that send events as text/plain, or as nothing at all. */
#ifndef RC_DIALECT_BODY_SHAPE_H
#define RC_DIALECT_BODY_SHAPE_H

#include <stdint.h>

#include <recourse/str.h>

/* The longest name of a field. */
#define RC_BODY_PREFIX_MAX 5

typedef enum rc_body_kind {
    RC_BODY_UNDECIDED = 0, /* white space so far, or what may become a field */
    RC_BODY_OBJECT = 1,
    RC_BODY_ARRAY = 2,
    RC_BODY_EVENTS = 3,
    RC_BODY_OTHER = 4
} rc_body_kind;

/* The caller's storage, zeroed before the first step. Read what is not private, change nothing. */
typedef struct rc_body_shape {
    rc_body_kind kind;  /* once it is not OPEN it stays what it is */
    uint8_t prefix_len; /* of what may become a field: its first bytes */
    char prefix[RC_BODY_PREFIX_MAX];
} rc_body_shape;

/* More of the body; gives the kind. However it is cut into pieces, the kind is the same. piece:
 * borrows. */
rc_body_kind rc_body_shape_step(rc_body_shape *shape, rc_str piece);

/* Of bytes that are all there is: OPEN when they are white space or half a word. */
rc_body_kind rc_body_kind_of(rc_str body);

/* The bytes from the first one on that is neither white space nor of a mark. Views body. */
rc_str rc_body_skip_blank(rc_str body);

#endif
