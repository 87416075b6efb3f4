/* Whole files in, whole buffers out. Every function gives 0, or the errno number of what went
 * wrong: rc_sys_error_text has the words for it. Short reads and writes and EINTR are dealt with
 * here and nowhere else. */
#ifndef RC_SYS_FILE_H
#define RC_SYS_FILE_H

#include <recourse/buf.h>
#include <recourse/str.h>

#include "sys/calls.h"

/* Not the system's: these are below 0, where no errno number is. */
#define RC_FILE_TOO_LARGE (-1)
#define RC_FILE_NO_MEMORY (-2)
#define RC_FILE_NOT_REGULAR (-3)

#define RC_FD_STDIN 0
#define RC_FD_STDOUT 1
#define RC_FD_STDERR 2

/* Appends all of a file to buf. RC_FILE_TOO_LARGE: it does not fit the buffer's ceiling;
 * RC_FILE_NO_MEMORY; else what the system said (EISDIR for a folder). What was read before a
 * failure stays in buf. path, buf: borrow. */
int rc_file_read(const rc_sys_calls *calls, const char *path, rc_buf *buf);

/* The same for a file whose reading must not wait for anybody: a pipe, a folder, a socket or a
 * device at the path, or behind a symbolic link there, is RC_FILE_NOT_REGULAR. */
int rc_file_read_regular(const rc_sys_calls *calls, const char *path, rc_buf *buf);

/* The same for a descriptor that is open, which stays open. What was read is nowhere but in buf: it
 * may be a secret. */
int rc_fd_read(const rc_sys_calls *calls, int fd, rc_buf *buf);

/* Writes all of bytes, or says why it could not. bytes: borrows. */
int rc_fd_write(const rc_sys_calls *calls, int fd, rc_str bytes);

/* Closes, and passes on what the system held back until now: a full disk or a lost server can show
 * this late. */
int rc_fd_close(const rc_sys_calls *calls, int fd);

/* Who starts us without one of the standard three must not get a file or socket of ours in its
 * place: where one is closed, /dev/null is opened for reading, which cannot be written to. */
void rc_fd_hold_standard(const rc_sys_calls *calls);

/* What the number means, for people. Gives a static string in English. */
const char *rc_sys_error_text(int error);

/* Whoever read our output has gone: that is their choice, and nothing to complain of. */
bool rc_sys_is_reader_gone(int error);

#endif
