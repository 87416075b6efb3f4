/* The interfaces (APIs) through which providers are called, and what is known about the model of a
 * target. Called by the readers of the configuration, the gateway's snapshot.c, the commands
 * `config check`, `call` and `doctor`. */
#ifndef RC_CONFIG_INTERFACES_H
#define RC_CONFIG_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/render.h>
#include <recourse/str.h>

#include "dialect/translate/model_facts.h"

typedef struct rc_config_provider rc_config_provider;
typedef struct rc_config_reader rc_config_reader;
typedef struct rc_config_target rc_config_target;
typedef struct rc_yaml_node rc_yaml_node;

/* Sets the interfaces that providers of this kind have by default. */
void rc_config_use_kind_interfaces(rc_config_provider *provider);
/* Reads the list of interfaces in the configuration. */
void rc_config_read_interfaces(rc_config_reader *r, const rc_yaml_node *list,
                               rc_config_provider *provider);
/* Returns whether two providers have an interface in common. */
bool rc_config_has_common_interface(const rc_config_provider *a, const rc_config_provider *b);

/* Returns the interface through which a request of the client's interface is sent to the provider:
 * the client's own one if the provider has it, else the first one into which the request can be
 * translated. is_translated: whether requests may be translated. Returns RC_DIALECT_PROBLEM if
 * there is none. */
rc_dialect rc_config_interface_for(const rc_config_provider *provider, rc_dialect client,
                                   bool is_translated);

/* Returns the facts about a model: those that the target or the provider states come before those
 * of spec/models.def. target: NULL for a request that names provider and model. */
rc_model_facts rc_config_model_facts(const rc_config_provider *provider,
                                     const rc_config_target *target, rc_str model);

/* Returns whether the provider is OpenAI itself. */
bool rc_config_is_openai(const rc_config_provider *provider);

#endif
