/* Extractor for MiniMax: handles failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/minimax.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"

/* Reads the error number in parentheses at the end of the message. If the number is in
 * base_resp.status_code instead, json.c reads it. */
void rc_extract_minimax(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        rc_str text = layer->message;
        bool is_numbered = text.len > 6 && text.ptr[text.len - 1] == ')' &&
                           text.ptr[text.len - 6] == '(' &&
                           rc_ascii_is_digit(text.ptr[text.len - 5]);
        if (is_numbered)
            layer->code = rc_str_slice(text, text.len - 5, text.len - 1);
    }
}
