/* Anthropic: docs/providers/anthropic.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("invalid_request_error"), RC_CONCEPT_INVALID},
    {RC_STR_INIT("rate_limit_error"), RC_CONCEPT_RATE},
    {RC_STR_INIT("not_found_error"), RC_CONCEPT_NOT_FOUND},
    {RC_STR_INIT("billing_error"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("overloaded_error"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("request_too_large"), RC_CONCEPT_TOO_LARGE},
    {RC_STR_INIT("timeout_error"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("api_error"), RC_CONCEPT_SERVER_ERROR},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("anthropic-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("overloaded_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("authentication_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("permission_error")},
};

const rc_provider rc_provider_anthropic = {
    .name = RC_STR_INIT("anthropic"),
    .title = RC_STR_INIT("Anthropic"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
