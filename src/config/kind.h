/* rc_config_kind: whose interface a provider speaks. */
#ifndef RC_CONFIG_KIND_H
#define RC_CONFIG_KIND_H

#include <stddef.h>

#include <recourse/render.h>
#include <recourse/str.h>

typedef struct rc_config_kind {
    const char *name;
    rc_dialect dialect;
    const char *base_url;      /* "": there is no usual one */
    const char *key_names;     /* the variables of its keys, with a space between */
    const char *base_url_name; /* the variable of its address; "": none */
} rc_config_kind;

/* In the order of spec/kinds.def; NULL past the end. */
const rc_config_kind *rc_config_kind_at(size_t index);
const char *rc_config_kind_name_at(const void *ctx, size_t index);

/* NULL: there is none. */
const rc_config_kind *rc_config_kind_find(rc_str name);

/* What the classifier calls it (spec/providers.def); static. */
rc_str rc_config_kind_provider(const rc_config_kind *kind);

#endif
