/* rc_stream_walk: finds content, finish reasons, usage and errors in the data of one event, at the
 * members that spec/stream_events.def names. */
#ifndef RC_DIALECT_STREAM_WALK_H
#define RC_DIALECT_STREAM_WALK_H

#include "dialect/stream.h"
#include "dialect/stream_table.h"

typedef struct rc_stream_walk_result {
    rc_stream_event_info info;
    rc_usage usage;
    bool has_numbers;  /* usage contains counts; few events have counts */
    uint64_t begun;    /* choices with content, one bit each */
    uint64_t finished; /* choices with a finish reason, one bit each */
} rc_stream_walk_result;

/* Returns an empty result. */
rc_stream_walk_result rc_stream_walk_result_none(void);

/* Walks the data of an event and fills in *found, which must be empty. `name`: the event name, used
 * if the data has no type. `template`: a template for events of this form, which is used and
 * updated; may be NULL. Members that no shape of spec/stream_events.def names are skipped by
 * matching quotes and brackets. Returns false and leaves *found empty if the data is not a JSON
 * object or array, or is malformed where it was examined. The result views data. Its kinds may
 * include RC_STREAM_REPEAT (dialect/stream_table.h). */
bool rc_stream_walk(rc_stream_dialect dialect, rc_str name, rc_str data,
                    rc_event_template *template, rc_stream_walk_result *found);

/* Records the finish reason in the last bytes of an event, if they contain the dialect's key of the
 * finish reason. */
void rc_stream_walk_tail(rc_stream_dialect dialect, rc_str tail, rc_stream_walk_result *found);

/* Return the type of an oversized event that has no name: rc_stream_head_type reads it in the first
 * bytes, rc_stream_tail_type in the last member. Returns NULL if there is no type, or the dialect
 * does not know it. */
const rc_stream_type *rc_stream_head_type(rc_stream_dialect dialect, rc_str head);
const rc_stream_type *rc_stream_tail_type(rc_stream_dialect dialect, rc_str tail);

/* Returns the finish reason in the tail as the provider spells it; empty: none. Views tail.
 * `ret_key_at`: the offset of the key of the finish reason, written only if one was found. */
rc_str rc_stream_tail_finish(rc_stream_dialect dialect, rc_str tail, size_t *ret_key_at);

#endif
