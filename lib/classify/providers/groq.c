/* Groq: docs/providers/groq.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("rate_limit_exceeded"), RC_CONCEPT_RATE},
    {RC_STR_INIT("tokens"), RC_CONCEPT_TOKENS_LIMIT},
    {RC_STR_INIT("requests"), RC_CONCEPT_REQUESTS_LIMIT},
    {RC_STR_INIT("invalid_request_error"), RC_CONCEPT_INVALID},
    {RC_STR_INIT("context_length_exceeded"), RC_CONCEPT_CONTEXT_OVERFLOW},
    {RC_STR_INIT("model_not_found"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("invalid_api_key"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("tool_use_failed"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("json_validate_failed"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("model_decommissioned"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("capacity_exceeded"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("organization_restricted"), RC_CONCEPT_PERMISSION},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-groq-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("tool_use_failed")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("json_validate_failed")},
};

/* The flex tier has a status of its own for "no room". */
static void extract(rc_evidence *evidence)
{
    rc_provider_set_status_code(evidence, 498, RC_STR("capacity_exceeded"));
}

const rc_provider rc_provider_groq = {
    .name = RC_STR_INIT("groq"),
    .title = RC_STR_INIT("Groq"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
