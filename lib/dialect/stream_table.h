/* The tables of spec/stream_events.def and spec/finish.def, for the walk and the watch. */
#ifndef RC_DIALECT_STREAM_TABLE_H
#define RC_DIALECT_STREAM_TABLE_H

#include "dialect/stream.h"

/* What to do with a member of an object. */
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
    rc_stream_shape_id shape; /* of WALK */
} rc_stream_field;

typedef struct rc_stream_shape {
    const rc_stream_field *fields; /* at least one */
    size_t count;
} rc_stream_shape;

/* By id. */
extern const rc_stream_shape rc_stream_shapes[RC_STREAM_SHAPE_NONE];

/* In the kinds of a type: its content has come before. */
#define RC_STREAM_REPEAT (1u << 16)

typedef struct rc_stream_type {
    rc_str type; /* one * stands for anything */
    rc_stream_dialect dialect;
    unsigned kinds;
    rc_stream_shape_id shape;
} rc_stream_type;

typedef struct rc_stream_traits {
    const char *name;
    rc_stream_shape_id root;
    bool is_typed;
    rc_str done;
    rc_str finish; /* the key of the finish reason */
    bool ends_by_finish;
} rc_stream_traits;

/* By dialect. */
extern const rc_stream_traits rc_stream_dialects[RC_STREAM_DIALECT_COUNT];

/* The dialect's row for a type of event; NULL: there is none. */
const rc_stream_type *rc_stream_type_find(rc_stream_dialect dialect, rc_str type);

/* A finish reason as a dialect spells it, in any case. */
rc_stream_finish rc_stream_finish_parse(rc_str text);

/* Of several choices: does this ending count, and not the one before it? What a client can still
 * use hides nothing that it cannot. */
bool rc_stream_finish_counts(rc_stream_finish before, rc_stream_finish candidate);

#endif
