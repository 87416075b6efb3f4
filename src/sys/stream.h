/* Bytes as they come: for input that has no end, or that somebody waits for. */
#ifndef RC_SYS_STREAM_H
#define RC_SYS_STREAM_H

#include <stddef.h>

#include "sys/calls.h"

/* Opens a file for reading. 0 and the descriptor, or the errno number. path: borrows. */
int rc_stream_open(const rc_sys_calls *calls, const char *path, int *ret_fd);

/* Waits for bytes and reads what is there, at most size. 0 and how many, of which 0 is the end; or
 * the errno number. bytes: borrows. */
int rc_stream_read(const rc_sys_calls *calls, int fd, void *bytes, size_t size, size_t *ret_got);

#endif
