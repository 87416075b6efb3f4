/* Extractor for AWS Bedrock: handles failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/bedrock.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"

/* In a ModelErrorException, the layer has the status of the model's own server. If the status of
 * the model's server is a 4xx, the request caused the error, although the HTTP status is 424. */
void rc_extract_bedrock(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        bool is_model_error = rc_str_starts_with_nocase(layer->code, RC_STR("ModelErrorException"));
        if (is_model_error && layer->status >= 400 && layer->status < 500)
            layer->code = RC_STR("ValidationException");
    }
}
