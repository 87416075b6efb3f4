/* rc_json_top_keys: the names of the members at the top of a JSON object that comes in pieces.
 *
 *   piece ──► push() ──► on_key() for each of them
 *
 * It follows quotes and brackets, keeps one name at a time and validates nothing. A text that does
 * not begin with an object has no members. No allocation. */
#ifndef RC_JSON_TOP_KEYS_H
#define RC_JSON_TOP_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* A longer name is not told. */
#define RC_JSON_TOP_KEY_MAX 160u

/* raw: between its quotes, with its escapes; borrows. False: no more is read. */
typedef bool (*rc_json_on_top_key)(void *ctx, rc_str raw);

/* The caller's storage. All zero at first; the fields are private. */
typedef struct rc_json_top_keys {
    uint64_t depth;
    bool has_begun;
    bool is_over; /* nothing more is told */
    bool is_in_string;
    bool is_escaped;
    bool is_key;      /* the string is a name at the top */
    bool is_key_next; /* the next one is */
    uint8_t key_len;  /* RC_JSON_TOP_KEY_MAX + 1: too long */
    char key[RC_JSON_TOP_KEY_MAX];
} rc_json_top_keys;

/* False: on_key said so. piece, ctx: borrow. */
bool rc_json_top_keys_push(rc_json_top_keys *top, rc_str piece, rc_json_on_top_key on_key,
                           void *ctx);

#endif
