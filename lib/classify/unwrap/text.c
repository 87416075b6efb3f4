/* Unwraps texts that contain another error: SDK exceptions, log lines, messages of relays, Python
 * reprs. Called by unwrap.c. */
#include <string.h>

#include "base/str.h"
#include "classify/text_find.h"
#include "classify/unwrap/member.h"
#include "classify/unwrap/plain_text.h"
#include "classify/unwrap/unwrap.h"
#include "json/reader.h"

/* Maximum number of opening braces in one text that are checked as the start of an error object. */
#define BRACES_MAX 8u

static bool has_byte(rc_str text, char byte)
{
    return memchr(text.ptr, byte, text.len) != NULL;
}

/* Returns whether the text is JSON that was taken out of another JSON string, so that its escapes
 * must be decoded first ({\n \"error\": ...). */
static bool is_escaped(rc_str text)
{
    for (size_t i = 1; i < text.len && i < 8; i++) {
        if (text.ptr[i] == '\\' && i + 1 < text.len &&
            (text.ptr[i + 1] == 'n' || text.ptr[i + 1] == '"' || text.ptr[i + 1] == 'r'))
            return true;
        if (text.ptr[i] == '"' || text.ptr[i] == '\'')
            return false;
    }
    return false;
}

/* Finds an error object after other text. Returns the offset of the object's brace and stores the
 * object in *ret_json; RC_STR_NPOS if the text contains no error object. */
static size_t find_json(rc_evidence *evidence, rc_str text, rc_str *ret_json)
{
    size_t at = 0;
    for (unsigned brace_count = 0; brace_count < BRACES_MAX; brace_count++) {
        at = rc_str_find_byte(text, '{', at);
        if (at == RC_STR_NPOS)
            return RC_STR_NPOS;
        rc_str rest = rc_str_slice(text, at, text.len);
        if (is_escaped(rest))
            rest = rc_evidence_unescape(evidence, rest, true);
        if (rc_unwrap_is_error_json(rest)) {
            *ret_json = rest;
            return at;
        }
        at++;
    }
    return RC_STR_NPOS;
}

/* Finds the members of an object whose opening brace is missing: 'message': '...', 'type': '...'}}.
 * Returns the offset of the first member and stores a copy with the brace in *ret_json; RC_STR_NPOS
 * if the text contains no such members. */
static size_t find_members(rc_evidence *evidence, rc_str text, rc_str *ret_json)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT("'message': "),
        RC_STR_INIT("\"message\":"),
        RC_STR_INIT("'error': "),
        RC_STR_INIT("\"error\":"),
    };
    size_t at = RC_STR_NPOS;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        size_t found = rc_str_find(text, NAMES[i], 0);
        at = found < at ? found : at;
    }
    if (at == RC_STR_NPOS || text.len - at + 1 > evidence->space_len)
        return RC_STR_NPOS;
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space, evidence->space_len);
    rc_buf_push_byte(&buf, '{');
    rc_buf_push(&buf, rc_str_slice(text, at, text.len));
    *ret_json = rc_buf_get(&buf);
    evidence->space += ret_json->len;
    evidence->space_len -= ret_json->len;
    return at;
}

/* Unwraps an HTML page that follows after other text. */
static bool unwrap_page(rc_evidence *evidence, rc_layer *layer, rc_str text, unsigned depth)
{
    static const rc_str OPENINGS[] = {
        RC_STR_INIT("<!DOCTYPE html"),
        RC_STR_INIT("<!doctype html"),
        RC_STR_INIT("<html"),
    };
    size_t at = RC_STR_NPOS;
    if (!has_byte(text, '<'))
        return false;
    for (size_t i = 0; i < sizeof(OPENINGS) / sizeof(OPENINGS[0]); i++) {
        size_t found = rc_str_find(text, OPENINGS[i], 0);
        at = found < at ? found : at;
    }
    if (at == RC_STR_NPOS || !rc_unwrap_html(evidence, rc_str_slice(text, at, text.len), depth))
        return false;
    layer->message = rc_str_trim(rc_str_slice(text, 0, at));
    if (layer->status == 0)
        layer->status = rc_text_http_status(layer->message);
    return true;
}

/* Returns the value that follows "key=": up to the closing quote if the value is quoted, otherwise
 * up to the next blank, comma or parenthesis. */
static rc_str value_at(rc_str text, size_t at, size_t *ret_end)
{
    if (at < text.len && (text.ptr[at] == '\'' || text.ptr[at] == '"')) {
        char quote = text.ptr[at];
        size_t to = at + 1;
        while (to < text.len && text.ptr[to] != quote)
            to += text.ptr[to] == '\\' ? 2 : 1;
        *ret_end = to < text.len ? to + 1 : text.len;
        return rc_str_slice(text, at + 1, to);
    }
    size_t to = at;
    while (to < text.len && !rc_ascii_is_space(text.ptr[to]) && text.ptr[to] != ',' &&
           text.ptr[to] != ')')
        to++;
    *ret_end = to;
    return rc_str_slice(text, at, to);
}

static void set_field(rc_layer *layer, rc_member_role role, rc_str value)
{
    if (value.len == 0 || rc_str_eq(value, RC_STR("None")) || rc_str_eq(value, RC_STR("null")))
        return;
    int status = rc_http_status_parse(value);
    if (status >= 400 && (role == RC_MEMBER_CODE || role == RC_MEMBER_STATUS))
        layer->status = status;
    else if (role == RC_MEMBER_CODE && layer->code.len == 0)
        layer->code = value;
    else if (role == RC_MEMBER_TYPE && layer->type.len == 0)
        layer->type = value;
    else if (role == RC_MEMBER_PARAM && layer->param.len == 0)
        layer->param = value;
    else if (role == RC_MEMBER_STATUS && layer->status_word.len == 0)
        layer->status_word = value;
    else if ((role == RC_MEMBER_MESSAGE || role == RC_MEMBER_REASON) && layer->message.len == 0)
        layer->message = value;
}

/* Reads one pair "key=value" of a log line or a Python repr. Returns true if the key names a field
 * of an error. */
static bool read_pair(rc_str text, size_t at, rc_layer *layer, size_t *ret_end)
{
    size_t from = at;
    while (from > 0 && (rc_ascii_is_alnum(text.ptr[from - 1]) || text.ptr[from - 1] == '_'))
        from--;
    rc_member_role role = rc_member_role_of(rc_str_slice(text, from, at));
    rc_str value = value_at(text, at + 1, ret_end);
    if (role != RC_MEMBER_CODE && role != RC_MEMBER_TYPE && role != RC_MEMBER_PARAM &&
        role != RC_MEMBER_STATUS && role != RC_MEMBER_MESSAGE && role != RC_MEMBER_REASON)
        return false;
    bool is_first_message = role != RC_MEMBER_MESSAGE || layer->message.len == 0;
    set_field(layer, role, value);
    return is_first_message && value.len > 0;
}

/* Reads pairs such as error_code=x error_message='...', as in logfmt and in the repr of Python
 * exceptions. */
static bool read_pairs(rc_str text, rc_layer *layer)
{
    unsigned count = 0;
    size_t at = rc_str_find_byte(text, '=', 0);
    while (at != RC_STR_NPOS) {
        size_t end = at + 1;
        if (read_pair(text, at, layer, &end))
            count++;
        at = rc_str_find_byte(text, '=', end > at ? end : at + 1);
    }
    return count >= 2 && (layer->message.len > 0 || layer->code.len > 0);
}

/* Reads lines such as "message: ..." and "type: ...", the text form of an error object. */
static bool read_yaml(rc_str text, rc_layer *layer)
{
    unsigned count = 0;
    size_t at = 0;
    rc_str *open = NULL;
    while (at < text.len) {
        size_t to = rc_str_find_byte(text, '\n', at);
        size_t end = to == RC_STR_NPOS ? text.len : to;
        rc_str line = rc_str_slice(text, at, end);
        bool is_indented = line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t');
        size_t colon = rc_str_find_byte(line, ':', 0);
        if (is_indented && open != NULL) {
            open->len = (size_t)(line.ptr + line.len - open->ptr);
        } else if (colon != RC_STR_NPOS && !is_indented) {
            rc_member_role role = rc_member_role_of(rc_str_slice(line, 0, colon));
            rc_str value = rc_str_trim(rc_str_slice(line, colon + 1, line.len));
            if (role != RC_MEMBER_OTHER) {
                count++;
                set_field(layer, role, value);
            }
            open = role == RC_MEMBER_MESSAGE && layer->message.len > 0 ? &layer->message : NULL;
        }
        at = end + 1;
    }
    return count >= 2 && layer->message.len > 0;
}

static bool may_be_yaml(rc_str text)
{
    size_t to = rc_str_find_byte(text, '\n', 0);
    size_t colon = rc_str_find_byte(text, ':', 0);
    return to != RC_STR_NPOS && colon != RC_STR_NPOS && colon < to && colon <= 24 &&
           rc_member_role_of(rc_str_slice(text, 0, colon)) != RC_MEMBER_OTHER;
}

static void add_inner(rc_evidence *evidence, const rc_layer *from, unsigned depth, rc_str where)
{
    rc_layer *inner = rc_evidence_add_layer(evidence, depth, where);
    if (inner == NULL)
        return;
    *inner = *from;
    inner->depth = depth;
    inner->where = where;
}

/* Unwraps "An error occurred (ThrottlingException) when calling the Converse operation: message",
 * the form in which the AWS SDKs print a typed error. */
static bool unwrap_aws(rc_evidence *evidence, rc_str text, unsigned depth)
{
    size_t from;
    if (!has_byte(text, '(') ||
        rc_text_find(text, RC_STR("an error occurred ("), &from) == RC_STR_NPOS)
        return false;
    size_t to = rc_str_find_byte(text, ')', from);
    size_t colon = rc_str_find(text, RC_STR("operation"), from);
    colon = colon == RC_STR_NPOS ? RC_STR_NPOS : rc_str_find_byte(text, ':', colon);
    if (to == RC_STR_NPOS || colon == RC_STR_NPOS || to > colon)
        return false;
    rc_layer found = {.code = rc_str_slice(text, from, to),
                      .message = rc_str_trim(rc_str_slice(text, colon + 1, text.len))};
    add_inner(evidence, &found, depth, RC_STR("aws"));
    return true;
}

static bool unwrap_pairs(rc_evidence *evidence, rc_str text, unsigned depth)
{
    rc_layer found = {0};
    if (may_be_yaml(text) && read_yaml(text, &found)) {
        add_inner(evidence, &found, depth, RC_STR("yaml"));
        return true;
    }
    found = (rc_layer){0};
    if (rc_str_find_byte(text, '=', 0) != RC_STR_NPOS && read_pairs(text, &found)) {
        add_inner(evidence, &found, depth, RC_STR("fields"));
        return true;
    }
    return false;
}

/* Reads "retry_delay { seconds: 44 }", Google's wait in protobuf's text format. */
static void read_grpc_delay(rc_evidence *evidence, rc_str text)
{
    if (!has_byte(text, '{'))
        return;
    size_t at = rc_str_find(text, RC_STR("retry_delay {"), 0);
    if (at == RC_STR_NPOS)
        return;
    at = rc_str_find(text, RC_STR("seconds: "), at);
    if (at == RC_STR_NPOS)
        return;
    size_t from = at + sizeof("seconds: ") - 1;
    size_t to = from;
    while (to < text.len && rc_ascii_is_digit(text.ptr[to]))
        to++;
    rc_hints_add_field(&evidence->hints, RC_STR("retry_after_seconds"),
                       rc_str_slice(text, from, to), true);
}

/* Reads the layer's status from the text. Does nothing for an error with a typed (machine-readable)
 * code in a 4xx response, because a number in the message of such an error is not the status of the
 * error. */
static void read_status(const rc_evidence *evidence, rc_layer *layer, rc_str text)
{
    bool is_typed = layer->code.len > 0 || layer->type.len > 0;
    bool is_settled = is_typed && evidence->failure->status / 100 == 4;
    if (layer->status == 0 && !is_settled)
        layer->status = rc_text_http_status(text);
}

/* Returns whether the message may contain another error. The test looks for characters that every
 * such message contains, because most messages are plain sentences. The message of an error with a
 * code can contain only a JSON object or an HTML page. */
static bool may_wrap(const rc_layer *layer)
{
    rc_str text = layer->message;
    if (has_byte(text, '{') || has_byte(text, '<'))
        return true;
    if (layer->code.len > 0 || layer->type.len > 0)
        return false;
    return has_byte(text, '=') || has_byte(text, '\n') || has_byte(text, '"') ||
           has_byte(text, '(') || rc_str_find(text, RC_STR("': "), 0) != RC_STR_NPOS;
}

void rc_unwrap_text(rc_evidence *evidence, size_t index)
{
    rc_layer *layer = &evidence->layers[index];
    rc_str text = layer->message;
    unsigned depth = layer->depth + 1;
    if (depth > RC_LAYER_DEPTH_MAX || text.len < 3 || layer->is_opaque)
        return;
    if (!may_wrap(layer)) {
        rc_rpc_read_text(evidence, text);
        read_status(evidence, layer, text);
        return;
    }
    if (text.ptr[0] == '{' || (text.ptr[0] == '[' && text.ptr[1] == '{')) {
        layer->message = (rc_str){NULL, 0};
        rc_unwrap_json(evidence, text, depth, RC_STR("json"));
        return;
    }
    if (rc_unwrap_html(evidence, text, depth)) {
        layer->message = (rc_str){NULL, 0};
        return;
    }
    if (unwrap_page(evidence, layer, text, depth))
        return;
    text = rc_plain_unescape_bytes(
        evidence, rc_plain_unify_quotes(evidence, rc_plain_drop_frames(evidence, text)));
    layer->message = text;
    read_grpc_delay(evidence, text);
    rc_str json = {NULL, 0};
    size_t at = find_json(evidence, text, &json);
    if (at == RC_STR_NPOS)
        at = find_members(evidence, text, &json);
    rc_str own = at == RC_STR_NPOS ? text : rc_str_slice(text, 0, at);
    read_status(evidence, layer, own);
    if (at != RC_STR_NPOS) {
        rc_rpc_read_text(evidence, own);
        layer->message = rc_str_trim(own);
        rc_unwrap_json(evidence, json, depth, RC_STR("json"));
        return;
    }
    text = rc_plain_drop_echo(evidence, text);
    layer->message = text;
    rc_rpc_read_text(evidence, text);
    if (unwrap_aws(evidence, text, depth) || unwrap_pairs(evidence, text, depth))
        layer->message = (rc_str){NULL, 0};
}
