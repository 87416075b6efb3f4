/* Replicate: docs/providers/replicate.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("replicate-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("Unauthenticated")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("Invalid version or not permitted")},
};

const rc_provider rc_provider_replicate = {
    .name = RC_STR_INIT("replicate"),
    .title = RC_STR_INIT("Replicate"),
    .rank = RC_PROVIDER_SERVICE,
    RC_SIGNATURES(SIGNATURES),
};
