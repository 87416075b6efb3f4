/* rc_target_choice: the route or provider that serves a model name, and the request body that its
 * providers accept. */
#ifndef RC_CLIENT_TARGET_H
#define RC_CLIENT_TARGET_H

#include "config/config.h"
#include "dialect/prompt.h"

/* The pointers are views of the configuration. */
typedef struct rc_target_choice {
    const rc_config *config;
    const rc_config_route *route; /* The route. NULL: the name has the form PROVIDER/MODEL. */
    const rc_config_provider *provider;
} rc_target_choice;

/* Finds the route or provider of a model name: the name of a route, or PROVIDER/MODEL. ret_choice
 * views config. model: borrows during the call. Returns false if there is no such target. */
bool rc_target_choice_find(const rc_config *config, rc_str model, rc_target_choice *ret_choice);

/* Returns whether a call of this model can go to the provider. The providers of a route are those
 * of its chain and of its overflow_to. */
bool rc_target_choice_has(const rc_target_choice *choice, const rc_config_provider *provider);

/* Sets the members of the prompt that only some servers accept. A dialect of 0 becomes the dialect
 * that all providers of the target have in common. Without a common dialect it becomes OPENAI_CHAT,
 * which the gateway translates for every provider. */
void rc_target_choice_adapt(const rc_target_choice *choice, rc_dialect *dialect, rc_prompt *prompt);

#endif
