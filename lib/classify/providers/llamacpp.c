/* llama.cpp server: docs/providers/llamacpp.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("exceed_context_size_error"), RC_CONCEPT_CONTEXT_OVERFLOW},
    {RC_STR_INIT("not_supported_error"), RC_CONCEPT_UNSUPPORTED},
    {RC_STR_INIT("unavailable_error"), RC_CONCEPT_UNAVAILABLE},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("exceed_context_size_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("unavailable_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("not_supported_error")},
    {RC_SIGNATURE_SERVER, RC_STR_INIT("llama.cpp")},
};

const rc_provider rc_provider_llamacpp = {
    .name = RC_STR_INIT("llamacpp"),
    .title = RC_STR_INIT("llama.cpp server"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
