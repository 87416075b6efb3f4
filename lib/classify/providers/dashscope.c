/* Extractor for DashScope: code for failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/dashscope.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

/* The compatible mode reports a limit of tokens per minute with OpenAI's message and code for an
 * exhausted quota. The link at the end of the message shows the difference: #token-limit is the
 * rate limit, unless the message is about the free quota. */
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
