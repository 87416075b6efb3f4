/* rc_json_find: finds a few members of a top-level JSON object without parsing the others.
 *
 * The scan runs at memory speed: it passes over strings and nested containers in blocks of 64 bytes
 * and does not validate them. The gateway reads requests this way. */
#ifndef RC_JSON_FIND_H
#define RC_JSON_FIND_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "json/reader.h"

/* A member to find, and the result. */
typedef struct rc_json_member {
    rc_str key;          /* in: the name as plain text */
    rc_json_token value; /* out: the value's first token */
    size_t value_end;    /* out: one past the value's last byte */
    bool is_found;       /* out */
} rc_json_member;

/* Finds `count` members of the object in text. The scan covers the whole text, and of duplicate
 * keys the last one counts, as for most servers. With `stop_early` the scan ends as soon as every
 * member was found. A wanted value is validated up to its first token, as by the strict reader;
 * elsewhere only strings, brackets and the commas and colons of the top level are checked. text:
 * borrows; the results view it.
 *
 * RC_OK: the scan is complete, though members may be missing. RC_E_TYPE: not an object.
 * RC_E_SYNTAX, RC_E_TRUNCATED: malformed at the top level; members found before that are set. */
rc_status rc_json_find(rc_str text, rc_json_member *members, size_t count, bool stop_early);

/* ---- precomputed names, for repeated searches ---- */

/* Return a hash of one byte, never 0, made of the key's length and first letter: for a key at run
 * time, and for a literal as a constant. */
static inline uint8_t rc_json_key_hash(rc_str key)
{
    return key.len > 0 ? (((unsigned char)key.ptr[0] ^ (unsigned)key.len << 2) & 63) + 1 : 1;
}
#define RC_JSON_KEY_HASH(name) \
    (uint8_t)((((unsigned char)(name)[0] ^ (unsigned)(sizeof(name) - 1) << 2) & 63) + 1)

/* The bytes that the hashes of `count` names take: whole blocks of sixteen. */
#define RC_JSON_KEY_HASHES_LEN(count) (((count) + 15) / 16 * 16)
#define RC_JSON_NAMES_MAX 32

/* A table of names with their hashes. */
typedef struct rc_json_names {
    const rc_str *keys;    /* borrowed */
    const uint8_t *hashes; /* borrowed: the hashes of the keys in their order, padded with zeros to
                              RC_JSON_KEY_HASHES_LEN(count) bytes */
    size_t count;          /* at most RC_JSON_NAMES_MAX */
} rc_json_names;

typedef struct rc_json_value {
    rc_json_token first;
    size_t end; /* one past the value's last byte */
} rc_json_value;

/* Finds the members with these names, as rc_json_find does. ret_values: one entry per name; entries
 * of missing names are not written. ret_found: one bit per name that was found; always written. */
rc_status rc_json_find_names(rc_str text, const rc_json_names *names, bool stop_early,
                             rc_json_value *ret_values, uint32_t *ret_found);

/* Returns the index of the name that a case-insensitive parser would match with this key; SIZE_MAX:
 * none. raw: borrows the key between its quotes. Two letters that are not ASCII fold to ASCII, the
 * long s and the kelvin sign (Unicode simple case folding, as in Go's encoding/json). */
size_t rc_json_names_find_nocase(const rc_json_names *names, rc_str raw);

/* Finds the members as rc_json_find_names does, in the whole text. The names are ASCII and begin
 * with a small letter. ret_ambiguous: one bit per name that occurs twice, or that a
 * case-insensitive parser could match with another key of the text; always written. */
rc_status rc_json_find_names_once(rc_str text, const rc_json_names *names,
                                  rc_json_value *ret_values, uint32_t *ret_found,
                                  uint32_t *ret_ambiguous);

/* Appends text to buf with the bytes [from, to) replaced; all other bytes are copied unchanged.
 * Appends everything or nothing. RC_E_ARGUMENT: the range is not inside text. Otherwise returns the
 * buffer's status. */
rc_status rc_json_splice(rc_str text, size_t from, size_t to, rc_str replacement, rc_buf *buf);

#endif
