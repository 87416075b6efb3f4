/* Tavily: docs/providers/tavily.md. */
#include "classify/providers/provider.h"

const rc_provider rc_provider_tavily = {
    .name = RC_STR_INIT("tavily"),
    .title = RC_STR_INIT("Tavily"),
    .rank = RC_PROVIDER_SERVICE,
};
