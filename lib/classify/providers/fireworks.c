/* Extractor for Fireworks AI: handles failures that the rows of spec/providers.def cannot
 * describe. Called by provider.c; docs/providers/fireworks.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

/* "Usage limits" in a 429 means the rate limit of the shared tier. "did not generate first token
 * before the given deadline" means a full queue. */
void rc_extract_fireworks(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        if (evidence->failure->status != 429)
            continue;
        if (rc_text_has(layer->message, RC_STR("usage limits"))) {
            layer->message = (rc_str){NULL, 0};
            layer->code = RC_STR("rate_limit");
        } else if (rc_text_has(layer->message, RC_STR("first token"))) {
            layer->message = (rc_str){NULL, 0};
            layer->code = RC_STR("overloaded");
        }
    }
}
