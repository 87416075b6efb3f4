/* Loads the configuration from a file, standard input or the environment. */
#ifndef RC_CONFIG_LOAD_H
#define RC_CONFIG_LOAD_H

#include <recourse/buf.h>

#include "config/config.h"
#include "sys/calls.h"

/* The origin of a configuration: the file's path and text. In the caller's storage. */
typedef struct rc_config_source {
    rc_buf path; /* NUL-terminated path of the file. Empty if the configuration comes from the
                  * environment. */
    rc_buf text; /* Text of the file. */
    /* Reason why the file could not be read, as a number for rc_sys_error_text. 0: no error. */
    int error;
    rc_config_faults faults;
} rc_config_source;

/* Loads the configuration from the file `path`, or from standard input if `path` is "-". If `path`
 * is NULL, loads the file that rc_config_file_find finds; if there is no such file, builds the
 * configuration from the environment. Returns RC_E_NOT_FOUND if the file cannot be read, with the
 * reason in source->error; otherwise the status of rc_config_parse. The caller must call
 * rc_config_done and rc_config_source_done in each case. path: copies. */
rc_status rc_config_load(rc_config *config, const rc_sys_calls *calls, const rc_alloc *alloc,
                         const char *path, rc_config_source *source);
/* Frees the path and the text. */
void rc_config_source_done(rc_config_source *source);

/* Two functions that read a file without parsing it. rc_config_source_init sets the path: "-" is
 * standard input, NULL sets no path. rc_config_source_read reads the text and returns RC_OK or an
 * error status of rc_config_load. The caller must call rc_config_source_done in each case. path:
 * copies. alloc: copies the struct. */
void rc_config_source_init(rc_config_source *source, const rc_alloc *alloc, const char *path);
rc_status rc_config_source_read(rc_config_source *source, const rc_sys_calls *calls);

/* Returns the name of the source for messages: the path, "<stdin>" or "the environment". The result
 * views source. */
rc_str rc_config_source_name(const rc_config_source *source);

/* Appends the NUL-terminated path of a file that the configuration names to ret_path. A relative
 * name is resolved in the folder of the configuration file. source: borrows during the call. */
void rc_config_source_resolve(const rc_config_source *source, rc_str name, rc_buf *ret_path);

#endif
