/* LM Studio: docs/providers/lmstudio.md. */
#include "classify/providers/provider.h"

const rc_provider rc_provider_lmstudio = {
    .name = RC_STR_INIT("lmstudio"),
    .title = RC_STR_INIT("LM Studio"),
    .rank = RC_PROVIDER_SERVICE,
};
