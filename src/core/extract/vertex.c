/* Google Vertex AI: docs/providers/vertex.md. */
#include "core/provider.h"

static const rc_code_note CODES[] = {
    {RC_STR_INIT("IAM_PERMISSION_DENIED"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("SERVICE_DISABLED"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("RATE_LIMIT_EXCEEDED"), RC_CONCEPT_RATE},
    {RC_STR_INIT("BILLING_DISABLED"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("ACCESS_TOKEN_EXPIRED"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("CREDENTIALS_MISSING"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("ABORTED"), RC_CONCEPT_CONFLICT},
    {RC_STR_INIT("UNIMPLEMENTED"), RC_CONCEPT_UNSUPPORTED},
};

static const rc_mark MARKS[] = {
    {RC_MARK_HEADER, RC_STR_INIT("x-vertex-ai-")},
    {RC_MARK_CODE, RC_STR_INIT("IAM_PERMISSION_DENIED")},
};

const rc_provider rc_provider_vertex = {
    .name = RC_STR_INIT("vertex"),
    .title = RC_STR_INIT("Google Vertex AI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_MARKS(MARKS),
};
