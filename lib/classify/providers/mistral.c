/* Mistral: docs/providers/mistral.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("1300"), RC_CONCEPT_RATE},
    {RC_STR_INIT("rate_limited"), RC_CONCEPT_RATE},
    {RC_STR_INIT("3505"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("service_tier_capacity_exceeded"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("1500"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("invalid_model"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("3051"), RC_CONCEPT_CONTEXT_OVERFLOW},
    {RC_STR_INIT("3230"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("1000"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("1901"), RC_CONCEPT_UNSUPPORTED},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("mistral-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("service_tier_capacity_exceeded")},
};

const rc_provider rc_provider_mistral = {
    .name = RC_STR_INIT("mistral"),
    .title = RC_STR_INIT("Mistral"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
