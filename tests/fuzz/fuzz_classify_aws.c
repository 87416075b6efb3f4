/* Failures of Bedrock and of the gateways in front of it. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "bedrock",
    "aws_gateway",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]), NULL);
}
