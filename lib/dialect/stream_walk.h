/* rc_stream_walk: looks into the data of one event, as spec/stream_events.def says where. */
#ifndef RC_DIALECT_STREAM_WALK_H
#define RC_DIALECT_STREAM_WALK_H

#include "dialect/stream.h"
#include "dialect/stream_table.h"

typedef struct rc_stream_walk_result {
    rc_stream_event_info info;
    rc_usage usage;
    bool has_numbers;  /* usage has some, which few events do */
    uint64_t begun;    /* choices with content, a bit each */
    uint64_t finished; /* choices with a finish reason */
} rc_stream_walk_result;

/* Nothing found yet. */
rc_stream_walk_result rc_stream_walk_result_none(void);

/* What the data of an event holds. found: nothing yet. name: of the event; counts where the data
 * has no type. False: the data is no JSON object or array, or damaged where it was looked at;
 * nothing is found then. What a shape does not name is passed over by its brackets and quotes.
 * mould: of events like this one, used and renewed; NULL: there is none. Views data. Kinds may have
 * RC_STREAM_REPEAT (codec/stream_table.h). */
bool rc_stream_walk(rc_stream_dialect dialect, rc_str name, rc_str data,
                    rc_event_template *template, rc_stream_walk_result *found);

/* The finish reason in the last bytes of an event: the last key of the dialect's name for it. */
void rc_stream_walk_tail(rc_stream_dialect dialect, rc_str tail, rc_stream_walk_result *found);

/* The type of an event that has no name and is too large to be read: in its first bytes, or as its
 * very last member. NULL: it does not stand there, or the dialect does not know it. */
const rc_stream_type *rc_stream_head_type(rc_stream_dialect dialect, rc_str head);
const rc_stream_type *rc_stream_tail_type(rc_stream_dialect dialect, rc_str tail);

/* The finish reason as text, as the provider spells it; empty: there is none. Views tail.
 * ret_key_at: where its key stands, if there is one. */
rc_str rc_stream_tail_finish(rc_stream_dialect dialect, rc_str tail, size_t *ret_key_at);

#endif
