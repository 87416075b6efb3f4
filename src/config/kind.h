/* rc_config_kind: the kind of a provider: its API dialect, usual address and key variables. */
#ifndef RC_CONFIG_KIND_H
#define RC_CONFIG_KIND_H

#include <stddef.h>

#include <recourse/render.h>
#include <recourse/str.h>

typedef struct rc_config_kind {
    const char *name;
    rc_dialect dialect;
    const char *base_url;      /* Usual address; "": none. */
    const char *key_names;     /* Usual environment variables of its keys, separated by spaces. */
    const char *base_url_name; /* Environment variable of its address; "": none. */
} rc_config_kind;

/* Returns the kind, or its name (an rc_name_at; ctx is not used), at an index of spec/kinds.def;
 * NULL past the end. Static. */
const rc_config_kind *rc_config_kind_at(size_t index);
const char *rc_config_kind_name_at(const void *ctx, size_t index);

/* Returns the kind of that name; NULL: no such kind. Static. */
const rc_config_kind *rc_config_kind_find(rc_str name);

/* Returns the classifier's provider name for this kind (spec/providers.def), "openai_compatible" if
 * it has none. Static. */
rc_str rc_config_kind_provider(const rc_config_kind *kind);

#endif
