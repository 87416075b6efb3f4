/* HAProxy: docs/providers/haproxy.md. */
#include "classify/providers/provider.h"

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_TITLE, RC_STR_INIT("The server didn't respond in time.")},
    {RC_SIGNATURE_TITLE, RC_STR_INIT("The server returned an invalid or incomplete response.")},
    {RC_SIGNATURE_TITLE, RC_STR_INIT("No server is available to handle this request.")},
};

const rc_provider rc_provider_haproxy = {
    .name = RC_STR_INIT("haproxy"),
    .title = RC_STR_INIT("HAProxy"),
    .rank = RC_PROVIDER_EDGE,
    RC_SIGNATURES(SIGNATURES),
};
