/* Together AI: docs/providers/together.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("model_not_available"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("dedicated_endpoint_not_running"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("model_rate_limit"), RC_CONCEPT_RATE},
    {RC_STR_INIT("credit_limit"), RC_CONCEPT_QUOTA},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("dedicated_endpoint_not_running")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("credit_limit")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("model_rate_limit")},
};

const rc_provider rc_provider_together = {
    .name = RC_STR_INIT("together"),
    .title = RC_STR_INIT("Together AI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
