/* SGLang: docs/providers/sglang.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("ServiceUnavailableError")},
};

const rc_provider rc_provider_sglang = {
    .name = RC_STR_INIT("sglang"),
    .title = RC_STR_INIT("SGLang"),
    .rank = RC_PROVIDER_SERVICE,
    RC_SIGNATURES(SIGNATURES),
};
