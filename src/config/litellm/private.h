/* Types and functions that the files of the LiteLLM import share. */
#ifndef RC_CONFIG_LITELLM_PRIVATE_H
#define RC_CONFIG_LITELLM_PRIVATE_H

#include "base/str.h"
#include "config/kind.h"
#include "config/litellm/import.h"
#include "config/yaml/yaml.h"

/* A provider of the output: all deployments with the same kind, address and key. */
typedef struct rc_litellm_provider {
    struct rc_litellm_provider *next;
    const rc_config_kind *kind;
    rc_str name;
    rc_str base_url; /* Empty: the kind's usual address. */
    rc_str key;      /* Reference "env:NAME"; empty: the kind's usual variable, or no key. */
    rc_str literal;  /* Literal key of the file; used only to tell keys apart, never written. */
    bool is_insecure;
} rc_litellm_provider;

/* A LiteLLM provider: the part of a model name before the slash. */
typedef struct rc_litellm_prefix {
    const char *name;
    const char *kind;     /* Kind in recourse.yaml; NULL: not supported, for the reason in `why`. */
    const char *variable; /* Variable of the default key; NULL: the kind's usual variable. */
    /* Variable of a key that LiteLLM sends if it is set; NULL: none. */
    const char *optional_variable;
    const char *why;
} rc_litellm_prefix;

/* A pattern of model names that LiteLLM recognises without a provider prefix. */
typedef struct rc_litellm_family {
    const char *pattern;
    const char *kind;
} rc_litellm_family;

#define RC_LITELLM_FAMILIES 20
#define RC_LITELLM_OPEN_MAX_MS UINT64_C(3600000) /* Longest open_max_ms of a breaker. */

/* An entry of model_list that can be converted. */
typedef struct rc_litellm_deployment {
    const rc_yaml_node *node;
    rc_str group; /* The entry's model_name. */
    rc_litellm_provider *provider;
    rc_str model; /* "*": the model that the client requests. */
    /* Created for one name that a pattern entry matches; needs no route of its own. */
    bool is_derived;
    uint64_t timeout_ms; /* 0: not set. */
    uint64_t stream_timeout_ms;
} rc_litellm_deployment;

typedef struct rc_litellm_route {
    struct rc_litellm_route *next;
    rc_str model;
    rc_str group; /* The model_name whose chain it uses; differs from model for an alias. */
    const rc_litellm_deployment **chain;
    size_t chain_count;
    const rc_litellm_deployment *overflow_to;
    uint64_t first_byte_ms; /* 0: the default, as for idle_ms. */
    uint64_t idle_ms;
} rc_litellm_route;

typedef struct rc_litellm {
    rc_arena arena;
    rc_yaml doc;
    rc_litellm_notes *notes;
    rc_litellm_note spare; /* Overwritten by each note beyond RC_LITELLM_NOTES_MAX. */
    rc_litellm_provider *providers;
    rc_litellm_provider *last_provider;
    rc_litellm_deployment *deployments;
    size_t deployment_count;
    size_t deployment_max;
    /* Exact names first, then patterns, longer ones before shorter ones. */
    rc_litellm_route *routes;
    const rc_yaml_node *models;      /* The section model_list. */
    const rc_yaml_node *router;      /* The section router_settings. */
    const rc_yaml_node *settings;    /* The section litellm_settings. */
    const rc_yaml_node *general;     /* The section general_settings. */
    const rc_yaml_node *credentials; /* The section credential_list. */
    bool has_catch_all;              /* The entry for "*" has been converted to routes. */
    bool has_policy;
    uint64_t max_attempts;     /* 0: not set. */
    uint64_t rule_attempts[3]; /* For rate limits, timeouts, server errors; 0: not set. */
    uint64_t cooldown_ms;
    bool has_cooldown;
    uint64_t allowed_fails;
    bool has_allowed_fails;
    uint64_t timeout_ms;
    uint64_t stream_timeout_ms;
    rc_str master_key; /* Reference to the clients' token; empty: none. */
    rc_str title;      /* File name for the first comment of the output. */
} rc_litellm;

/* Adds a note at the node's key, or at the node if it has no key. Returns the note, never NULL.
 * text: copies. */
rc_litellm_note *rc_litellm_notes_add(rc_litellm *in, const rc_yaml_node *node, const char *text);

/* Append to the note's text and return the note; input is quoted. text: copies. */
rc_litellm_note *rc_litellm_note_append(rc_litellm_note *note, const char *text);
rc_litellm_note *rc_litellm_note_append_quoted(rc_litellm_note *note, rc_str text);

/* Converts "os.environ/NAME" to "env:NAME". Returns false for any other text. ret_ref: a view of
 * the arena. */
bool rc_litellm_variable(rc_litellm *in, rc_str text, rc_str *ret_ref);

/* Returns the start of a note: why a text that is no variable is not copied. The caller appends the
 * name of the variable that replaces it. Static. */
const char *rc_litellm_uncopied_reason(rc_str text);

/* Reads seconds, possibly with decimals, as milliseconds. Returns false if node is null or no such
 * number; the latter adds a note. */
bool rc_litellm_seconds(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms);

/* As rc_litellm_seconds for a time limit, which must not be 0. */
bool rc_litellm_time_limit(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms);

/* Reads a whole number up to max. Returns false if node is null or no such number; the latter adds
 * a note. */
bool rc_litellm_number(rc_litellm *in, const rc_yaml_node *node, uint64_t max,
                       uint64_t *ret_number);

/* Returns the text of a scalar; empty for any other node, and for NULL. */
rc_str rc_litellm_text(const rc_yaml_node *node);

/* Return the value of a key of router_settings or, if missing there, litellm_settings; NULL:
 * neither has it. rc_litellm_setting_of also returns NULL for a value of another kind, which it
 * notes. The result is a view of the document. */
const rc_yaml_node *rc_litellm_setting(rc_litellm *in, const char *key);
const rc_yaml_node *rc_litellm_setting_of(rc_litellm *in, const char *key, rc_yaml_kind kind);

/* Whether text contains a *. */
bool rc_litellm_has_star(rc_str text);

/* ---- kind.c: the provider of a model ---- */

/* Returns the family at an index; NULL past the end. Static. */
const rc_litellm_family *rc_litellm_family_at(size_t index);

/* Returns the family whose pattern matches the model; NULL: none. Static. */
const rc_litellm_family *rc_litellm_family_of(rc_str model);

/* Returns the provider prefix of litellm_params; NULL: not known. ret_model: the model name without
 * the prefix, a view of the document. */
const rc_litellm_prefix *rc_litellm_prefix_of(const rc_yaml_node *params, rc_str *ret_model);

/* Adds a note why the entry's provider is not supported. */
void rc_litellm_note_unsupported(rc_litellm *in, const rc_yaml_node *params);

/* ---- account.c: providers, from kinds, addresses and keys ---- */

/* Returns a value of litellm_params, or of the credential that they name; NULL: none. The result is
 * a view of the document. */
const rc_yaml_node *rc_litellm_param(const rc_litellm *in, const rc_yaml_node *params,
                                     const char *key);

/* Returns the provider for these parameters, adding it if it is new. Returns NULL if there is no
 * usable provider, which is noted, or no memory. The arena owns it. */
rc_litellm_provider *rc_litellm_provider_of(rc_litellm *in, const rc_litellm_prefix *prefix,
                                            const rc_yaml_node *params);

/* Returns the provider of a kind with its usual address and key; NULL: no memory. The arena owns
 * it. */
rc_litellm_provider *rc_litellm_provider_default(rc_litellm *in, const char *kind);

/* ---- model.c: model_list ---- */

/* Reads model_list into deployments. */
void rc_litellm_read_models(rc_litellm *in, const rc_yaml_node *list);

/* Returns the first deployment of that model_name; NULL: none. */
const rc_litellm_deployment *rc_litellm_group(const rc_litellm *in, rc_str name);

/* As rc_litellm_group, and if a pattern entry matches the name, adds deployments for that name. A
 * name whose own entry was left out gives NULL. */
const rc_litellm_deployment *rc_litellm_group_for(rc_litellm *in, rc_str name);

/* ---- settings.c: global settings ---- */

/* Reads all settings except fallbacks and aliases. */
void rc_litellm_read_settings(rc_litellm *in);

/* ---- route.c, chain.c: routes and their chains ---- */

/* Creates the routes from groups, fallbacks and aliases. */
void rc_litellm_make_routes(rc_litellm *in);

/* Fills the route's chain with the group's deployments and fallbacks, and sets overflow_to and the
 * timeouts. alias: the node that defines another name for the group; NULL: the route has the
 * group's own name. */
void rc_litellm_fill_chain(rc_litellm *in, rc_litellm_route *route, const rc_yaml_node *alias);

/* Adds notes about invalid fallbacks: wrong types, and names without a route. */
void rc_litellm_check_fallbacks(rc_litellm *in);

/* Iterate over the lists of fallbacks, each a node whose key is the model_name; NULL: no more. The
 * results are views of the document. */
const rc_yaml_node *rc_litellm_fallbacks(rc_litellm *in, const char *key);
const rc_yaml_node *rc_litellm_fallbacks_next(const rc_yaml_node *node);

/* Returns the route of exactly that model; NULL: none. */
const rc_litellm_route *rc_litellm_route_of(const rc_litellm *in, rc_str model);

/* Appends to the note which provider or route serves a name that has no route of its own, if
 * any. */
void rc_litellm_note_append_handler(const rc_litellm *in, rc_litellm_note *note, rc_str name);

/* Whether a provider or a route serves the name. */
bool rc_litellm_is_routable(const rc_litellm *in, rc_str name);

/* ---- write.c: output ---- */

/* Appends the notes and the configuration as YAML. */
void rc_litellm_write(rc_litellm *in, rc_buf *buf);

#endif
