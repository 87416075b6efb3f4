/* rc_model_facts: what a target's model accepts, from spec/models.def and from the configuration.
 * The translation of requests uses the facts to decide what can be sent. */
#ifndef RC_DIALECT_TRANSLATE_MODEL_FACTS_H
#define RC_DIALECT_TRANSLATE_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* The kinds of providers that have rows in spec/models.def. */
typedef enum rc_model_kind {
    RC_MODEL_KIND_OPENAI,
    RC_MODEL_KIND_ANTHROPIC,
    RC_MODEL_KIND_GEMINI,
    RC_MODEL_KIND_OTHER /* no rows: nothing is known about the model */
} rc_model_kind;

enum {
    RC_MODEL_VISION = 1 << 0,
    RC_MODEL_PDF = 1 << 1,
    RC_MODEL_AUDIO = 1 << 2,
    RC_MODEL_TOOLS = 1 << 3,
    RC_MODEL_SCHEMA = 1 << 4,   /* the model can constrain a response to a JSON schema */
    RC_MODEL_SAMPLING = 1 << 5, /* the model accepts temperature, top_p and top_k */
    RC_MODEL_REASONING = 1 << 6,
    RC_MODEL_ADAPTIVE = 1 << 7,   /* Anthropic: the model accepts thinking of type adaptive, with an
                                     effort */
    RC_MODEL_MID_SYSTEM = 1 << 8, /* Anthropic: the model accepts system turns between other
                                     turns */
    RC_MODEL_EFFORT_NONE = 1 << 9,
    RC_MODEL_EFFORT_MINIMAL = 1 << 10,
    RC_MODEL_EFFORT_LOW = 1 << 11, /* the efforts low, medium and high */
    RC_MODEL_EFFORT_XHIGH = 1 << 12,
    RC_MODEL_EFFORT_MAX = 1 << 13,
    RC_MODEL_SIGNATURES = 1 << 14,   /* Gemini: tool calls in the history need a thoughtSignature */
    RC_MODEL_RESULT_MEDIA = 1 << 15, /* Gemini: the model accepts images inside a function's
                                        response */
    RC_MODEL_LEVELS = 1 << 16        /* Gemini: the model accepts thinkingLevel instead of
                                        thinkingBudget */
};

typedef struct rc_model_facts {
    bool is_known;       /* spec/models.def has a row for the model */
    uint32_t flags;      /* RC_MODEL_ bits */
    uint32_t context;    /* maximum number of input tokens; 0: not known */
    uint32_t max_tokens; /* maximum number of output tokens of one response; 0: not known */
} rc_model_facts;

/* Returns the facts of a model. A model without a row is assumed to accept everything except
 * reasoning. model: a name, with or without the prefix "models/"; borrows during the call. */
rc_model_facts rc_model_facts_of(rc_model_kind kind, rc_str model);

#endif
