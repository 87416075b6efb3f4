/* rc_json_find: finds a few members of a top-level JSON object without parsing the others.
 *
 * The scan is about as fast as reading memory, because strings and nested containers are skipped in
 * blocks of 64 bytes and are not validated. The gateway reads requests with these functions. */
#ifndef RC_JSON_FIND_H
#define RC_JSON_FIND_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "json/reader.h"

/* One member to find, with the result. */
typedef struct rc_json_member {
    rc_str key;          /* input: the name of the member, without escapes */
    rc_json_token value; /* output: the first token of the value */
    size_t value_end;    /* output: the offset after the last byte of the value */
    bool is_found;       /* output: the object has the member */
} rc_json_member;

/* Finds `count` members of the object in text. The scan covers the whole text, and if a key occurs
 * twice its last value is returned, as most servers do. With `stop_early` the scan ends as soon as
 * every member was found. The first token of a wanted value is validated as by the strict reader.
 * In the remaining text only strings, brackets and the commas and colons of the top level are
 * checked. text: borrows during the call; the results view it.
 *
 * Returns RC_OK if the scan is complete, even if members are missing, and RC_E_TYPE if text is not
 * an object. RC_E_SYNTAX and RC_E_TRUNCATED mean that the text is malformed at the top level; the
 * members found before the fault are set. */
rc_status rc_json_find(rc_str text, rc_json_member *members, size_t count, bool stop_early);

/* ---- precomputed names, for repeated searches ---- */

/* A hash of the length and the first letter of a key: one byte, never 0. rc_json_key_hash computes
 * the hash at run time, the macro computes the hash of a literal as a constant. */
static inline uint8_t rc_json_key_hash(rc_str key)
{
    return key.len > 0 ? (((unsigned char)key.ptr[0] ^ (unsigned)key.len << 2) & 63) + 1 : 1;
}
#define RC_JSON_KEY_HASH(name) \
    (uint8_t)((((unsigned char)(name)[0] ^ (unsigned)(sizeof(name) - 1) << 2) & 63) + 1)

/* The bit of a hash in rc_json_names.set; the macro computes the bit of a literal. */
static inline uint64_t rc_json_hash_bit(uint8_t hash)
{
    return UINT64_C(1) << (hash - 1);
}
#define RC_JSON_KEY_BIT(name) (UINT64_C(1) << (RC_JSON_KEY_HASH(name) - 1))

/* Number of bytes of the hashes of `count` names, padded to whole blocks of sixteen. */
#define RC_JSON_KEY_HASHES_LEN(count) (((count) + 15) / 16 * 16)
#define RC_JSON_NAMES_MAX 32

/* A table of names with their hashes. */
typedef struct rc_json_names {
    const rc_str *keys;    /* the names; borrowed */
    const uint8_t *hashes; /* the hash of each name, in the order of `keys`, borrowed, padded with
                              zeros to RC_JSON_KEY_HASHES_LEN(count) bytes */
    size_t count;          /* number of names; at most RC_JSON_NAMES_MAX */
    uint64_t set;          /* the bits of all hashes: one test rejects most other keys */
} rc_json_names;

/* Returns whether a name with this hash is in the table. */
static inline bool rc_json_names_has_hash(const rc_json_names *names, uint8_t hash)
{
    return names->set >> (hash - 1) & 1;
}

typedef struct rc_json_value {
    rc_json_token first;
    size_t end; /* offset after the value's last byte */
} rc_json_value;

/* Finds the members with these names, as rc_json_find does. ret_values has one entry per name;
 * entries of missing names are not written. *ret_found receives one bit per name that was found; it
 * is always written. */
rc_status rc_json_find_names(rc_str text, const rc_json_names *names, bool stop_early,
                             rc_json_value *ret_values, uint32_t *ret_found);

/* Returns the index of the name that a case-insensitive parser would match with this key, or
 * SIZE_MAX if no name matches. `raw` is the key between its quotes, borrowed during the call. The
 * long s and the kelvin sign match the ASCII letters s and k (Unicode simple case folding, as in
 * Go's encoding/json). */
size_t rc_json_names_find_nocase(const rc_json_names *names, rc_str raw);

/* Finds members as rc_json_find_names does, and scans the whole text. The names must be ASCII and
 * begin with a small letter. *ret_ambiguous receives one bit per name that occurs twice, or that a
 * case-insensitive parser could match with another key of the text. *ret_ambiguous is always
 * written. */
rc_status rc_json_find_names_once(rc_str text, const rc_json_names *names,
                                  rc_json_value *ret_values, uint32_t *ret_found,
                                  uint32_t *ret_ambiguous);

/* Appends text to `buf` with the bytes [from, to) replaced. All other bytes are copied unchanged.
 * If the result does not fit, nothing is appended. Returns RC_E_ARGUMENT if the range is not inside
 * text, otherwise the buffer's status. */
rc_status rc_json_splice(rc_str text, size_t from, size_t to, rc_str replacement, rc_buf *buf);

#endif
