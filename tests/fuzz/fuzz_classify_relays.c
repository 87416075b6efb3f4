/* Failures of relays, which have those of others inside. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "litellm",
    "one_api",
    "openrouter",
    "huggingface",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]), NULL);
}
