/* rc_reasoning: records the steps of a verdict and writes them as JSON. Called by explanation.c,
 * explain.c, reasoning_panel.c and src/cli/serve/explain.c. */
#include "cli/explain/reasoning.h"

#include <recourse/rules.h>

#include "base/str.h"
#include "scrub/scrub.h"
#include "json/writer.h"

/* Limit of all texts together; further steps are dropped. */
#define TEXTS_MAX ((size_t)1 << 20)
/* Limits of one text; the report has the uncut text. */
#define SUBJECT_MAX 160
#define TEXT_MAX 400

void rc_reasoning_init(rc_reasoning *reasoning, const rc_alloc *alloc)
{
    reasoning->count = 0;
    reasoning->left_out = 0;
    rc_buf_init(&reasoning->texts, alloc, TEXTS_MAX);
}

void rc_reasoning_reset(rc_reasoning *reasoning)
{
    reasoning->count = 0;
    reasoning->left_out = 0;
    rc_buf_reset(&reasoning->texts);
}

void rc_reasoning_done(rc_reasoning *reasoning)
{
    rc_buf_done(&reasoning->texts);
}

static size_t push_text(rc_reasoning *reasoning, rc_str text, size_t max_bytes)
{
    size_t start = rc_buf_get(&reasoning->texts).len;
    rc_scrub(text, max_bytes, &reasoning->texts);
    return rc_buf_get(&reasoning->texts).len - start;
}

void rc_reasoning_add(rc_reasoning *reasoning, const rc_trace_note *note)
{
    if (reasoning->count == RC_REASONING_NOTES_MAX || rc_buf_status(&reasoning->texts) != RC_OK) {
        reasoning->left_out++;
        return;
    }
    rc_reasoning_note *stored = &reasoning->notes[reasoning->count++];
    *stored = (rc_reasoning_note){.step = note->step, .wait_ms = note->wait_ms};
    stored->subject = rc_buf_get(&reasoning->texts).len;
    stored->subject_len = push_text(reasoning, note->subject, SUBJECT_MAX);
    stored->text = rc_buf_get(&reasoning->texts).len;
    stored->text_len = push_text(reasoning, note->text, TEXT_MAX);
}

static void on_note(void *ctx, const rc_trace_note *note)
{
    rc_reasoning_add(ctx, note);
}

rc_trace rc_reasoning_trace(rc_reasoning *reasoning)
{
    return (rc_trace){on_note, reasoning};
}

rc_str rc_reasoning_subject(const rc_reasoning *reasoning, const rc_reasoning_note *note)
{
    return rc_str_slice(rc_buf_get(&reasoning->texts), note->subject,
                        note->subject + note->subject_len);
}

rc_str rc_reasoning_text(const rc_reasoning *reasoning, const rc_reasoning_note *note)
{
    return rc_str_slice(rc_buf_get(&reasoning->texts), note->text, note->text + note->text_len);
}

/* ---- JSON ---- */

static const char *step_name(rc_trace_step step)
{
    switch (step) {
    case RC_TRACE_LAYER:
        return "layer";
    case RC_TRACE_FIELD:
        return "field";
    case RC_TRACE_PROVIDER:
        return "provider";
    case RC_TRACE_FACT:
        return "fact";
    case RC_TRACE_HINT:
        return "hint";
    case RC_TRACE_IGNORED:
        return "ignored";
    case RC_TRACE_RULE_TRIED:
        return "rule_tried";
    case RC_TRACE_RULE_MATCHED:
        return "rule_matched";
    }
    return "unknown";
}

static void put_note(rc_json_writer *w, const rc_reasoning *reasoning,
                     const rc_reasoning_note *note)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("step"), rc_str_c(step_name(note->step)));
    rc_json_member_string(w, RC_STR("subject"), rc_reasoning_subject(reasoning, note));
    if (note->text_len > 0)
        rc_json_member_string(w, RC_STR("text"), rc_reasoning_text(reasoning, note));
    if (note->wait_ms >= 0)
        rc_json_member_i64(w, RC_STR("wait_ms"), note->wait_ms);
    rc_json_object_end(w);
}

void rc_reasoning_json(const rc_reasoning *reasoning, rc_str object, unsigned indent,
                       rc_buf *scratch, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, scratch, indent);
    rc_json_object_begin(&w);
    rc_json_key(&w, RC_STR("why"));
    rc_json_array_begin(&w);
    for (size_t i = 0; i < reasoning->count; i++)
        put_note(&w, reasoning, &reasoning->notes[i]);
    rc_json_array_end(&w);
    rc_json_object_end(&w);

    /* Joins two JSON objects: drops the closing brace of `object` and the opening brace of the
     * second object. */
    object = rc_str_trim(object);
    rc_buf_push(buf, rc_str_trim(rc_str_slice(object, 0, object.len - 1)));
    rc_buf_push_byte(buf, ',');
    rc_str member = rc_buf_get(scratch);
    rc_buf_push(buf, rc_str_slice(member, 1, member.len));
}
