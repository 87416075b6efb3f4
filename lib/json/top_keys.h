/* rc_json_top_keys: reports the top-level keys of a JSON object that arrives in pieces.
 *
 *   piece ──► push() ──► on_key() for each key
 *
 * The code follows quotes and brackets, stores one key at a time, does not validate the text and
 * allocates nothing. A text that does not begin with an object has no keys. */
#ifndef RC_JSON_TOP_KEYS_H
#define RC_JSON_TOP_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* Maximum length of a key in bytes; longer keys are not reported. */
#define RC_JSON_TOP_KEY_MAX 160u

/* A callback that receives one key. `raw` is the text between the quotes, with its escapes,
 * borrowed during the call. If the callback returns false, the search stops. */
typedef bool (*rc_json_on_top_key)(void *ctx, rc_str raw);

/* The state of the search in the caller's storage. A zeroed struct is ready for a new text. The
 * fields are private. */
typedef struct rc_json_top_keys {
    uint64_t depth;
    bool has_begun;
    bool is_over; /* the search has ended; no further key is reported */
    bool is_in_string;
    bool is_escaped;
    bool is_key;      /* the current string is a top-level key */
    bool is_key_next; /* the next string is a top-level key */
    uint8_t key_len;  /* number of stored bytes of the current key; RC_JSON_TOP_KEY_MAX + 1: the key
                         is too long */
    char key[RC_JSON_TOP_KEY_MAX];
} rc_json_top_keys;

/* Processes the next piece of the text. Returns false if on_key returned false. piece, ctx: borrows
 * during the call. */
bool rc_json_top_keys_push(rc_json_top_keys *top, rc_str piece, rc_json_on_top_key on_key,
                           void *ctx);

#endif
