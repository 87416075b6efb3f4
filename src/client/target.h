/* rc_target_choice: the route or provider that a model's name leads to, and the request body that
 * its providers accept. */
#ifndef RC_CLIENT_TARGET_H
#define RC_CLIENT_TARGET_H

#include "config/config.h"
#include "dialect/prompt.h"

/* Views of the configuration. */
typedef struct rc_target_choice {
    const rc_config *config;
    const rc_config_route *route; /* NULL: a single provider. */
    const rc_config_provider *provider;
} rc_target_choice;

/* Finds the target of a model, named by a route or as PROVIDER/MODEL. config, model: borrow. False:
 * there is none. */
bool rc_target_choice_find(const rc_config *config, rc_str model, rc_target_choice *ret_choice);

/* Can a call of this model go to the provider? A route's providers are those of its chain and of
 * overflow_to. */
bool rc_target_choice_has(const rc_target_choice *choice, const rc_config_provider *provider);

/* Sets the members of the prompt that only some servers accept, and, if it is 0, the dialect: the
 * one that all providers of the target share, or OpenAI's, which every provider accepts. */
void rc_target_choice_adapt(const rc_target_choice *choice, rc_dialect *dialect, rc_prompt *prompt);

#endif
