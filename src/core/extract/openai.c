/* OpenAI: docs/providers/openai.md. */
#include "core/provider.h"

static const rc_code_note CODES[] = {
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

static const rc_mark MARKS[] = {
    {RC_MARK_HEADER, RC_STR_INIT("openai-")},
    {RC_MARK_CODE, RC_STR_INIT("insufficient_quota")},
    {RC_MARK_CODE, RC_STR_INIT("server_is_overloaded")},
};

const rc_provider rc_provider_openai = {
    .name = RC_STR_INIT("openai"),
    .title = RC_STR_INIT("OpenAI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_MARKS(MARKS),
};
