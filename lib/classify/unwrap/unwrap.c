/* Unwraps the event and the body of a failure, beginning with the outermost layer, to a bounded
 * depth. Called by classify.c. */
#include "classify/unwrap/unwrap.h"

#include "base/str.h"
#include "base/utf8.h"
#include "classify/unwrap/plain_text.h"
#include "json/reader.h"

/* Returns whether the whole text is one quoted JSON string. */
static bool is_json_string(rc_str text)
{
    if (text.ptr[0] != '"')
        return false;
    rc_json_reader reader;
    rc_json_limits limits = {RC_EVIDENCE_BODY_MAX, RC_JSON_DEPTH_MAX, true};
    rc_json_reader_init(&reader, text, &limits);
    return rc_json_reader_next(&reader).end == text.len;
}

static void add_text(rc_evidence *evidence, rc_str text, rc_str where)
{
    rc_layer *layer = rc_evidence_add_layer(evidence, 0, where);
    if (layer != NULL)
        layer->message = rc_str_slice(text, 0, RC_EVIDENCE_TEXT_MAX);
}

/* Returns the last bytes of a long log, from the start of a line on, because the error is at the
 * end of a log. */
static rc_str tail_of(rc_str text)
{
    if (text.len <= RC_EVIDENCE_TEXT_MAX)
        return text;
    size_t from = text.len - RC_EVIDENCE_TEXT_MAX;
    size_t line = rc_str_find_byte(text, '\n', from);
    return rc_str_slice(text, line == RC_STR_NPOS ? from : line + 1, text.len);
}

/* Returns the text without byte order mark and without leading and trailing white space. */
static rc_str text_of(rc_str body)
{
    return rc_str_trim(rc_utf8_without_bom(body));
}

static void unwrap_body(rc_evidence *evidence, rc_str text, rc_str where)
{
    rc_str trimmed = text_of(text);
    if (trimmed.len == 0)
        return;
    if (trimmed.ptr[0] == '{' && trimmed.len > 1 && trimmed.ptr[1] == '\xE2')
        trimmed = rc_plain_unify_quotes(evidence, trimmed);
    if (rc_unwrap_stream(evidence, trimmed) || rc_unwrap_html(evidence, trimmed, 0))
        return;
    char first = trimmed.ptr[0];
    char second = trimmed.len > 1 ? trimmed.ptr[1] : '\0';
    bool is_list = first == '[' && (second == '{' || second == '[' || second == ']' ||
                                    second == '"' || rc_ascii_is_space(second));
    if (first == '{' || is_list || is_json_string(trimmed)) {
        rc_unwrap_json(evidence, trimmed, 0, where);
        return;
    }
    add_text(evidence, tail_of(trimmed), where);
    if (trimmed.len > RC_EVIDENCE_TEXT_MAX)
        add_text(evidence, trimmed, where);
}

static void read_stream_end(rc_evidence *evidence)
{
    bool is_answer = rc_evidence_has(evidence, RC_FACT_BODY_ANSWER) || evidence->has_content;
    if (evidence->is_stream && is_answer && !evidence->has_terminator)
        rc_evidence_set(evidence, RC_FACT_BODY_UNTERMINATED);
    if (!evidence->is_stream && rc_evidence_has(evidence, RC_FACT_BODY_ANSWER) &&
        !evidence->has_content)
        rc_evidence_set(evidence, RC_FACT_BODY_NO_CONTENT);
}

/* If no member of a JSON body describes an error, adds the whole text as the message of a layer, so
 * that the text is scanned for phrases. */
static void add_text_of_json(rc_evidence *evidence)
{
    const rc_failure *failure = evidence->failure;
    if (rc_evidence_innermost(evidence) != NULL || rc_evidence_is_success(evidence) ||
        rc_evidence_has(evidence, RC_FACT_BODY_ANSWER) || evidence->has_content ||
        evidence->finish_reason.len > 0)
        return;
    rc_layer *layer = rc_evidence_add_layer(evidence, RC_LAYER_DEPTH_MAX, RC_STR("text"));
    rc_str text = failure->body.len > 0 ? failure->body : failure->event;
    if (layer != NULL)
        layer->message = rc_str_slice(text_of(text), 0, RC_EVIDENCE_TEXT_MAX);
}

void rc_unwrap(rc_evidence *evidence)
{
    const rc_failure *failure = evidence->failure;
    if (text_of(failure->event).len == 0 && text_of(failure->body).len == 0)
        rc_evidence_set(evidence, RC_FACT_BODY_EMPTY);
    unwrap_body(evidence, failure->event, RC_STR("event"));
    unwrap_body(evidence, failure->body, RC_STR("body"));
    add_text_of_json(evidence);
    /* rc_unwrap_text may append layers; the loop also processes these. */
    for (size_t i = 0; i < evidence->layer_count; i++)
        rc_unwrap_text(evidence, i);
    read_stream_end(evidence);
}
