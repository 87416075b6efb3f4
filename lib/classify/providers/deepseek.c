/* DeepSeek: docs/providers/deepseek.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-ds-trace-id")},
};

const rc_provider rc_provider_deepseek = {
    .name = RC_STR_INIT("deepseek"),
    .title = RC_STR_INIT("DeepSeek"),
    .rank = RC_PROVIDER_SERVICE,
    RC_SIGNATURES(SIGNATURES),
};
