/* rc_stream_walk: finds content, finish reasons, usage and errors in the data of one event.
 * spec/stream_events.def names the members that contain them. */
#ifndef RC_DIALECT_STREAM_WALK_H
#define RC_DIALECT_STREAM_WALK_H

#include "dialect/stream.h"
#include "dialect/stream_table.h"

typedef struct rc_stream_walk_result {
    rc_stream_event_info info;
    rc_usage usage;
    bool has_numbers;  /* usage contains token counts, as it does in few events */
    uint64_t begun;    /* choices with content, one bit each */
    uint64_t finished; /* choices with a finish reason, one bit each */
} rc_stream_walk_result;

/* Returns an empty result. */
rc_stream_walk_result rc_stream_walk_result_none(void);

/* Walks the data of an event and fills in *found, which must be empty. `name`: the event name, used
 * if the data has no type. `template`: a template that is compared with the event, and replaced if
 * it does not match; may be NULL. Members that no shape of spec/stream_events.def names are skipped
 * by matching quotes and brackets. Returns false, with *found empty, if the data is not a JSON
 * object or array, or if a part of the data that was examined is malformed. *found views data. Its
 * kinds may include RC_STREAM_REPEAT (dialect/stream_table.h). */
bool rc_stream_walk(rc_stream_dialect dialect, rc_str name, rc_str data,
                    rc_event_template *template, rc_stream_walk_result *found);

/* Records the finish reason in the last bytes of an event, if they contain the dialect's key of the
 * finish reason. */
void rc_stream_walk_tail(rc_stream_dialect dialect, rc_str tail, rc_stream_walk_result *found);

/* Both functions return the type of an oversized event that has no name: rc_stream_head_type finds
 * the type in the first bytes of the event, rc_stream_tail_type in its last member. Both return
 * NULL if the event has no type, or a type that the dialect does not have. */
const rc_stream_type *rc_stream_head_type(rc_stream_dialect dialect, rc_str head);
const rc_stream_type *rc_stream_tail_type(rc_stream_dialect dialect, rc_str tail);

/* Returns the finish reason in the tail as the provider spells it; empty if the tail has none. The
 * result views tail. *ret_key_at is the offset of the key of the finish reason; it is written only
 * if a finish reason is found. */
rc_str rc_stream_tail_finish(rc_stream_dialect dialect, rc_str tail, size_t *ret_key_at);

#endif
