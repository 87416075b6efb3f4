/* The addresses at which this process listens. Filled by listen.c; gateway.c and gateway_self.c
 * check provider addresses against it. */
#include "net/server/listen_set.h"

#include <string.h>
#include <unistd.h>

#include <sys/socket.h>

#include <uv.h>

#include "base/str.h"

rc_listen_address rc_listen_address_of_socket(int fd)
{
    rc_listen_address listener = {.address = {.v6 = {.sin6_family = AF_UNSPEC}}};
    struct sockaddr_storage found = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof found;
    int v6_only = 1;
    socklen_t v6_only_len = sizeof v6_only;
    if (getsockname(fd, (struct sockaddr *)&found, &len) != 0)
        return listener;
    if (found.ss_family == AF_INET)
        memcpy(&listener.address.v4, &found, sizeof listener.address.v4);
    if (found.ss_family != AF_INET6)
        return listener;
    memcpy(&listener.address.v6, &found, sizeof listener.address.v6);
    listener.takes_v4 =
        getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, &v6_only_len) == 0 && v6_only == 0;
    return listener;
}

void rc_listen_set_add(rc_listen_set *set, const rc_listen_address *listener)
{
    if (set->count < RC_LISTEN_SET_MAX)
        set->listeners[set->count++] = *listener;
}

void rc_machine_read(rc_machine *ret_machine)
{
    uv_interface_address_t *found = NULL;
    int count = 0;
    memset(ret_machine, 0, sizeof *ret_machine);
    if (gethostname(ret_machine->name, sizeof ret_machine->name - 1) != 0)
        ret_machine->name[0] = '\0';
    if (uv_interface_addresses(&found, &count) != 0)
        return;
    for (int i = 0; i < count && ret_machine->count < RC_MACHINE_ADDRESSES_MAX; i++) {
        rc_address *address = &ret_machine->addresses[ret_machine->count++];
        if (found[i].address.address4.sin_family == AF_INET)
            address->v4 = found[i].address.address4;
        else
            address->v6 = found[i].address.address6;
    }
    uv_free_interface_addresses(found, count);
}

/* ---- addresses without their ports ---- */

typedef struct ip {
    bool is_v6;
    uint8_t bytes[16];
} ip;

static uint16_t port_of(const rc_address *address)
{
    return ntohs(address->base.sa_family == AF_INET ? address->v4.sin_port : address->v6.sin6_port);
}

/* Returns the IP address without the port. An IPv4 address that is mapped into IPv6 (::ffff:0:0/96)
 * becomes an IPv4 address. */
static ip ip_of(const rc_address *address)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    ip result = {.is_v6 = address->base.sa_family == AF_INET6};
    if (!result.is_v6) {
        memcpy(result.bytes, &address->v4.sin_addr, 4);
        return result;
    }
    memcpy(result.bytes, &address->v6.sin6_addr, 16);
    if (memcmp(result.bytes, mapped, sizeof mapped) == 0) {
        result.is_v6 = false;
        memmove(result.bytes, result.bytes + 12, 4);
        memset(result.bytes + 4, 0, 12);
    }
    return result;
}

static bool is_same(const ip *a, const ip *b)
{
    return a->is_v6 == b->is_v6 && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool is_any(const ip *address)
{
    static const uint8_t zeros[16];
    return memcmp(address->bytes, zeros, sizeof zeros) == 0;
}

static ip loopback(bool is_v6)
{
    ip result = {.is_v6 = is_v6};
    result.bytes[0] = is_v6 ? 0 : 127;
    result.bytes[is_v6 ? 15 : 3] = 1;
    return result;
}

static bool is_of_machine(const rc_machine *machine, const ip *address)
{
    const ip loopback_v6 = loopback(true);
    if (is_same(address, &loopback_v6) || (!address->is_v6 && address->bytes[0] == 127))
        return true;
    for (uint32_t i = 0; i < machine->count; i++) {
        const ip own = ip_of(&machine->addresses[i]);
        if (is_same(address, &own))
            return true;
    }
    return false;
}

/* ---- the rules of the table in listen_set.h ---- */

static bool reaches(const rc_listen_address *listener, const rc_machine *machine, const ip *address)
{
    const ip own = ip_of(&listener->address);
    if (!is_any(&own))
        return is_same(&own, address);
    return (own.is_v6 == address->is_v6 || (own.is_v6 && listener->takes_v4)) &&
           is_of_machine(machine, address);
}

static bool name_reaches(const rc_listen_address *listener, const rc_machine *machine, rc_str name)
{
    const ip both[] = {loopback(false), loopback(true)};
    if (rc_str_eq(name, RC_STR("localhost")) || rc_str_ends_with(name, RC_STR(".localhost")))
        return reaches(listener, machine, &both[0]) || reaches(listener, machine, &both[1]);
    if (machine->name[0] == '\0' || !rc_str_eq_nocase(name, rc_str_c(machine->name)))
        return false;
    for (uint32_t i = 0; i < machine->count; i++) {
        const ip own = ip_of(&machine->addresses[i]);
        if (reaches(listener, machine, &own))
            return true;
    }
    return false;
}

bool rc_listen_set_has_origin(const rc_listen_set *set, const rc_machine *machine,
                              const rc_origin *origin)
{
    const rc_str name = rc_str_make(origin->host, origin->host_len);
    for (uint32_t i = 0; i < set->count; i++) {
        const rc_listen_address *listener = &set->listeners[i];
        if (listener->address.base.sa_family == AF_UNSPEC ||
            port_of(&listener->address) != origin->port)
            continue;
        const ip address = ip_of(&origin->address);
        if (origin->is_literal ? reaches(listener, machine, &address)
                               : name_reaches(listener, machine, name))
            return true;
    }
    return false;
}
