/* Functions that the readers of all dialects use to fill a conversation. */
#ifndef RC_DIALECT_TRANSLATE_READ_H
#define RC_DIALECT_TRANSLATE_READ_H

#include "dialect/translate/conversation.h"
#include "json/members.h"

/* Reads the value of one member into the conversation. */
typedef void (*rc_member_read)(rc_conversation *c, const rc_json_raw_value *value);

/* One row of a reader's table: a member's name and the function that reads its value. A member
 * without a function only sets its feature, and only if its value is neither null nor false. */
typedef struct rc_member_row {
    const char *name;
    rc_member_read read; /* NULL: the member only sets `feature` */
    rc_feature feature;  /* RC_FEATURE_COUNT: the member has no meaning for any target */
} rc_member_row;

#define RC_MEMBER_READ(name, function)   \
    {                                    \
        name, function, RC_FEATURE_COUNT \
    }
#define RC_MEMBER_FEATURE(name, ID) \
    {                               \
        name, NULL, RC_FEATURE_##ID \
    }
#define RC_MEMBER_IGNORED(name)      \
    {                                \
        name, NULL, RC_FEATURE_COUNT \
    }

/* Reads the members of an object by a table. Members whose value is null count as absent. A member
 * that the table lacks is unknown (rc_read_unknown). */
void rc_read_members(rc_conversation *c, rc_str object, const rc_member_row *rows, size_t count);

/* Does the same with another comparison of names, for a dialect that has several spellings. */
typedef bool (*rc_member_is_key)(rc_str raw, rc_str name);
void rc_read_members_by(rc_conversation *c, rc_str object, const rc_member_row *rows, size_t count,
                        rc_member_is_key is_key);

/* Reads each object of a list. If the value is not a list of objects, the read fails, with `name`
 * as the member at fault. */
void rc_read_objects(rc_conversation *c, const rc_json_raw_value *value, const char *name,
                     void (*read)(rc_conversation *c, rc_str object));

/* Returns whether the member "type" of the object has this value. */
bool rc_read_type_is(rc_str object, const char *type);

/* Records the name of a member that the reader does not know; only the first
 * RC_CONVERSATION_UNKNOWN_MAX names are stored. */
void rc_read_unknown(rc_conversation *c, rc_str key);

/* Records that a member has a value of a wrong type. name: a static string. */
void rc_read_fail(rc_conversation *c, const char *name);

/* Records that the request uses the feature. */
static inline void rc_read_feature(rc_conversation *c, rc_feature feature)
{
    if (feature < RC_FEATURE_COUNT)
        c->features |= UINT64_C(1) << feature;
}

/* Returns the position of a view of the body. */
rc_span rc_read_span(const rc_conversation *c, rc_str view);
/* Returns the position of a value, with the quotes if the value is a string. */
rc_span rc_read_json_span(const rc_conversation *c, const rc_json_raw_value *value);
/* Returns the position of a number, or an empty span if the value is something else. */
rc_span rc_read_number(const rc_conversation *c, const rc_json_raw_value *value);
/* Returns a whole number from 0 to INT32_MAX, or -1. */
int64_t rc_read_count(const rc_json_raw_value *value);

/* Begins a turn of this role. If the previous turn has the same role, that turn continues
 * instead. */
void rc_read_turn(rc_conversation *c, rc_role role);

/* Adds a part to the current turn and returns it, or NULL if the limit of parts is reached or no
 * memory is available. The pointer is valid until the next part is added. */
rc_part *rc_read_part(rc_conversation *c, rc_part_kind kind);
/* Adds a text, unless it is empty. */
void rc_read_text(rc_conversation *c, rc_str raw);
/* Adds an image or file from a URL, which may be a data URL. */
void rc_read_media_url(rc_conversation *c, rc_part_kind kind, rc_str raw);
/* Adds an image or file in base64. */
rc_part *rc_read_media(rc_conversation *c, rc_part_kind kind, rc_str media_type, rc_str base64);

/* Returns the position at which the next part will be added; rc_read_added returns the part that
 * was added at that position, or NULL if no part was added. */
static inline size_t rc_read_position(const rc_conversation *c)
{
    return c->parts_buf.len;
}
rc_part *rc_read_added(rc_conversation *c, size_t position);
/* Sets flags of all parts that were added since the position. */
void rc_read_add_flags(rc_conversation *c, size_t position, uint8_t flags);

/* Adds a tool and returns it, or NULL if the limit of tools is reached or no memory is
 * available. */
rc_tool_decl *rc_read_tool(rc_conversation *c);
/* Adds the name of a tool that may be called. */
void rc_read_allowed(rc_conversation *c, rc_str name);
/* Adds one stop sequence, or all stop sequences of a list. */
void rc_read_stops(rc_conversation *c, const rc_json_raw_value *value);
/* Reads an effort such as "high"; any unknown word sets the feature UNKNOWN_CONTENT. */
void rc_read_effort(rc_conversation *c, const rc_json_raw_value *value);
/* Readers of settings that several dialects share (read_settings.c). */
void rc_read_temperature(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_top_p(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_top_k(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_seed(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_presence_penalty(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_frequency_penalty(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_max_tokens(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_stream(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_parallel(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_user(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_metadata(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_verbosity(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_service_tier(rc_conversation *c, const rc_json_raw_value *value);

/* Readers that OpenAI's two dialects share: the choice of a tool; the members of a function or
 * custom tool; a JSON schema with its name; the detail of an image. */
void rc_read_openai_choice(rc_conversation *c, const rc_json_raw_value *value);
void rc_read_openai_function(rc_conversation *c, rc_tool_decl *tool, rc_str function);
void rc_read_openai_schema(rc_conversation *c, rc_str format);
void rc_read_image_detail(rc_conversation *c, rc_part *part, rc_str detail);

/* Sets the features that follow from all parts together: PREFILL, TOOLS_IMPLIED and others. */
void rc_read_finish(rc_conversation *c);

/* The readers of the dialects. body: an object that is valid JSON. */
void rc_chat_read_request(rc_conversation *c, rc_str body);
void rc_messages_read_request(rc_conversation *c, rc_str body);
void rc_responses_read_request(rc_conversation *c, rc_str body);
void rc_gemini_read_request(rc_conversation *c, rc_str body);

#endif
