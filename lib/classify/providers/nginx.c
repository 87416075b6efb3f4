/* nginx: docs/providers/nginx.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_SERVER, RC_STR_INIT("nginx")},
    {RC_SIGNATURE_SERVER, RC_STR_INIT("openresty")},
};

const rc_provider rc_provider_nginx = {
    .name = RC_STR_INIT("nginx"),
    .title = RC_STR_INIT("nginx"),
    .rank = RC_PROVIDER_EDGE,
    RC_SIGNATURES(SIGNATURES),
};
