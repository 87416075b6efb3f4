/* Evidence of one failure: its plain facts, layers and texts. Called by classify.c, unwrap/ and
 * providers/. */
#include "classify/evidence.h"

#include <string.h>

#include "base/str.h"
#include "classify/unwrap/unwrap.h"
#include "json/reader.h"

static rc_fact exit_fact(int status)
{
    switch (status) {
    case 0:
        return RC_FACT_NONE;
    case 2:
    case 64:
        return RC_FACT_EXIT_USAGE;
    case 75:
        return RC_FACT_EXIT_TEMPORARY;
    case 124:
        return RC_FACT_EXIT_TIMEOUT;
    case 126:
        return RC_FACT_EXIT_NOT_RUNNABLE;
    case 127:
        return RC_FACT_EXIT_NOT_FOUND;
    case 130:
        return RC_FACT_EXIT_INTERRUPTED;
    case 137:
        return RC_FACT_EXIT_KILLED;
    case 143:
        return RC_FACT_EXIT_TERMINATED;
    case 132:
    case 134:
    case 135:
    case 136:
    case 139:
        return RC_FACT_EXIT_CRASHED;
    default:
        return RC_FACT_EXIT_OTHER;
    }
}

/* Returns whether the request may be sent twice. A second completion, embedding, extraction or
 * search costs only its tokens. A second request for an image, audio or a tool call may have other
 * effects. */
static bool is_replayable(const rc_failure *failure)
{
    if (failure->replay != RC_REPLAY_BY_FAMILY)
        return failure->replay == RC_REPLAY_YES;
    return failure->family != RC_FAMILY_IMAGE && failure->family != RC_FAMILY_AUDIO &&
           failure->family != RC_FAMILY_TOOL;
}

static rc_fact family_fact(rc_family family)
{
    switch (family) {
    case RC_FAMILY_IMAGE:
        return RC_FACT_FAMILY_IMAGE;
    case RC_FAMILY_AUDIO:
        return RC_FACT_FAMILY_AUDIO;
    case RC_FAMILY_EMBEDDING:
        return RC_FACT_FAMILY_EMBEDDING;
    case RC_FAMILY_EXTRACT:
        return RC_FACT_FAMILY_EXTRACT;
    case RC_FAMILY_SEARCH:
        return RC_FACT_FAMILY_SEARCH;
    case RC_FAMILY_TOOL:
        return RC_FACT_FAMILY_TOOL;
    case RC_FAMILY_NONE:
    case RC_FAMILY_UNKNOWN:
    case RC_FAMILY_LLM:
    default:
        return RC_FACT_FAMILY_LLM;
    }
}

static rc_fact connection_fact(rc_connection_fault fault)
{
    switch (fault) {
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated, \
                      limit)                                                                    \
    case RC_CONNECTION_##ID:                                                                    \
        return RC_FACT_CONNECTION_##ID;
#include "spec/connection.def"
    case RC_CONNECTION_NONE:
        break;
    }
    return RC_FACT_NONE;
}

static void set_plain_facts(rc_evidence *evidence)
{
    const rc_failure *failure = evidence->failure;
    rc_facts_set_status(&evidence->facts, failure->status);
    if (failure->transport >= RC_TRANSPORT_TIMEOUT && failure->transport <= RC_TRANSPORT_EOF)
        rc_evidence_set(evidence, (rc_fact)(RC_FACT_TRANSPORT_TIMEOUT +
                                            (failure->transport - RC_TRANSPORT_TIMEOUT)));
    if (failure->phase >= RC_PHASE_CONNECT && failure->phase <= RC_PHASE_COMMITTED)
        rc_evidence_set(evidence,
                        (rc_fact)(RC_FACT_PHASE_CONNECT + (failure->phase - RC_PHASE_CONNECT)));
    rc_evidence_set(evidence, family_fact(failure->family));
    rc_evidence_set(evidence, is_replayable(failure) ? RC_FACT_REPLAY_YES : RC_FACT_REPLAY_NO);
    rc_fact connection = connection_fact(failure->connection);
    if (connection != RC_FACT_NONE)
        rc_evidence_set(evidence, connection);
    rc_fact exit = exit_fact(failure->exit_status);
    if (exit != RC_FACT_NONE)
        rc_evidence_set(evidence, exit);
}

void rc_evidence_init(rc_evidence *evidence, const rc_failure *failure, const rc_trace *trace,
                      rc_classify_space *space)
{
    memset(evidence, 0, sizeof(*evidence));
    evidence->failure = failure;
    evidence->trace = trace;
    evidence->header_count =
        failure->header_count < RC_HEADERS_MAX ? failure->header_count : RC_HEADERS_MAX;
    evidence->space = space->text;
    evidence->space_len = sizeof(space->text);
    rc_hints_init(&evidence->hints, failure->now_unix_ms, trace);
    set_plain_facts(evidence);
}

bool rc_evidence_is_success(const rc_evidence *evidence)
{
    return evidence->failure->status / 100 == 2 && !rc_evidence_has(evidence, RC_FACT_BODY_ERROR);
}

rc_layer *rc_evidence_add_layer(rc_evidence *evidence, unsigned depth, rc_str where)
{
    if (evidence->layer_count == RC_LAYERS_MAX || depth > RC_LAYER_DEPTH_MAX)
        return NULL;
    rc_layer *layer = &evidence->layers[evidence->layer_count++];
    memset(layer, 0, sizeof(*layer));
    layer->depth = depth;
    layer->where = where;
    return layer;
}

static bool says_something(const rc_layer *layer)
{
    return layer->message.len > 0 || layer->code.len > 0 || layer->reason.len > 0 ||
           layer->type.len > 0 || layer->status > 0;
}

const rc_layer *rc_evidence_innermost(const rc_evidence *evidence)
{
    const rc_layer *best = NULL;
    for (size_t i = 0; i < evidence->layer_count; i++) {
        const rc_layer *layer = &evidence->layers[i];
        if (says_something(layer) && (best == NULL || layer->depth > best->depth))
            best = layer;
    }
    return best;
}

void rc_evidence_add_modifier(rc_evidence *evidence, rc_str text)
{
    if (evidence->modifier_count < RC_MODIFIERS_MAX)
        evidence->modifiers[evidence->modifier_count++] = text;
}

rc_str rc_evidence_unescape(rc_evidence *evidence, rc_str raw, bool has_escapes)
{
    raw = rc_str_slice(raw, 0, RC_EVIDENCE_TEXT_MAX);
    if (!has_escapes)
        return raw;
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space, evidence->space_len);
    if (rc_json_unescape(raw, &buf) != RC_OK)
        return raw;
    rc_str text = rc_buf_get(&buf);
    evidence->space += text.len;
    evidence->space_len -= text.len;
    return text;
}

void rc_evidence_note(const rc_evidence *evidence, rc_trace_step step, rc_str subject, rc_str text)
{
    if (evidence->trace == NULL)
        return;
    rc_trace_note note = {step, subject, text, -1};
    evidence->trace->on_note(evidence->trace->ctx, &note);
}
