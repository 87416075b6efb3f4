/* Reads input piece by piece, for input that is endless or interactive. */
#ifndef RC_SYS_STREAM_H
#define RC_SYS_STREAM_H

#include <stddef.h>

#include "sys/calls.h"

/* Opens a file for reading. 0 and *ret_fd, or the errno number. path: borrows. */
int rc_stream_open(const rc_sys_calls *calls, const char *path, int *ret_fd);

/* Waits for bytes and reads at most size. 0 and *ret_got (0: end of input), or the errno number.
 * bytes: borrows. */
int rc_stream_read(const rc_sys_calls *calls, int fd, void *bytes, size_t size, size_t *ret_got);

#endif
