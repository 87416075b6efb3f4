/* rc_hops: the Recourse gateways that a request has passed, read from its Via header (RFC 9110,
 * section 7.6.3). Each gateway process has a random name. A request whose Via contains the name of
 * the gateway that receives it has come back in a loop. */
#ifndef RC_CODEC_HOPS_H
#define RC_CODEC_HOPS_H

#include <stdint.h>

#include <recourse/buf.h>

/* Maximum number of gateways that a request may pass. A longer chain counts as a loop. */
#define RC_HOPS_MAX 8u
#define RC_HOP_ENTROPY_BYTES 8u
/* Length of a gateway name: "recourse-" and 16 hexadecimal digits, without a NUL. */
#define RC_HOP_LEN 25u
/* Maximum length of the Via line in bytes: "via: ", each gateway as "1.1 NAME, ", and CR LF. */
#define RC_HOPS_VIA_MAX ((RC_HOPS_MAX + 1u) * (RC_HOP_LEN + 6u) + 8u)
/* Maximum length of the Via line of a request that has passed no other gateway, in bytes. */
#define RC_HOPS_OWN_VIA_MAX (RC_HOP_LEN + 6u + 8u)

typedef struct rc_hops {
    uint32_t count;
    bool is_overflown; /* the request passed more than RC_HOPS_MAX gateways */
    rc_str names[RC_HOPS_MAX];
} rc_hops;

/* Makes a gateway name from random bytes. */
void rc_hop_write(const uint8_t entropy[RC_HOP_ENTROPY_BYTES], char ret_hop[RC_HOP_LEN]);

/* Adds the Recourse gateways in the value of one Via header. Other proxies are ignored. via: views
 * until hops is no longer used. */
void rc_hops_add(rc_hops *hops, rc_str via);

/* Returns whether the request came back in a loop or passed too many gateways. `own` is the name of
 * the receiving gateway, or empty if it has none. */
bool rc_hops_is_request_loop(const rc_hops *hops, rc_str own);

/* Appends the Via line for the upstream request: the gateways in `hops`, then `own`. Appends
 * nothing if `own` is empty. */
void rc_hops_push(rc_buf *buf, const rc_hops *hops, rc_str own);

#endif
