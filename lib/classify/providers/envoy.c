/* Envoy: docs/providers/envoy.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_SERVER, RC_STR_INIT("envoy")},
    {RC_SIGNATURE_SERVER, RC_STR_INIT("istio-envoy")},
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-envoy-")},
};

const rc_provider rc_provider_envoy = {
    .name = RC_STR_INIT("envoy"),
    .title = RC_STR_INIT("Envoy"),
    .rank = RC_PROVIDER_EDGE,
    RC_SIGNATURES(SIGNATURES),
};
