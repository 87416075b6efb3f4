/* rc_explanation: recognises a pasted text and judges the failure in it. Used by `recourse explain`
 * and by the gateway's dashboard. */
#ifndef RC_CLI_EXPLAIN_EXPLANATION_H
#define RC_CLI_EXPLAIN_EXPLANATION_H

#include <recourse/id.h>

#include "cli/explain/explain.h"
#include "sys/calls.h"

/* Caller's storage. */
typedef struct rc_explanation {
    const rc_explain_overrides *overrides; /* Facts given by options; NULL: none. */
    const rc_rules *rules;                 /* Rules of the user; NULL: only built-in rules. */
    bool is_traced; /* The steps of the judgement are recorded in `reasoning`. */
    rc_detected detected;
    rc_reasoning reasoning;
    rc_failure failure; /* The failure that rc_explanation_judge judged. */
    rc_buf cleaned;     /* This and the later members are private. */
    rc_header headers[RC_EXPLAIN_HEADERS_MAX];
    rc_classify_space space;
} rc_explanation;

/* max_bytes: limit of the texts to be read. alloc: copies the struct. */
void rc_explanation_init(rc_explanation *explanation, size_t max_bytes, const rc_alloc *alloc);
void rc_explanation_done(rc_explanation *explanation);

/* Recognises the text and sets `detected`. text: borrows as long as the verdict is used. */
void rc_explanation_read(rc_explanation *explanation, rc_str text);

/* Judges the recognised failure with the overrides applied. For a long log only the end is judged,
 * unless the end cannot be classified. The verdict views explanation. */
rc_verdict rc_explanation_judge(rc_explanation *explanation, int64_t now_unix_ms);

/* Gives the report of the verdict, never NULL. The report has a fresh id, or no id if the system
 * has no entropy. */
const rc_report *rc_explanation_report(rc_explanation *explanation, const rc_verdict *verdict,
                                       const rc_sys_calls *calls, const rc_alloc *alloc);

#endif
