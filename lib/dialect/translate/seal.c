/* Writes and opens seals. Called by the translator, which seals the states of responses, and by the
 * plan and the request writers, which restore the states.
 *
 * A seal is "rc1." and base64url of: 8 bytes of the target's hash, the kind, the id, a zero byte,
 * the state. */
#include "dialect/translate/seal.h"

#include "base/str.h"
#include "codec/base64.h"
#include "dialect/translate/identifier.h"
#include "json/reader.h"

#define HASH_BYTES 8
#define HEAD_BYTES (HASH_BYTES + 1)

static void hash_target(rc_str target, char hash[HASH_BYTES])
{
    uint64_t value = rc_identifier_hash(target);
    for (size_t i = 0; i < HASH_BYTES; i++)
        hash[i] = (char)(value >> (i * 8) & 0xff);
}

void rc_seal_push(rc_buf *buf, rc_str target, rc_seal_kind kind, rc_str id, rc_str state,
                  rc_buf *scratch)
{
    char hash[HASH_BYTES];
    hash_target(target, hash);
    rc_buf_reset(scratch);
    rc_buf_push(scratch, rc_str_make(hash, sizeof hash));
    rc_buf_push_byte(scratch, (char)kind);
    rc_json_unescape(id, scratch);
    rc_buf_push_byte(scratch, '\0');
    rc_json_unescape(state, scratch);
    rc_buf_push(buf, RC_STR(RC_SEAL_PREFIX));
    rc_base64url_push(buf, rc_buf_get(scratch));
}

bool rc_seal_is(rc_str raw)
{
    return rc_str_starts_with(raw, RC_STR(RC_SEAL_PREFIX));
}

static bool is_kind(char c)
{
    return c == RC_SEAL_THOUGHT || c == RC_SEAL_REDACTED || c == RC_SEAL_CALL || c == RC_SEAL_TEXT;
}

bool rc_seal_open(rc_str raw, rc_str target, rc_buf *scratch, rc_seal *ret_seal)
{
    char hash[HASH_BYTES];
    if (!rc_seal_is(raw))
        return false;
    rc_buf_reset(scratch);
    bool is_decoded =
        rc_base64url_decode(rc_str_slice(raw, sizeof RC_SEAL_PREFIX - 1, raw.len), scratch);
    rc_str bytes = rc_buf_get(scratch);
    hash_target(target, hash);
    if (!is_decoded || bytes.len <= HEAD_BYTES || memcmp(bytes.ptr, hash, sizeof hash) != 0 ||
        !is_kind(bytes.ptr[HASH_BYTES]))
        return false;
    size_t end = rc_str_find_byte(bytes, '\0', HEAD_BYTES);
    if (end == RC_STR_NPOS)
        return false;
    *ret_seal = (rc_seal){.kind = (rc_seal_kind)bytes.ptr[HASH_BYTES],
                          .id = rc_str_slice(bytes, HEAD_BYTES, end),
                          .state = rc_str_slice(bytes, end + 1, bytes.len)};
    return true;
}
