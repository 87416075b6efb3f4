/* Failures of providers that also send Chinese texts. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "zhipu",
    "dashscope",
    "moonshot",
    "minimax",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]), NULL);
}
