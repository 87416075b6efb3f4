/* rc_lock_file: a file that only one holder at a time can lock, in this process or another process.
 * The system releases the lock when the holder's process ends, for any reason. */
#ifndef RC_SYS_LOCK_FILE_H
#define RC_SYS_LOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/str.h>

typedef struct rc_lock_file {
    int fd; /* Descriptor of the locked file. -1: the lock is not held. */
} rc_lock_file;

/* Result if another holder has the lock. The number is negative, so that it differs from all errno
 * numbers. */
#define RC_LOCK_TAKEN (-1)

/* Creates the file with mode 0600 if it is missing, and locks it. Returns 0, RC_LOCK_TAKEN or the
 * errno number; on failure the lock is not held. path: borrows during the call. */
int rc_lock_file_take(rc_lock_file *lock, const char *path);

/* Releases the lock, if it is held. The file is not removed, because then one process could hold
 * the lock of the removed file while another process locks a new file of the same name. */
void rc_lock_file_drop(rc_lock_file *lock);

/* Returns whether another holder has the lock. The function creates and locks no file. A missing
 * file counts as not held. *ret_error is the errno number if the file cannot be checked, otherwise
 * 0. path: borrows during the call. */
bool rc_lock_file_is_held(const char *path, int *ret_error);

/* Replaces the content of a held lock file by `text`. If the process runs as root, the lock file
 * also gets the owner of the file `like`, so that this owner can read it. Returns 0, or the errno
 * number. text, like: borrows during the call. */
int rc_lock_file_write(const rc_lock_file *lock, rc_str text, const char *like);

/* Reads up to `size` bytes of a lock file that another holder has locked. Returns the number of
 * bytes; 0 if the lock is not held or the file cannot be read. Does not block and follows no
 * symbolic link. path: borrows during the call. */
size_t rc_lock_file_read_held(const char *path, char *text, size_t size);

/* Creates an empty file with mode 0600. If the path exists, the function changes nothing. Returns
 * 0, or the errno number. path: borrows during the call. */
int rc_private_file_make(const char *path);

/* Creates the missing parent folders of the file `path` with mode 0700. Returns 0, or the errno
 * number. path: borrows during the call. */
int rc_private_folders_make(const char *path);

#endif
