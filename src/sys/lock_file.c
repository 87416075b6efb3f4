/* Lock files and private files. Called by the SQLite store and the doctor. */
#define _GNU_SOURCE /* For open-file-description locks (F_OFD_SETLK), which belong to the open file
                     * and not to the process. */
#include "sys/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int rc_lock_file_take(rc_lock_file *lock, const char *path)
{
    lock->fd = -1;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &all) == 0) {
        lock->fd = fd;
        return 0;
    }
    int error = errno == EAGAIN || errno == EACCES ? RC_LOCK_TAKEN : errno;
    close(fd);
    return error;
}

void rc_lock_file_drop(rc_lock_file *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}

bool rc_lock_file_is_held(const char *path, int *ret_error)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *ret_error = 0;
    if (fd < 0) {
        *ret_error = errno == ENOENT ? 0 : errno;
        return false;
    }
    if (fcntl(fd, F_OFD_GETLK, &all) != 0)
        *ret_error = errno;
    close(fd);
    return *ret_error == 0 && all.l_type != F_UNLCK;
}

int rc_lock_file_write(const rc_lock_file *lock, rc_str text, const char *like)
{
    struct stat owner;
    if (geteuid() == 0 && stat(like, &owner) == 0 &&
        fchown(lock->fd, owner.st_uid, owner.st_gid) != 0)
        return errno;
    if (ftruncate(lock->fd, 0) != 0)
        return errno;
    const ssize_t count = pwrite(lock->fd, text.ptr, text.len, 0);
    if (count < 0)
        return errno;
    return (size_t)count == text.len ? 0 : ENOSPC;
}

size_t rc_lock_file_read_held(const char *path, char *text, size_t size)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    ssize_t count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return 0;
    if (fcntl(fd, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK)
        count = read(fd, text, size);
    close(fd);
    return count > 0 ? (size_t)count : 0;
}

int rc_private_file_make(const char *path)
{
    /* An existing file is not even opened, because closing it would release the POSIX locks that
     * this process holds on it. */
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno == EEXIST ? 0 : errno;
    close(fd);
    return 0;
}

int rc_private_folders_make(const char *path)
{
    char folder[PATH_MAX];
    const size_t len = strlen(path);
    if (len >= sizeof folder)
        return ENAMETOOLONG;
    memcpy(folder, path, len + 1);
    for (size_t i = 1; i < len; i++) {
        if (folder[i] != '/')
            continue;
        folder[i] = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
            /* If the folder exists, mkdir may nevertheless report a read-only file system or a
             * missing permission. */
            struct stat facts;
            const int error = errno;
            if (stat(folder, &facts) != 0)
                return error;
        }
        folder[i] = '/';
    }
    return 0;
}
