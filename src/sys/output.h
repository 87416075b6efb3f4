/* Writes result files that are either complete or absent: each file is written under a temporary
 * name in the same folder, synced to disk, then renamed over the old file. */
#ifndef RC_SYS_OUTPUT_H
#define RC_SYS_OUTPUT_H

#include <stdbool.h>

#include <recourse/str.h>

#include "sys/calls.h"

/* The system calls that change a folder, as a table, so that a test can pass its own. The functions
 * return -1 and set errno on failure. */
typedef struct rc_output_calls {
    int (*make_folder)(const char *path);
    int (*open_new)(const char *path); /* Opens for writing; fails if the file exists. */
    int (*sync)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
} rc_output_calls;

extern const rc_output_calls rc_output_real;

/* Maximum size of a path, including its NUL. */
#define RC_OUTPUT_PATH_MAX 4096

/* The folder in which files are written. All pointers of the struct are borrowed. */
typedef struct rc_output {
    const rc_sys_calls *calls;
    const rc_output_calls *files;
    const char *folder;
} rc_output;

/* Returns whether the errno number `error` means that the file does not exist. */
bool rc_output_is_missing(int error);

/* Creates the folder and its missing parents. Returns 0, or the errno number. */
int rc_output_open(const rc_output *output);

/* Writes the file `name`. Returns 0, or the errno number; on failure the previous file is unchanged
 * and no temporary file remains. name, bytes: borrows during the call. */
int rc_output_write(const rc_output *output, const char *name, rc_str bytes);

#endif
