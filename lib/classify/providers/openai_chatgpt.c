/* ChatGPT plan: docs/providers/openai_chatgpt.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("usage_limit_reached"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("usage_not_included"), RC_CONCEPT_ENTITLEMENT},
    {RC_STR_INIT("refresh_token_reused"), RC_CONCEPT_AUTH},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-codex-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("usage_limit_reached")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("usage_not_included")},
};

const rc_provider rc_provider_openai_chatgpt = {
    .name = RC_STR_INIT("openai_chatgpt"),
    .title = RC_STR_INIT("ChatGPT plan"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
