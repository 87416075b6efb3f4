/* Where the configuration is, and whether a file that holds a secret is kept like one. */
#ifndef RC_SYS_CONFIG_FILE_H
#define RC_SYS_CONFIG_FILE_H

#include <recourse/buf.h>

#include "sys/calls.h"

#define RC_CONFIG_FILE_NAME "recourse.yaml"

/* Looks for recourse.yaml here, then in $XDG_CONFIG_HOME/recourse, or in ~/.config/recourse when
 * that is not set. A file that is there and cannot be opened counts as found: whoever reads it will
 * hear why. True: the path with a NUL behind it is in ret_path, which is empty before. */
bool rc_config_file_find(const rc_sys_calls *calls, rc_buf *ret_path);

/* What is at a path, if it is there and no file: "a folder", "a pipe", "a socket", "a device".
 * NULL: it is a file, or not there. To open a pipe is to wait for whoever writes to it. path:
 * borrows. Gives a static string. */
const char *rc_path_special_kind(const rc_sys_calls *calls, const char *path);

/* What can be told of a secret's file without reading it. */
typedef enum rc_secret_file {
    RC_SECRET_FILE_GOOD = 0,
    RC_SECRET_FILE_MISSING = 1,        /* or it cannot be opened */
    RC_SECRET_FILE_WORLD_READABLE = 2, /* everybody on this machine may read it */
    RC_SECRET_FILE_NOT_REGULAR = 3     /* no file: rc_path_special_kind says what */
} rc_secret_file;

/* path: borrows. */
rc_secret_file rc_secret_file_check(const rc_sys_calls *calls, const char *path);

#endif
