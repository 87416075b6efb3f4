/* Extractor for DashScope: handles failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/dashscope.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

/* In its OpenAI-compatible mode, DashScope reports a limit of tokens per minute with the message
 * and code that OpenAI has for an exhausted quota. A link to #token-limit at the end of the message
 * means the rate limit, unless the message is about the free quota. */
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
