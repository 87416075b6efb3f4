/* Extractor of DashScope: what its tables in spec/providers.def cannot say. Called by provider.c;
 * docs/providers/dashscope.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

/* The compatible mode borrows OpenAI's sentence and code of a spent quota for tokens per minute.
 * The link at its end tells: #token-limit is the throttle, unless the sentence is of the free
 * quota. */
void rc_extract_dashscope(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        bool is_throttle = rc_text_has(layer->message, RC_STR("#token-limit")) &&
                           !rc_str_starts_with_nocase(layer->message, RC_STR("Free "));
        if (!is_throttle)
            continue;
        layer->code = RC_STR("Throttling.AllocationQuota");
        layer->type = RC_STR("tokens");
        layer->message = (rc_str){NULL, 0};
    }
}
