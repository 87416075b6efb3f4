/* Extractor for Cohere: handles failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/cohere.md describes the failures. */
#include "classify/providers/provider.h"

/* Cohere's status 498 means that the usage guidelines forbid the request. */
void rc_extract_cohere(rc_evidence *evidence)
{
    rc_provider_set_status_code(evidence, 498, RC_STR("content_policy_violation"));
}
