#define _GNU_SOURCE
#include "sys/calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

static int open_read(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static int columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : -1;
}

static int clock_realtime(struct timespec *ret_time)
{
    return clock_gettime(CLOCK_REALTIME, ret_time);
}

static int utc_offset_s(time_t at)
{
    struct tm local;
    return localtime_r(&at, &local) != NULL ? (int)local.tm_gmtoff : 0;
}

static ssize_t get_random(void *buf, size_t size)
{
    return getrandom(buf, size, 0);
}

static const char *get_env(const char *name)
{
    return getenv(name);
}

const rc_sys_calls rc_sys_real = {
    .open_read = open_read,
    .read = read,
    .write = write,
    .close = close,
    .isatty = isatty,
    .columns = columns,
    .clock_realtime = clock_realtime,
    .utc_offset_s = utc_offset_s,
    .getrandom = get_random,
    .getenv = get_env,
};
