#include "net/upstream_failure.h"

static const struct {
    rc_transport transport;
    bool is_local;
    const char *text;
} kinds[] = {
#define ROW(ID, transport, is_local, text) {RC_TRANSPORT_##transport, is_local, text},
    RC_UPSTREAM_KINDS(ROW)
#undef ROW
};

const char *rc_upstream_kind_text(rc_upstream_kind kind)
{
    return kinds[kind].text;
}

rc_transport rc_upstream_kind_transport(rc_upstream_kind kind)
{
    return kinds[kind].transport;
}

bool rc_upstream_kind_is_local(rc_upstream_kind kind)
{
    return kinds[kind].is_local;
}
