/* Extractor for Kong: handles failures that the rows of spec/providers.def cannot describe. Called
 * by provider.c; docs/providers/kong.md describes the failures. */
#include "base/str.h"
#include "classify/providers/provider.h"

/* Kong's message is the same for every time window, so the exhausted window is read from a header:
 * its remaining count is 0 and its name contains the window. */
void rc_extract_kong(rc_evidence *evidence)
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
