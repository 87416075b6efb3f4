/* AWS Bedrock: docs/providers/bedrock.md. */
#include "base/str.h"
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("LimitExceededException"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("ModelErrorException"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("ModelStreamErrorException"), RC_CONCEPT_STREAM_CUT},
    {RC_STR_INIT("ModelNotReadyException"), RC_CONCEPT_LOADING},
    {RC_STR_INIT("ModelTimeoutException"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("ServiceQuotaExceededException"), RC_CONCEPT_QUOTA},
    {RC_STR_INIT("ThrottlingException"), RC_CONCEPT_RATE},
    {RC_STR_INIT("UnrecognizedClientException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("ExpiredTokenException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("InvalidSignatureException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("IncompleteSignature"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("MissingAuthenticationTokenException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("ConflictException"), RC_CONCEPT_CONFLICT},
    {RC_STR_INIT("ValidationException"), RC_CONCEPT_INVALID},
    {RC_STR_INIT("ServiceUnavailableException"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("InternalServerException"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("ResourceNotFoundException"), RC_CONCEPT_MODEL_MISSING},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-amzn-bedrock-")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-amzn-errortype")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("throttlingException")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("modelStreamErrorException")},
};

/* A model error carries the status that the model's own server gave: a 4xx there is the request's
 * fault, whatever the 424 around it says. */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        bool is_model_error = rc_str_starts_with_nocase(layer->code, RC_STR("ModelErrorException"));
        if (is_model_error && layer->status >= 400 && layer->status < 500)
            layer->code = RC_STR("ValidationException");
    }
}

const rc_provider rc_provider_bedrock = {
    .name = RC_STR_INIT("bedrock"),
    .title = RC_STR_INIT("AWS Bedrock"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
