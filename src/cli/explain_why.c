#include "cli/explain_why.h"

#include <recourse/rules.h>

#include "base/json_writer.h"
#include "base/str.h"
#include "core/scrub.h"

/* All texts together; what is more is left out. */
#define TEXTS_MAX ((size_t)1 << 20)
/* One text. A trace is to be read: the report has the whole. */
#define SUBJECT_MAX 160
#define TEXT_MAX 400

void rc_reasoning_init(rc_reasoning *why, const rc_alloc *alloc)
{
    why->count = 0;
    why->left_out = 0;
    rc_buf_init(&why->texts, alloc, TEXTS_MAX);
}

void rc_reasoning_reset(rc_reasoning *why)
{
    why->count = 0;
    why->left_out = 0;
    rc_buf_reset(&why->texts);
}

void rc_reasoning_done(rc_reasoning *why)
{
    rc_buf_done(&why->texts);
}

static size_t keep(rc_reasoning *why, rc_str text, size_t max_bytes)
{
    size_t start = rc_buf_get(&why->texts).len;
    rc_scrub(text, max_bytes, &why->texts);
    return rc_buf_get(&why->texts).len - start;
}

void rc_reasoning_add(rc_reasoning *why, const rc_note *note)
{
    if (why->count == RC_WHY_NOTES_MAX || rc_buf_status(&why->texts) != RC_OK) {
        why->left_out++;
        return;
    }
    rc_reasoning_note *kept = &why->notes[why->count++];
    *kept = (rc_reasoning_note){.step = note->step, .wait_ms = note->wait_ms};
    kept->subject = rc_buf_get(&why->texts).len;
    kept->subject_len = keep(why, note->subject, SUBJECT_MAX);
    kept->text = rc_buf_get(&why->texts).len;
    kept->text_len = keep(why, note->text, TEXT_MAX);
}

static void on_note(void *ctx, const rc_note *note)
{
    rc_reasoning_add(ctx, note);
}

rc_trace rc_reasoning_trace(rc_reasoning *why)
{
    return (rc_trace){on_note, why};
}

rc_str rc_reasoning_subject(const rc_reasoning *why, const rc_reasoning_note *note)
{
    return rc_str_slice(rc_buf_get(&why->texts), note->subject, note->subject + note->subject_len);
}

rc_str rc_reasoning_text(const rc_reasoning *why, const rc_reasoning_note *note)
{
    return rc_str_slice(rc_buf_get(&why->texts), note->text, note->text + note->text_len);
}

/* ---- JSON ---- */

static const char *step_name(rc_step step)
{
    switch (step) {
    case RC_STEP_LAYER:
        return "layer";
    case RC_STEP_FIELD:
        return "field";
    case RC_STEP_PROVIDER:
        return "provider";
    case RC_STEP_FACT:
        return "fact";
    case RC_STEP_HINT:
        return "hint";
    case RC_STEP_IGNORED:
        return "ignored";
    case RC_STEP_RULE_TRIED:
        return "rule_tried";
    case RC_STEP_RULE_MATCHED:
        return "rule_matched";
    }
    return "unknown";
}

static void put_note(rc_json_writer *w, const rc_reasoning *why, const rc_reasoning_note *note)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("step"), rc_str_c(step_name(note->step)));
    rc_json_member_string(w, RC_STR("subject"), rc_reasoning_subject(why, note));
    if (note->text_len > 0)
        rc_json_member_string(w, RC_STR("text"), rc_reasoning_text(why, note));
    if (note->wait_ms >= 0)
        rc_json_member_i64(w, RC_STR("wait_ms"), note->wait_ms);
    rc_json_object_end(w);
}

void rc_reasoning_json(const rc_reasoning *why, rc_str object, unsigned indent, rc_buf *scratch,
                       rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, scratch, indent);
    rc_json_object_begin(&w);
    rc_json_key(&w, RC_STR("why"));
    rc_json_array_begin(&w);
    for (size_t i = 0; i < why->count; i++)
        put_note(&w, why, &why->notes[i]);
    rc_json_array_end(&w);
    rc_json_object_end(&w);

    /* Two objects become one: the end of the first and the beginning of the second go. */
    object = rc_str_trim(object);
    rc_buf_push(buf, rc_str_trim(rc_str_slice(object, 0, object.len - 1)));
    rc_buf_push_byte(buf, ',');
    rc_str member = rc_buf_get(scratch);
    rc_buf_push(buf, rc_str_slice(member, 1, member.len));
}
