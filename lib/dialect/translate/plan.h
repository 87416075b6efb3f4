/* rc_translation_plan: how one conversation is written for one target, decided before the target is
 * called.
 *
 *   rc_conversation ─┐
 *                    ├─► rc_translation_plan_make ──► EXACT │ ADAPTED: names │ REFUSED: code, name
 *   target's model ──┘            │
 *                                 └─► settled values ──► the writers, which decide nothing
 *
 * A feature is what spec/translate.def has a row for. The plan settles every value that a target
 * accepts only in part: sampling, limits, reasoning, schemas, names of tools. */
#ifndef RC_DIALECT_TRANSLATE_PLAN_H
#define RC_DIALECT_TRANSLATE_PLAN_H

#include "dialect/translate/conversation.h"
#include "dialect/translate/model_facts.h"

/* The max_tokens of a Messages request if neither the client nor the model's row names a limit. */
#define RC_PLAN_TOKENS_DEFAULT 8192
/* Ceiling of the names that rc_translation_plan_push_names writes, in bytes. */
#define RC_PLAN_NAMES_MAX 512u

typedef enum rc_fit {
    RC_FIT_EXACT,
    RC_FIT_ADAPTED,
    RC_FIT_REFUSED
} rc_fit;

/* A target of a translation. */
typedef struct rc_translate_target {
    rc_dialect dialect; /* dialect of the request that is written */
    bool is_openai;     /* the provider is OpenAI itself: limits are max_completion_tokens */
    rc_str model;       /* the model's name as the provider expects it */
    rc_model_facts facts;
} rc_translate_target;

/* How reasoning is requested. */
typedef enum rc_plan_thinking {
    RC_PLAN_THINKING_UNSET,   /* nothing is written */
    RC_PLAN_THINKING_WORD,    /* an effort: reasoning_effort, reasoning.effort, thinkingLevel */
    RC_PLAN_THINKING_BUDGET,  /* tokens: thinking of type enabled, thinkingBudget */
    RC_PLAN_THINKING_ADAPTIVE /* thinking of type adaptive, with an effort if it is set */
} rc_plan_thinking;

typedef struct rc_translation_plan {
    const rc_conversation *conversation; /* borrowed */
    const rc_translate_target *target;   /* borrowed */
    rc_fit fit;
    rc_feature refused; /* REFUSED: the first feature that the target cannot carry */
    uint64_t adapted;   /* RC_FEATURE_BITs of the features that are left out or changed */

    bool has_temperature;
    bool is_temperature_capped; /* 1 is written instead of the client's larger number */
    bool has_top_p;
    bool has_top_k;
    int64_t max_tokens; /* -1: not written */
    rc_plan_thinking thinking;
    rc_effort effort;       /* RC_EFFORT_UNSET: none is written */
    int64_t thought_budget; /* THINKING_BUDGET: tokens */
    bool is_schema_strict;  /* the schema of the response is closed and requires all members */
    bool has_mid_system;    /* system turns keep their place and role */
} rc_translation_plan;

/* Decides how the conversation is written for the target. conversation, target: borrows for as long
 * as the plan is used. scratch: memory for names and schemas; its content is lost. Returns
 * RC_E_NOMEM or RC_E_TOO_LARGE if the scratch memory did not suffice. */
rc_status rc_translation_plan_make(rc_translation_plan *plan, const rc_conversation *conversation,
                                   const rc_translate_target *target, rc_buf *scratch);

/* Returns the error code of a refused plan. */
rc_code rc_translation_plan_code(const rc_translation_plan *plan);
/* Returns the name of a feature in spec/translate.def; a static string. */
rc_str rc_feature_name(rc_feature feature);

/* Appends the names of everything that the plan adapts, separated by commas: the features, then the
 * names of members that no reader knows. Names of members are cut at 64 bytes, and bytes other than
 * letters, digits and "_.-" are left out. */
void rc_translation_plan_push_names(const rc_translation_plan *plan, rc_buf *buf);

/* Returns the number of tokens for reasoning that stands for an effort, and the effort for a
 * number of tokens. */
int64_t rc_effort_budget(rc_effort effort);
rc_effort rc_effort_of_budget(int64_t tokens);
/* Returns an effort as a word; a static string. */
rc_str rc_effort_word(rc_effort effort);

#endif
