/* Finds the configuration file, and checks files that contain a secret. */
#ifndef RC_SYS_CONFIG_FILE_H
#define RC_SYS_CONFIG_FILE_H

#include <recourse/buf.h>

#include "sys/calls.h"

#define RC_CONFIG_FILE_NAME "recourse.yaml"

/* Searches for recourse.yaml in the working directory, then in $XDG_CONFIG_HOME/recourse, or in
 * ~/.config/recourse if that variable is not set. A file that exists but cannot be opened counts as
 * found, so that reading the file later reports the error. If the result is true, ret_path has the
 * path, followed by a NUL. ret_path must be empty before the call. */
bool rc_config_file_find(const rc_sys_calls *calls, rc_buf *ret_path);

/* Returns "a folder", "a pipe", "a socket" or "a device" if `path` is one, as a static string.
 * Returns NULL for a regular file, or if nothing exists at `path`. Callers check the kind before
 * they open the file, because opening a pipe waits for a writer. path: borrows during the call. */
const char *rc_path_special_kind(const rc_sys_calls *calls, const char *path);

/* The state of a file that contains a secret, determined without reading the file. */
typedef enum rc_secret_file {
    RC_SECRET_FILE_GOOD = 0,
    RC_SECRET_FILE_MISSING = 1,        /* The file does not exist or cannot be opened. */
    RC_SECRET_FILE_WORLD_READABLE = 2, /* Every user of this machine may read the file. */
    RC_SECRET_FILE_NOT_REGULAR = 3     /* A folder, pipe, socket or device: see
                                        * rc_path_special_kind. */
} rc_secret_file;

/* Checks the file at `path`. path: borrows during the call. */
rc_secret_file rc_secret_file_check(const rc_sys_calls *calls, const char *path);

#endif
