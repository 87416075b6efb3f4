/* Text Generation Inference: docs/providers/tgi.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("overloaded"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("generation"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("incomplete_generation"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("incomplete_generation_stream"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("stream_serialization_error"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("validation"), RC_CONCEPT_INVALID},
    {RC_STR_INIT("template_error"), RC_CONCEPT_UNSUPPORTED},
    {RC_STR_INIT("missing_template_variable"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("tool_error"), RC_CONCEPT_BAD_PARAM},
    {RC_STR_INIT("healthcheck"), RC_CONCEPT_UNAVAILABLE},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_CODE, RC_STR_INIT("incomplete_generation")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("template_error")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("tool_error")},
};

/* The chat route writes 422 into every error event, whatever happened. */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        if (evidence->is_stream && layer->status == 422)
            layer->status = 0;
    }
}

const rc_provider rc_provider_tgi = {
    .name = RC_STR_INIT("tgi"),
    .title = RC_STR_INIT("Text Generation Inference"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
