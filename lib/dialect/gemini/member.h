/* Members of Google's JSON, whose names have two spellings: functionCall and function_call. */
#ifndef RC_DIALECT_GEMINI_MEMBER_H
#define RC_DIALECT_GEMINI_MEMBER_H

#include "json/members.h"

/* Returns whether a key, as written in JSON, is this name. name: in camel case. */
bool rc_gemini_is_key(rc_str raw, rc_str name);

/* These functions correspond to rc_json_member_find and rc_json_member_text, and accept both
 * spellings of a name. */
bool rc_gemini_find(rc_str object, const char *name, rc_json_raw_value *ret_value);
rc_str rc_gemini_text(rc_str object, const char *name);

/* Returns whether a word is this value of one of Google's enums; case does not matter. */
bool rc_gemini_is_word(rc_str raw, const char *word);

#endif
