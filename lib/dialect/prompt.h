/* rc_prompt: what a model is asked, written as each dialect wants it. */
#ifndef RC_DIALECT_PROMPT_H
#define RC_DIALECT_PROMPT_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

/* The answer's length where a dialect wants one and nobody said any. */
#define RC_PROMPT_TOKENS_DEFAULT 4096u

typedef struct rc_prompt_image {
    rc_str media_type; /* "image/png" */
    rc_str bytes;
} rc_prompt_image;

/* What one side said. */
typedef struct rc_prompt_turn {
    bool is_model; /* else the user */
    rc_str text;
    const rc_prompt_image *images; /* of the user */
    size_t image_count;
} rc_prompt_turn;

/* Views. */
typedef struct rc_prompt {
    rc_str model;  /* not of Gemini's bodies: there it stands in the path */
    rc_str system; /* empty: none */
    const rc_prompt_turn *turns;
    size_t turn_count;
    uint32_t max_tokens; /* of the answer; 0: not said */
    rc_str temperature;  /* a number of JSON; empty: not said */
    bool is_stream;
    /* Of OpenAI's: what some of those who speak it refuse and others need. */
    bool has_completion_limit; /* max_completion_tokens, in place of max_tokens */
    bool wants_usage;          /* ask for the usage of a stream */
} rc_prompt;

/* Appends the body of a request: OPENAI_CHAT (also for what is no dialect of requests), ANTHROPIC,
 * GEMINI. prompt: borrows. Gives the buffer's status. */
rc_status rc_prompt_push_body(rc_buf *buf, const rc_prompt *prompt, rc_dialect dialect);

/* "image/png", ... by the first bytes of an image; empty: none that models take. */
rc_str rc_prompt_image_type(rc_str bytes);

#endif
