/* Moonshot AI: docs/providers/moonshot.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("rate_limit_reached_error"), RC_CONCEPT_RATE},
    {RC_STR_INIT("exceeded_current_quota_error"), RC_CONCEPT_QUOTA},
    {RC_STR_INIT("engine_overloaded_error"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("invalid_authentication_error"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("incorrect_api_key_error"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("content_filter"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("resource_not_found_error"), RC_CONCEPT_MODEL_MISSING},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("exceeded_current_quota_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("rate_limit_reached_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("engine_overloaded_error")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("msh-")},
};

const rc_provider rc_provider_moonshot = {
    .name = RC_STR_INIT("moonshot"),
    .title = RC_STR_INIT("Moonshot AI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
