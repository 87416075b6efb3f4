/* Extractor of Fireworks AI: what its tables in spec/providers.def cannot say. Called by provider.c;
 * docs/providers/fireworks.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

/* "Usage limits" are the shared tier's rate here, and the offer of dedicated capacity shows it;
 * "did not generate first token before the given deadline" is a full queue. */
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
