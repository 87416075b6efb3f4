/* Google Vertex AI: docs/providers/vertex.md. */
#include "classify/providers/google.h"
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    RC_GOOGLE_CODES,
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-vertex-ai-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("IAM_PERMISSION_DENIED")},
};

const rc_provider rc_provider_vertex = {
    .name = RC_STR_INIT("vertex"),
    .title = RC_STR_INIT("Google Vertex AI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
