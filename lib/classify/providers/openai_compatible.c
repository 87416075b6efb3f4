/* OpenAI-compatible servers: docs/providers/openai_compatible.md. */
#include "classify/providers/provider.h"

/* Of vendors that have no extractor of their own. */
static const rc_known_code CODES[] = {
    {RC_STR_INIT("SetLimitExceeded"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("30001"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("30011"), RC_CONCEPT_BALANCE},
};

const rc_provider rc_provider_openai_compatible = {
    .name = RC_STR_INIT("openai_compatible"),
    .title = RC_STR_INIT("OpenAI-compatible servers"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
};
