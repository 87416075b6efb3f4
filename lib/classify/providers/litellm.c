/* LiteLLM proxy: docs/providers/litellm.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("budget_exceeded"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("auth_error"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("token_not_found_in_db"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("key_model_access_denied"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("team_model_access_denied"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("expired_key"), RC_CONCEPT_AUTH},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-litellm-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("token_not_found_in_db")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("budget_exceeded")},
};

const rc_provider rc_provider_litellm = {
    .name = RC_STR_INIT("litellm"),
    .title = RC_STR_INIT("LiteLLM proxy"),
    .rank = RC_PROVIDER_RELAY,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
