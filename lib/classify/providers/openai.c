/* OpenAI: docs/providers/openai.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("rate_limit_exceeded"), RC_CONCEPT_RATE},
    {RC_STR_INIT("tokens"), RC_CONCEPT_TOKENS_LIMIT},
    {RC_STR_INIT("requests"), RC_CONCEPT_REQUESTS_LIMIT},
    {RC_STR_INIT("invalid_request_error"), RC_CONCEPT_INVALID},
    {RC_STR_INIT("invalid_api_key"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("model_not_found"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("context_length_exceeded"), RC_CONCEPT_CONTEXT_OVERFLOW},
    {RC_STR_INIT("server_error"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("billing_not_active"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("content_policy_violation"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("invalid_prompt"), RC_CONCEPT_INVALID},
    {RC_STR_INIT("billing_hard_limit_reached"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("insufficient_quota"), RC_CONCEPT_QUOTA},
    {RC_STR_INIT("slow_down"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("server_is_overloaded"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("bio_policy"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("cyber_policy"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("misalignment_policy_violation"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("moderation_blocked"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("image_content_policy_violation"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("data_residency_mismatch"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("vector_store_timeout"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("previous_response_not_found"), RC_CONCEPT_STALE_REFERENCE},
    {RC_STR_INIT("image_file_not_found"), RC_CONCEPT_STALE_REFERENCE},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("openai-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("insufficient_quota")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("server_is_overloaded")},
};

const rc_provider rc_provider_openai = {
    .name = RC_STR_INIT("openai"),
    .title = RC_STR_INIT("OpenAI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
