/* Reads and writes whole files and buffers. Called by the commands, src/config, the store and the
 * other files of src/sys. */
#define _GNU_SOURCE
#include "sys/file.h"

#include <errno.h>
#include <string.h>

#include "base/secret.h"

#define PIECE_BYTES ((size_t)64 << 10)

static int buf_error(const rc_buf *buf)
{
    rc_status status = rc_buf_status(buf);
    if (status == RC_OK)
        return 0;
    return status == RC_E_TOO_LARGE ? RC_FILE_TOO_LARGE : RC_FILE_NO_MEMORY;
}

static int read_pieces(const rc_sys_calls *calls, int fd, char piece[PIECE_BYTES], rc_buf *buf)
{
    for (;;) {
        ssize_t got = calls->read(fd, piece, PIECE_BYTES);
        if (got == 0)
            return 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        rc_buf_push(buf, rc_str_make(piece, (size_t)got));
        int error = buf_error(buf);
        if (error != 0)
            return error;
    }
}

int rc_fd_read(const rc_sys_calls *calls, int fd, rc_buf *buf)
{
    char piece[PIECE_BYTES];
    const int error = read_pieces(calls, fd, piece, buf);
    rc_secret_wipe(piece, sizeof(piece));
    return error;
}

int rc_file_read(const rc_sys_calls *calls, const char *path, rc_buf *buf)
{
    int fd = calls->open_read(path);
    while (fd < 0 && errno == EINTR)
        fd = calls->open_read(path);
    if (fd < 0)
        return errno;
    int error = rc_fd_read(calls, fd, buf);
    /* The file was only read, so a failed close loses no data. */
    calls->close(fd);
    return error;
}

/* Opens only a regular file, because opening a device can have side effects. The type is checked
 * again after opening, because the file at the path may be replaced between stat and open. */
static int open_regular(const rc_sys_calls *calls, const char *path, int *ret_fd)
{
    struct stat facts;
    if (calls->stat(path, &facts) != 0)
        return errno;
    if (!S_ISREG(facts.st_mode))
        return RC_FILE_NOT_REGULAR;
    int fd = calls->open_file(path);
    while (fd < 0 && errno == EINTR)
        fd = calls->open_file(path);
    if (fd < 0)
        return errno;
    int error = calls->fstat(fd, &facts) != 0 ? errno : 0;
    if (error == 0 && !S_ISREG(facts.st_mode))
        error = RC_FILE_NOT_REGULAR;
    if (error != 0)
        calls->close(fd);
    else
        *ret_fd = fd;
    return error;
}

int rc_file_read_regular(const rc_sys_calls *calls, const char *path, rc_buf *buf)
{
    int fd = -1;
    int error = open_regular(calls, path, &fd);
    if (error != 0)
        return error;
    error = rc_fd_read(calls, fd, buf);
    calls->close(fd);
    return error;
}

int rc_fd_write(const rc_sys_calls *calls, int fd, rc_str bytes)
{
    size_t done = 0;
    while (done < bytes.len) {
        ssize_t put = calls->write(fd, bytes.ptr + done, bytes.len - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return errno;
        /* POSIX does not define a write of 0 bytes; repeating such a write could loop for ever. */
        if (put == 0)
            return EIO;
        done += (size_t)put;
    }
    return 0;
}

int rc_fd_close(const rc_sys_calls *calls, int fd)
{
    /* On Linux the descriptor is closed even after EINTR, and closing it again could close another
     * file. */
    if (calls->close(fd) != 0 && errno != EINTR)
        return errno;
    return 0;
}

void rc_fd_hold_standard(const rc_sys_calls *calls)
{
    int fd = calls->open_read("/dev/null");
    while (fd >= 0 && fd <= RC_FD_STDERR)
        fd = calls->open_read("/dev/null");
    if (fd >= 0)
        calls->close(fd);
}

bool rc_sys_is_reader_gone(int error)
{
    return error == EPIPE;
}

const char *rc_sys_error_text(int error)
{
    if (error == RC_FILE_TOO_LARGE)
        return "too large";
    if (error == RC_FILE_NO_MEMORY)
        return "no memory";
    if (error == RC_FILE_NOT_REGULAR)
        return "not a regular file";
    const char *text = strerrordesc_np(error);
    return text != NULL ? text : "unknown error";
}
