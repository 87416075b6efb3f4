/* Ollama: docs/providers/ollama.md. */
#include "classify/providers/provider.h"

const rc_provider rc_provider_ollama = {
    .name = RC_STR_INIT("ollama"),
    .title = RC_STR_INIT("Ollama"),
    .rank = RC_PROVIDER_SERVICE,
};
