/* rc_origin: the parsed base URL of a provider, and the check of the addresses it resolves to.
 *
 * The host name comes from the configuration, but its addresses come from DNS, which an attacker
 * may control. Each address is therefore checked directly before a connection is made:
 *
 *   address                                   allowed
 *   ----------------------------------------  -------------------------------------------------
 *   public                                    always
 *   loopback                                  if the host is localhost or a loopback address
 *   private, shared, unique local             if the host is an address, or with allow_private
 *   link-local (metadata services), multicast,
 *   unspecified, reserved                     never
 *
 * An IPv4 address in an IPv6 address (mapped, translated, 6to4) is treated as the IPv4 address. */
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

/* The maximum length of "[host]:65535", including the NUL. */
#define RC_ORIGIN_AUTHORITY_MAX (RC_URL_HOST_MAX + 8)

typedef struct rc_origin {
    bool is_https;
    bool is_loopback; /* the configured host is localhost or a loopback address */
    bool is_literal;  /* the host is an IP address, which is in `address` */
    bool allow_private;
    uint16_t port;
    uint16_t host_len;
    uint16_t prefix_len;
    uint16_t authority_len;
    uint32_t hash; /* hash of host and port, for rc_origin_eq */
    rc_address address;
    char host[RC_URL_HOST_MAX + 1];          /* lower case, without brackets */
    char prefix[RC_URL_PATH_MAX + 1];        /* base path, such as "/v1" or "", to which the path of
                                                each request is appended */
    char authority[RC_ORIGIN_AUTHORITY_MAX]; /* host and port for the Host header */
} rc_origin;

typedef struct rc_origin_options {
    bool insecure;      /* plain http:// to another machine is allowed */
    bool allow_private; /* private addresses are allowed for a host name */
} rc_origin_options;

/* Parses a base URL. Returns NULL on success, or a static text with the reason for which the URL is
 * refused. *ret_origin is written only on success. base_url: borrows during the call. */
const char *rc_origin_parse(rc_str base_url, rc_origin_options options, rc_origin *ret_origin);

/* rc_origin_prefix returns the base path and rc_origin_authority the value of the Host header. Both
 * results view the origin. */
static inline rc_str rc_origin_prefix(const rc_origin *origin)
{
    return rc_str_make(origin->prefix, origin->prefix_len);
}
static inline rc_str rc_origin_authority(const rc_origin *origin)
{
    return rc_str_make(origin->authority, origin->authority_len);
}

/* Returns whether two origins can share connections. The base path is ignored. */
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

/* Returns the kind of an address. For an IPv4 address inside an IPv6 address the result is the kind
 * of the IPv4 address. */
rc_address_kind rc_address_kind_of(const rc_address *address);

/* Returns whether the table at the start of this file allows a connection to the address. */
bool rc_origin_allows(const rc_origin *origin, const rc_address *address);

#endif
