/* rc_prompt: a request to a model, and its body in each dialect. */
#ifndef RC_DIALECT_PROMPT_H
#define RC_DIALECT_PROMPT_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

#include "dialect/tool.h"

/* The max_tokens of a dialect that requires the member, if the prompt sets none. */
#define RC_PROMPT_TOKENS_DEFAULT 4096u

typedef struct rc_prompt_image {
    rc_str media_type; /* "image/png" */
    rc_str bytes;
} rc_prompt_image;

/* One turn of the conversation. */
typedef struct rc_prompt_turn {
    bool is_model; /* true: a turn of the model; false: a turn of the user */
    rc_str text;
    const rc_prompt_image *images; /* only in turns of the user */
    size_t image_count;
    const rc_tool_call *calls; /* only in turns of the model; the calls follow its text */
    size_t call_count;
    const rc_tool_result *results; /* only in turns of the user: the results of all calls in the
                                    * turn before, in the order of the calls; the text of the turn
                                    * follows them */
    size_t result_count;
} rc_prompt_turn;

/* A request, which views (points into) all its texts and arrays. */
typedef struct rc_prompt {
    rc_str model;  /* not used for Gemini, which has the model in the path */
    rc_str system; /* empty: none */
    const rc_prompt_turn *turns;
    size_t turn_count;
    const rc_tool *tools;
    size_t tool_count;
    uint32_t max_tokens; /* maximum tokens of the response; 0: no limit */
    rc_str temperature;  /* a JSON number; empty: not set */
    bool is_stream;
    /* For the OpenAI dialect only: some compatible servers reject the JSON members of these two
     * options, other servers need them. */
    bool has_completion_limit; /* write max_completion_tokens instead of max_tokens */
    bool wants_usage;          /* write stream_options.include_usage */
} rc_prompt;

/* Appends the request body in the dialect ANTHROPIC, GEMINI or, for all other values, OPENAI_CHAT.
 * prompt: borrows during the call. Returns the buffer's status. */
rc_status rc_prompt_push_body(rc_buf *buf, const rc_prompt *prompt, rc_dialect dialect);

/* Returns the media type of an image ("image/png", ...) by its first bytes; empty: not a type that
 * models accept. Gives a static string. */
rc_str rc_prompt_image_type(rc_str bytes);

#endif
