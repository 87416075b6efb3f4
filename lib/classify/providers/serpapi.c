/* SerpApi: docs/providers/serpapi.md. */
#include "classify/providers/provider.h"

const rc_provider rc_provider_serpapi = {
    .name = RC_STR_INIT("serpapi"),
    .title = RC_STR_INIT("SerpApi"),
    .rank = RC_PROVIDER_SERVICE,
};
