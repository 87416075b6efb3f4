/* Unwraps streams: server-sent events, NDJSON and AWS event-stream frames in text form. Called by
 * unwrap.c. */
#include "base/str.h"
#include "classify/unwrap/unwrap.h"

/* Number of bytes of a stream that are read: the last ones, because errors are at the end of a
 * stream. */
#define TAIL_BYTES ((size_t)64 << 10)

typedef struct lines {
    rc_str text;
    size_t at;
} lines;

static bool next_line(lines *l, rc_str *ret_line)
{
    if (l->at >= l->text.len)
        return false;
    size_t to = rc_str_find_byte(l->text, '\n', l->at);
    size_t end = to == RC_STR_NPOS ? l->text.len : to;
    rc_str line = rc_str_slice(l->text, l->at, end);
    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    l->at = end + 1;
    *ret_line = line;
    return true;
}

/* Reads the value of a line "name: value"; one blank after the colon does not belong to the value.
 * Returns false if the line begins with another name. */
static bool field_of(rc_str line, rc_str name, rc_str *ret_value)
{
    if (!rc_str_starts_with(line, name) || line.len <= name.len || line.ptr[name.len] != ':')
        return false;
    rc_str value = rc_str_slice(line, name.len + 1, line.len);
    *ret_value = value.len > 0 && value.ptr[0] == ' ' ? rc_str_slice(value, 1, value.len) : value;
    return true;
}

static bool is_json(rc_str text)
{
    return text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
}

/* Maximum number of layers that one event needs: two for the event and two for errors inside its
 * message. */
#define EVENT_LAYERS 4u

/* Drops the layers of earlier events if only few layers are free and no earlier event was an error.
 * Without this function a long stream would use up all layers before its error is read. */
static void drop_good_events(rc_evidence *evidence, size_t first)
{
    bool is_full = evidence->layer_count + EVENT_LAYERS > RC_LAYERS_MAX;
    if (is_full && !rc_evidence_has(evidence, RC_FACT_BODY_ERROR))
        evidence->layer_count = first;
}

/* Reads the data of one event. */
static void read_data(rc_evidence *evidence, rc_str event, rc_str data)
{
    rc_str text = rc_str_trim(data);
    bool is_error = rc_str_eq(event, RC_STR("error")) || rc_str_eq(event, RC_STR("exception")) ||
                    rc_str_eq(event, RC_STR("response.failed"));
    if (is_error)
        rc_evidence_set(evidence, RC_FACT_BODY_ERROR);
    if (rc_str_eq(text, RC_STR("[DONE]")) || rc_str_eq(event, RC_STR("message_stop")) ||
        rc_str_eq(event, RC_STR("response.completed"))) {
        evidence->has_terminator = true;
        return;
    }
    if (is_json(text)) {
        rc_unwrap_json(evidence, text, 1, RC_STR("event"));
        return;
    }
    if (!is_error || text.len == 0)
        return;
    rc_layer *layer = rc_evidence_add_layer(evidence, 1, RC_STR("event"));
    if (layer != NULL)
        layer->message = rc_str_slice(text, 0, RC_EVIDENCE_TEXT_MAX);
}

/* Returns whether the JSON text on this line is incomplete, so that it continues on the event's
 * next data lines. */
static bool is_open_json(rc_str data)
{
    rc_str text = rc_str_trim(data);
    return is_json(text) && text.ptr[text.len - 1] != '}' && text.ptr[text.len - 1] != ']';
}

/* Joins the data lines of one event with newlines, in the evidence's space, and moves `l` to the
 * line after them. Returns only the first line if the space is too small. */
static rc_str join_data(rc_evidence *evidence, lines *l, rc_str data)
{
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space, evidence->space_len);
    rc_buf_push(&buf, data);
    rc_str line;
    rc_str value;
    for (lines ahead = *l; next_line(&ahead, &line) && field_of(line, RC_STR("data"), &value);
         *l = ahead) {
        rc_buf_push_byte(&buf, '\n');
        rc_buf_push(&buf, value);
    }
    if (rc_buf_status(&buf) != RC_OK)
        return data;
    rc_str joined = rc_buf_get(&buf);
    evidence->space += joined.len;
    evidence->space_len -= joined.len;
    return joined;
}

static void read_sse(rc_evidence *evidence, rc_str text)
{
    lines l = {text, 0};
    rc_str line;
    rc_str event = {NULL, 0};
    rc_str value;
    size_t first = evidence->layer_count;
    while (next_line(&l, &line)) {
        if (field_of(line, RC_STR("event"), &value)) {
            event = rc_str_trim(value);
        } else if (field_of(line, RC_STR("data"), &value)) {
            drop_good_events(evidence, first);
            if (is_open_json(value))
                value = join_data(evidence, &l, value);
            read_data(evidence, event, value);
        } else if (line.len == 0) {
            event = (rc_str){NULL, 0};
        }
    }
}

static bool is_sse(rc_str text)
{
    lines l = {text, 0};
    rc_str line;
    rc_str value;
    while (next_line(&l, &line)) {
        if (line.len == 0 || (line.ptr[0] == ':' && !rc_str_starts_with(line, RC_STR(":message"))))
            continue;
        return field_of(line, RC_STR("event"), &value) || field_of(line, RC_STR("data"), &value) ||
               (field_of(line, RC_STR("id"), &value) &&
                rc_str_find(text, RC_STR("\ndata:"), 0) != RC_STR_NPOS);
    }
    return false;
}

/* Reads a frame: headers such as ":exception-type: throttlingException", a blank line, and the
 * payload. */
static void read_frames(rc_evidence *evidence, rc_str text)
{
    lines l = {text, 0};
    rc_str line;
    rc_str type = {NULL, 0};
    rc_str message = {NULL, 0};
    size_t body_at = text.len;
    while (next_line(&l, &line)) {
        rc_str value;
        if (field_of(line, RC_STR(":exception-type"), &value) ||
            field_of(line, RC_STR(":error-code"), &value))
            type = rc_str_trim(value);
        else if (field_of(line, RC_STR(":error-message"), &value))
            message = rc_str_trim(value);
        else if (line.len == 0 || is_json(rc_str_trim(line))) {
            body_at = line.len == 0 ? l.at : (size_t)(line.ptr - text.ptr);
            break;
        }
    }
    if (type.len > 0 || message.len > 0)
        rc_evidence_set(evidence, RC_FACT_BODY_ERROR);
    rc_str body = rc_str_trim(rc_str_slice(text, body_at, text.len));
    size_t first = evidence->layer_count;
    if (is_json(body))
        rc_unwrap_json(evidence, body, 1, RC_STR("frame"));
    rc_layer *layer = first < evidence->layer_count
                          ? &evidence->layers[first]
                          : rc_evidence_add_layer(evidence, 1, RC_STR("frame"));
    if (layer == NULL)
        return;
    if (layer->message.len == 0)
        layer->message = message;
    if (layer->code.len == 0)
        layer->code = type;
    else if (layer->reason.len == 0)
        layer->reason = type;
}

static bool is_ndjson(rc_str text)
{
    lines l = {text, 0};
    rc_str line;
    unsigned objects = 0;
    for (unsigned i = 0; i < 4 && next_line(&l, &line); i++) {
        rc_str trimmed = rc_str_trim(line);
        if (trimmed.len == 0)
            continue;
        if (trimmed.ptr[0] != '{' || trimmed.ptr[trimmed.len - 1] != '}')
            return false;
        objects++;
    }
    return objects >= 2;
}

static void read_ndjson(rc_evidence *evidence, rc_str text)
{
    lines l = {text, 0};
    rc_str line;
    size_t first = evidence->layer_count;
    while (next_line(&l, &line)) {
        rc_str trimmed = rc_str_trim(line);
        if (trimmed.len == 0 || trimmed.ptr[0] != '{')
            continue;
        drop_good_events(evidence, first);
        rc_unwrap_json(evidence, trimmed, 1, RC_STR("line"));
    }
}

/* Returns the end of a text. The end has at most TAIL_BYTES bytes. If the text is longer, the end
 * begins at the start of a line, unless the last TAIL_BYTES bytes contain no line break. */
static rc_str tail_of(rc_str text)
{
    if (text.len <= TAIL_BYTES)
        return text;
    size_t from = rc_str_find_byte(text, '\n', text.len - TAIL_BYTES);
    return rc_str_slice(text, from == RC_STR_NPOS ? text.len - TAIL_BYTES : from + 1, text.len);
}

bool rc_unwrap_stream(rc_evidence *evidence, rc_str text)
{
    rc_str head = rc_str_slice(text, 0, RC_EVIDENCE_TEXT_MAX);
    if (rc_str_starts_with(head, RC_STR(":message-type:")) ||
        rc_str_starts_with(head, RC_STR(":exception-type:")) ||
        rc_str_starts_with(head, RC_STR(":event-type:"))) {
        read_frames(evidence, rc_str_slice(text, 0, RC_EVIDENCE_BODY_MAX));
        evidence->is_stream = true;
        return true;
    }
    if (head.ptr[0] != '{' && is_sse(head)) {
        evidence->is_stream = true;
        read_sse(evidence, tail_of(text));
        return true;
    }
    if (is_ndjson(head)) {
        evidence->is_stream = true;
        read_ndjson(evidence, tail_of(text));
        return true;
    }
    return false;
}
