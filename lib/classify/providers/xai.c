/* xAI: docs/providers/xai.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("personal-team-blocked:spending-limit"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("Some resource has been exhausted"), RC_CONCEPT_RESOURCE_EXHAUSTED},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("Client specified an invalid argument")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("Some requested entity was not found")},
};

const rc_provider rc_provider_xai = {
    .name = RC_STR_INIT("xai"),
    .title = RC_STR_INIT("xAI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
