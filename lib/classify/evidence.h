/* rc_evidence: everything that the classifier has read from one failure. Unwrapping splits the
 * failure into layers and is the same for all providers. The extractor of the provider then
 * corrects the evidence, and classify.c turns the evidence into facts.
 *
 *   body:  {"error":{"message":"Error code: 429 - {'error': {'code': 'insufficient_quota' ...
 *            layer 0: message "Error code: 429 -", status 429
 *            layer 1: code "insufficient_quota" ...                the innermost layer decides
 *
 * A layer is one of several errors nested in each other. All texts view (point into) the failure or
 * the caller's rc_classify_space. */
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

/* RC_EVIDENCE_BODY_MAX: bytes of a body that are read; RC_EVIDENCE_TEXT_MAX: bytes of one text in
 * the body. The remainder is ignored. */
#define RC_EVIDENCE_BODY_MAX ((size_t)1 << 20)
#define RC_EVIDENCE_TEXT_MAX ((size_t)4096)

typedef struct rc_layer {
    rc_str where; /* Kind of the wrapper around this layer ("raw", "json"), for the trace; static
                     text. */
    rc_str type;
    rc_str code;
    rc_str reason; /* A second typed (machine-readable) code, such as Google's ErrorInfo.reason or
                      the header x-amzn-errortype. */
    rc_str status_word;
    rc_str param;
    rc_str message;
    int status; /* HTTP status that the error's text names, 100 to 599; 0 if the text names none. */
    unsigned depth;
    bool is_opaque; /* The message contains no further layers. */
} rc_layer;

struct rc_provider;

typedef struct rc_evidence {
    const rc_failure *failure;
    const rc_trace *trace;
    size_t header_count;                /* Number of response headers to read, at most
                                           RC_HEADERS_MAX. */
    const struct rc_provider *provider; /* The recognised provider; NULL: no provider was
                                           recognised. */
    rc_str provider_name;
    rc_str recognised_by;

    rc_layer layers[RC_LAYERS_MAX];
    size_t layer_count;
    rc_str modifiers[RC_MODIFIERS_MAX]; /* Names of limits, quotas and tiers. */
    size_t modifier_count;
    rc_str request_id;
    rc_str server;
    rc_str page_title; /* Title of the page if the body is an HTML page. */
    rc_str finish_reason;
    int64_t prompt_tokens; /* Number of prompt tokens in the response's usage object; 0 if the
                              response has no usage. */

    rc_facts facts;
    rc_hints hints;
    rc_limits limits;

    char *space; /* The unused part of the rc_classify_space that the caller passed. */
    size_t space_len;

    bool has_content;    /* The response has content that the model generated. */
    bool has_terminator; /* The stream ended with its last regular event (such as [DONE]), so it is
                            complete. */
    bool is_stream;
} rc_evidence;

/* Initialises the evidence and sets the facts that follow from the failure's plain members: status,
 * transport, phase, family, replay, connection fault, exit status. failure, trace, space: borrows
 * until the evidence is no longer used. */
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

/* Returns whether the status is 2xx and the response has no error object. The text is then the
 * model's output, not a description of a failure. */
bool rc_evidence_is_success(const rc_evidence *evidence);

/* Adds an empty layer. Returns a pointer into the evidence; NULL if the evidence has RC_LAYERS_MAX
 * layers already or if `depth` exceeds RC_LAYER_DEPTH_MAX. `where` must be static text, because the
 * layer views it. */
rc_layer *rc_evidence_add_layer(rc_evidence *evidence, unsigned depth, rc_str where);

/* Returns the deepest layer that has any content, as a pointer into the evidence. If several layers
 * have this depth, returns the first of them; if no layer has content, NULL. */
const rc_layer *rc_evidence_innermost(const rc_evidence *evidence);

/* Adds the name of a limit, quota or tier. Only a time window in the name ("per day") becomes a
 * fact. text: views until the evidence is no longer used. */
void rc_evidence_add_modifier(rc_evidence *evidence, rc_str text);

/* Returns the value of a JSON string, truncated to RC_EVIDENCE_TEXT_MAX. A string with escapes is
 * decoded into the caller's space; if the space is full, the result is `raw` unchanged. A string
 * without escapes is returned as it is. */
rc_str rc_evidence_unescape(rc_evidence *evidence, rc_str raw, bool has_escapes);

/* Reports one step of the classification to the trace, if the caller passed a trace. */
void rc_evidence_note(const rc_evidence *evidence, rc_trace_step step, rc_str subject, rc_str text);

/* rc_unwrap (unwrap/unwrap.c): splits the failure's event and body into layers. */
void rc_unwrap(rc_evidence *evidence);

/* rc_finish_read (finish.c): reads a finish reason and sets the reason's fact if the reason means a
 * failure. Returns true if the reason ends a response successfully. */
bool rc_finish_read(rc_evidence *evidence, rc_str reason);

#endif
