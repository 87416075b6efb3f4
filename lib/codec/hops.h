/* rc_hops: the gateways of this kind that a request has passed, by the Via header (RFC 9110,
 * section 7.6.3). Each process has a random name; a request that names the receiver has gone in a
 * circle. Pure. */
#ifndef RC_CODEC_HOPS_H
#define RC_CODEC_HOPS_H

#include <stdint.h>

#include <recourse/buf.h>

/* More gateways in a row than these are taken for a circle, too. */
#define RC_HOPS_MAX 8u
#define RC_HOP_ENTROPY_BYTES 8u
/* "recourse-" and 16 hexadecimal digits; without a NUL. */
#define RC_HOP_LEN 25u
/* "via: ", each hop as "1.1 NAME, ", and CR LF. */
#define RC_HOPS_VIA_MAX ((RC_HOPS_MAX + 1u) * (RC_HOP_LEN + 6u) + 8u)

typedef struct rc_hops {
    uint32_t count;
    bool is_overflown; /* there are more than fit */
    rc_str names[RC_HOPS_MAX];
} rc_hops;

/* Makes a name from random bytes. */
void rc_hop_write(const uint8_t entropy[RC_HOP_ENTROPY_BYTES], char ret_hop[RC_HOP_LEN]);

/* Adds the gateways that one value of Via names; those of other kinds are skipped. via: views, as
 * long as hops. */
void rc_hops_add(rc_hops *hops, rc_str via);

/* Has the request gone in a circle? own: the receiver's name; empty: it has none. */
bool rc_hops_is_request_loop(const rc_hops *hops, rc_str own);

/* Appends the line for the next receiver: the hops so far, then own; nothing when own is empty. */
void rc_hops_push(rc_buf *buf, const rc_hops *hops, rc_str own);

#endif
