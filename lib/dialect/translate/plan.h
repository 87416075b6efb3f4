/* rc_translation_plan: how one conversation is written for one target, decided before the target is
 * called.
 *
 *   rc_conversation ─┐
 *                    ├─► rc_translation_plan_make ──► EXACT │ ADAPTED: names │ REFUSED: code, name
 *   target's model ──┘            │
 *                                 └─► decided values ──► the writers, which decide nothing
 *
 * Each feature of a request has a row in spec/translate.def. If a target accepts only some values
 * of a member, the plan decides the value that is written: sampling, limits, reasoning, schemas,
 * names of tools. */
#ifndef RC_DIALECT_TRANSLATE_PLAN_H
#define RC_DIALECT_TRANSLATE_PLAN_H

#include "dialect/translate/conversation.h"
#include "dialect/translate/model_facts.h"
#include "dialect/translate/seal.h"

/* The max_tokens of a Messages request if neither the client nor the model's row states a limit. */
#define RC_PLAN_TOKENS_DEFAULT 8192
/* Maximum number of bytes that rc_translation_plan_push_names appends. */
#define RC_PLAN_NAMES_MAX 512u

typedef enum rc_fit {
    RC_FIT_EXACT,
    RC_FIT_ADAPTED,
    RC_FIT_REFUSED
} rc_fit;

/* A target of a translation. */
typedef struct rc_translate_target {
    rc_dialect dialect; /* dialect of the request that is written */
    bool is_openai;     /* the provider is OpenAI itself, so the limit is written as
                           max_completion_tokens */
    rc_str model;       /* the model's name as the provider expects it */
    rc_str name;        /* name of the target in the configuration, such as openai/gpt-5. The states
                         * of seals with this name are restored (seal.h). Empty: no state is
                         * restored. */
    rc_model_facts facts;
} rc_translate_target;

/* How a request to the target states the amount of reasoning. */
typedef enum rc_plan_thinking {
    RC_PLAN_THINKING_UNSET,   /* no member for reasoning is written */
    RC_PLAN_THINKING_WORD,    /* as a word: reasoning_effort, reasoning.effort or thinkingLevel */
    RC_PLAN_THINKING_BUDGET,  /* as a number of tokens: thinking of type enabled, or
                                 thinkingBudget */
    RC_PLAN_THINKING_ADAPTIVE /* thinking of type adaptive, with an effort if it is set */
} rc_plan_thinking;

typedef struct rc_translation_plan {
    const rc_conversation *conversation; /* borrowed */
    const rc_translate_target *target;   /* borrowed */
    rc_fit fit;
    rc_feature refused; /* REFUSED: the first feature that cannot be expressed for the target */
    uint64_t adapted;   /* RC_FEATURE_BITs of the features that are left out or changed */

    bool has_temperature;
    bool is_temperature_capped; /* the temperature 1 is written instead of the client's larger
                                   number */
    bool has_top_p;
    bool has_top_k;
    int64_t max_tokens; /* the max_tokens to write; -1: the member is not written */
    rc_plan_thinking thinking;
    rc_effort effort;       /* RC_EFFORT_UNSET: no effort is written */
    int64_t thought_budget; /* THINKING_BUDGET: number of tokens for reasoning */
    bool is_schema_strict;  /* the response's schema is strict: its objects are closed and require
                               all members */
    bool has_mid_system;    /* system turns between other turns are written as system turns at the
                               same position */
} rc_translation_plan;

/* Decides how the conversation is written for the target. conversation, target: borrows for as long
 * as the plan is used. scratch: memory for names and schemas; its content is lost. Returns
 * RC_E_NOMEM or RC_E_TOO_LARGE if the scratch memory could not grow. */
rc_status rc_translation_plan_make(rc_translation_plan *plan, const rc_conversation *conversation,
                                   const rc_translate_target *target, rc_buf *scratch);

/* Opens the seal of a part's state if the plan's target made the state. *ret_seal views `scratch`,
 * whose previous content is lost. */
bool rc_translation_plan_open_state(const rc_translation_plan *plan, const rc_part *part,
                                    rc_buf *scratch, rc_seal *ret_seal);

/* Returns the error code of a refused plan. */
rc_code rc_translation_plan_code(const rc_translation_plan *plan);
/* Returns the name of a feature in spec/translate.def; a static string. */
rc_str rc_feature_name(rc_feature feature);

/* Returns whether a request with this feature is never sent to targets of the dialect. */
bool rc_feature_is_never(rc_feature feature, rc_dialect target);

/* Appends the names of everything that the plan adapts, separated by commas: the features, then the
 * names of members that no reader knows. Names of members are cut at 64 bytes, and bytes other than
 * letters, digits and "_.-" are left out. */
void rc_translation_plan_push_names(const rc_translation_plan *plan, rc_buf *buf);

/* rc_effort_budget returns the number of tokens for reasoning that corresponds to an effort,
 * rc_effort_of_budget the effort that corresponds to a number of tokens. */
int64_t rc_effort_budget(rc_effort effort);
rc_effort rc_effort_of_budget(int64_t tokens);
/* Returns an effort as a word; a static string. */
rc_str rc_effort_word(rc_effort effort);

#endif
