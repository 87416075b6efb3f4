/* What the files of the import share. */
#ifndef RC_CONFIG_LITELLM_PRIVATE_H
#define RC_CONFIG_LITELLM_PRIVATE_H

#include "base/str.h"
#include "config/kind.h"
#include "config/litellm.h"
#include "config/yaml.h"

/* A provider of ours: deployments with the same kind, address and key. */
typedef struct rc_litellm_provider {
    struct rc_litellm_provider *next;
    const rc_config_kind *kind;
    rc_str name;
    rc_str base_url; /* empty: the kind's */
    rc_str key;      /* a reference, "env:NAME"; empty: the kind's, or none */
    rc_str literal;  /* of a key that stood in the file: to tell two apart, and for nothing else */
    bool is_insecure;
} rc_litellm_provider;

/* An entry of model_list. */
typedef struct rc_litellm_deployment {
    const rc_yaml_node *node;
    rc_str group; /* model_name */
    rc_litellm_provider *provider;
    rc_str model;
    uint64_t timeout_ms; /* 0: not said */
    uint64_t stream_timeout_ms;
} rc_litellm_deployment;

typedef struct rc_litellm {
    rc_arena arena;
    rc_yaml doc;
    rc_litellm_notes *notes;
    rc_litellm_provider *providers;
    rc_litellm_provider *last_provider;
    rc_litellm_deployment *deployments;
    size_t deployment_count;
    const rc_yaml_node *models; /* model_list */
    const rc_yaml_node *router;
    const rc_yaml_node *settings; /* litellm_settings */
    const rc_yaml_node *general;
    bool has_policy;
    uint64_t max_attempts; /* 0: not said */
    uint64_t rule_attempts[3];
    uint64_t cooldown_ms;
    bool has_cooldown;
    uint64_t allowed_fails;
    bool has_allowed_fails;
    uint64_t timeout_ms;
    uint64_t stream_timeout_ms;
    rc_str master_key; /* a reference; empty: none */
    rc_str title;
} rc_litellm;

/* A note at a node, or at its key. Gives it, never NULL. text: copies. */
rc_litellm_note *rc_litellm_say(rc_litellm *in, const rc_yaml_node *node, const char *text);

/* Appends to its text; what came from outside stands in quotes. */
rc_litellm_note *rc_litellm_add(rc_litellm_note *note, const char *text);
rc_litellm_note *rc_litellm_quote(rc_litellm_note *note, rc_str text);

/* "os.environ/NAME" as "env:NAME". False: it is another text. Views arena. */
bool rc_litellm_variable(rc_litellm *in, rc_str text, rc_str *ret_ref);

/* Seconds, whole or not, as milliseconds. False: it is no such number, which is noted. */
bool rc_litellm_seconds(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms);

/* A whole number. */
bool rc_litellm_number(rc_litellm *in, const rc_yaml_node *node, uint64_t max,
                       uint64_t *ret_number);

/* Text of a scalar; empty: it is none. */
rc_str rc_litellm_text(const rc_yaml_node *node);

/* litellm_model.c: model_list. */
void rc_litellm_read_models(rc_litellm *in, const rc_yaml_node *list);

/* litellm_settings.c: everything else but fallbacks. */
void rc_litellm_read_settings(rc_litellm *in);

/* litellm_write.c */
void rc_litellm_write(rc_litellm *in, rc_buf *buf);

/* The first of a group; NULL: there is none of that name. */
const rc_litellm_deployment *rc_litellm_group(const rc_litellm *in, rc_str name);

#endif
