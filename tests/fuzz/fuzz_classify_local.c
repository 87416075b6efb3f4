/* Failures of inference servers on the user's own machine. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "ollama", "llamacpp", "lmstudio", "vllm", "sglang", "tgi",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]), NULL);
}
