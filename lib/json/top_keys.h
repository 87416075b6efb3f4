/* rc_json_top_keys: reports the top-level keys of a JSON object that arrives in pieces.
 *
 *   piece ──► push() ──► on_key() for each key
 *
 * It follows quotes and brackets, stores one key at a time and validates nothing. A text that does
 * not begin with an object has no keys. It does not allocate. */
#ifndef RC_JSON_TOP_KEYS_H
#define RC_JSON_TOP_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* Longer keys are not reported. */
#define RC_JSON_TOP_KEY_MAX 160u

/* Receives one key. raw: borrows the text between the quotes, with its escapes. Return false to
 * stop. */
typedef bool (*rc_json_on_top_key)(void *ctx, rc_str raw);

/* The caller's storage; zero it to start. The fields are private. */
typedef struct rc_json_top_keys {
    uint64_t depth;
    bool has_begun;
    bool is_over; /* no further key is reported */
    bool is_in_string;
    bool is_escaped;
    bool is_key;      /* the current string is a top-level key */
    bool is_key_next; /* the next string is a top-level key */
    uint8_t key_len;  /* RC_JSON_TOP_KEY_MAX + 1: the key is too long */
    char key[RC_JSON_TOP_KEY_MAX];
} rc_json_top_keys;

/* Processes the next piece of the text. Returns false if on_key did. piece, ctx: borrows. */
bool rc_json_top_keys_push(rc_json_top_keys *top, rc_str piece, rc_json_on_top_key on_key,
                           void *ctx);

#endif
