/* Server-sent events reader. Called by the gateway for streaming responses and by
 * lib/dialect/response_reader.c. */
#include "codec/sse.h"

#include "base/str.h"
#include "base/utf8.h"

#define LF_NOT_KNOWN ((size_t)-1)
#define BOM_LEN 3

enum {
    LINE_EMPTY,
    LINE_COMMENT,
    LINE_FIELD
};

static const char BOM[BOM_LEN] = {'\xEF', '\xBB', '\xBF'};

void rc_sse_init(rc_sse *sse, rc_buf *scratch, size_t max_bytes)
{
    *sse = (rc_sse){.lf_at = LF_NOT_KNOWN};
    rc_stream_feed_init(&sse->feed, scratch, max_bytes);
}

void rc_sse_push(rc_sse *sse, rc_str piece)
{
    rc_stream_feed_push(&sse->feed, piece);
    sse->lf_at = LF_NOT_KNOWN;
}

/* ---- fields of a complete event ---- */

typedef struct field {
    rc_str name;
    rc_str value;
} field;

static size_t line_end(rc_str text, size_t from)
{
    const char *start = text.ptr + from;
    const char *lf = memchr(start, '\n', text.len - from);
    size_t len = lf ? (size_t)(lf - start) : text.len - from;
    const char *cr = memchr(start, '\r', len);
    return from + (cr ? (size_t)(cr - start) : len);
}

/* Reads the next line of an event as a field. A comment is a field without a name. Returns false at
 * the end of the text. */
static bool next_field(rc_str text, size_t *at, field *ret_field)
{
    if (*at >= text.len)
        return false;
    size_t end = line_end(text, *at);
    rc_str line = rc_str_make(text.ptr + *at, end - *at);
    *at = end + 1;
    if (end + 1 < text.len && text.ptr[end] == '\r' && text.ptr[end + 1] == '\n')
        *at = end + 2;
    size_t colon = rc_str_find_byte(line, ':', 0);
    if (colon == RC_STR_NPOS) {
        *ret_field = (field){line, {NULL, 0}};
        return true;
    }
    size_t from = colon + 1;
    if (from < line.len && line.ptr[from] == ' ')
        from++;
    *ret_field = (field){rc_str_slice(line, 0, colon), rc_str_slice(line, from, line.len)};
    return true;
}

static bool is_data(const field *f)
{
    return rc_str_eq(f->name, RC_STR("data"));
}

/* Parses the value of a retry field. Returns -1 if the value is not a number of digits only, which
 * the standard requires. */
static int64_t read_retry(rc_str value)
{
    int64_t ms = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (!rc_ascii_is_digit(value.ptr[i]) || ms > INT64_MAX / 10 - 1)
            return -1;
        ms = ms * 10 + (value.ptr[i] - '0');
    }
    return value.len > 0 ? ms : -1;
}

static void read_field(const field *f, rc_stream_event *event)
{
    if (rc_str_eq(f->name, RC_STR("event")))
        event->name = f->value;
    else if (rc_str_eq(f->name, RC_STR("id")) && rc_str_find_byte(f->value, '\0', 0) == RC_STR_NPOS)
        event->id = f->value;
    else if (rc_str_eq(f->name, RC_STR("retry")))
        event->retry_ms = read_retry(f->value);
}

static rc_str without_bom(const rc_stream_event *event, rc_str raw)
{
    return event->begin == 0 ? rc_utf8_without_bom(raw) : raw;
}

/* Reads all fields into the event and returns the number of data lines. If there are several data
 * lines, event->data is the last one. */
static size_t read_fields(rc_str text, rc_stream_event *event)
{
    size_t at = 0;
    size_t data_lines = 0;
    field f;
    while (next_field(text, &at, &f)) {
        if (is_data(&f)) {
            event->data = f.value;
            data_lines++;
        } else {
            read_field(&f, event);
        }
    }
    return data_lines;
}

/* Joins the event's data lines in the scratch buffer. If the scratch buffer already has the event's
 * raw bytes, the joined data is appended to these bytes. */
static void join_data(rc_stream_feed *feed, rc_stream_event *event)
{
    size_t held = feed->is_scratch_consumed ? event->raw.len : 0;
    feed->is_scratch_consumed = true;
    event->data = (rc_str){NULL, 0};
    if (rc_buf_reserve(feed->scratch, event->raw.len) != RC_OK) {
        event->is_oversized = true;
        return;
    }
    if (held > 0)
        event->raw = rc_str_slice(rc_buf_get(feed->scratch), 0, held);
    rc_str text = without_bom(event, event->raw);
    size_t lines = 0;
    size_t at = 0;
    field f;
    read_fields(text, event); /* renews the views, because the memory of the scratch buffer may have
                                 moved */
    while (next_field(text, &at, &f)) {
        if (!is_data(&f))
            continue;
        if (lines++ > 0)
            rc_buf_push_byte(feed->scratch, '\n');
        rc_buf_push(feed->scratch, f.value);
    }
    rc_str all = rc_buf_get(feed->scratch);
    event->data = rc_str_slice(all, held, all.len);
}

static void read_event(rc_stream_feed *feed, rc_stream_event *event)
{
    size_t lines = read_fields(without_bom(event, event->raw), event);
    if (lines > 1)
        join_data(feed, event);
    event->has_data = lines > 0 && !event->is_oversized;
}

/* ---- ends of lines and events ---- */

/* Handles the end of a line. Returns whether the event ends with this line. */
static bool on_line_end(rc_sse *sse)
{
    uint8_t line = sse->line;
    sse->line = LINE_EMPTY;
    if (line == LINE_FIELD)
        sse->has_field = true;
    if (line == LINE_FIELD || (line == LINE_COMMENT && sse->has_field))
        return false;
    if (line == LINE_COMMENT)
        sse->ended = RC_STREAM_EVENT_COMMENT;
    else
        sse->ended = sse->has_field ? RC_STREAM_EVENT_DATA : RC_STREAM_EVENT_BLANK;
    sse->has_field = false;
    return true;
}

/* Returns the offset of the first LF or CR of the piece from `at` on, or the piece's length if it
 * has none. */
static size_t find_line_end(rc_sse *sse, size_t at)
{
    rc_str piece = sse->feed.piece;
    if (sse->lf_at == LF_NOT_KNOWN || sse->lf_at < at) {
        const char *lf = memchr(piece.ptr + at, '\n', piece.len - at);
        sse->lf_at = lf ? (size_t)(lf - piece.ptr) : piece.len;
    }
    const char *cr = memchr(piece.ptr + at, '\r', sse->lf_at - at);
    return cr ? (size_t)(cr - piece.ptr) : sse->lf_at;
}

/* Returns whether c is a byte of the byte order mark that may precede the stream. */
static bool is_bom_byte(rc_sse *sse, char c)
{
    if (sse->bom >= BOM_LEN)
        return false;
    if (c == BOM[sse->bom]) {
        sse->bom++;
        return true;
    }
    if (sse->bom > 0)
        sse->line = LINE_FIELD; /* an incomplete byte order mark is ordinary text */
    sse->bom = BOM_LEN;
    return false;
}

/* Returns whether c is the LF of a CRLF or a byte of the byte order mark, which are not text. */
static bool pass_byte(rc_sse *sse, char c)
{
    if (sse->is_lf_skipped) {
        sse->is_lf_skipped = false;
        if (c == '\n')
            return true;
    }
    return is_bom_byte(sse, c);
}

/* Scans the line up to its end or the end of the piece. Returns whether an event ends there. */

static bool scan_line(rc_sse *sse)
{
    rc_stream_feed *feed = &sse->feed;
    char c = feed->piece.ptr[feed->at];
    if (sse->line == LINE_EMPTY && c != '\n' && c != '\r')
        sse->line = c == ':' ? LINE_COMMENT : LINE_FIELD;
    feed->at = find_line_end(sse, feed->at);
    if (feed->at == feed->piece.len)
        return false;
    bool is_lf = feed->piece.ptr[feed->at] == '\n';
    feed->at++;
    bool is_closed_at_once = sse->line == LINE_EMPTY && sse->was_lone_cr;
    if (!is_lf && !is_closed_at_once) {
        sse->is_after_cr = true;
        return false;
    }
    sse->is_lf_skipped = !is_lf;
    sse->was_lone_cr = !is_lf;
    return on_line_end(sse);
}

/* Scans up to the end of the event or of the piece. */
static void scan(rc_sse *sse)
{
    rc_stream_feed *feed = &sse->feed;
    bool is_end = false;
    while (!is_end && feed->at < feed->piece.len) {
        char c = feed->piece.ptr[feed->at];
        if (sse->is_after_cr) {
            sse->is_after_cr = false;
            sse->was_lone_cr = c != '\n';
            feed->at += c == '\n';
            is_end = on_line_end(sse);
        } else if (pass_byte(sse, c)) {
            feed->at++;
        } else {
            is_end = scan_line(sse);
        }
    }
    if (is_end)
        rc_stream_feed_set_end(feed, feed->at);
}

/* Stores the name of an oversized event, if the head of the event contains the whole "event:"
 * line. */
static void store_name(rc_sse *sse, const rc_stream_event *event)
{
    rc_str head = event->head;
    while (head.len > 0 && head.ptr[head.len - 1] != '\n' && head.ptr[head.len - 1] != '\r')
        head.len--;
    rc_stream_event fields = {.type = RC_STREAM_EVENT_DATA};
    read_fields(without_bom(event, head), &fields);
    size_t len = fields.name.len <= sizeof sse->name ? fields.name.len : 0;
    if (len > 0)
        memcpy(sse->name, fields.name.ptr, len);
    sse->name_len = (uint8_t)len;
}

static void finish_event(rc_sse *sse, rc_stream_event *event)
{
    event->type = sse->ended;
    if (event->is_oversized) {
        if (event->head.len > 0)
            store_name(sse, event);
        event->name = rc_str_make(sse->name, sse->name_len);
    } else if (sse->ended == RC_STREAM_EVENT_DATA) {
        read_event(&sse->feed, event);
    }
}

/* Returns whether the event that just ended is a comment; if no event has just ended, whether the
 * current one is. */
static bool is_comment(const rc_sse *sse)
{
    if (sse->feed.has_end)
        return sse->ended == RC_STREAM_EVENT_COMMENT;
    return sse->line == LINE_COMMENT && !sse->has_field;
}

/* Reads the line at *at, which must begin with `begin` and end in LF, and moves *at past the line.
 * Returns false if the line begins otherwise or continues in the next piece. */
static bool pass_line(rc_str piece, rc_str begin, size_t *at, rc_str *ret_value)
{
    const char *start = piece.ptr + *at;
    const size_t left = piece.len - *at;
    if (left < begin.len || memcmp(start, begin.ptr, begin.len) != 0)
        return false;
    const char *lf = memchr(start, '\n', left);
    if (!lf || memchr(start, '\r', (size_t)(lf - start)))
        return false;
    start += begin.len;
    start += *start == ' ';
    *ret_value = rc_str_make(start, (size_t)(lf - start));
    *at = (size_t)(lf - piece.ptr) + 1;
    return true;
}

/* Fast path for the most common kind of event: it lies completely in the piece and has one data
 * line, possibly after a line with its name. The result is the same as without the fast path. */
static bool pull_plain(rc_sse *sse, rc_stream_event *ret_event)
{
    rc_stream_feed *feed = &sse->feed;
    const rc_str piece = feed->piece;
    rc_str name = {NULL, 0};
    rc_str data;
    size_t at = feed->at;
    if (!rc_stream_feed_is_between(feed) || at == piece.len || sse->line != LINE_EMPTY ||
        sse->has_field || sse->is_after_cr || sse->is_lf_skipped || sse->bom < BOM_LEN)
        return false;
    if (piece.ptr[at] == 'e' && !pass_line(piece, RC_STR("event:"), &at, &name))
        return false;
    if (!pass_line(piece, RC_STR("data:"), &at, &data) || at == piece.len ||
        piece.ptr[at] != '\n' || at + 1 - feed->at > feed->max_bytes)
        return false;
    rc_stream_feed_pull_inline(feed, at + 1, ret_event);
    ret_event->type = RC_STREAM_EVENT_DATA;
    ret_event->name = name;
    ret_event->data = data;
    ret_event->has_data = true;
    sse->ended = RC_STREAM_EVENT_DATA;
    sse->was_lone_cr = false;
    return true;
}

bool rc_sse_pull(rc_sse *sse, rc_stream_event *ret_event)
{
    rc_stream_feed_begin(&sse->feed);
    if (pull_plain(sse, ret_event))
        return true;
    if (!sse->feed.has_end)
        scan(sse);
    switch (rc_stream_feed_pull(&sse->feed, ret_event)) {
    case RC_STREAM_FEED_NONE:
        return false;
    case RC_STREAM_FEED_HEAD:
        store_name(sse, ret_event);
        break;
    case RC_STREAM_FEED_PART:
        break;
    case RC_STREAM_FEED_WHOLE:
        finish_event(sse, ret_event);
        return true;
    }
    ret_event->name = rc_str_make(sse->name, sse->name_len);
    ret_event->is_idle = is_comment(sse);
    return true;
}

bool rc_sse_end(rc_sse *sse, rc_stream_event *ret_event)
{
    rc_stream_feed_begin(&sse->feed);
    bool is_whole = sse->is_after_cr && on_line_end(sse);
    sse->is_after_cr = false;
    if (!rc_stream_feed_end(&sse->feed, ret_event))
        return false;
    if (!is_whole) {
        if (sse->has_field || sse->line == LINE_FIELD)
            sse->ended = RC_STREAM_EVENT_DATA;
        else
            sse->ended =
                sse->line == LINE_COMMENT ? RC_STREAM_EVENT_COMMENT : RC_STREAM_EVENT_BLANK;
    }
    ret_event->is_cut = !is_whole;
    finish_event(sse, ret_event);
    sse->line = LINE_EMPTY;
    sse->has_field = false;
    return true;
}
