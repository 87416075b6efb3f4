/* Types and functions that the files of the LiteLLM import share. */
#ifndef RC_CONFIG_LITELLM_PRIVATE_H
#define RC_CONFIG_LITELLM_PRIVATE_H

#include "base/str.h"
#include "config/kind.h"
#include "config/litellm/import.h"
#include "config/yaml/yaml.h"

/* A provider in the output, for all deployments with the same kind, address and key. */
typedef struct rc_litellm_provider {
    struct rc_litellm_provider *next;
    const rc_config_kind *kind;
    rc_str name;
    rc_str base_url; /* Address; empty: the kind's usual address. */
    rc_str key;      /* Key as "env:NAME"; empty: the kind's usual variable, or no key. */
    rc_str literal;  /* A key that the file contains literally. Used only for comparisons; never
                      * written. */
    bool is_insecure;
} rc_litellm_provider;

/* A provider prefix of LiteLLM: the part of a model name before the slash. */
typedef struct rc_litellm_prefix {
    const char *name;
    const char *kind;     /* Kind in recourse.yaml. NULL: recourse does not support the provider,
                           * for the reason `why`. */
    const char *variable; /* Variable with the default key; NULL: the kind's usual variable. */
    /* Variable with a key that LiteLLM sends if the variable is set; NULL: none. */
    const char *optional_variable;
    const char *why;
} rc_litellm_prefix;

/* A pattern of model names that LiteLLM recognises without a provider prefix. */
typedef struct rc_litellm_family {
    const char *pattern;
    const char *kind;
} rc_litellm_family;

#define RC_LITELLM_FAMILIES 20
/* Parameters by which LiteLLM shares requests among the deployments of a model_name: weight, rpm,
 * tpm. The first that every deployment of the model_name sets applies. */
#define RC_LITELLM_SHARES 3
#define RC_LITELLM_OPEN_MAX_MS UINT64_C(3600000) /* Maximum of the breaker setting open_max_ms. */

/* An entry of model_list that can be converted. */
typedef struct rc_litellm_deployment {
    const rc_yaml_node *node;
    rc_str group; /* The entry's model_name. */
    rc_litellm_provider *provider;
    rc_str model; /* Model at the provider; "*": the model that the client requests. */
    /* The deployment was created for one name that a pattern entry matches, and needs no route of
     * its own. */
    bool is_derived;
    uint64_t timeout_ms; /* In milliseconds. 0: not set. */
    uint64_t stream_timeout_ms;
    uint64_t shares[RC_LITELLM_SHARES]; /* weight, rpm and tpm in thousandths; UINT64_MAX: not
                                         * set. */
} rc_litellm_deployment;

typedef struct rc_litellm_route {
    struct rc_litellm_route *next;
    rc_str model;
    rc_str group; /* The model_name of the group whose chain the route uses. Differs from `model`
                   * for an alias. */
    const rc_litellm_deployment **chain;
    size_t chain_count;
    uint16_t *groups; /* For each element of `chain` the number of its model_name in the chain; the
                       * targets of one number share the requests. */
    uint16_t group_count;
    const rc_litellm_deployment *overflow_to;
    uint64_t first_byte_ms; /* In milliseconds. 0 selects the default. idle_ms has the same meaning
                             * of 0. */
    uint64_t idle_ms;
} rc_litellm_route;

typedef struct rc_litellm {
    rc_arena arena;
    rc_yaml doc;
    rc_litellm_notes *notes;
    rc_litellm_note spare; /* Storage that rc_litellm_notes_add returns for each note beyond
                            * RC_LITELLM_NOTES_MAX. */
    rc_litellm_provider *providers;
    rc_litellm_provider *last_provider;
    rc_litellm_deployment *deployments;
    size_t deployment_count;
    size_t deployment_max;
    /* Routes with exact names come first, then those with patterns. Longer patterns come before
     * shorter patterns. */
    rc_litellm_route *routes;
    const rc_yaml_node *models;      /* The section model_list. */
    const rc_yaml_node *router;      /* The section router_settings. */
    const rc_yaml_node *settings;    /* The section litellm_settings. */
    const rc_yaml_node *general;     /* The section general_settings. */
    const rc_yaml_node *credentials; /* The section credential_list. */
    bool has_catch_all;              /* An entry of model_list for "*" was converted to routes. */
    bool has_policy;
    uint64_t max_attempts;     /* 0: not set. */
    uint64_t rule_attempts[3]; /* Attempts after rate limits, timeouts, server errors; 0: not
                                * set. */
    uint64_t cooldown_ms;
    bool has_cooldown;
    uint64_t allowed_fails;
    bool has_allowed_fails;
    uint64_t timeout_ms;
    uint64_t stream_timeout_ms;
    const char *by;    /* How the targets of a model_name share the requests, from routing_strategy;
                        * NULL: by weight. */
    rc_str master_key; /* Reference to the clients' token; may be empty. */
    rc_str title;      /* File name for the first comment of the output. */
} rc_litellm;

/* Adds a note at the position of the node's key, or of the node if it has no key. Returns the note,
 * never NULL. text: copies. */
rc_litellm_note *rc_litellm_notes_add(rc_litellm *in, const rc_yaml_node *node, const char *text);

/* rc_litellm_note_append and rc_litellm_note_append_quoted append to the note's text and return the
 * note. The latter quotes the text; it is for text from the file. text: copies. */
rc_litellm_note *rc_litellm_note_append(rc_litellm_note *note, const char *text);
rc_litellm_note *rc_litellm_note_append_quoted(rc_litellm_note *note, rc_str text);

/* Converts "os.environ/NAME" to "env:NAME". Returns false for any other text. *ret_ref views the
 * arena of `in`. */
bool rc_litellm_variable(rc_litellm *in, rc_str text, rc_str *ret_ref);

/* Returns the beginning of a note (a static text): the reason for which the value `text` was not
 * copied. `text` must not be a variable. The caller appends the name of the variable that replaces
 * the text. */
const char *rc_litellm_uncopied_reason(rc_str text);

/* Reads seconds, possibly with decimals, as milliseconds. Returns false if `node` is NULL or YAML
 * null; also returns false, after adding a note, if the value has another form. */
bool rc_litellm_seconds(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms);

/* Reads seconds as rc_litellm_seconds does. A value of 0 is an error, because the value is a time
 * limit. */
bool rc_litellm_time_limit(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms);

/* Reads a share of requests as thousandths. Returns false if `node` is YAML null; also returns
 * false, after adding a note, if the value is not a number from 0 to a billion. */
bool rc_litellm_share(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_milli);

/* Reads a whole number up to `max`. Returns false if `node` is NULL or YAML null; also returns
 * false, after adding a note, if the value has another form. */
bool rc_litellm_number(rc_litellm *in, const rc_yaml_node *node, uint64_t max,
                       uint64_t *ret_number);

/* Returns the text of a scalar, or the empty string for any other node and for NULL. */
rc_str rc_litellm_text(const rc_yaml_node *node);

/* rc_litellm_setting and rc_litellm_setting_of return the value of a key in router_settings or, if
 * the key is missing there, in litellm_settings; NULL if neither section has the key. If the value
 * has another kind than requested, rc_litellm_setting_of adds a note and returns NULL. The result
 * views the document. */
const rc_yaml_node *rc_litellm_setting(rc_litellm *in, const char *key);
const rc_yaml_node *rc_litellm_setting_of(rc_litellm *in, const char *key, rc_yaml_kind kind);

/* Returns whether `text` contains a "*". */
bool rc_litellm_has_star(rc_str text);

/* ---- kind.c: the provider of a model ---- */

/* Returns the static family at `index`, or NULL if the index is too large. */
const rc_litellm_family *rc_litellm_family_at(size_t index);

/* Returns the static family whose pattern matches the model, or NULL if no pattern matches. */
const rc_litellm_family *rc_litellm_family_of(rc_str model);

/* Returns the provider prefix of `params` (litellm_params), or NULL if it is not known. *ret_model
 * is the model name without the prefix, a view of the document. */
const rc_litellm_prefix *rc_litellm_prefix_of(const rc_yaml_node *params, rc_str *ret_model);

/* Adds a note with the reason for which the entry's provider is not supported. */
void rc_litellm_note_unsupported(rc_litellm *in, const rc_yaml_node *params);

/* ---- account.c: providers, from kinds, addresses and keys ---- */

/* Returns a value of `params` (litellm_params), or of the credential that `params` name, or NULL if
 * neither has the key. The result views the document. */
const rc_yaml_node *rc_litellm_param(const rc_litellm *in, const rc_yaml_node *params,
                                     const char *key);

/* Returns the provider for these parameters; adds the provider if it is new. Returns NULL if memory
 * runs out, or, after adding a note, if the parameters give no usable provider. The arena of `in`
 * owns the result. */
rc_litellm_provider *rc_litellm_provider_of(rc_litellm *in, const rc_litellm_prefix *prefix,
                                            const rc_yaml_node *params);

/* Returns the provider of a kind with the usual address and key, or NULL if there is no memory. The
 * arena of `in` owns the result. */
rc_litellm_provider *rc_litellm_provider_default(rc_litellm *in, const char *kind);

/* ---- model.c: model_list ---- */

/* Reads model_list into deployments. */
void rc_litellm_read_models(rc_litellm *in, const rc_yaml_node *list);

/* Returns the first deployment with the model_name `name`, or NULL if there is none. */
const rc_litellm_deployment *rc_litellm_group(const rc_litellm *in, rc_str name);

/* Finds a deployment as rc_litellm_group does. If only a pattern entry matches the name, adds
 * deployments for this name and returns the first of them. Returns NULL for a name whose own entry
 * was left out. */
const rc_litellm_deployment *rc_litellm_group_for(rc_litellm *in, rc_str name);

/* ---- settings.c: global settings ---- */

/* Reads all settings except fallbacks and aliases. */
void rc_litellm_read_settings(rc_litellm *in);

/* ---- route.c, chain.c: routes and their chains ---- */

/* Creates the routes from groups, fallbacks and aliases. */
void rc_litellm_make_routes(rc_litellm *in);

/* Fills the route's chain with the deployments and fallbacks of its group (the deployments with the
 * same model_name), and sets overflow_to and the timeouts. alias: the node that defines another
 * name for the group; NULL if the route has the group's own name. */
void rc_litellm_fill_chain(rc_litellm *in, rc_litellm_route *route, const rc_yaml_node *alias);

/* Writes the weights of the targets at [first, first + count) of the route's chain, from 0 to
 * 10000. A weight of 0 means that LiteLLM sends the target no requests. */
void rc_litellm_weights(const rc_litellm_route *route, size_t first, size_t count,
                        uint64_t *ret_weights);

/* Adds notes about invalid fallbacks, which have a wrong type or a name without a route. */
void rc_litellm_check_fallbacks(rc_litellm *in);

/* rc_litellm_fallbacks returns the first list of fallbacks, rc_litellm_fallbacks_next the list
 * after `node`, or NULL at the end. The key of a list's node is the model_name. The results view
 * the document. */
const rc_yaml_node *rc_litellm_fallbacks(rc_litellm *in, const char *key);
const rc_yaml_node *rc_litellm_fallbacks_next(const rc_yaml_node *node);

/* Returns the route whose name is exactly `model`, or NULL if there is none. */
const rc_litellm_route *rc_litellm_route_of(const rc_litellm *in, rc_str model);

/* Appends to the note which provider or route serves `name`, which has no route of its own. Appends
 * nothing if no provider or route serves the name. */
void rc_litellm_note_append_handler(const rc_litellm *in, rc_litellm_note *note, rc_str name);

/* Returns whether a provider or a route serves the name. */
bool rc_litellm_is_routable(const rc_litellm *in, rc_str name);

/* ---- write.c: output ---- */

/* Appends the notes and the configuration as YAML. */
void rc_litellm_write(rc_litellm *in, rc_buf *buf);

#endif
