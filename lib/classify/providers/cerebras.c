/* Extractor for Cerebras: handles failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/cerebras.md describes the failures. */
#include "classify/providers/provider.h"

/* Sets the code for a context overflow: Cerebras may report a context overflow as a 400 or 413 with
 * an empty body. */
void rc_extract_cerebras(rc_evidence *evidence)
{
    int status = evidence->failure->status;
    if ((status != 400 && status != 413) || !rc_evidence_has(evidence, RC_FACT_BODY_EMPTY))
        return;
    rc_layer *layer = rc_evidence_add_layer(evidence, 0, RC_STR("status"));
    if (layer != NULL)
        layer->code = RC_STR("context_length_exceeded");
}
