/* Failures of media and search services. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "fal", "replicate", "linkup", "tavily", "exa", "serpapi",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]), NULL);
}
