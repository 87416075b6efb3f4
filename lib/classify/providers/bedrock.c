/* Extractor of AWS Bedrock: what its tables in spec/providers.def cannot say. Called by provider.c;
 * docs/providers/bedrock.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"

/* A model error carries the status that the model's own server gave: a 4xx there is the request's
 * fault, whatever the 424 around it says. */
void rc_extract_bedrock(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        bool is_model_error = rc_str_starts_with_nocase(layer->code, RC_STR("ModelErrorException"));
        if (is_model_error && layer->status >= 400 && layer->status < 500)
            layer->code = RC_STR("ValidationException");
    }
}
