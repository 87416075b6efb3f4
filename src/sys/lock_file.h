/* rc_lock_file: a file that one holder at a time may lock, in this process or another. The system
 * releases the lock when the holder ends for any reason. */
#ifndef RC_SYS_LOCK_FILE_H
#define RC_SYS_LOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/str.h>

typedef struct rc_lock_file {
    int fd; /* The locked file; -1: not held. */
} rc_lock_file;

/* Another holder has the lock. Negative, so that it differs from errno numbers. */
#define RC_LOCK_TAKEN (-1)

/* Creates the file (0600) if missing and locks it. 0, RC_LOCK_TAKEN or the errno number; on failure
 * nothing is held. path: borrows. */
int rc_lock_file_take(rc_lock_file *lock, const char *path);

/* Releases the lock; does nothing if it is not held. The file stays: after its removal two
 * processes could hold the lock. */
void rc_lock_file_drop(rc_lock_file *lock);

/* Whether another holder has the lock. Creates and locks nothing. A missing file counts as not
 * held. *ret_error: the errno number if the file cannot be checked, else 0. path: borrows. */
bool rc_lock_file_is_held(const char *path, int *ret_error);

/* Replaces the content of a held lock file by text, and gives the file the owner of the file `like`
 * if we run as root, so that the owner can read it. 0, or the errno number. text, like: borrows. */
int rc_lock_file_write(const rc_lock_file *lock, rc_str text, const char *like);

/* Reads a lock file that another holder has locked, up to size bytes. Returns the number of bytes;
 * 0: not held, or unreadable. Does not block and follows no symbolic link. path: borrows. */
size_t rc_lock_file_read_held(const char *path, char *text, size_t size);

/* Creates an empty file with mode 0600 unless the path exists; an existing file is not touched. 0,
 * or the errno number. path: borrows. */
int rc_private_file_make(const char *path);

/* Creates the missing parent folders of a file's path with mode 0700. 0, or the errno number. path:
 * borrows. */
int rc_private_folders_make(const char *path);

#endif
