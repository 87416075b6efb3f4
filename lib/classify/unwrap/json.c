/* Reads the errors in a JSON text as layers, in one pass and without building a tree. Called by
 * unwrap.c, stream.c and text.c. */
#include "base/str.h"
#include "classify/unwrap/member.h"
#include "classify/unwrap/unwrap.h"
#include "json/reader.h"

/* Maximum depth of nested objects and arrays; deeper ones are skipped. */
#define LEVEL_MAX 24u
/* Maximum length of a member name in bytes; longer names are not compared. */
#define KEY_MAX 64u

/* An inner object of damaged JSON begins at most this number of bytes before the fault; this number
 * of braces is checked. */
#define INNER_BYTES ((size_t)16)
#define INNER_MAX 4u

typedef enum context {
    CONTEXT_ERROR,  /* The members describe an error. */
    CONTEXT_MERGE,  /* The members fill empty fields of the enclosing error. */
    CONTEXT_FINISH, /* The object is incomplete_details or promptFeedback. */
    CONTEXT_SEARCH  /* The members are searched only for errors. */
} context;

typedef struct walk {
    rc_evidence *evidence;
    rc_json_reader reader;
    rc_str where;
} walk;

/* One object or array, and the error that it belongs to. */
typedef struct frame {
    context context;
    unsigned depth; /* Depth of the error's layer; 0: the outermost error. */
    unsigned level; /* Nesting depth of the object or array. */
    int layer;      /* Index of the error's layer; -1: the layer was not yet added. */
    rc_str error_text;
    rc_str title;
} frame;

static void walk_value(walk *w, rc_json_token token, frame *in);

static bool is_nothing(rc_str text)
{
    return text.len == 0 || rc_str_eq_nocase(text, RC_STR("none")) ||
           rc_str_eq_nocase(text, RC_STR("null")) || rc_str_eq_nocase(text, RC_STR("undefined"));
}

static bool is_container(rc_json_token token)
{
    return token.type == RC_JSON_OBJECT_BEGIN || token.type == RC_JSON_ARRAY_BEGIN;
}

static bool is_scalar_text(rc_json_token token)
{
    return token.type == RC_JSON_STRING || token.type == RC_JSON_NUMBER;
}

static rc_str value_of(walk *w, rc_json_token token)
{
    return rc_evidence_unescape(w->evidence, token.raw, token.has_escapes);
}

/* Returns the frame's layer, which is added if necessary. Returns NULL if there are too many
 * layers. */
static rc_layer *layer_of(walk *w, frame *in)
{
    if (in->layer < 0) {
        rc_layer *layer = rc_evidence_add_layer(w->evidence, in->depth, w->where);
        if (layer == NULL)
            return NULL;
        in->layer = (int)(layer - w->evidence->layers);
    }
    return &w->evidence->layers[in->layer];
}

static void fill(rc_str *field, rc_str value)
{
    if (field->len == 0 && !is_nothing(value))
        *field = value;
}

static void read_code(rc_evidence *evidence, rc_layer *layer, rc_str value)
{
    if (is_nothing(value))
        return;
    rc_rpc_read_code(evidence, value);
    int status = rc_http_status_parse(value);
    if (status >= 400 && layer->status == 0)
        layer->status = status;
    if (status == 0 || layer->code.len == 0)
        fill(layer->code.len == 0 ? &layer->code : &layer->reason, value);
}

/* Returns whether the status word of an asynchronous task reports a failure. */
static bool is_failed_word(rc_str value)
{
    return rc_str_eq_nocase(value, RC_STR("failed")) ||
           rc_str_eq_nocase(value, RC_STR("failure")) ||
           rc_str_eq_nocase(value, RC_STR("task_failed")) ||
           rc_str_eq_nocase(value, RC_STR("errored"));
}

static void read_status(rc_evidence *evidence, rc_layer *layer, rc_str value)
{
    if (is_failed_word(value))
        rc_evidence_set(evidence, RC_FACT_BODY_ERROR);
    int status = rc_http_status_parse(value);
    if (status >= 400 && layer->status == 0)
        layer->status = status;
    else if (status == 0 && !rc_ascii_is_digit(value.len > 0 ? value.ptr[0] : '0'))
        fill(&layer->status_word, value);
    else if (status == 0 && value.len == 4)
        fill(&layer->code, value); /* error number of a provider, such as MiniMax's 1008 */
}

/* Returns whether the type is the name of a stream event and not of an error. */
static bool is_event_name(rc_str type)
{
    return rc_str_starts_with(type, RC_STR("response.")) ||
           rc_str_starts_with(type, RC_STR("content_block")) ||
           rc_str_starts_with(type, RC_STR("message")) || rc_str_eq(type, RC_STR("ping"));
}

static void read_type(walk *w, frame *in, rc_str value)
{
    rc_evidence *evidence = w->evidence;
    if (rc_str_eq(value, RC_STR("message_stop")) ||
        rc_str_eq(value, RC_STR("response.completed")) ||
        rc_str_eq(value, RC_STR("response.incomplete")))
        evidence->has_terminator = true;
    if (rc_str_eq(value, RC_STR("error")) || rc_str_eq(value, RC_STR("response.failed"))) {
        rc_evidence_set(evidence, RC_FACT_BODY_ERROR);
        return;
    }
    if (is_event_name(value))
        return;
    rc_layer *layer = layer_of(w, in);
    if (layer != NULL)
        fill(layer->type.len == 0 ? &layer->type : &layer->reason, value);
}

static void read_message(walk *w, frame *in, rc_json_token token)
{
    rc_layer *layer = layer_of(w, in);
    if (layer == NULL)
        return;
    rc_str text = rc_str_trim(value_of(w, token));
    if (layer->message.len == 0) {
        fill(&layer->message, text);
        return;
    }
    /* If an error has two messages, the second often contains details that the first does not
     * have. */
    bool is_more = in->context == CONTEXT_MERGE || rc_unwrap_is_error_json(text);
    if (is_more && text.len > 0 && !rc_str_eq(text, layer->message)) {
        rc_layer *inner = rc_evidence_add_layer(w->evidence, in->depth + 1, RC_STR("detail"));
        if (inner != NULL)
            inner->message = text;
    }
}

static void read_raw(walk *w, frame *in, rc_json_token token)
{
    if (token.type != RC_JSON_STRING || in->context == CONTEXT_SEARCH)
        return;
    rc_str text = rc_str_trim(value_of(w, token));
    if (is_nothing(text))
        return;
    rc_layer *layer = rc_evidence_add_layer(w->evidence, in->depth + 1, RC_STR("raw"));
    if (layer != NULL)
        layer->message = text;
}

static void read_header(walk *w, rc_str name, const rc_json_token *token)
{
    rc_evidence *evidence = w->evidence;
    rc_str value = rc_evidence_unescape(evidence, token->raw, token->has_escapes);
    rc_hints_add_header(&evidence->hints, name, value);
    if (evidence->request_id.len == 0 && (rc_str_eq_nocase(name, RC_STR("x-request-id")) ||
                                          rc_str_eq_nocase(name, RC_STR("request-id"))))
        evidence->request_id = value;
}

static void read_headers(walk *w)
{
    rc_json_token key = rc_json_reader_next(&w->reader);
    while (key.type == RC_JSON_KEY) {
        rc_json_token token = rc_json_reader_next(&w->reader);
        if (is_container(token))
            rc_json_reader_skip(&w->reader);
        else if (is_scalar_text(token))
            read_header(w, key.raw, &token);
        key = rc_json_reader_next(&w->reader);
    }
}

static void read_usage(walk *w, rc_json_token token)
{
    int64_t tokens = 0;
    if (token.type == RC_JSON_NUMBER && rc_json_to_i64(token.raw, &tokens) == RC_OK && tokens > 0)
        w->evidence->prompt_tokens = tokens;
}

static void read_finish(walk *w, rc_json_token token)
{
    if (token.type != RC_JSON_STRING || is_nothing(token.raw))
        return;
    rc_finish_read(w->evidence, token.raw);
    w->evidence->has_terminator = true;
}

/* Returns whether the object or array has a text other than a role or a type. A refusal of the
 * model counts as text, and its fact is set. */
static bool has_content(rc_evidence *evidence, rc_str container)
{
    rc_json_reader reader;
    rc_json_limits limits = {RC_EVIDENCE_TEXT_MAX, RC_JSON_DEPTH_MAX, true};
    rc_json_reader_init(&reader, container, &limits);
    bool is_name = false;
    bool is_refusal = false;
    for (;;) {
        rc_json_token token = rc_json_reader_next(&reader);
        if (token.type == RC_JSON_END || token.type == RC_JSON_ERROR)
            return false;
        if (token.type == RC_JSON_STRING && !is_name && rc_str_trim(token.raw).len > 0) {
            if (is_refusal)
                rc_finish_read(evidence, RC_STR("refusal"));
            return true;
        }
        is_refusal = token.type == RC_JSON_KEY && rc_str_eq(token.raw, RC_STR("refusal"));
        is_name = token.type == RC_JSON_KEY &&
                  (rc_str_eq(token.raw, RC_STR("role")) || rc_str_eq(token.raw, RC_STR("type")));
    }
}

/* Returns whether the container is a failed task: it has a member such as "task_status": "FAILED".
 * Such a container is an error under whatever name it comes. */
static bool is_failed_task(rc_str container)
{
    static const rc_str NAMES[] = {RC_STR_INIT("\"task_status\""), RC_STR_INIT("\"taskStatus\""),
                                   RC_STR_INIT("\"status\"")};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        size_t at = rc_str_find(container, NAMES[i], 0);
        if (at == RC_STR_NPOS)
            continue;
        at += NAMES[i].len;
        while (at < container.len && memchr(" :\t\n", container.ptr[at], 4) != NULL)
            at++;
        const size_t from = at + 1;
        const size_t to = rc_str_find_byte(container, '"', from);
        if (at < container.len && container.ptr[at] == '"' && to != RC_STR_NPOS &&
            is_failed_word(rc_str_slice(container, from, to)))
            return true;
    }
    return false;
}

static void read_content(walk *w, rc_json_token token)
{
    bool is_there = token.type == RC_JSON_STRING && rc_str_trim(token.raw).len > 0;
    if (is_container(token)) {
        size_t to = rc_json_reader_skip(&w->reader);
        is_there = has_content(w->evidence, rc_str_slice(w->reader.text, token.offset, to));
    }
    if (is_there)
        w->evidence->has_content = true;
}

static void read_param(walk *w, rc_layer *layer, rc_str value)
{
    fill(&layer->param, value);
    if (rc_str_eq(value, RC_STR("model")))
        rc_evidence_set(w->evidence, RC_FACT_BODY_MODEL_PARAM);
}

/* Reads a string, number or literal that is a member of an error. */
static void read_scalar(walk *w, frame *in, rc_member_role role, rc_json_token token)
{
    if (!is_scalar_text(token))
        return;
    if (role == RC_MEMBER_MESSAGE || role == RC_MEMBER_MERGE) {
        if (token.type == RC_JSON_STRING)
            read_message(w, in, token);
        return;
    }
    rc_str value = rc_str_trim(value_of(w, token));
    bool is_exception =
        rc_str_ends_with(value, RC_STR("Error")) || rc_str_ends_with(value, RC_STR("Exception"));
    if (role == RC_MEMBER_NAME && !is_exception)
        return;
    if (role == RC_MEMBER_TYPE || role == RC_MEMBER_NAME) {
        read_type(w, in, value);
        return;
    }
    rc_layer *layer = is_nothing(value) ? NULL : layer_of(w, in);
    if (layer == NULL)
        return;
    if (role == RC_MEMBER_CODE)
        read_code(w->evidence, layer, value);
    else if (role == RC_MEMBER_STATUS)
        read_status(w->evidence, layer, value);
    else if (role == RC_MEMBER_REASON)
        fill(&layer->reason, value);
    else if (role == RC_MEMBER_PARAM)
        read_param(w, layer, value);
}

/* Reads a member whose meaning does not depend on the object that contains it. Returns true if no
 * part of the member needs further reading. */
static bool read_anywhere(walk *w, rc_member_role role, rc_json_token token)
{
    rc_evidence *evidence = w->evidence;
    switch ((int)role) {
    case RC_MEMBER_ECHO:
        if (is_container(token))
            rc_json_reader_skip(&w->reader);
        return true;
    case RC_MEMBER_CONTENT:
        read_content(w, token);
        return true;
    case RC_MEMBER_FILTERED:
        rc_finish_read(evidence, RC_STR("safety"));
        return !is_container(token);
    case RC_MEMBER_REFUSAL:
        if (token.type == RC_JSON_STRING && rc_str_trim(token.raw).len > 0)
            rc_finish_read(evidence, RC_STR("refusal"));
        return !is_container(token);
    case RC_MEMBER_FINISH:
        read_finish(w, token);
        return !is_container(token);
    case RC_MEMBER_USAGE:
        read_usage(w, token);
        return !is_container(token);
    case RC_MEMBER_HEADERS:
        if (token.type == RC_JSON_OBJECT_BEGIN)
            read_headers(w);
        return token.type == RC_JSON_OBJECT_BEGIN || !is_container(token);
    case RC_MEMBER_MODIFIER:
        if (token.type == RC_JSON_STRING)
            rc_evidence_add_modifier(evidence, token.raw);
        return !is_container(token);
    case RC_MEMBER_REQUEST_ID:
        if (token.type == RC_JSON_STRING && evidence->request_id.len == 0 && !is_nothing(token.raw))
            evidence->request_id = value_of(w, token);
        return !is_container(token);
    default:
        return false;
    }
}

static void read_error_scalar(walk *w, frame *in, rc_json_token token)
{
    if (token.type == RC_JSON_TRUE)
        rc_evidence_set(w->evidence, RC_FACT_BODY_ERROR);
    if (token.type != RC_JSON_STRING || is_nothing(token.raw))
        return;
    rc_evidence_set(w->evidence, RC_FACT_BODY_ERROR);
    rc_str text = rc_str_trim(value_of(w, token));
    if (in->context == CONTEXT_SEARCH) {
        rc_layer *layer = rc_evidence_add_layer(w->evidence, in->depth + 1, RC_STR("error"));
        if (layer != NULL)
            layer->message = text;
        return;
    }
    in->error_text = text;
}

static void walk_container(walk *w, frame *in, rc_str key, rc_member_role role, rc_json_token token)
{
    frame inner = {
        .context = CONTEXT_SEARCH, .depth = in->depth, .level = in->level + 1, .layer = -1};
    bool is_legacy_list = rc_str_eq(key, RC_STR("errors")) && in->layer >= 0 &&
                          w->evidence->layers[in->layer].message.len > 0;
    bool is_error = (role == RC_MEMBER_ERROR && !is_legacy_list) ||
                    (role == RC_MEMBER_RAW && in->context != CONTEXT_SEARCH);
    if (is_error) {
        inner.context = CONTEXT_ERROR;
        inner.depth = in->depth + 1;
    } else if (rc_str_starts_with_nocase(key, RC_STR("incomplete")) ||
               rc_str_starts_with_nocase(key, RC_STR("promptFeedback"))) {
        inner.context = CONTEXT_FINISH;
    } else if (in->context == CONTEXT_SEARCH || role == RC_MEMBER_ANSWER) {
        inner.context = CONTEXT_SEARCH;
    } else if (role == RC_MEMBER_MERGE || role == RC_MEMBER_MESSAGE || is_legacy_list) {
        inner.context = CONTEXT_MERGE;
        inner.layer = in->layer;
    }
    if (role == RC_MEMBER_ANSWER)
        rc_evidence_set(w->evidence, RC_FACT_BODY_ANSWER);
    size_t before = w->reader.at;
    walk_value(w, token, &inner);
    if (inner.context == CONTEXT_MERGE && in->layer < 0)
        in->layer = inner.layer;
    if (role == RC_MEMBER_ERROR && w->reader.at > before + 1)
        rc_evidence_set(w->evidence, RC_FACT_BODY_ERROR);
}

static void read_hint(walk *w, rc_str key, rc_json_token token)
{
    if (!is_scalar_text(token))
        return;
    if (rc_hints_is_field(key))
        rc_hints_add_field(&w->evidence->hints, key, token.raw, token.type == RC_JSON_NUMBER);
    char first = rc_ascii_lower(key.ptr[0]);
    if (first == 'q' || first == 'l' || first == 'r' || first == 'u')
        rc_limits_field(key, token.raw, &w->evidence->limits);
}

/* Reads an error object inside a string that is the value of an unknown member: "payload":
 * "{\"error\": ...". */
static void read_hidden(walk *w, frame *in, rc_json_token token)
{
    bool is_object = token.raw.len > 8 && token.raw.ptr[0] == '{';
    rc_str text = is_object ? rc_str_trim(value_of(w, token)) : (rc_str){NULL, 0};
    if (!is_object || !rc_unwrap_is_error_json(text))
        return;
    rc_layer *layer = rc_evidence_add_layer(w->evidence, in->depth + 1, RC_STR("text"));
    if (layer != NULL)
        layer->message = text;
}

static void walk_member(walk *w, frame *in, rc_str key)
{
    rc_json_token token = rc_json_reader_next(&w->reader);
    rc_member_role role = rc_member_role_of(key);
    if (rc_str_eq(key, RC_STR("loc")))
        rc_evidence_set(w->evidence, RC_FACT_BODY_VALIDATION);
    if (rc_str_eq(key, RC_STR("done")) && token.type == RC_JSON_TRUE)
        w->evidence->has_terminator = true;
    if (rc_str_eq(key, RC_STR("isError")) && token.type == RC_JSON_TRUE)
        rc_rpc_read_tool(w->evidence, w->reader.text);
    if (in->context == CONTEXT_FINISH && role == RC_MEMBER_REASON)
        role = RC_MEMBER_FINISH;
    /* The member data of a JSON-RPC error has the cause of "Internal error". */
    if (in->context == CONTEXT_ERROR && rc_str_eq(key, RC_STR("data")) &&
        rc_rpc_is_error(w->evidence))
        role = RC_MEMBER_RAW;
    if (key.len > 0 && in->context != CONTEXT_SEARCH)
        read_hint(w, key, token);
    if (role == RC_MEMBER_CONTENT && token.type == RC_JSON_OBJECT_BEGIN) {
        rc_json_reader ahead = w->reader;
        const size_t to = rc_json_reader_skip(&ahead);
        if (is_failed_task(rc_str_slice(w->reader.text, token.offset, to)))
            role = RC_MEMBER_ERROR;
    }
    if (role != RC_MEMBER_OTHER && read_anywhere(w, role, token))
        return;
    if (role == RC_MEMBER_OTHER && token.type == RC_JSON_STRING) {
        read_hidden(w, in, token);
        return;
    }
    if (is_container(token)) {
        walk_container(w, in, key, role, token);
        return;
    }
    if (role == RC_MEMBER_ANSWER)
        rc_evidence_set(w->evidence, RC_FACT_BODY_ANSWER);
    else if (role == RC_MEMBER_ERROR)
        read_error_scalar(w, in, token);
    else if (role == RC_MEMBER_RAW)
        read_raw(w, in, token);
    else if (role == RC_MEMBER_TITLE && token.type == RC_JSON_STRING)
        in->title = value_of(w, token);
    else if (in->context == CONTEXT_ERROR || in->context == CONTEXT_MERGE)
        read_scalar(w, in, role, token);
}

/* Returns the title for use as a typed (machine-readable) code. The result is empty if the title
 * only repeats the status ("Bad Request"). */
static rc_str typed_title(rc_str title)
{
    bool is_status = rc_str_eq_nocase(title, RC_STR("bad request")) ||
                     rc_str_eq_nocase(title, RC_STR("unprocessable entity"));
    return is_status ? (rc_str){NULL, 0} : title;
}

/* Called at the end of an object. If the object has both "error": "text" and a message, the text is
 * the error's code; without a message, the text is the error's message. */
static void finish_object(walk *w, frame *in)
{
    if (in->context == CONTEXT_SEARCH || in->context == CONTEXT_FINISH)
        return;
    bool has_text = in->error_text.len > 0 || in->title.len > 0;
    rc_layer *layer = in->layer >= 0 || has_text ? layer_of(w, in) : NULL;
    if (layer == NULL)
        return;
    if (layer->message.len == 0)
        layer->message = in->error_text;
    else if (!rc_str_eq(layer->message, in->error_text))
        fill(layer->code.len == 0 ? &layer->code : &layer->reason, typed_title(in->error_text));
    if (layer->message.len == 0)
        layer->message = in->title;
    else
        fill(layer->type.len == 0 ? &layer->type : &layer->reason, typed_title(in->title));
    in->error_text = (rc_str){NULL, 0};
    in->title = (rc_str){NULL, 0};
}

static void walk_object(walk *w, frame *in)
{
    for (;;) {
        rc_json_token key = rc_json_reader_next(&w->reader);
        if (key.type != RC_JSON_KEY)
            break;
        walk_member(w, in, rc_str_trim(rc_str_slice(key.raw, 0, KEY_MAX)));
    }
    finish_object(w, in);
}

static void walk_array(walk *w, frame *in)
{
    for (;;) {
        rc_json_token token = rc_json_reader_next(&w->reader);
        if (token.type == RC_JSON_ARRAY_END || token.type == RC_JSON_END ||
            token.type == RC_JSON_ERROR)
            return;
        if (is_container(token)) {
            frame inner = *in;
            inner.level++;
            if (in->context == CONTEXT_ERROR)
                inner.layer = -1;
            walk_value(w, token, &inner);
            if (in->context == CONTEXT_MERGE)
                in->layer = inner.layer;
        } else if (token.type == RC_JSON_STRING && in->context == CONTEXT_ERROR && in->level > 0) {
            frame inner = *in;
            read_message(w, &inner, token);
        }
    }
}

static void walk_value(walk *w, rc_json_token token, frame *in)
{
    if (in->level > LEVEL_MAX)
        rc_json_reader_skip(&w->reader);
    else if (token.type == RC_JSON_OBJECT_BEGIN)
        walk_object(w, in);
    else
        walk_array(w, in);
}

/* Returns whether the text is a Python repr (JSON with single quotes), which does not count as
 * damaged JSON. Returns false if a string of the repr has an apostrophe inside a word, because the
 * reader took this apostrophe for the end of the string. */
static bool is_repr(rc_str text, size_t fault_at)
{
    if (fault_at >= text.len || text.ptr[fault_at] != '\'')
        return false;
    for (size_t at = rc_str_find_byte(text, '\'', 1); at != RC_STR_NPOS && at + 1 < text.len;
         at = rc_str_find_byte(text, '\'', at + 1)) {
        if (rc_ascii_is_alpha(text.ptr[at - 1]) && rc_ascii_is_alpha(text.ptr[at + 1]))
            return false;
    }
    return true;
}

/* Returns whether a layer with index `first` or higher has a typed (machine-readable) field. */
static bool has_typed(const rc_evidence *evidence, size_t first)
{
    for (size_t i = first; i < evidence->layer_count; i++) {
        const rc_layer *layer = &evidence->layers[i];
        if (layer->code.len > 0 || layer->type.len > 0 || layer->reason.len > 0 ||
            layer->status > 0)
            return true;
    }
    return false;
}

/* Adds the text of damaged JSON (an apostrophe in a repr, a superfluous comma) as the message of a
 * layer, so that the text is scanned for phrases. */
static void add_damaged(rc_evidence *evidence, rc_str text, size_t fault_at, unsigned depth)
{
    /* An object inside a string whose quotes were not escaped: "detail": "{"error": ...}". */
    size_t at = fault_at > INNER_BYTES ? fault_at - INNER_BYTES : 1;
    for (unsigned count = 0; count < INNER_MAX && depth < RC_LAYER_DEPTH_MAX; count++) {
        at = rc_str_find_byte(text, '{', at);
        if (at == RC_STR_NPOS)
            break;
        const rc_str inner = rc_str_slice(text, at, text.len);
        if (text.ptr[at - 1] == '"' && rc_unwrap_is_error_json(inner)) {
            rc_unwrap_json(evidence, inner, depth + 1, RC_STR("inner"));
            return;
        }
        at++;
    }
    rc_layer *layer = rc_evidence_add_layer(evidence, depth, RC_STR("damaged"));
    if (layer == NULL)
        return;
    layer->message = rc_str_slice(text, 0, RC_EVIDENCE_TEXT_MAX);
    layer->is_opaque = true;
}

void rc_unwrap_json(rc_evidence *evidence, rc_str text, unsigned depth, rc_str where)
{
    walk w = {.evidence = evidence, .where = where};
    rc_json_limits limits = {RC_EVIDENCE_BODY_MAX, RC_JSON_DEPTH_MAX, true};
    rc_json_reader_init(&w.reader, text, &limits);
    frame root = {.context = CONTEXT_ERROR, .depth = depth, .layer = -1};
    size_t first = evidence->layer_count;
    rc_json_token token = rc_json_reader_next(&w.reader);
    rc_evidence_set(evidence, RC_FACT_BODY_JSON);
    if (is_container(token)) {
        walk_value(&w, token, &root);
    } else if (token.type == RC_JSON_STRING) {
        rc_layer *layer = rc_evidence_add_layer(evidence, depth, where);
        if (layer != NULL)
            layer->message = rc_str_trim(value_of(&w, token));
    }
    if (w.reader.fault.status == RC_E_TRUNCATED)
        rc_evidence_set(evidence, RC_FACT_BODY_CUT);
    bool is_damaged = w.reader.fault.status == RC_E_SYNTAX && !is_repr(text, w.reader.fault.offset);
    bool is_cut_off = w.reader.at + 1 < text.len && !has_typed(evidence, first);
    if ((is_damaged || is_cut_off) && !rc_evidence_is_success(evidence))
        add_damaged(evidence, text, w.reader.fault.offset, depth);
}

bool rc_unwrap_is_error_json(rc_str text)
{
    rc_json_reader reader;
    rc_json_limits limits = {RC_EVIDENCE_TEXT_MAX, RC_JSON_DEPTH_MAX, true};
    rc_json_reader_init(&reader, text, &limits);
    rc_json_token token = rc_json_reader_next(&reader);
    if (token.type == RC_JSON_ARRAY_BEGIN)
        token = rc_json_reader_next(&reader);
    if (token.type != RC_JSON_OBJECT_BEGIN)
        return false;
    bool is_error = false;
    for (unsigned count = 0; count < 32; count++) {
        rc_json_token key = rc_json_reader_next(&reader);
        if (key.type != RC_JSON_KEY || key.end == key.offset)
            break;
        if (rc_str_eq(key.raw, RC_STR("role")))
            return false;
        rc_member_role role = rc_member_role_of(key.raw);
        bool is_error_member = role == RC_MEMBER_ERROR || role == RC_MEMBER_MESSAGE ||
                               role == RC_MEMBER_TITLE || rc_str_eq(key.raw, RC_STR("detail")) ||
                               rc_str_eq(key.raw, RC_STR("error_code"));
        rc_json_token value = rc_json_reader_next(&reader);
        if (is_error_member && value.type != RC_JSON_NULL)
            is_error = true;
        if (is_container(value))
            rc_json_reader_skip(&reader);
    }
    return is_error;
}
