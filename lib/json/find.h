/* Finding a few members of a top-level object without reading the rest: the gateway's view of a
 * request.
 *
 * The scan runs at memory speed: strings and nested containers are passed over in blocks of 64
 * bytes. It does not validate what it passes over. */
#ifndef RC_JSON_FIND_H
#define RC_JSON_FIND_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "json/reader.h"

typedef struct rc_json_member {
    rc_str key;          /* in: what to look for, plain text */
    rc_json_token value; /* out: its first token */
    size_t value_end;    /* out: one past the value's last byte */
    bool is_found;       /* out */
} rc_json_member;

/* Looks for `count` members of the object that text holds. All of the text is scanned unless every
 * member was found and `stop_early` is set; with duplicates the last one wins when it is not (as
 * most servers read it). A value that is looked for is read as the strict reader reads it, up to
 * its first token; for all else only strings, brackets and the top level's own commas and colons
 * count. RC_OK: scanned (members may be missing). RC_E_TYPE: not an object. RC_E_SYNTAX,
 * RC_E_TRUNCATED: damaged at the top level; what was found before stays found. */
rc_status rc_json_find(rc_str text, rc_json_member *members, size_t count, bool stop_early);

/* The same for those who look for the same names again and again. */

/* A byte that tells most keys apart, by length and first letter, and is not 0: of a key, and of a
 * literal as a constant. */
static inline uint8_t rc_json_key_hash(rc_str key)
{
    return key.len > 0 ? (((unsigned char)key.ptr[0] ^ (unsigned)key.len << 2) & 63) + 1 : 1;
}
#define RC_JSON_KEY_HASH(name) \
    (uint8_t)((((unsigned char)(name)[0] ^ (unsigned)(sizeof(name) - 1) << 2) & 63) + 1)

/* How many bytes the marks of so many names take: whole blocks of sixteen. */
#define RC_JSON_KEY_HASHES_LEN(count) (((count) + 15) / 16 * 16)
#define RC_JSON_NAMES_MAX 32

typedef struct rc_json_names {
    const rc_str *keys;    /* borrows */
    const uint8_t *hashes; /* borrows; of the keys in their order, and zeros behind them,
                             RC_JSON_KEY_HASHES_LEN(count) in all */
    size_t count;          /* at most RC_JSON_NAMES_MAX */
} rc_json_names;

typedef struct rc_json_value {
    rc_json_token first;
    size_t end; /* one past the value's last byte */
} rc_json_value;

/* As rc_json_find. ret_values: as many as there are names; of those that are not there nothing is
 * written. ret_found is always written: a bit for each name that is there. */
rc_status rc_json_find_names(rc_str text, const rc_json_names *names, bool stop_early,
                             rc_json_value *ret_values, uint32_t *ret_found);

/* The name that a reader which ignores case takes a key for; SIZE_MAX: none. raw: the key between
 * its quotes; borrows. Two letters that are not ASCII fold into it (Unicode's simple case folding,
 * as Go's encoding/json has it): the long s and the sign for kelvin. */
size_t rc_json_names_find_nocase(const rc_json_names *names, rc_str raw);

/* As rc_json_find_names for all of the text. ret_ambiguous: a bit for each name that is there more
 * than
 * once, or that a reader which ignores case could find under another spelling. Always written. */
rc_status rc_json_find_names_once(rc_str text, const rc_json_names *names,
                                  rc_json_value *ret_values, uint32_t *ret_found,
                                  uint32_t *ret_ambiguous);

/* Writes text with the bytes [from, to) replaced: the rest is copied as it is, byte for byte. All
 * of it or nothing. RC_E_ARGUMENT: not a part of text. Else the buffer's status. */
rc_status rc_json_splice(rc_str text, size_t from, size_t to, rc_str replacement, rc_buf *buf);

#endif
