/* Kong: docs/providers/kong.md. */
#include "base/str.h"
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-kong-")},
    {RC_SIGNATURE_SERVER, RC_STR_INIT("kong")},
};

/* The sentence is the same for every window; the header of the one that is spent tells which it
 * was. */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->header_count; i++) {
        const rc_header *header = &evidence->failure->headers[i];
        rc_str name = header->name;
        bool is_spent = rc_str_eq(rc_str_trim(header->value), RC_STR("0")) &&
                        rc_str_starts_with_nocase(name, RC_STR("x-ratelimit-remaining-"));
        if (is_spent)
            rc_evidence_add_modifier(evidence,
                                     rc_str_slice(name, sizeof("x-ratelimit-") - 1, name.len));
    }
}

const rc_provider rc_provider_kong = {
    .name = RC_STR_INIT("kong"),
    .title = RC_STR_INIT("Kong"),
    .rank = RC_PROVIDER_EDGE,
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
