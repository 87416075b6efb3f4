/* Extractor for one-api and new-api relays: handles failures that the rows of spec/providers.def
 * cannot describe. Called by provider.c; docs/providers/one_api.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/unwrap/unwrap.h"

/* Reads the upstream provider's status, which an error bad_response_status_code has in the member
 * `param`. */
void rc_extract_one_api(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        if (!rc_str_eq(layer->code, RC_STR("bad_response_status_code")))
            continue;
        int status = rc_http_status_parse(layer->param);
        if (status >= 400)
            layer->status = status;
    }
}
