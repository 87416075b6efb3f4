/* rc_body_shape: recognises the kind of a response body by the first bytes of the body.
 *
 *   "  {", "\n["                OBJECT, ARRAY
 *   ": ping", "data:", "id:"    EVENTS (server-sent)
 *   "<html", "Busy"             OTHER
 *
 * White space and a byte order mark may precede a body of any kind. The content-type header is less
 * reliable: some servers send events as text/plain or without a content type. */
#ifndef RC_DIALECT_BODY_SHAPE_H
#define RC_DIALECT_BODY_SHAPE_H

#include <stdint.h>

#include <recourse/str.h>

/* The length of the longest SSE field name. */
#define RC_BODY_PREFIX_MAX 5

typedef enum rc_body_kind {
    RC_BODY_UNDECIDED = 0, /* so far only white space or the start of a possible field name */
    RC_BODY_OBJECT = 1,
    RC_BODY_ARRAY = 2,
    RC_BODY_EVENTS = 3,
    RC_BODY_OTHER = 4
} rc_body_kind;

/* The state of the recognition. The caller provides the storage and zeroes it before the first
 * step. */
typedef struct rc_body_shape {
    rc_body_kind kind;               /* final once it is not RC_BODY_UNDECIDED */
    uint8_t prefix_len;              /* private: number of bytes in prefix */
    char prefix[RC_BODY_PREFIX_MAX]; /* private: start of a possible SSE field name */
} rc_body_shape;

/* Processes the next piece of the body and returns the kind. The result does not depend on how the
 * body is split into pieces. piece: borrows during the call. */
rc_body_kind rc_body_shape_step(rc_body_shape *shape, rc_str piece);

/* Returns the kind of a complete body; UNDECIDED if the body is only white space or a part of a
 * field name. */
rc_body_kind rc_body_kind_of(rc_str body);

/* Returns the body without leading white space and byte order mark. The result views body. */
rc_str rc_body_skip_blank(rc_str body);

#endif
