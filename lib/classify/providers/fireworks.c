/* Fireworks AI: docs/providers/fireworks.md. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("PRECONDITION_FAILED"), RC_CONCEPT_INVALID},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("fireworks-")},
};

/* "Usage limits" are the shared tier's rate here, and the offer of dedicated capacity shows it;
 * "did not generate first token before the given deadline" is a full queue. */
static void extract(rc_evidence *evidence)
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

const rc_provider rc_provider_fireworks = {
    .name = RC_STR_INIT("fireworks"),
    .title = RC_STR_INIT("Fireworks AI"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
