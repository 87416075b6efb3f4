/* rc_reasoning: the steps of a verdict, kept, and shown to a person or as JSON. Every text in it
 * has passed the scrubber. */
#ifndef RC_CLI_EXPLAIN_REASONING_H
#define RC_CLI_EXPLAIN_REASONING_H

#include <recourse/buf.h>
#include <recourse/classify.h>
#include <recourse/render.h>

/* More steps than there are rules and facts; what is more is counted. */
#define RC_REASONING_NOTES_MAX 1024

typedef struct rc_reasoning_note {
    rc_trace_step step;
    size_t subject, subject_len; /* in the texts */
    size_t text, text_len;
    int64_t wait_ms;
} rc_reasoning_note;

/* The caller's storage. */
typedef struct rc_reasoning {
    rc_buf texts;
    rc_reasoning_note notes[RC_REASONING_NOTES_MAX];
    size_t count;
    size_t left_out;
} rc_reasoning;

/* alloc: copies. */
void rc_reasoning_init(rc_reasoning *reasoning, const rc_alloc *alloc);
void rc_reasoning_done(rc_reasoning *reasoning);

/* Forgets the steps. */
void rc_reasoning_reset(rc_reasoning *reasoning);

/* What rc_judge tells its steps to. why: borrows until the verdict is there. */
rc_trace rc_reasoning_trace(rc_reasoning *reasoning);

/* Keeps one more step. note: copies. */
void rc_reasoning_add(rc_reasoning *reasoning, const rc_trace_note *note);

/* The texts of a step; they view why. */
rc_str rc_reasoning_subject(const rc_reasoning *reasoning, const rc_reasoning_note *note);
rc_str rc_reasoning_text(const rc_reasoning *reasoning, const rc_reasoning_note *note);

/* Appends a panel: what came, what was unwrapped, the provider, the facts, the waits, the rules.
 * came: what the input was taken for. All borrow. */
void rc_reasoning_panel(const rc_reasoning *reasoning, rc_str input, const rc_panel_style *style,
                        rc_buf *buf);

/* Appends a JSON object with one more member, "why": an array of {"step", "subject", "text",
 * "wait_ms"}. indent: that of the object. scratch: an empty buffer. All borrow. */
void rc_reasoning_json(const rc_reasoning *reasoning, rc_str object, unsigned indent,
                       rc_buf *scratch, rc_buf *buf);

#endif
