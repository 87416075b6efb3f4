/* Failures of OpenAI and of compatible services. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "openai",   "openai_chatgpt", "azure_openai", "openai_compatible", "mistral",
    "deepseek", "groq",           "xai",          "together",          "fireworks",
    "cerebras", "perplexity",     "cohere",       "generic",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]), NULL);
}
