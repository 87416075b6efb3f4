/* Reads input piece by piece. Called by recourse explain. */
#include "sys/stream.h"

#include <errno.h>

int rc_stream_open(const rc_sys_calls *calls, const char *path, int *ret_fd)
{
    int fd = calls->open_read(path);
    while (fd < 0 && errno == EINTR)
        fd = calls->open_read(path);
    if (fd < 0)
        return errno;
    *ret_fd = fd;
    return 0;
}

int rc_stream_read(const rc_sys_calls *calls, int fd, void *bytes, size_t size, size_t *ret_got)
{
    ssize_t got = calls->read(fd, bytes, size);
    while (got < 0 && errno == EINTR)
        got = calls->read(fd, bytes, size);
    if (got < 0)
        return errno;
    *ret_got = (size_t)got;
    return 0;
}
