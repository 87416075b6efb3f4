/* Reads whole files and writes whole buffers. The functions return 0, an errno number or one of the
 * negative numbers below; rc_sys_error_text has the message. After a short read, a short write or
 * EINTR the functions continue. */
#ifndef RC_SYS_FILE_H
#define RC_SYS_FILE_H

#include <recourse/buf.h>
#include <recourse/str.h>

#include "sys/calls.h"

/* Negative numbers for the errors of these functions that have no errno number. */
#define RC_FILE_TOO_LARGE (-1)
#define RC_FILE_NO_MEMORY (-2)
#define RC_FILE_NOT_REGULAR (-3)

#define RC_FD_STDIN 0
#define RC_FD_STDOUT 1
#define RC_FD_STDERR 2

/* Appends the whole file to `buf`. Returns 0; RC_FILE_TOO_LARGE if the file exceeds the ceiling of
 * `buf`; RC_FILE_NO_MEMORY; or the system's errno number, such as EISDIR for a folder. Bytes read
 * before a failure stay in `buf`. path, buf: borrows during the call. */
int rc_file_read(const rc_sys_calls *calls, const char *path, rc_buf *buf);

/* Reads a file as rc_file_read does, but never blocks. Returns RC_FILE_NOT_REGULAR if `path` leads
 * to a pipe, folder, socket or device, also through symbolic links. */
int rc_file_read_regular(const rc_sys_calls *calls, const char *path, rc_buf *buf);

/* Reads the open descriptor fd as rc_file_read reads a file. fd stays open. No copy of the bytes
 * remains outside `buf`, because they may be a secret. */
int rc_fd_read(const rc_sys_calls *calls, int fd, rc_buf *buf);

/* Writes all bytes to fd. bytes: borrows during the call. */
int rc_fd_write(const rc_sys_calls *calls, int fd, rc_str bytes);

/* Closes fd. Returns 0, or the errno number of an earlier write that the system reports only when
 * the file is closed, such as a full disk. */
int rc_fd_close(const rc_sys_calls *calls, int fd);

/* Opens /dev/null read-only for each of descriptors 0 to 2 that is closed, so that no later file or
 * socket gets one of these numbers. */
void rc_fd_hold_standard(const rc_sys_calls *calls);

/* Returns the English message for an error number of this header or of errno, as a static
 * string. */
const char *rc_sys_error_text(int error);

/* Returns whether `error` means that the reader of this program's output has closed its end. A
 * closed reader is no failure of this program. */
bool rc_sys_is_reader_gone(int error);

#endif
