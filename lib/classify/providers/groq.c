/* Extractor of Groq: what its tables in spec/providers.def cannot say. Called by provider.c;
 * docs/providers/groq.md describes the failures. */
#include "classify/providers/provider.h"

/* The flex tier has a status of its own for "no room". */
void rc_extract_groq(rc_evidence *evidence)
{
    rc_provider_set_status_code(evidence, 498, RC_STR("capacity_exceeded"));
}
