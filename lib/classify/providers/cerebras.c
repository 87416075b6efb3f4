/* Cerebras: docs/providers/cerebras.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("token_quota_exceeded"), RC_CONCEPT_RATE},
    {RC_STR_INIT("request_quota_exceeded"), RC_CONCEPT_RATE},
    {RC_STR_INIT("too_many_tokens_error"), RC_CONCEPT_RATE},
    {RC_STR_INIT("too_many_requests_error"), RC_CONCEPT_RATE},
    {RC_STR_INIT("queue_exceeded"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("wrong_api_key"), RC_CONCEPT_AUTH},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-cerebras-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("token_quota_exceeded")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("too_many_tokens_error")},
};

/* An overflow may come as a 400 or 413 with nothing in it. */
static void extract(rc_evidence *evidence)
{
    int status = evidence->failure->status;
    if ((status != 400 && status != 413) || !rc_evidence_has(evidence, RC_FACT_BODY_EMPTY))
        return;
    rc_layer *layer = rc_evidence_add_layer(evidence, 0, RC_STR("status"));
    if (layer != NULL)
        layer->code = RC_STR("context_length_exceeded");
}

const rc_provider rc_provider_cerebras = {
    .name = RC_STR_INIT("cerebras"),
    .title = RC_STR_INIT("Cerebras"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
