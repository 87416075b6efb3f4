/* OpenRouter: docs/providers/openrouter.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("provider_unavailable"), RC_CONCEPT_UNAVAILABLE},
    {RC_STR_INIT("provider_overloaded"), RC_CONCEPT_OVERLOADED},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-openrouter-")},
};

const rc_provider rc_provider_openrouter = {
    .name = RC_STR_INIT("openrouter"),
    .title = RC_STR_INIT("OpenRouter"),
    .rank = RC_PROVIDER_RELAY,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
