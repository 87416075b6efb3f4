/* fal: docs/providers/fal.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("content_policy_violation"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("generation_timeout"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("no_media_generated"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("downstream_service_error"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("downstream_service_unavailable"), RC_CONCEPT_UNAVAILABLE},
    {RC_STR_INIT("runner_scheduling_failure"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("runner_connection_timeout"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("runner_disconnected"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("request_timeout"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("startup_timeout"), RC_CONCEPT_LOADING},
    {RC_STR_INIT("file_too_large"), RC_CONCEPT_TOO_LARGE},
    {RC_STR_INIT("image_too_large"), RC_CONCEPT_TOO_LARGE},
    {RC_STR_INIT("feature_not_supported"), RC_CONCEPT_UNSUPPORTED},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-fal-")},
};

const rc_provider rc_provider_fal = {
    .name = RC_STR_INIT("fal"),
    .title = RC_STR_INIT("fal"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
