/* OpenAI-compatible servers: docs/providers/openai_compatible.md. */
#include "core/provider.h"

const rc_provider rc_provider_openai_compatible = {
    .name = RC_STR_INIT("openai_compatible"),
    .title = RC_STR_INIT("OpenAI-compatible servers"),
    .rank = RC_PROVIDER_SERVICE,
};
