/* Hugging Face: docs/providers/huggingface.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("model_not_supported"), RC_CONCEPT_MODEL_MISSING},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-error-code")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-inference-provider")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-hub-")},
};

const rc_provider rc_provider_huggingface = {
    .name = RC_STR_INIT("huggingface"),
    .title = RC_STR_INIT("Hugging Face"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
