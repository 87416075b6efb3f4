/* Writes result files atomically. Called by the commands simulate, mock and serve. */
#define _GNU_SOURCE
#include "sys/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <recourse/buf.h>

#include "sys/entropy.h"
#include "sys/file.h"

/* Maximum number of temporary names that are tried. If all of them exist, another cause than chance
 * is likely. */
#define NAMES_MAX 8

static int make_folder(const char *path)
{
    return mkdir(path, 0777);
}

static int open_new(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
}

const rc_output_calls rc_output_real = {
    .make_folder = make_folder,
    .open_new = open_new,
    .sync = fsync,
    .rename = rename,
    .unlink = unlink,
};

static rc_status push_path(rc_buf *buf, const char *folder, const char *name)
{
    const rc_str path = rc_str_c(folder);
    rc_buf_push(buf, path);
    if (path.len > 0 && path.ptr[path.len - 1] != '/')
        rc_buf_push_byte(buf, '/');
    return rc_buf_push(buf, rc_str_c(name));
}

/* Appends the temporary path, such as "folder/.name.1f09ab37", which is hidden and unique. If the
 * system has no entropy, `tried`, the number of names tried before, replaces the random part. */
static rc_status push_temporary(const rc_output *output, const char *name, unsigned tried,
                                rc_buf *buf)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char entropy[4] = {0};
    char dotted[RC_OUTPUT_PATH_MAX];
    rc_buf hidden;
    if (!rc_entropy_get(output->calls, entropy, sizeof(entropy)))
        entropy[0] = (unsigned char)tried;
    rc_buf_init_fixed(&hidden, dotted, sizeof(dotted));
    rc_buf_push_byte(&hidden, '.');
    rc_buf_push(&hidden, rc_str_c(name));
    rc_buf_push_byte(&hidden, '.');
    for (size_t i = 0; i < sizeof(entropy); i++) {
        rc_buf_push_byte(&hidden, digits[entropy[i] >> 4]);
        rc_buf_push_byte(&hidden, digits[entropy[i] & 15]);
    }
    if (rc_buf_push_byte(&hidden, '\0') != RC_OK)
        return rc_buf_status(&hidden);
    push_path(buf, output->folder, dotted);
    return rc_buf_push_byte(buf, '\0');
}

bool rc_output_is_missing(int error)
{
    return error == ENOENT;
}

static int make_one(const rc_output *output, const char *path)
{
    if (output->files->make_folder(path) == 0 || errno == EEXIST)
        return 0;
    return errno;
}

/* Creates the parent folders of the output folder: for "a/b/c" the folders "a" and "a/b". */
static int make_above(const rc_output *output)
{
    char path[RC_OUTPUT_PATH_MAX];
    int error = 0;
    for (size_t i = 0; output->folder[i] != '\0' && error == 0; i++) {
        if (i + 1 == sizeof(path))
            return ENAMETOOLONG;
        path[i] = output->folder[i];
        path[i + 1] = '\0';
        if (output->folder[i + 1] == '/' && path[i] != '/')
            error = make_one(output, path);
    }
    return error;
}

int rc_output_open(const rc_output *output)
{
    /* The parent folders nearly always exist, so they are created only after this call has
     * failed. */
    int error = make_one(output, output->folder);
    if (error != ENOENT)
        return error;
    error = make_above(output);
    return error == 0 ? make_one(output, output->folder) : error;
}

/* Opens a new file under a temporary name. */
static int open_temporary(const rc_output *output, const char *name, char path[RC_OUTPUT_PATH_MAX],
                          int *ret_fd)
{
    int error = EEXIST;
    for (unsigned tried = 0; tried < NAMES_MAX && (error == EEXIST || error == EINTR); tried++) {
        rc_buf buf;
        rc_buf_init_fixed(&buf, path, RC_OUTPUT_PATH_MAX);
        if (push_temporary(output, name, tried, &buf) != RC_OK)
            return ENAMETOOLONG;
        const int fd = output->files->open_new(path);
        if (fd >= 0) {
            *ret_fd = fd;
            return 0;
        }
        error = errno;
    }
    return error;
}

/* Writes all bytes to fd and syncs them to disk. */
static int fill(const rc_output *output, int fd, rc_str bytes)
{
    int error = rc_fd_write(output->calls, fd, bytes);
    if (error == 0 && output->files->sync(fd) != 0)
        error = errno;
    const int late = rc_fd_close(output->calls, fd);
    return error != 0 ? error : late;
}

int rc_output_write(const rc_output *output, const char *name, rc_str bytes)
{
    char temporary[RC_OUTPUT_PATH_MAX];
    char path[RC_OUTPUT_PATH_MAX];
    rc_buf buf;
    int fd = -1;
    rc_buf_init_fixed(&buf, path, sizeof(path));
    push_path(&buf, output->folder, name);
    if (rc_buf_push_byte(&buf, '\0') != RC_OK)
        return ENAMETOOLONG;

    int error = open_temporary(output, name, temporary, &fd);
    if (error != 0)
        return error;
    error = fill(output, fd, bytes);
    if (error == 0 && output->files->rename(temporary, path) != 0)
        error = errno;
    if (error != 0)
        output->files->unlink(temporary);
    return error;
}
