/* What a running gateway cannot change: the keys of the configuration that hold from its start to
 * its end. Their values are kept as text, so that any edition can be compared with what runs. */
#ifndef RC_CLI_SERVE_FIXED_H
#define RC_CLI_SERVE_FIXED_H

#include <recourse/buf.h>

#include "config/config.h"

#define RC_SERVE_FIXED_KEYS 7

/* What is said elsewhere, whatever an edition says. */
typedef struct rc_serve_overrides {
    bool is_listen; /* by the command line, or by systemd */
    bool is_admin;
} rc_serve_overrides;

/* The caller's storage; the fields are private. All zero: nothing is kept, nothing differs. */
typedef struct rc_serve_fixed {
    rc_alloc alloc;
    rc_serve_overrides overrides;
    rc_buf values; /* each ends in NUL */
    bool is_set;
} rc_serve_fixed;

/* Keeps what the first edition says. RC_E_NOMEM: nothing is left. alloc: copies. */
rc_status rc_serve_fixed_init(rc_serve_fixed *fixed, const rc_config *config,
                              rc_serve_overrides overrides, const rc_alloc *alloc);
void rc_serve_fixed_done(rc_serve_fixed *fixed);

/* The keys, by their names, in which an edition differs from what runs; gives how many. Views
 * static strings. */
size_t rc_serve_fixed_compare(const rc_serve_fixed *fixed, const rc_config *config,
                              rc_str ret_keys[RC_SERVE_FIXED_KEYS]);

#endif
