/* Extractor for AWS load balancers and API Gateway: code for failures that the rows of
 * spec/providers.def cannot describe. Called by provider.c; docs/providers/aws_gateway.md describes
 * the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"

/* Adds the missing type to two messages. Without its header an exhausted usage plan is only "Limit
 * Exceeded"; a call to an unknown route gets "Missing Authentication Token". */
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
