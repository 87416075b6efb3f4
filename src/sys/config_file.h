/* The location of the configuration file, and the checks of a file that holds a secret. */
#ifndef RC_SYS_CONFIG_FILE_H
#define RC_SYS_CONFIG_FILE_H

#include <recourse/buf.h>

#include "sys/calls.h"

#define RC_CONFIG_FILE_NAME "recourse.yaml"

/* Searches recourse.yaml in the working directory, then in $XDG_CONFIG_HOME/recourse, or in
 * ~/.config/recourse if that variable is not set. A file that exists but cannot be opened counts as
 * found, so that reading it reports the error. True: ret_path, which must be empty before, has the
 * path with a NUL behind it. */
bool rc_config_file_find(const rc_sys_calls *calls, rc_buf *ret_path);

/* Names what exists at path if it is not a regular file: "a folder", "a pipe", "a socket", "a
 * device". NULL: a regular file, or nothing. Callers use it because opening a pipe waits for a
 * writer. path: borrows. Gives a static string. */
const char *rc_path_special_kind(const rc_sys_calls *calls, const char *path);

/* The state of a secret's file, found without reading it. */
typedef enum rc_secret_file {
    RC_SECRET_FILE_GOOD = 0,
    RC_SECRET_FILE_MISSING = 1,        /* The file does not exist or cannot be opened. */
    RC_SECRET_FILE_WORLD_READABLE = 2, /* Every user of this machine may read it. */
    RC_SECRET_FILE_NOT_REGULAR = 3     /* rc_path_special_kind names its kind. */
} rc_secret_file;

/* Checks the file at path. path: borrows. */
rc_secret_file rc_secret_file_check(const rc_sys_calls *calls, const char *path);

#endif
