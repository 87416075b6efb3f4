/* Reads whole files and writes whole buffers. The functions return 0 or an errno number, for which
 * rc_sys_error_text has a message. Short reads, short writes and EINTR are handled here. */
#ifndef RC_SYS_FILE_H
#define RC_SYS_FILE_H

#include <recourse/buf.h>
#include <recourse/str.h>

#include "sys/calls.h"

/* Errors of this module: negative, so that they differ from errno numbers. */
#define RC_FILE_TOO_LARGE (-1)
#define RC_FILE_NO_MEMORY (-2)
#define RC_FILE_NOT_REGULAR (-3)

#define RC_FD_STDIN 0
#define RC_FD_STDOUT 1
#define RC_FD_STDERR 2

/* Appends the whole file to buf. RC_FILE_TOO_LARGE: it exceeds the buffer's ceiling;
 * RC_FILE_NO_MEMORY; else the system's error (EISDIR for a folder). Bytes read before a failure
 * stay in buf. path, buf: borrows. */
int rc_file_read(const rc_sys_calls *calls, const char *path, rc_buf *buf);

/* Like rc_file_read, but never blocks: RC_FILE_NOT_REGULAR for a pipe, folder, socket or device at
 * the path or behind a symbolic link. */
int rc_file_read_regular(const rc_sys_calls *calls, const char *path, rc_buf *buf);

/* Like rc_file_read for an open descriptor, which stays open. The bytes may be a secret, so no copy
 * remains outside buf. */
int rc_fd_read(const rc_sys_calls *calls, int fd, rc_buf *buf);

/* Writes all bytes to fd. bytes: borrows. */
int rc_fd_write(const rc_sys_calls *calls, int fd, rc_str bytes);

/* Closes fd and returns an error that the system reports only now, such as a full disk. */
int rc_fd_close(const rc_sys_calls *calls, int fd);

/* Opens /dev/null read-only for each of descriptors 0 to 2 that is closed, so that no later file or
 * socket gets one of these numbers. */
void rc_fd_hold_standard(const rc_sys_calls *calls);

/* The message for an error number, in English. Gives a static string. */
const char *rc_sys_error_text(int error);

/* Whether the error means that the reader of our output has closed it, which is no failure of
 * ours. */
bool rc_sys_is_reader_gone(int error);

#endif
