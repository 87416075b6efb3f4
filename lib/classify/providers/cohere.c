/* Cohere: docs/providers/cohere.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-endpoint-monthly-call-limit")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-trial-endpoint-call-")},
};

/* 498 is Cohere's own: blocked under the usage guidelines. */
static void extract(rc_evidence *evidence)
{
    rc_provider_set_status_code(evidence, 498, RC_STR("content_policy_violation"));
}

const rc_provider rc_provider_cohere = {
    .name = RC_STR_INIT("cohere"),
    .title = RC_STR_INIT("Cohere"),
    .rank = RC_PROVIDER_SERVICE,
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
