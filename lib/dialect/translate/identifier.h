/* Converts names of tools and ids of tool calls into a form that a target accepts.
 *
 * A name or id that the target accepts is not changed. Any other name or id is replaced by one that
 * depends only on its bytes, so that a call and its result still match, and the same request is
 * always written with the same bytes (providers cache prompts by their bytes). */
#ifndef RC_DIALECT_TRANSLATE_IDENTIFIER_H
#define RC_DIALECT_TRANSLATE_IDENTIFIER_H

#include <recourse/buf.h>
#include <recourse/render.h>

/* Returns whether a target of this dialect needs another name for the tool than the client's. raw:
 * the name as written in JSON, with escapes. */
bool rc_tool_name_is_changed(rc_str raw, rc_dialect dialect);
/* Appends the name for a target of this dialect: letters, digits, "_" and "-" (Gemini: also "."
 * and ":"), at most 64 bytes for OpenAI's dialects and 128 for the others. */
void rc_tool_name_push(rc_buf *buf, rc_str raw, rc_dialect dialect);

/* Appends the id of a call for a target of this dialect: letters, digits, "_" and "-", at most 40
 * bytes for OPENAI_CHAT and 64 for the others. raw: the id as written in JSON; if `raw` is empty,
 * the id is made from `turn` and `place`, the position of the call. */
void rc_call_id_push(rc_buf *buf, rc_str raw, rc_dialect dialect, uint32_t turn, uint32_t place);

/* Returns a hash of the bytes. */
uint64_t rc_identifier_hash(rc_str bytes);
/* Appends `count` hexadecimal digits (at most 32) of a hash of the bytes. */
void rc_identifier_push_hash(rc_buf *buf, rc_str bytes, size_t count);

#endif
