/* What the files of the import share. */
#ifndef RC_CONFIG_LITELLM_PRIVATE_H
#define RC_CONFIG_LITELLM_PRIVATE_H

#include "base/str.h"
#include "config/kind.h"
#include "config/litellm/import.h"
#include "config/yaml/yaml.h"

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

/* What LiteLLM calls a provider: what stands before the slash. */
typedef struct rc_litellm_prefix {
    const char *name;
    const char *kind;     /* of ours; NULL: there is none, and `why` */
    const char *variable; /* of the key that is used when none is named; NULL: the kind's */
    const char *optional_variable; /* of the key that is used if it is set; NULL: none */
    const char *why;
} rc_litellm_prefix;

/* Names that LiteLLM knows without a provider before them. */
typedef struct rc_litellm_family {
    const char *pattern;
    const char *kind;
} rc_litellm_family;

#define RC_LITELLM_FAMILIES 20
#define RC_LITELLM_OPEN_MAX_MS UINT64_C(3600000) /* of a breaker */

/* An entry of model_list. */
typedef struct rc_litellm_deployment {
    const rc_yaml_node *node;
    rc_str group; /* model_name */
    rc_litellm_provider *provider;
    rc_str model;        /* "*": whatever was asked for */
    bool is_derived;     /* one name out of those of a pattern; it needs no route of its own */
    uint64_t timeout_ms; /* 0: not said */
    uint64_t stream_timeout_ms;
} rc_litellm_deployment;

typedef struct rc_litellm_route {
    struct rc_litellm_route *next;
    rc_str model;
    rc_str group; /* whose chain it is: of an alias another name */
    const rc_litellm_deployment **chain;
    size_t chain_count;
    const rc_litellm_deployment *overflow_to;
    uint64_t first_byte_ms; /* 0: the usual, as below */
    uint64_t idle_ms;
} rc_litellm_route;

typedef struct rc_litellm {
    rc_arena arena;
    rc_yaml doc;
    rc_litellm_notes *notes;
    rc_litellm_note spare; /* for those that are too many */
    rc_litellm_provider *providers;
    rc_litellm_provider *last_provider;
    rc_litellm_deployment *deployments;
    size_t deployment_count;
    size_t deployment_max;
    rc_litellm_route *routes;   /* exact names first, then patterns, the longer one first */
    const rc_yaml_node *models; /* model_list */
    const rc_yaml_node *router;
    const rc_yaml_node *settings; /* litellm_settings */
    const rc_yaml_node *general;
    const rc_yaml_node *credentials; /* credential_list */
    bool has_catch_all;              /* "*" has become routes */
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
rc_litellm_note *rc_litellm_notes_add(rc_litellm *in, const rc_yaml_node *node, const char *text);

/* Appends to its text; what came from outside stands in quotes. */
rc_litellm_note *rc_litellm_note_append(rc_litellm_note *note, const char *text);
rc_litellm_note *rc_litellm_note_append_quoted(rc_litellm_note *note, rc_str text);

/* "os.environ/NAME" as "env:NAME". False: it is another text. Views arena. */
bool rc_litellm_variable(rc_litellm *in, rc_str text, rc_str *ret_ref);

/* Why such another text is not copied, up to the name of the variable that takes its place. */
const char *rc_litellm_uncopied_reason(rc_str text);

/* Seconds, whole or not, as milliseconds. False: it is no such number, which is noted. */
bool rc_litellm_seconds(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms);

/* The same of a time limit, of which there is none of 0. */
bool rc_litellm_time_limit(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms);

/* A whole number. */
bool rc_litellm_number(rc_litellm *in, const rc_yaml_node *node, uint64_t max,
                       uint64_t *ret_number);

/* Text of a scalar; empty: it is none. */
rc_str rc_litellm_text(const rc_yaml_node *node);

/* A value that may stand in either section; the router's counts. NULL: there is none, or it is of
 * another kind, which is noted. Views the document. */
const rc_yaml_node *rc_litellm_setting(rc_litellm *in, const char *key);
const rc_yaml_node *rc_litellm_setting_of(rc_litellm *in, const char *key, rc_yaml_kind kind);

bool rc_litellm_has_star(rc_str text);

/* ---- litellm_kind.c: whose a model is ---- */

/* NULL: past the end. */
const rc_litellm_family *rc_litellm_family_at(size_t index);
/* NULL: it is of none. */
const rc_litellm_family *rc_litellm_family_of(rc_str model);

/* By litellm_params. NULL: nobody that we know. ret_model: the name without what stands before. */
const rc_litellm_prefix *rc_litellm_prefix_of(const rc_yaml_node *params, rc_str *ret_model);

/* Notes why there is nobody of ours to ask. */
void rc_litellm_note_unsupported(rc_litellm *in, const rc_yaml_node *params);

/* ---- litellm_account.c: providers, from kinds, addresses and keys ---- */

/* A value of litellm_params, or of the credential that they name. NULL: there is none. */
const rc_yaml_node *rc_litellm_param(const rc_litellm *in, const rc_yaml_node *params,
                                     const char *key);

/* The provider of these parameters. NULL: nobody could be asked, which is noted, or no memory. */
rc_litellm_provider *rc_litellm_provider_of(rc_litellm *in, const rc_litellm_prefix *prefix,
                                            const rc_yaml_node *params);

/* A kind's provider at its usual address with its usual key. NULL: no memory. */
rc_litellm_provider *rc_litellm_provider_default(rc_litellm *in, const char *kind);

/* ---- litellm_model.c ---- */

/* model_list. */
void rc_litellm_read_models(rc_litellm *in, const rc_yaml_node *list);

/* The first of a group; NULL: there is none of that name. */
const rc_litellm_deployment *rc_litellm_group(const rc_litellm *in, rc_str name);

/* The same, also of a name that a pattern takes, unless an entry of that name was left out. */
const rc_litellm_deployment *rc_litellm_group_for(rc_litellm *in, rc_str name);

/* ---- litellm_settings.c ---- */

/* Everything but fallbacks and aliases. */
void rc_litellm_read_settings(rc_litellm *in);

/* ---- litellm_route.c, litellm_chain.c ---- */

/* Chains from groups, fallbacks and aliases. */
void rc_litellm_make_routes(rc_litellm *in);

/* The group's deployments, its fallbacks and what it overflows to. alias: where another name for
 * the group stands; NULL: the route has the group's own. */
void rc_litellm_fill_chain(rc_litellm *in, rc_litellm_route *route, const rc_yaml_node *alias);

/* What is wrong with the fallbacks themselves: their shape, and names that have no route. */
void rc_litellm_check_fallbacks(rc_litellm *in);

/* The lists of fallbacks, each at its name; NULL: none, or none more. Views the document. */
const rc_yaml_node *rc_litellm_fallbacks(rc_litellm *in, const char *key);
const rc_yaml_node *rc_litellm_fallbacks_next(const rc_yaml_node *node);

/* NULL: there is none. */
const rc_litellm_route *rc_litellm_route_of(const rc_litellm *in, rc_str model);

/* Appends who answers to a name that has no route of its own, if anybody does. */
void rc_litellm_note_append_handler(const rc_litellm *in, rc_litellm_note *note, rc_str name);
bool rc_litellm_is_routable(const rc_litellm *in, rc_str name);

/* ---- litellm_write.c ---- */

void rc_litellm_write(rc_litellm *in, rc_buf *buf);

#endif
