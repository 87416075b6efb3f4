/* Google Gemini API: docs/providers/gemini.md. */
#include "classify/providers/google.h"
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    RC_GOOGLE_CODES,
    {RC_STR_INIT("API_KEY_INVALID"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("API_KEY_SERVICE_BLOCKED"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("QUOTA_EXHAUSTED"), RC_CONCEPT_QUOTA},
    {RC_STR_INIT("MODEL_CAPACITY_EXHAUSTED"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("INSUFFICIENT_G1_CREDITS_BALANCE"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("VALIDATION_REQUIRED"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("CONSUMER_SUSPENDED"), RC_CONCEPT_PERMISSION},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-goog-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("API_KEY_INVALID")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("RESOURCE_EXHAUSTED")},
    {RC_SIGNATURE_SERVER, RC_STR_INIT("scaffolding on HTTPServer2")},
};

const rc_provider rc_provider_gemini = {
    .name = RC_STR_INIT("gemini"),
    .title = RC_STR_INIT("Google Gemini API"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
