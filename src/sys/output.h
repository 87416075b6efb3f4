/* Result files: each one is there whole or not at all. It is written under another name in the same
 * folder, forced to the disk, and then takes the place of the one before. */
#ifndef RC_SYS_OUTPUT_H
#define RC_SYS_OUTPUT_H

#include <stdbool.h>

#include <recourse/str.h>

#include "sys/calls.h"

/* The calls that change folders, as a table: a test passes its own. -1 and errno on failure. */
typedef struct rc_output_calls {
    int (*make_folder)(const char *path);
    int (*open_new)(const char *path); /* for writing; it must not exist */
    int (*sync)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
} rc_output_calls;

extern const rc_output_calls rc_output_real;

/* No path of ours is longer. */
#define RC_OUTPUT_PATH_MAX 4096

/* Where files go. */
typedef struct rc_output {
    const rc_sys_calls *calls;
    const rc_output_calls *files;
    const char *folder;
} rc_output;

/* There is nothing of that name. */
bool rc_output_is_missing(int error);

/* Makes the folder unless it is there, and those above it that are missing. 0, or the errno number.
 * All that output points to: borrows. */
int rc_output_open(const rc_output *output);

/* Writes a file of that name. 0, or the errno number; then the file that was there before is still
 * what it was, and nothing else is left. name, bytes: borrow. */
int rc_output_write(const rc_output *output, const char *name, rc_str bytes);

#endif
