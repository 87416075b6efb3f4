/* Provider addresses: parses base URLs and checks resolved addresses. Called by the configuration,
 * the gateway, src/client, the upstream client and the doctor. */
#include "codec/origin.h"

#include <string.h>

#include <recourse/buf.h>

#include "base/str.h"

static void set_address(rc_address *address, const rc_url *url)
{
    *address = (rc_address){.v6 = {.sin6_family = AF_UNSPEC}};
    if (url->host_kind == RC_URL_IPV4) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(url->port);
        memcpy(&address->v4.sin_addr, url->ip, 4);
    } else if (url->host_kind == RC_URL_IPV6) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons(url->port);
        memcpy(&address->v6.sin6_addr, url->ip, 16);
    }
}

static uint32_t hash_of(const rc_origin *origin)
{
    uint32_t hash = 0x811c9dc5u ^ origin->port;
    for (uint16_t i = 0; i < origin->host_len; i++)
        hash = (hash ^ (unsigned char)origin->host[i]) * 0x01000193u;
    return hash;
}

/* Writes host and port into origin->authority; the scheme's default port is left out. */
static void write_authority(rc_origin *origin)
{
    const rc_str host = rc_str_make(origin->host, origin->host_len);
    const bool is_v6 = rc_str_find_byte(host, ':', 0) != RC_STR_NPOS;
    rc_buf text;
    rc_buf_init_fixed(&text, origin->authority, sizeof origin->authority);
    rc_buf_push(&text, is_v6 ? RC_STR("[") : RC_STR(""));
    rc_buf_push(&text, host);
    rc_buf_push(&text, is_v6 ? RC_STR("]") : RC_STR(""));
    if (origin->port != (origin->is_https ? 443 : 80)) {
        rc_buf_push_byte(&text, ':');
        rc_buf_push_u64(&text, origin->port);
    }
    origin->authority_len = (uint16_t)rc_buf_get(&text).len;
}

const char *rc_origin_parse(rc_str base_url, rc_origin_options options, rc_origin *ret_origin)
{
    rc_url url;
    rc_url_fault fault = rc_url_parse(base_url, &url);
    if (fault != RC_URL_FAULT_NONE)
        return rc_url_fault_text(fault);
    rc_origin origin = {
        .is_https = url.is_https,
        .is_literal = url.host_kind != RC_URL_NAME,
        .allow_private = options.allow_private,
        .port = url.port,
        .host_len = (uint16_t)url.host.len,
        .prefix_len = (uint16_t)url.path.len,
    };
    for (size_t i = 0; i < url.host.len; i++)
        origin.host[i] = rc_ascii_lower(url.host.ptr[i]);
    if (url.path.len > 0)
        memcpy(origin.prefix, url.path.ptr, url.path.len);
    write_authority(&origin);
    set_address(&origin.address, &url);
    origin.is_loopback = origin.is_literal
                             ? rc_address_kind_of(&origin.address) == RC_ADDRESS_LOOPBACK
                             : rc_str_eq(rc_str_c(origin.host), RC_STR("localhost"));
    if (!origin.is_https && !origin.is_loopback && !options.insecure)
        return "plain http:// to another machine sends keys unencrypted";
    if (origin.is_literal && !rc_origin_allows(&origin, &origin.address))
        return "a provider cannot have this address";
    origin.hash = hash_of(&origin);
    *ret_origin = origin;
    return NULL;
}

bool rc_origin_eq(const rc_origin *a, const rc_origin *b)
{
    return a->hash == b->hash && a->port == b->port && a->is_https == b->is_https &&
           a->is_literal == b->is_literal && a->allow_private == b->allow_private &&
           a->host_len == b->host_len && memcmp(a->host, b->host, a->host_len) == 0;
}

typedef struct range {
    uint8_t prefix[4];
    uint8_t bits;
    rc_address_kind kind;
} range;

/* The special-purpose ranges of RFC 6890 and its successors. The first range that contains an
 * address determines the address's kind. */
static const range ranges[] = {
    {{0, 0, 0, 0}, 8, RC_ADDRESS_UNSPECIFIED},     {{127, 0, 0, 0}, 8, RC_ADDRESS_LOOPBACK},
    {{10, 0, 0, 0}, 8, RC_ADDRESS_PRIVATE},        {{172, 16, 0, 0}, 12, RC_ADDRESS_PRIVATE},
    {{192, 168, 0, 0}, 16, RC_ADDRESS_PRIVATE},    {{100, 64, 0, 0}, 10, RC_ADDRESS_PRIVATE},
    {{198, 18, 0, 0}, 15, RC_ADDRESS_PRIVATE},     {{192, 0, 0, 0}, 24, RC_ADDRESS_PRIVATE},
    {{169, 254, 0, 0}, 16, RC_ADDRESS_LINK_LOCAL}, {{224, 0, 0, 0}, 4, RC_ADDRESS_MULTICAST},
    {{240, 0, 0, 0}, 4, RC_ADDRESS_RESERVED},
};

static uint32_t number_of(const uint8_t ip[4])
{
    return (uint32_t)ip[0] << 24 | (uint32_t)ip[1] << 16 | (uint32_t)ip[2] << 8 | ip[3];
}

static rc_address_kind kind_of_v4(const uint8_t ip[4])
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if ((number_of(ip) ^ number_of(ranges[i].prefix)) >> (32 - ranges[i].bits) == 0)
            return ranges[i].kind;
    return RC_ADDRESS_PUBLIC;
}

static bool begins(const uint8_t *ip, const void *start, size_t len)
{
    return memcmp(ip, start, len) == 0;
}

static rc_address_kind kind_of_v6(const uint8_t ip[16])
{
    static const uint8_t zeros[16];
    static const uint8_t translated[12] = {0x00, 0x64, 0xff, 0x9b};
    if (begins(ip, zeros, 15) && ip[15] <= 1)
        return ip[15] == 1 ? RC_ADDRESS_LOOPBACK : RC_ADDRESS_UNSPECIFIED;
    if (begins(ip, zeros, 10) && ip[10] == 0xff && ip[11] == 0xff)
        return kind_of_v4(ip + 12);
    if (begins(ip, translated, 12) || begins(ip, zeros, 12))
        return kind_of_v4(ip + 12);
    if (ip[0] == 0x20 && ip[1] == 0x02)
        return kind_of_v4(ip + 2);
    if ((ip[0] & 0xfe) == 0xfc)
        return RC_ADDRESS_PRIVATE;
    /* The range fe80::/10 is link-local. The deprecated site-local range fec0::/10 has the same
     * kind. */
    if (ip[0] == 0xfe && (ip[1] & 0x80) != 0)
        return RC_ADDRESS_LINK_LOCAL;
    return ip[0] == 0xff ? RC_ADDRESS_MULTICAST : RC_ADDRESS_PUBLIC;
}

rc_address_kind rc_address_kind_of(const rc_address *address)
{
    uint8_t ip[16];
    if (address->base.sa_family == AF_INET) {
        memcpy(ip, &address->v4.sin_addr, 4);
        return kind_of_v4(ip);
    }
    if (address->base.sa_family != AF_INET6)
        return RC_ADDRESS_RESERVED;
    memcpy(ip, &address->v6.sin6_addr, 16);
    return kind_of_v6(ip);
}

bool rc_origin_allows(const rc_origin *origin, const rc_address *address)
{
    switch (rc_address_kind_of(address)) {
    case RC_ADDRESS_PUBLIC:
        return true;
    case RC_ADDRESS_LOOPBACK:
        return origin->is_loopback;
    case RC_ADDRESS_PRIVATE:
        return origin->is_literal || origin->allow_private;
    case RC_ADDRESS_LINK_LOCAL:
    case RC_ADDRESS_MULTICAST:
    case RC_ADDRESS_UNSPECIFIED:
    case RC_ADDRESS_RESERVED:
        return false;
    }
    return false;
}
