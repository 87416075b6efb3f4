/* AWS load balancers and API Gateway: docs/providers/aws_gateway.md. */
#include "base/str.h"
#include "classify/providers/provider.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("LimitExceededException"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("TooManyRequestsException"), RC_CONCEPT_RATE},
    {RC_STR_INIT("MissingAuthenticationTokenException"), RC_CONCEPT_ENDPOINT_MISSING},
    {RC_STR_INIT("ForbiddenException"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("UnauthorizedException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("AccessDeniedException"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("InternalServerErrorException"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("IncompleteSignatureException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("InvalidSignatureException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("UnrecognizedClientException"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("ExpiredTokenException"), RC_CONCEPT_AUTH},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_SERVER, RC_STR_INIT("awselb")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-amz-apigw-id")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-amz-cf-id")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("LimitExceededException")},
};

/* Without its header the sentence of a spent usage plan is only "Limit Exceeded". A call to a route
 * that does not exist is answered by "Missing Authentication Token". */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        if (layer->code.len > 0)
            continue;
        if (rc_str_eq_nocase(layer->message, RC_STR("Limit Exceeded")))
            layer->code = RC_STR("LimitExceededException");
        else if (rc_str_eq_nocase(layer->message, RC_STR("Missing Authentication Token")))
            layer->code = RC_STR("MissingAuthenticationTokenException");
    }
}

const rc_provider rc_provider_aws_gateway = {
    .name = RC_STR_INIT("aws_gateway"),
    .title = RC_STR_INIT("AWS load balancers and API Gateway"),
    .rank = RC_PROVIDER_EDGE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
