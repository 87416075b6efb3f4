/* Anything else: docs/providers/generic.md. */
#include "classify/providers/provider.h"

const rc_provider rc_provider_generic = {
    .name = RC_STR_INIT("generic"),
    .title = RC_STR_INIT("Anything else"),
    .rank = RC_PROVIDER_SERVICE,
};
