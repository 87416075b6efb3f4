/* Reads input piece by piece, for input that is endless or interactive. */
#ifndef RC_SYS_STREAM_H
#define RC_SYS_STREAM_H

#include <stddef.h>

#include "sys/calls.h"

/* Opens a file for reading. Returns 0 and sets *ret_fd, or returns the errno number. path: borrows
 * during the call. */
int rc_stream_open(const rc_sys_calls *calls, const char *path, int *ret_fd);

/* Waits for bytes and reads at most `size` bytes. Returns 0 and sets *ret_got, which is 0 at the
 * end of the input; or returns the errno number. bytes: borrows during the call. */
int rc_stream_read(const rc_sys_calls *calls, int fd, void *bytes, size_t size, size_t *ret_got);

#endif
