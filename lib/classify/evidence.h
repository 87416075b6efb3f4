/* rc_evidence: one failure, unwrapped and provider-blind. What extractors read and set, and what
 * becomes facts.
 *
 *   body:  {"error":{"message":"Error code: 429 - {'error': {'code': 'insufficient_quota' ...
 *            layer 0: message "Error code: 429 -", status 429
 *            layer 1: code "insufficient_quota" ...                      the innermost decides
 *
 * A layer is one error inside another. Texts view the failure or the caller's space. */
#ifndef RC_CLASSIFY_EVIDENCE_H
#define RC_CLASSIFY_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/classify.h>
#include <recourse/str.h>

#include "classify/facts.h"
#include "classify/hints/hints.h"
#include "classify/limits.h"

#define RC_LAYERS_MAX 12u
#define RC_LAYER_DEPTH_MAX 8u
#define RC_MODIFIERS_MAX 8u
#define RC_HEADERS_MAX 256u

/* Only so much of a body, and of one text in it, is looked at. */
#define RC_EVIDENCE_BODY_MAX ((size_t)1 << 20)
#define RC_EVIDENCE_TEXT_MAX ((size_t)4096)

typedef struct rc_layer {
    rc_str where; /* static: how it was wrapped, for the trace */
    rc_str type;
    rc_str code;
    rc_str reason; /* a second typed code: ErrorInfo.reason, x-amzn-errortype, a status word */
    rc_str status_word;
    rc_str param;
    rc_str message;
    int status; /* 100 to 599 that the error itself carries; 0: none */
    unsigned depth;
    bool is_opaque; /* not to be taken apart any further */
} rc_layer;

struct rc_provider;

typedef struct rc_evidence {
    const rc_failure *failure;
    const rc_trace *trace;
    size_t header_count;                /* of the failure's, as many as are looked at */
    const struct rc_provider *provider; /* NULL: none of the table */
    rc_str provider_name;
    rc_str recognised_by;

    rc_layer layers[RC_LAYERS_MAX];
    size_t layer_count;
    rc_str modifiers[RC_MODIFIERS_MAX]; /* names of limits */
    size_t modifier_count;
    rc_str request_id;
    rc_str server;
    rc_str page_title; /* of a page */
    rc_str finish_reason;
    int64_t prompt_tokens; /* 0: not told */

    rc_facts facts;
    rc_hints hints;
    rc_limits limits;

    char *space; /* what is left of the caller's space */
    size_t space_len;

    bool has_content;    /* an answer with something in it */
    bool has_terminator; /* of a stream */
    bool is_stream;
} rc_evidence;

/* Starts from the failure's plain fields: status, transport, phase, family, headers. failure,
 * trace, space: borrow until the evidence is no longer used. */
void rc_evidence_init(rc_evidence *evidence, const rc_failure *failure, const rc_trace *trace,
                      rc_classify_space *space);

static inline void rc_evidence_set(rc_evidence *evidence, rc_fact fact)
{
    rc_facts_set(&evidence->facts, fact);
}

static inline bool rc_evidence_has(const rc_evidence *evidence, rc_fact fact)
{
    return rc_facts_has(&evidence->facts, fact);
}

/* A success that names no error: the words in it are the answer's, and no evidence. */
bool rc_evidence_is_success(const rc_evidence *evidence);

/* Is it a text without anything that makes it the failure of a call: a compiler's message, a page
 * of a manual? Never where somebody said more of the call than a text. */
bool rc_evidence_is_foreign(const rc_evidence *evidence);

/* A new layer; NULL when there is no room for one more. where: static text. */
rc_layer *rc_evidence_add_layer(rc_evidence *evidence, unsigned depth, rc_str where);

/* The layer that decides: the deepest, of equals the first. NULL: there is none. */
const rc_layer *rc_evidence_innermost(const rc_evidence *evidence);

/* The name of a limit, a quota or a tier: only what it says of windows counts. */
void rc_evidence_add_modifier(rc_evidence *evidence, rc_str text);

/* The value of a JSON string (cut to RC_EVIDENCE_TEXT_MAX): raw itself, or unescaped into the
 * space. As it is when the space is full. */
rc_str rc_evidence_unescape(rc_evidence *evidence, rc_str raw, bool has_escapes);

/* Tells the trace, if there is one. */
void rc_evidence_note(const rc_evidence *evidence, rc_trace_step step, rc_str subject, rc_str text);

/* Takes everything that the failure's event and body hold apart into layers. */
void rc_unwrap(rc_evidence *evidence);

/* Why a model stopped: sets the fact of a reason that is a failure; true for one that ends an
 * answer well. */
bool rc_finish_read(rc_evidence *evidence, rc_str reason);

#endif
