/* The tables of spec/stream_events.def and spec/finish.def, used by rc_stream_walk and
 * rc_stream_watch. */
#ifndef RC_DIALECT_STREAM_TABLE_H
#define RC_DIALECT_STREAM_TABLE_H

#include "dialect/stream.h"

/* The action for a member of an object; spec/stream_events.def explains the actions. */
typedef enum rc_stream_action {
    RC_STREAM_DO_WALK,
    RC_STREAM_DO_CONTENT,
    RC_STREAM_DO_MEDIA,
    RC_STREAM_DO_FINISH,
    RC_STREAM_DO_ERROR,
    RC_STREAM_DO_IS_ERROR,
    RC_STREAM_DO_INDEX,
    RC_STREAM_DO_DONE,
    RC_STREAM_DO_USAGE,
    RC_STREAM_DO_COUNT
} rc_stream_action;

typedef enum rc_stream_shape_id {
#define RC_STREAM_SHAPE(ID, FIELDS) RC_STREAM_SHAPE_##ID,
#include "spec/stream_events.def"
    RC_STREAM_SHAPE_NONE
} rc_stream_shape_id;

typedef struct rc_stream_field {
    rc_str key;
    rc_stream_action action;
    rc_stream_shape_id shape; /* for the action WALK: the shape of the member's value */
} rc_stream_field;

typedef struct rc_stream_shape {
    const rc_stream_field *fields; /* the members of the object; at least one */
    size_t count;
} rc_stream_shape;

/* The shapes (lists of the members of an object), indexed by rc_stream_shape_id. */
extern const rc_stream_shape rc_stream_shapes[RC_STREAM_SHAPE_NONE];

/* A bit in rc_stream_type.kinds: events of this type repeat earlier content. */
#define RC_STREAM_REPEAT (1u << 16)

typedef struct rc_stream_type {
    rc_str type; /* a pattern that may contain one *, which matches any text */
    rc_stream_dialect dialect;
    unsigned kinds;
    rc_stream_shape_id shape;
} rc_stream_type;

typedef struct rc_stream_traits {
    const char *name;
    rc_stream_shape_id root;
    bool is_typed;       /* events have a type, in the member "type" or as the event name */
    rc_str done;         /* data of the terminator event; empty: none */
    rc_str finish;       /* name of the member with the finish reason */
    bool ends_by_finish; /* a stream in which every choice has a finish reason needs no
                            terminator */
} rc_stream_traits;

/* The dialects, indexed by rc_stream_dialect. */
extern const rc_stream_traits rc_stream_dialects[RC_STREAM_DIALECT_COUNT];

/* Returns the dialect's row for an event type; NULL if the dialect has no row for it. */
const rc_stream_type *rc_stream_type_find(rc_stream_dialect dialect, rc_str type);

/* Returns the meaning of a finish reason, in any letter case; UNKNOWN if spec/finish.def does not
 * list the reason. */
rc_stream_finish rc_stream_finish_parse(rc_str text);

/* Returns whether the finish reason `candidate` of one choice replaces the finish reason `before`
 * of an earlier choice in the result for the whole response. A usable finish reason never hides an
 * unusable one. */

bool rc_stream_finish_counts(rc_stream_finish before, rc_stream_finish candidate);

#endif
