/* Azure OpenAI: docs/providers/azure_openai.md. */
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("content_filter"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("context_length_exceeded"), RC_CONCEPT_CONTEXT_OVERFLOW},
    {RC_STR_INIT("invalid_request_error"), RC_CONCEPT_INVALID},
    {RC_STR_INIT("DeploymentNotFound"), RC_CONCEPT_MODEL_MISSING},
    {RC_STR_INIT("ResponsibleAIPolicyViolation"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("contentFilter"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("OperationNotSupported"), RC_CONCEPT_UNSUPPORTED},
    {RC_STR_INIT("PermissionDenied"), RC_CONCEPT_PERMISSION},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("apim-request-id")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-ms-region")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("azureml-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("DeploymentNotFound")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("ResponsibleAIPolicyViolation")},
};

const rc_provider rc_provider_azure_openai = {
    .name = RC_STR_INIT("azure_openai"),
    .title = RC_STR_INIT("Azure OpenAI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
};
