/* rc_serve_fixed: the configuration keys that a running gateway cannot change. The values at the
 * start are stored as text, so that every later configuration can be compared with these values. */
#ifndef RC_CLI_SERVE_FIXED_H
#define RC_CLI_SERVE_FIXED_H

#include <recourse/buf.h>

#include "config/config.h"

#define RC_SERVE_FIXED_KEYS 7

/* Keys that are set outside the configuration, whose value in the configuration is ignored. */
typedef struct rc_serve_overrides {
    bool is_listen; /* Set by --listen or by sockets from systemd. */
    bool is_admin;  /* Set by --admin. */
} rc_serve_overrides;

/* Caller's storage; the members are private. A zeroed struct has no values, and
 * rc_serve_fixed_compare then finds no difference. */
typedef struct rc_serve_fixed {
    rc_alloc alloc;
    rc_serve_overrides overrides;
    rc_buf values; /* The values, each ending in NUL. */
    bool is_set;
} rc_serve_fixed;

/* Stores the values of the first configuration. Returns RC_OK or RC_E_NOMEM; after RC_E_NOMEM
 * nothing must be freed. alloc: copies the struct. */
rc_status rc_serve_fixed_init(rc_serve_fixed *fixed, const rc_config *config,
                              rc_serve_overrides overrides, const rc_alloc *alloc);
void rc_serve_fixed_done(rc_serve_fixed *fixed);

/* Writes the names of the keys whose values differ from the stored values to ret_keys; returns the
 * number of names. The names are static strings. */
size_t rc_serve_fixed_compare(const rc_serve_fixed *fixed, const rc_config *config,
                              rc_str ret_keys[RC_SERVE_FIXED_KEYS]);

#endif
