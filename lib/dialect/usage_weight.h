/* Weights: estimate the number of tokens of a text without a tokenizer. Tokenizers differ between
 * models, so a simple and fast rule that rather overestimates is sufficient.
 *
 * The unit of a weight is a quarter of a token. The weight of a character depends on its length in
 * UTF-8:
 *   1 byte    1   English has 4 to 5 bytes per token, code and JSON 3 to 4
 *   2 bytes   2   Latin with accents, Greek, Cyrillic, Hebrew, Arabic
 *   3 bytes   4   Chinese, Japanese, Korean, the scripts of India, Thai: about one per token
 *   4 bytes   8   emoji, rare characters
 * An escape has the weight of the character that it stands for. */
#ifndef RC_DIALECT_USAGE_WEIGHT_H
#define RC_DIALECT_USAGE_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* Weight of a message's role and of the separator between messages: 4 tokens. */
#define RC_WEIGHT_ROLE 16u
/* Weight of an image, a file or audio: 1000 tokens, whatever its size. */
#define RC_WEIGHT_MEDIA 4000u

/* Flags of rc_weight_json: what is weighed in addition to the text of strings. */
/* the keys of objects, too; used for schemas, because the model reads their keys */
#define RC_WEIGH_KEYS 1u
#define RC_WEIGH_ROLES 2u /* the role of each message, with the weight RC_WEIGHT_ROLE */
#define RC_WEIGH_MEDIA 4u /* data and URLs, with the weight RC_WEIGHT_MEDIA */

/* Returns the weight of the raw text between the quotes of a JSON string, which may contain
 * escapes. text: borrows during the call. */
uint64_t rc_weight_text(rc_str text);

/* Returns the weight of all strings of a JSON value that are text. Ids, types, data and URLs are
 * not text. Malformed JSON is split into strings at its quotes. `flags`: RC_WEIGH_ bits. json:
 * borrows during the call. */
uint64_t rc_weight_json(rc_str json, unsigned flags);

/* Returns whether the string value of a member with this key is text: not an id, a type, data or a
 * URL. */
bool rc_weight_is_text(rc_str key);

/* Returns whether the string value of a member with this key was written by the model. */
bool rc_weight_is_content(rc_str key);

/* Returns whether a JSON value contains a non-empty string written by the model. json: borrows
 * during the call. */
bool rc_weight_has_content(rc_str json);

/* Converts a weight to tokens, rounded up. */

static inline uint64_t rc_weight_tokens(uint64_t weight)
{
    return weight / 4 + (weight % 4 != 0);
}

#endif
