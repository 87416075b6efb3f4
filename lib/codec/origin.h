/* rc_origin: where a provider is, read once from its base address; and which addresses its name may
 * stand for.
 *
 * The name comes from the configuration, the addresses from DNS, which somebody else may write. So
 * each address is looked at again right before it is connected to:
 *
 *   address                                   allowed
 *   ----------------------------------------  -------------------------------------------------
 *   public                                    always
 *   loopback                                  the host is localhost or a loopback address itself
 *   private, shared, unique local             the host is an address itself, or allow_private
 *   link-local (metadata services), multicast,
 *   unspecified, reserved                     never
 *
 * IPv4 inside IPv6 (mapped, translated, 6to4) counts as the IPv4 address. */
#ifndef RC_CODEC_ORIGIN_H
#define RC_CODEC_ORIGIN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "codec/url.h"

/* One address and port. */
typedef union rc_address {
    struct sockaddr base;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} rc_address;

/* "[host]:65535" */
#define RC_ORIGIN_AUTHORITY_MAX (RC_URL_HOST_MAX + 8)

typedef struct rc_origin {
    bool is_https;
    bool is_loopback; /* the configured host says so itself */
    bool is_literal;  /* the host is an address; it is in `address` */
    bool allow_private;
    uint16_t port;
    uint16_t host_len;
    uint16_t prefix_len;
    uint16_t authority_len;
    uint32_t hash; /* of what makes two origins share their connections */
    rc_address address;
    char host[RC_URL_HOST_MAX + 1];          /* in lower case, without brackets */
    char prefix[RC_URL_PATH_MAX + 1];        /* "" or "/v1": goes before each path */
    char authority[RC_ORIGIN_AUTHORITY_MAX]; /* the host with its port, as each request names it */
} rc_origin;

typedef struct rc_origin_options {
    bool insecure; /* plain http:// to another machine is allowed */
    bool allow_private;
} rc_origin_options;

/* Reads a base address. base_url: borrows. Gives NULL, or why it is refused; ret_origin is written
 * on success alone. */
const char *rc_origin_parse(rc_str base_url, rc_origin_options options, rc_origin *ret_origin);

/* Views of the origin. */
static inline rc_str rc_origin_prefix(const rc_origin *origin)
{
    return rc_str_make(origin->prefix, origin->prefix_len);
}
static inline rc_str rc_origin_authority(const rc_origin *origin)
{
    return rc_str_make(origin->authority, origin->authority_len);
}

/* Do they share their connections? The path does not count. */
bool rc_origin_eq(const rc_origin *a, const rc_origin *b);

typedef enum rc_address_kind {
    RC_ADDRESS_PUBLIC = 0,
    RC_ADDRESS_LOOPBACK = 1,
    RC_ADDRESS_PRIVATE = 2,
    RC_ADDRESS_LINK_LOCAL = 3,
    RC_ADDRESS_MULTICAST = 4,
    RC_ADDRESS_UNSPECIFIED = 5,
    RC_ADDRESS_RESERVED = 6
} rc_address_kind;

rc_address_kind rc_address_kind_of(const rc_address *address);

/* The table above. */
bool rc_origin_allows(const rc_origin *origin, const rc_address *address);

#endif
