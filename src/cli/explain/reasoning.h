/* rc_reasoning: the recorded steps of a verdict, shown as a panel or as JSON. All texts are
 * scrubbed of secrets. */
#ifndef RC_CLI_EXPLAIN_REASONING_H
#define RC_CLI_EXPLAIN_REASONING_H

#include <recourse/buf.h>
#include <recourse/classify.h>
#include <recourse/render.h>

/* Limit of recorded steps, above the number of all rules and facts; further steps are only
 * counted. */
#define RC_REASONING_NOTES_MAX 1024

typedef struct rc_reasoning_note {
    rc_trace_step step;
    size_t subject, subject_len; /* Position in rc_reasoning.texts. */
    size_t text, text_len;
    int64_t wait_ms;
} rc_reasoning_note;

/* Caller's storage. */
typedef struct rc_reasoning {
    rc_buf texts;
    rc_reasoning_note notes[RC_REASONING_NOTES_MAX];
    size_t count;
    size_t left_out;
} rc_reasoning;

/* alloc: copies the struct. */
void rc_reasoning_init(rc_reasoning *reasoning, const rc_alloc *alloc);
void rc_reasoning_done(rc_reasoning *reasoning);

/* Removes all steps. */
void rc_reasoning_reset(rc_reasoning *reasoning);

/* Returns the trace to pass to rc_judge. reasoning: borrows until rc_judge returns. */
rc_trace rc_reasoning_trace(rc_reasoning *reasoning);

/* Records one step. note: copies its texts. */
void rc_reasoning_add(rc_reasoning *reasoning, const rc_trace_note *note);

/* Return the subject or the text of a step; the result views reasoning. */
rc_str rc_reasoning_subject(const rc_reasoning *reasoning, const rc_reasoning_note *note);
rc_str rc_reasoning_text(const rc_reasoning *reasoning, const rc_reasoning_note *note);

/* Appends a panel: the input, its layers, the provider, the facts, the waits, the rules. input: a
 * description of the input. reasoning, input, style: borrows during the call. */
void rc_reasoning_panel(const rc_reasoning *reasoning, rc_str input, const rc_panel_style *style,
                        rc_buf *buf);

/* Appends the JSON object in `object` with one more member "why", an array of {"step", "subject",
 * "text", "wait_ms"}. indent: the indentation of the object. scratch: an empty buffer. reasoning,
 * object, scratch: borrows during the call. */
void rc_reasoning_json(const rc_reasoning *reasoning, rc_str object, unsigned indent,
                       rc_buf *scratch, rc_buf *buf);

#endif
