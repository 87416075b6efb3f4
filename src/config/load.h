/* Loading the configuration from a file, standard input or the environment. */
#ifndef RC_CONFIG_LOAD_H
#define RC_CONFIG_LOAD_H

#include <recourse/buf.h>

#include "config/config.h"
#include "sys/calls.h"

/* Where a configuration came from, and its faults. The caller's storage. */
typedef struct rc_config_source {
    rc_buf path; /* Path of the file, NUL-terminated; empty: the environment. */
    rc_buf text; /* Text of the file. */
    int error;   /* Why the file could not be read: see rc_sys_error_text; 0: no error. */
    rc_config_faults faults;
} rc_config_source;

/* Loads the configuration from path ("-": standard input); with path NULL from the file that
 * rc_config_file_find finds, and if there is none from the environment. Returns RC_OK;
 * RC_E_NOT_FOUND if the file cannot be read, with the reason in source->error; otherwise as
 * rc_config_parse. The caller calls rc_config_done and rc_config_source_done in each case. path:
 * copies. */
rc_status rc_config_load(rc_config *config, const rc_sys_calls *calls, const rc_alloc *alloc,
                         const char *path, rc_config_source *source);
/* Frees the path and the text. */
void rc_config_source_done(rc_config_source *source);

/* For reading one file without parsing it. rc_config_source_init sets the path ("-": standard
 * input; NULL: none yet), rc_config_source_read reads the text. Returns RC_OK or as rc_config_load.
 * The caller calls rc_config_source_done in each case. path: copies. alloc: copies. */
void rc_config_source_init(rc_config_source *source, const rc_alloc *alloc, const char *path);
rc_status rc_config_source_read(rc_config_source *source, const rc_sys_calls *calls);

/* Returns the name for messages: the path, "<stdin>" or "the environment". source: views. */
rc_str rc_config_source_name(const rc_config_source *source);

/* Resolves a file name from the configuration: a relative name is relative to the folder of the
 * configuration file. Appends the NUL-terminated path to ret_path. source: borrows. */
void rc_config_source_resolve(const rc_config_source *source, rc_str name, rc_buf *ret_path);

#endif
