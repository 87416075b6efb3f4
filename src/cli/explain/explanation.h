/* rc_explanation: a pasted text, from what it is taken for to the verdict on it. The same for the
 * command and for the gateway's dashboard. */
#ifndef RC_CLI_EXPLAIN_EXPLANATION_H
#define RC_CLI_EXPLAIN_EXPLANATION_H

#include <recourse/id.h>

#include "cli/explain/explain.h"
#include "sys/calls.h"

/* The caller's storage. */
typedef struct rc_explanation {
    const rc_explain_overrides *overrides; /* NULL: nothing but the text is known */
    const rc_rules *rules;                 /* NULL: the built-in ones alone */
    bool is_traced;                        /* the steps are kept in why */
    rc_detected detected;
    rc_reasoning reasoning;
    rc_failure failure; /* as it was judged */
    rc_buf cleaned;     /* private from here on */
    rc_header headers[RC_EXPLAIN_HEADERS_MAX];
    rc_classify_space space;
} rc_explanation;

/* max_bytes: of the longest text. alloc: copies. */
void rc_explanation_init(rc_explanation *explanation, size_t max_bytes, const rc_alloc *alloc);
void rc_explanation_done(rc_explanation *explanation);

/* What the text is: explaining->seen. text: borrows until the verdict was used. */
void rc_explanation_read(rc_explanation *explanation, rc_str text);

/* The verdict on what was read, over which what is given is laid; of a long log on its end, if that
 * says something. Views explaining. */
rc_verdict rc_explanation_judge(rc_explanation *explanation, int64_t now_unix_ms);

/* The report of the verdict, with an id of its own unless there is no chance to be had. Gives;
 * never NULL. */
const rc_report *rc_explanation_report(rc_explanation *explanation, const rc_verdict *verdict,
                                       const rc_sys_calls *calls, const rc_alloc *alloc);

#endif
