/* Weights: how many tokens a text may be, without a tokenizer. Tokenizers differ from model to
 * model; a rule that is simple, quick and rather too high than too low is enough for what has to
 * be estimated.
 *
 * In quarters of a token, by the character's length in UTF-8:
 *   1 byte    1   English is 4 to 5 bytes a token, code and JSON 3 to 4
 *   2 bytes   2   Latin with accents, Greek, Cyrillic, Hebrew, Arabic
 *   3 bytes   4   Chinese, Japanese, Korean, the scripts of India, Thai: about one a token
 *   4 bytes   8   emoji, rare signs
 * An escape weighs what the character does that it stands for. */
#ifndef RC_DIALECT_USAGE_WEIGHT_H
#define RC_DIALECT_USAGE_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* A message's role and what holds it apart from the next one: 4 tokens. */
#define RC_WEIGHT_ROLE 16u
/* An image, a file, a sound: 1000 tokens, whatever its size. */
#define RC_WEIGHT_MEDIA 4000u

/* What counts beside the strings' own text; bits. */
#define RC_WEIGH_KEYS 1u  /* of members: a schema's are read by the model */
#define RC_WEIGH_ROLES 2u /* a message's role: RC_WEIGHT_ROLE */
#define RC_WEIGH_MEDIA 4u /* data and addresses: RC_WEIGHT_MEDIA */

/* Of the raw text of a JSON string: between its quotes, with its escapes. text: borrows. */
uint64_t rc_weight_text(rc_str text);

/* Of all strings of a JSON value but those that are no text: ids, types, data, addresses. Damaged
 * JSON is weighed as far as its quotes tell. json: borrows. */
uint64_t rc_weight_json(rc_str json, unsigned what);

/* Is a string that is the value of such a member text? Not ids, types, data, addresses. */
bool rc_weight_is_text(rc_str key);

/* Is a string that is the value of such a member written by the model? */
bool rc_weight_is_content(rc_str key);

/* Does a JSON value have such a string that is not empty? json: borrows. */
bool rc_weight_has_content(rc_str json);

/* Rounded up. */
static inline uint64_t rc_weight_tokens(uint64_t weight)
{
    return weight / 4 + (weight % 4 != 0);
}

#endif
