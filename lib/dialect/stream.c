/* Stream watch: determines the kinds of stream events and how a stream ended. Called by the
 * gateway's attempts and the response reader. */
#include "dialect/stream.h"

#include "base/str.h"
#include "dialect/stream_table.h"
#include "dialect/stream_walk.h"

void rc_stream_watch_init(rc_stream_watch *watch, rc_stream_dialect dialect)
{
    *watch = (rc_stream_watch){.dialect = dialect};
    rc_usage_init(&watch->usage);
}

void rc_stream_watch_set_template(rc_stream_watch *watch, rc_event_template *template)
{
    watch->template = template;
}

/* ---- a single event ---- */

static bool is_error_name(rc_str name)
{
    return rc_str_eq(name, RC_STR("error")) || rc_str_eq(name, RC_STR("exception"));
}

/* Examines an event without data. The kind of such an event is OTHER, unless its bytes are a JSON
 * error that the server sent instead of a stream. */
static void look_at_bare(const rc_stream_watch *watch, const rc_stream_event *event,
                         rc_stream_walk_result *found)
{
    rc_str text = rc_str_trim(event->raw);
    bool is_error = rc_stream_walk(watch->dialect, event->name, text, NULL, found) &&
                    found->info.kinds & RC_STREAM_ERROR;
    *found = rc_stream_walk_result_none();
    found->info.kinds = is_error ? RC_STREAM_ERROR : RC_STREAM_OTHER;
}

static void look_at_data(const rc_stream_watch *watch, const rc_stream_event *event,
                         rc_stream_walk_result *found)
{
    rc_str data = rc_str_trim(event->data);
    rc_str done = rc_stream_dialects[watch->dialect].done;
    if (data.len == 0)
        found->info.kinds = RC_STREAM_KEEPALIVE;
    else if (done.len > 0 && rc_str_eq(data, done))
        found->info.kinds = RC_STREAM_TERMINATOR;
    else if (rc_str_eq(data, RC_STR("[DONE]")))
        found->info.kinds = RC_STREAM_OTHER; /* terminator of another dialect */
    else if (!rc_stream_walk(watch->dialect, event->name, data, watch->template, found))
        found->info.kinds = RC_STREAM_DAMAGED;
}

/* Returns the type of an oversized event: the type in its name; if it has no name, the type in its
 * first or last bytes. */
static const rc_stream_type *type_of_oversized(const rc_stream_watch *watch,
                                               const rc_stream_event *event)
{
    const rc_stream_type *row = rc_stream_type_find(watch->dialect, event->name);
    if (row == NULL)
        row = watch->part_type;
    return row ? row : rc_stream_tail_type(watch->dialect, event->tail);
}

/* Examines an oversized event, which is not parsed. The event counts as content, because only
 * content makes an event so large, and has the kinds of its type in addition. The last bytes of the
 * event may contain the finish reason and token counts. */
static void look_at_oversized(rc_stream_watch *watch, const rc_stream_event *event,
                              rc_stream_walk_result *found)
{
    rc_stream_event_info *info = &found->info;
    info->kinds = RC_STREAM_CONTENT;
    info->content_bytes = event->raw.len;
    found->begun = 1;
    if (event->head.len > 0)
        watch->part_type = rc_stream_head_type(watch->dialect, event->head);
    if (event->type == RC_STREAM_EVENT_PART || event->is_cut)
        return;
    const rc_stream_type *row = type_of_oversized(watch, event);
    if (row)
        info->kinds |= row->kinds & (RC_STREAM_FINISH | RC_STREAM_TERMINATOR | RC_STREAM_ERROR);
    rc_stream_walk_tail(watch->dialect, event->tail, found);
    found->has_numbers = true;
    if (rc_usage_read_tail(&found->usage, event->tail))
        info->kinds |= RC_STREAM_USAGE;
    if (info->kinds & RC_STREAM_FINISH && info->finish == RC_STREAM_FINISH_NONE)
        info->finish = RC_STREAM_FINISH_UNKNOWN;
}

static void look_at(rc_stream_watch *watch, const rc_stream_event *event,
                    rc_stream_walk_result *found)
{
    unsigned *kinds = &found->info.kinds;
    if (event->is_oversized)
        look_at_oversized(watch, event, found);
    else if (event->has_data)
        look_at_data(watch, event, found);
    else
        look_at_bare(watch, event, found);

    if (is_error_name(event->name))
        *kinds = (*kinds & ~(unsigned)RC_STREAM_DAMAGED) | RC_STREAM_ERROR;
    if (*kinds & RC_STREAM_REPEAT && watch->content_events > 0) {
        *kinds &= ~(unsigned)RC_STREAM_CONTENT;
        found->info.content_bytes = 0;
        found->usage.weight = 0;
    }
    *kinds &= ~RC_STREAM_REPEAT;
    if (*kinds & RC_STREAM_CONTENT)
        *kinds &= ~(unsigned)RC_STREAM_PREAMBLE;
    if (*kinds & ~(unsigned)RC_STREAM_OTHER)
        *kinds &= ~(unsigned)RC_STREAM_OTHER;
    if (*kinds & RC_STREAM_ERROR)
        found->info.error = event->is_element ? event->data : event->raw;
}

/* Returns whether every choice for which content was received has a finish reason. */
static bool is_finished(const rc_stream_watch *watch)
{
    return watch->finished != 0 && watch->finished == watch->begun;
}

/* Returns whether the client may miss content if a damaged event is dropped. Content is never sent
 * after the terminator or after the finish reasons of all choices, and a keepalive or a text
 * without { or " contains no content. In an array every damaged element is a loss, because the
 * comma after it would remain. */
static bool is_loss(const rc_stream_watch *watch, const rc_stream_event *event)
{
    const rc_stream_type *row = rc_stream_type_find(watch->dialect, event->name);
    if (event->is_cut || watch->has_terminator)
        return false;
    if (event->is_element)
        return true;
    if (is_finished(watch) || (row != NULL && row->kinds == RC_STREAM_KEEPALIVE))
        return false;
    return rc_str_find_byte(event->data, '{', 0) != RC_STR_NPOS ||
           rc_str_find_byte(event->data, '"', 0) != RC_STR_NPOS;
}

/* ---- the stream as a whole ---- */

static void note_finish(rc_stream_watch *watch, const rc_stream_walk_result *found)
{
    watch->begun |= found->begun;
    watch->finished = (watch->finished & ~found->begun) | found->finished;
    const rc_stream_finish finish = found->info.finish;
    if (finish != RC_STREAM_FINISH_NONE && rc_stream_finish_counts(watch->finish, finish))
        watch->finish = finish;
}

/* Records token counts. A count that arrives after the finish reason is final. */
static void note_usage(rc_stream_watch *watch, const rc_stream_walk_result *found)
{
    if (found->has_numbers)
        rc_usage_add(&watch->usage, &found->usage);
    else
        watch->usage.weight += found->usage.weight;
    if (found->info.kinds & RC_STREAM_USAGE && watch->finish != RC_STREAM_FINISH_NONE)
        watch->usage.is_final = true;
}

static void note(rc_stream_watch *watch, const rc_stream_event *event,
                 const rc_stream_walk_result *found)
{
    unsigned kinds = found->info.kinds;
    bool is_part = event->type == RC_STREAM_EVENT_PART;
    watch->is_array |= event->is_element;
    watch->events += !is_part;
    watch->content_events += kinds & RC_STREAM_CONTENT && !watch->is_in_parts;
    watch->content_bytes += found->info.content_bytes;
    watch->is_in_parts = is_part;
    watch->is_last_cut = event->is_cut && (kinds & RC_STREAM_DAMAGED || !event->has_data);
    if (kinds & RC_STREAM_DAMAGED) {
        watch->damaged += !event->is_cut;
        watch->lost += found->info.is_loss;
        watch->is_last_damaged = !event->is_cut;
    } else if (kinds != RC_STREAM_KEEPALIVE) {
        watch->is_last_damaged = false;
    }
    if (kinds & RC_STREAM_ERROR && !watch->has_terminator)
        watch->has_error = true;
    if (kinds & RC_STREAM_TERMINATOR)
        watch->has_terminator = true;
    note_finish(watch, found);
    note_usage(watch, found);
}

void rc_stream_watch_step(rc_stream_watch *watch, const rc_stream_event *event,
                          rc_stream_event_info *ret_info)
{
    rc_stream_walk_result found = rc_stream_walk_result_none();
    switch (event->is_idle ? RC_STREAM_EVENT_BLANK : event->type) {
    case RC_STREAM_EVENT_DATA:
    case RC_STREAM_EVENT_PART:
        look_at(watch, event, &found);
        found.info.is_loss = found.info.kinds & RC_STREAM_DAMAGED && is_loss(watch, event);
        note(watch, event, &found);
        break;
    case RC_STREAM_EVENT_COMMENT:
    case RC_STREAM_EVENT_BLANK:
        found.info.kinds = RC_STREAM_KEEPALIVE;
        break;
    case RC_STREAM_EVENT_CLOSE:
        watch->is_array = true;
        watch->is_closed = true;
        found.info.kinds = is_finished(watch) ? RC_STREAM_TERMINATOR : RC_STREAM_OTHER;
        break;
    }
    *ret_info = found.info;
}

/* Returns whether the body ended regularly. If the dialect has no terminator, a body without a
 * length that ends with the connection also counts as regular, because some proxies send such
 * responses. */
static bool is_orderly(const rc_stream_watch *watch, rc_stream_body_end body)
{
    if (body == RC_STREAM_BODY_CLOSED)
        return rc_stream_dialects[watch->dialect].done.len == 0 && !watch->is_last_cut;
    return body == RC_STREAM_BODY_WHOLE;
}

rc_stream_end rc_stream_watch_end(const rc_stream_watch *watch, rc_stream_body_end body)
{
    bool is_empty = watch->content_events == 0 && watch->finish == RC_STREAM_FINISH_NONE;
    bool is_body_whole = watch->is_array ? watch->is_closed : is_orderly(watch, body);
    bool has_ended = rc_stream_dialects[watch->dialect].ends_by_finish && is_body_whole &&
                     is_finished(watch) && !watch->is_last_damaged;
    if (watch->has_error)
        return RC_STREAM_END_ERRORED;
    if ((watch->has_terminator || has_ended) && !is_empty)
        return RC_STREAM_END_COMPLETE;
    if (watch->is_last_damaged)
        return RC_STREAM_END_DAMAGED;
    return is_empty ? RC_STREAM_END_EMPTY : RC_STREAM_END_TRUNCATED;
}

const char *rc_stream_end_name(rc_stream_end end)
{
    switch (end) {
    case RC_STREAM_END_COMPLETE:
        return "complete";
    case RC_STREAM_END_TRUNCATED:
        return "truncated";
    case RC_STREAM_END_EMPTY:
        return "empty";
    case RC_STREAM_END_ERRORED:
        return "errored";
    case RC_STREAM_END_DAMAGED:
        return "damaged_end";
    }
    return "unknown";
}
