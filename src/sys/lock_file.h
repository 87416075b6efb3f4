/* rc_lock_file: a file that one holder at a time has, in this process or another. The system lets
 * go of it when the holder ends, however it ends. */
#ifndef RC_SYS_LOCK_FILE_H
#define RC_SYS_LOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/str.h>

typedef struct rc_lock_file {
    int fd; /* -1: not held */
} rc_lock_file;

/* Somebody else has it. Below 0, where no errno number is. */
#define RC_LOCK_TAKEN (-1)

/* Makes the file (0600) unless it is there, and takes it. 0, RC_LOCK_TAKEN, or the errno number;
 * then nothing is held. path: borrows. */
int rc_lock_file_take(rc_lock_file *lock, const char *path);

/* Lets go; also of what is not held. The file stays: removing it would let two have it. */
void rc_lock_file_drop(rc_lock_file *lock);

/* Has somebody else got it now? Makes and takes nothing; a file that is not there nobody has, and
 * one that we may not open gives the errno number in ret_error, else 0. path: borrows. */
bool rc_lock_file_is_held(const char *path, int *ret_error);

/* Makes text the whole of a file that is held, and gives it to whoever owns the other file, if we
 * may: else that one could not read it. 0, or the errno number. text, like: borrow. */
int rc_lock_file_write(const rc_lock_file *lock, rc_str text, const char *like);

/* What is in a file that somebody else holds now, as much of it as there is room for; 0: nobody
 * does, or it cannot be read. Waits for nobody, and follows no link. path: borrows. */
size_t rc_lock_file_read_held(const char *path, char *text, size_t size);

/* Makes an empty file that its owner alone may use, unless there is something of that name, which
 * is not touched. 0, or the errno number. path: borrows. */
int rc_private_file_make(const char *path);

/* Makes the folders that a file's path leads through and that are not there; their owner alone may
 * use them (0700). 0, or the errno number. path: borrows. */
int rc_private_folders_make(const char *path);

#endif
