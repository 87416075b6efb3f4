/* Extractor for Cohere: code for failures that the rows of spec/providers.def cannot describe.
 * Called by provider.c; docs/providers/cohere.md describes the failures. */
#include "classify/providers/provider.h"

/* Cohere's status 498 means: blocked under the usage guidelines. */
void rc_extract_cohere(rc_evidence *evidence)
{
    rc_provider_set_status_code(evidence, 498, RC_STR("content_policy_violation"));
}
