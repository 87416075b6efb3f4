/* Extractor for Groq: handles failures that the rows of spec/providers.def cannot describe. Called
 * by provider.c; docs/providers/groq.md describes the failures. */
#include "classify/providers/provider.h"

/* Groq's flex tier sends status 498 if it has no capacity. */
void rc_extract_groq(rc_evidence *evidence)
{
    rc_provider_set_status_code(evidence, 498, RC_STR("capacity_exceeded"));
}
