/* Perplexity: docs/providers/perplexity.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("invalid_model"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("invalid_message"), RC_CONCEPT_BAD_PARAM},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("invalid_message")},
};

const rc_provider rc_provider_perplexity = {
    .name = RC_STR_INIT("perplexity"),
    .title = RC_STR_INIT("Perplexity"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
