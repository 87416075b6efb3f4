/* The configuration, from wherever it is. */
#ifndef RC_CONFIG_LOAD_H
#define RC_CONFIG_LOAD_H

#include <recourse/buf.h>

#include "config/config.h"
#include "sys/calls.h"

/* Where it came from and what is wrong with it. The caller's storage. */
typedef struct rc_config_source {
    rc_buf path; /* with a NUL behind it; empty: the environment */
    rc_buf text; /* of the file */
    int error;   /* of a file that cannot be read: see rc_sys_error_text */
    rc_config_faults faults;
} rc_config_source;

/* Loads a file ("-": standard input), or with NULL the one that is found, or without any what the
 * environment says. RC_OK; RC_E_NOT_FOUND: the file cannot be read, for the reason in error; else
 * as rc_config_parse. rc_config_done and rc_config_source_done are due in each case. path: copies.
 */
rc_status rc_config_load(rc_config *config, const rc_sys_calls *calls, const rc_alloc *alloc,
                         const char *path, rc_config_source *source);
void rc_config_source_done(rc_config_source *source);

/* One file alone: names it ("-": standard input), then reads it: RC_OK, or as above.
 * rc_config_source_done is due in each case. path: copies. alloc: copies. */
void rc_config_source_init(rc_config_source *source, const rc_alloc *alloc, const char *path);
rc_status rc_config_source_read(rc_config_source *source, const rc_sys_calls *calls);

/* For people: the path, "<stdin>" or "the environment". Views source. */
rc_str rc_config_source_name(const rc_config_source *source);

/* A file that the configuration names, as seen from where we are: beside the configuration unless
 * it is absolute. Appends it to ret_path with a NUL behind it. */
void rc_config_source_resolve(const rc_config_source *source, rc_str name, rc_buf *ret_path);

#endif
