/* Extractor for Text Generation Inference: handles failures that the rows of spec/providers.def
 * cannot describe. Called by provider.c; docs/providers/tgi.md describes the failures. */
#include "classify/providers/provider.h"

/* Drops the status 422, which the chat route writes into every error event of a stream, whatever
 * the error is. */
void rc_extract_tgi(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        if (evidence->is_stream && layer->status == 422)
            layer->status = 0;
    }
}
