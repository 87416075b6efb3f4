/* vLLM: docs/providers/vllm.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("BadRequestError")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("NotFoundError")},
};

const rc_provider rc_provider_vllm = {
    .name = RC_STR_INIT("vllm"),
    .title = RC_STR_INIT("vLLM"),
    .rank = RC_PROVIDER_SERVICE,
    RC_SIGNATURES(SIGNATURES),
};
