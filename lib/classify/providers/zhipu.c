/* Extractor for Zhipu AI and Z.AI: handles failures that the rows of spec/providers.def cannot
 * describe. Called by provider.c; docs/providers/zhipu.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"

/* Reads the error number, which Zhipu's Anthropic-compatible route writes into the message:
 * "[1305][...][request id]". */
void rc_extract_zhipu(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        size_t to = rc_str_find_byte(layer->message, ']', 0);
        bool is_numbered = layer->message.len > 0 && layer->message.ptr[0] == '[' && to == 5;
        if (is_numbered && rc_ascii_is_digit(layer->message.ptr[1]))
            layer->code = rc_str_slice(layer->message, 1, 5);
    }
}
