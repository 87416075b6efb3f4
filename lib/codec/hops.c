/* Via header: detects requests that come back to the same gateway. Called by the gateway's request
 * code. */
#include "codec/hops.h"

#include "base/buf_add.h"
#include "base/str.h"

#define PREFIX RC_STR("recourse-")

void rc_hop_write(const uint8_t entropy[RC_HOP_ENTROPY_BYTES], char ret_hop[RC_HOP_LEN])
{
    static const char digits[] = "0123456789abcdef";
    memcpy(ret_hop, PREFIX.ptr, PREFIX.len);
    for (size_t i = 0; i < RC_HOP_ENTROPY_BYTES; i++) {
        ret_hop[PREFIX.len + 2 * i] = digits[entropy[i] >> 4];
        ret_hop[PREFIX.len + 2 * i + 1] = digits[entropy[i] & 15];
    }
}

static bool is_hop(rc_str name)
{
    if (name.len != RC_HOP_LEN || !rc_str_starts_with(name, PREFIX))
        return false;
    for (size_t i = PREFIX.len; i < name.len; i++)
        if (!rc_ascii_is_digit(name.ptr[i]) && (name.ptr[i] < 'a' || name.ptr[i] > 'f'))
            return false;
    return true;
}

/* Returns the name of one element of a Via value: NAME in "1.1 NAME (comment)". */
static rc_str received_by(rc_str element)
{
    const size_t space = rc_str_find_byte(element, ' ', 0);
    if (space == RC_STR_NPOS)
        return rc_str_make(NULL, 0);
    const rc_str behind = rc_str_trim(rc_str_slice(element, space, element.len));
    return rc_str_slice(behind, 0, rc_str_find_byte(behind, ' ', 0));
}

void rc_hops_add(rc_hops *hops, rc_str via)
{
    for (size_t at = 0; at < via.len;) {
        size_t end = rc_str_find_byte(via, ',', at);
        end = end == RC_STR_NPOS ? via.len : end;
        const rc_str name = received_by(rc_str_trim(rc_str_slice(via, at, end)));
        at = end + 1;
        if (!is_hop(name))
            continue;
        if (hops->count < RC_HOPS_MAX)
            hops->names[hops->count++] = name;
        else
            hops->is_overflown = true;
    }
}

bool rc_hops_is_request_loop(const rc_hops *hops, rc_str own)
{
    for (uint32_t i = 0; own.len > 0 && i < hops->count; i++)
        if (rc_str_eq(hops->names[i], own))
            return true;
    return hops->is_overflown;
}

void rc_hops_push(rc_buf *buf, const rc_hops *hops, rc_str own)
{
    if (own.len == 0)
        return;
    rc_buf_add(buf, RC_STR("via: 1.1 "));
    for (uint32_t i = 0; i < hops->count; i++) {
        rc_buf_add(buf, hops->names[i]);
        rc_buf_add(buf, RC_STR(", 1.1 "));
    }
    rc_buf_add(buf, own);
    rc_buf_add(buf, RC_STR("\r\n"));
}
