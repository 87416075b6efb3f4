/* Functions that the request writers of all dialects use, and the writers. */
#ifndef RC_DIALECT_TRANSLATE_WRITE_H
#define RC_DIALECT_TRANSLATE_WRITE_H

#include "dialect/translate/plan.h"
#include "json/writer.h"

/* The text of the user's turn that is put before a conversation that begins with a turn of the
 * model. */
#define RC_WRITE_FIRST_TURN "(The conversation continues.)"

/* Maximum number of parts between a call and its result, if the writer needs the call of a
 * result. */
#define RC_WRITE_CALL_DISTANCE_MAX 2048

typedef struct rc_request_writer {
    const rc_translation_plan *plan;
    const rc_conversation *c;
    rc_dialect dialect;
    rc_json_writer json;
    rc_buf *scratch; /* memory for arguments that are checked before they are written */
} rc_request_writer;

/* Appends the body of the request that the plan describes. plan: not REFUSED. scratch: memory for
 * single values; its content is lost. Returns the status of `buf`, or of `scratch` if that failed.
 */
rc_status rc_translation_write(const rc_translation_plan *plan, rc_buf *scratch, rc_buf *buf);

/* The writers of the dialects. */
void rc_chat_write_request(rc_request_writer *w);
void rc_messages_write_request(rc_request_writer *w);
void rc_gemini_write_request(rc_request_writer *w);
void rc_responses_write_request(rc_request_writer *w);

/* Returns the bytes of a span of the client's body. */
static inline rc_str rc_write_text(const rc_request_writer *w, rc_span span)
{
    return rc_conversation_text(w->c, span);
}

/* These functions write one member if the value is present, and nothing otherwise. */
void rc_write_raw(rc_request_writer *w, const char *key, rc_span json);
void rc_write_string(rc_request_writer *w, const char *key, rc_span raw);
void rc_write_word(rc_request_writer *w, const char *key, const char *word);
void rc_write_count(rc_request_writer *w, const char *key, int64_t value);

/* rc_write_tool_name and rc_write_call_id write the name of a tool and the id of a call as the
 * value of a member; rc_write_tool_name_value writes the name as an element of a list. part: a call
 * or a result. A call without an id gets an id that consists of the numbers of its turn and its
 * part. */
void rc_write_tool_name(rc_request_writer *w, const char *key, rc_span raw);
void rc_write_tool_name_value(rc_request_writer *w, rc_span raw);
void rc_write_call_id(rc_request_writer *w, const char *key, const rc_part *part);

/* Returns the call whose result the part is; NULL if no such call precedes the result closely. */
const rc_part *rc_write_find_call(const rc_request_writer *w, const rc_part *result);

/* These functions write the arguments of a call as a JSON object, or as a string that contains
 * JSON. */
void rc_write_arguments_object(rc_request_writer *w, const char *key, const rc_part *call);
void rc_write_arguments_string(rc_request_writer *w, const char *key, const rc_part *call);

/* Returns whether the tool of this name is a custom tool. */
bool rc_write_is_custom(const rc_request_writer *w, rc_span name);
/* Writes the member format of a custom tool. The grammar of the input is an object of its own in
 * Chat Completions, and not in Responses. */
void rc_write_custom_format(rc_request_writer *w, const rc_tool_decl *tool);

/* rc_write_part_text writes the text of a part as the value of a member; rc_write_push_text appends
 * it to an open JSON string. A part whose content is a JSON value becomes the text of this value.
 */
void rc_write_part_text(rc_request_writer *w, const char *key, const rc_part *part);
void rc_write_push_text(rc_request_writer *w, const rc_part *part);

/* Opens the seal of a part's state if the target of the plan made the state. *ret_seal views the
 * scratch memory. */
bool rc_write_open_state(rc_request_writer *w, const rc_part *part, rc_seal *ret_seal);
/* Writes a plain text, which is escaped, as the value of a member. */
void rc_write_plain(rc_request_writer *w, const char *key, rc_str plain);

/* Writes content in base64 as a data URL: data:TYPE;base64,DATA. */
void rc_write_data_url(rc_request_writer *w, const char *key, const rc_part *part,
                       rc_str type_default);

/* Returns the index after the last part of the turn that begins at `from`. */
size_t rc_write_turn_end(const rc_request_writer *w, size_t from);
/* Returns the index after the parts of the tool's result at `from`. */
size_t rc_write_result_end(const rc_request_writer *w, size_t from);
/* Returns whether a text begins with the word error, within its first 64 bytes. */
bool rc_write_says_error(rc_str raw);
/* Returns whether a text, as written in JSON, is white space; Anthropic refuses such stop
 * sequences. */
bool rc_write_is_blank(rc_str raw);
/* Returns whether the model may call the tool. For targets whose dialect has no list of allowed
 * tools, the other tools are left out. */
bool rc_write_is_allowed(const rc_request_writer *w, const rc_tool_decl *tool);

static inline bool rc_write_is_media(const rc_part *part)
{
    return part->kind >= RC_PART_IMAGE && part->kind <= RC_PART_AUDIO;
}

#endif
