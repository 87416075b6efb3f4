/* Extractor for AWS load balancers and API Gateway: handles failures that the rows of
 * spec/providers.def cannot describe. Called by provider.c; docs/providers/aws_gateway.md describes
 * the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"

/* Two messages may come without the header that has their typed (machine-readable) code, so this
 * function adds the code. "Limit Exceeded" means an exhausted usage plan. "Missing Authentication
 * Token" is also the message for an unknown route. */
void rc_extract_aws_gateway(rc_evidence *evidence)
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
