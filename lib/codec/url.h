/* rc_url: a strict parser for the base URL of a provider.
 *
 *   https://host[:port][/path]        or http://
 *
 * The parser rejects everything that two programs could interpret as different hosts or paths: user
 * names, percent signs and control characters in the host, numbers that only some resolvers accept
 * as an address (0x7f.1, 2130706433, 0177.0.0.1), zones, trailing dots; backslashes and dot
 * segments in the path. A query or fragment is rejected, too. The parser does not resolve names. */
#ifndef RC_CODEC_URL_H
#define RC_CODEC_URL_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#define RC_URL_HOST_MAX 253
#define RC_URL_PATH_MAX 1024

/* The faults of a URL and their messages for people. */
#define RC_URL_FAULTS(X)                                                                 \
    X(NONE, "")                                                                          \
    X(SCHEME, "the address must begin with https:// or http://")                         \
    X(USER, "the address must not contain a user name or password; use keys")            \
    X(HOST, "the host is neither a name nor an address")                                 \
    X(NUMBER, "a host of numbers must be a plain IPv4 address")                          \
    X(PORT, "the port is not a number from 1 to 65535")                                  \
    X(PATH, "the path has a character that must be escaped, or a segment of dots alone") \
    X(QUERY, "the base address must have no query and no fragment")                      \
    X(TOO_LONG, "the address is too long")

typedef enum rc_url_fault {
#define RC_URL_ENUM(ID, text) RC_URL_FAULT_##ID,
    RC_URL_FAULTS(RC_URL_ENUM)
#undef RC_URL_ENUM
} rc_url_fault;

/* Returns the message of a fault. The result is a static string. */
const char *rc_url_fault_text(rc_url_fault fault);

typedef enum rc_url_host_kind {
    RC_URL_NAME = 0,
    RC_URL_IPV4 = 1,
    RC_URL_IPV6 = 2
} rc_url_host_kind;

typedef struct rc_url {
    bool is_https;
    rc_url_host_kind host_kind;
    rc_str host;    /* the host as it is written, without the brackets of an IPv6 address */
    uint16_t port;  /* the port; if the URL has none, the default port of the scheme */
    rc_str path;    /* the path from its first slash on, without trailing slashes; may be empty */
    uint8_t ip[16]; /* the address: 4 bytes for RC_URL_IPV4, 16 bytes for RC_URL_IPV6 */
} rc_url;

/* Parses the whole text as a base URL. Returns RC_URL_FAULT_NONE on success. *ret_url is written
 * only on success and views text. */
rc_url_fault rc_url_parse(rc_str text, rc_url *ret_url);

/* Both functions parse an IP address and return false if text is not one. IPv4 addresses are
 * written as "127.0.0.1" without leading zeros, IPv6 addresses as in RFC 4291, section 2.2, without
 * a zone. ret_ip is written only on success. */

bool rc_url_parse_ipv4(rc_str text, uint8_t ret_ip[4]);
bool rc_url_parse_ipv6(rc_str text, uint8_t ret_ip[16]);

#endif
