/* rc_config_kind: the kind of a provider, such as "openai", with its API dialect, usual address and
 * key variables. */
#ifndef RC_CONFIG_KIND_H
#define RC_CONFIG_KIND_H

#include <stddef.h>

#include <recourse/render.h>
#include <recourse/str.h>

typedef struct rc_config_kind {
    const char *name;
    rc_dialect dialect;
    const char *base_url;      /* Usual address. "": the kind has no usual address. */
    const char *key_names;     /* Usual environment variables of its keys, separated by spaces. */
    const char *base_url_name; /* Environment variable with the address. "": no such variable. */
} rc_config_kind;

/* rc_config_kind_at returns the static kind at `index` of spec/kinds.def, or NULL if the index is
 * too large. rc_config_kind_name_at returns the name of that kind; it is an rc_name_at for
 * rc_nearest, and `ctx` is not used. */
const rc_config_kind *rc_config_kind_at(size_t index);
const char *rc_config_kind_name_at(const void *ctx, size_t index);

/* Returns the static kind `name`, or NULL if there is no such kind. */
const rc_config_kind *rc_config_kind_find(rc_str name);

/* Returns the static name that the error classifier uses for providers of this kind
 * (spec/providers.def), or "openai_compatible" if the kind has no such name. */
rc_str rc_config_kind_provider(const rc_config_kind *kind);

#endif
