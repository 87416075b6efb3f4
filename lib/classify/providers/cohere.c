/* Extractor of Cohere: what its tables in spec/providers.def cannot say. Called by provider.c;
 * docs/providers/cohere.md describes the failures. */
#include "classify/providers/provider.h"

/* 498 is Cohere's own: blocked under the usage guidelines. */
void rc_extract_cohere(rc_evidence *evidence)
{
    rc_provider_set_status_code(evidence, 498, RC_STR("content_policy_violation"));
}
