/* rc_prompt: a request to a model, and the request body for it in each dialect. */
#ifndef RC_DIALECT_PROMPT_H
#define RC_DIALECT_PROMPT_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

#include "dialect/tool.h"

/* Value of max_tokens in a dialect that requires this member, if the prompt sets no limit. */
#define RC_PROMPT_TOKENS_DEFAULT 4096u

typedef struct rc_prompt_image {
    rc_str media_type; /* media type, such as "image/png" */
    rc_str bytes;
} rc_prompt_image;

/* One turn of the conversation. */
typedef struct rc_prompt_turn {
    bool is_model; /* true: the model wrote the turn; false: the user wrote it */
    rc_str text;
    const rc_prompt_image *images; /* images; only in turns of the user */
    size_t image_count;
    const rc_tool_call *calls; /* tool calls, which follow the text; only in turns of the model */
    size_t call_count;
    const rc_tool_result *results; /* results of all tool calls of the previous turn, in the order
                                    * of the calls; they precede the text; only in turns of the
                                    * user */
    size_t result_count;
} rc_prompt_turn;

/* A request to a model. The struct views (points into) its texts and arrays. */
typedef struct rc_prompt {
    rc_str model;  /* name of the model; unused for Gemini, whose path contains the model */
    rc_str system; /* system prompt; empty: none */
    const rc_prompt_turn *turns;
    size_t turn_count;
    const rc_tool *tools;
    size_t tool_count;
    uint32_t max_tokens; /* maximum tokens of the response; 0: no limit */
    rc_str temperature;  /* temperature as a JSON number; empty: not set */
    bool is_stream;
    /* These two options apply only to the OpenAI dialect: some compatible servers reject the JSON
     * members that they write, other servers require these members. */
    bool has_completion_limit; /* write max_completion_tokens instead of max_tokens */
    bool wants_usage;          /* write stream_options.include_usage */
} rc_prompt;

/* Appends the request body in the dialect ANTHROPIC, GEMINI or, for all other values, OPENAI_CHAT.
 * prompt: borrows during the call. Returns the buffer's status. */
rc_status rc_prompt_push_body(rc_buf *buf, const rc_prompt *prompt, rc_dialect dialect);

/* Returns the media type of an image ("image/png", ...), derived from the first bytes of the image,
 * as a static string; empty if models do not accept the type. */
rc_str rc_prompt_image_type(rc_str bytes);

#endif
