/* Extractor for Cloudflare: handles failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/cloudflare.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

/* Returns the four-digit number that follows `words`, as in "error code: 1015" (plain text) and
 * "Error 1020" (HTML page). */
static rc_str number_after(rc_str text, rc_str words)
{
    size_t from;
    if (rc_text_find(text, words, &from) == RC_STR_NPOS)
        return (rc_str){NULL, 0};
    size_t to = from;
    while (to < text.len && rc_ascii_is_digit(text.ptr[to]))
        to++;
    return to - from == 4 ? rc_str_slice(text, from, to) : (rc_str){NULL, 0};
}

void rc_extract_cloudflare(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        rc_str number = number_after(layer->message, RC_STR("error code: "));
        if (number.len == 0)
            number = number_after(layer->message, RC_STR("error "));
        if (number.len > 0 && layer->code.len == 0)
            layer->code = number;
    }
}
