/* A fake system for tests: one input, two outputs, an environment, and a clock that stands still.
 * Any system call can be made to fail. The state is global, because system calls have no context
 * argument, so a program has only one fake system. */
#ifndef RC_TESTS_FAKE_SYS_H
#define RC_TESTS_FAKE_SYS_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "sys/calls.h"

#define FAKE_FD 7 /* The descriptor that open returns. */
#define FAKE_OUTPUT_MAX ((size_t)1 << 18)
#define FAKE_ENV_MAX 8

typedef struct fake_output {
    char text[FAKE_OUTPUT_MAX];
    size_t len;
} fake_output;

static struct fake_sys {
    const char *path; /* The only file that exists; NULL: every name exists. */
    mode_t mode;      /* Mode that stat returns; 0: a regular file that only its owner can read. */
    const char *input;
    size_t input_len;
    size_t input_at;
    size_t piece; /* Maximum number of bytes of one read or write; 0: no limit. */
    fake_output out, err;
    size_t env_count;
    const char *env[FAKE_ENV_MAX][2];
    bool is_tty[3];
    int columns;
    int open_count; /* Number of open files. */
    int ticks;      /* Number of calls of the monotonic clock. */
    int signal;     /* Signal that becomes pending after `signal_in` checks; 0: none. */
    int signal_in;
    bool is_masked; /* The signals that end a command are blocked. */

    int calls;   /* Number of calls so far that could fail. */
    int fail_at; /* Number of the first call that fails; 0: none fails. */
    bool is_for_good;
    int error;
} fake;

static inline void fake_reset(const char *input)
{
    memset(&fake, 0, sizeof(fake));
    fake.input = input;
    fake.input_len = strlen(input);
}

static inline void fake_env(const char *name, const char *value)
{
    fake.env[fake.env_count][0] = name;
    fake.env[fake.env_count][1] = value;
    fake.env_count++;
}

static bool fake_fails(void)
{
    fake.calls++;
    bool is_hit = fake.is_for_good ? fake.calls >= fake.fail_at : fake.calls == fake.fail_at;
    if (fake.fail_at == 0 || !is_hit)
        return false;
    errno = fake.error;
    return true;
}

static size_t fake_piece(size_t size)
{
    return fake.piece > 0 && size > fake.piece ? fake.piece : size;
}

static int fake_open(const char *path)
{
    if (fake_fails())
        return -1;
    if (fake.path != NULL && strcmp(path, fake.path) != 0) {
        errno = ENOENT;
        return -1;
    }
    fake.open_count++;
    return FAKE_FD;
}

/* The path is a regular file, unless the test has set another mode. */
static int fake_stat(const char *path, struct stat *ret_stat)
{
    if (fake_fails())
        return -1;
    if (fake.path != NULL && strcmp(path, fake.path) != 0) {
        errno = ENOENT;
        return -1;
    }
    memset(ret_stat, 0, sizeof(*ret_stat));
    ret_stat->st_mode = fake.mode != 0 ? fake.mode : S_IFREG | S_IRUSR;
    return 0;
}

static int fake_fstat(int fd, struct stat *ret_stat)
{
    (void)fd;
    return fake_stat(fake.path != NULL ? fake.path : "", ret_stat);
}

static ssize_t fake_read(int fd, void *buf, size_t size)
{
    if (fake_fails())
        return -1;
    if (fd != 0 && fd != FAKE_FD) {
        errno = EBADF;
        return -1;
    }
    size_t left = fake.input_len - fake.input_at;
    size_t got = fake_piece(size < left ? size : left);
    memcpy(buf, fake.input + fake.input_at, got);
    fake.input_at += got;
    return (ssize_t)got;
}

static ssize_t fake_write(int fd, const void *buf, size_t size)
{
    if (fake_fails())
        return -1;
    fake_output *output = fd == 1 ? &fake.out : &fake.err;
    size_t space = sizeof(output->text) - 1 - output->len;
    size_t put = fake_piece(size < space ? size : space);
    memcpy(output->text + output->len, buf, put);
    output->len += put;
    output->text[output->len] = '\0';
    return (ssize_t)put;
}

static int fake_close(int fd)
{
    if (fd == FAKE_FD)
        fake.open_count--;
    return fake_fails() ? -1 : 0;
}

static int fake_isatty(int fd)
{
    return fd >= 0 && fd < 3 && fake.is_tty[fd] ? 1 : 0;
}

static int fake_columns(int fd)
{
    (void)fd;
    return fake.columns;
}

static int fake_clock(struct timespec *ret_time)
{
    if (fake_fails())
        return -1;
    ret_time->tv_sec = 1794790923;
    ret_time->tv_nsec = 456999999;
    return 0;
}

/* Each call advances the clock by half a second, so that every wait ends. */
static int fake_monotonic(struct timespec *ret_time)
{
    if (fake_fails())
        return -1;
    fake.ticks++;
    ret_time->tv_sec = 1000 + fake.ticks / 2;
    ret_time->tv_nsec = fake.ticks % 2 * 500000000;
    return 0;
}

static int fake_offset(time_t at)
{
    return at > 0 ? 3600 : 0;
}

static ssize_t fake_random(void *buf, size_t size)
{
    if (fake_fails())
        return -1;
    size_t got = fake_piece(size);
    memset(buf, 0x5A, got);
    return (ssize_t)got;
}

static const char *fake_getenv(const char *name)
{
    for (size_t i = 0; i < fake.env_count; i++)
        if (strcmp(fake.env[i][0], name) == 0)
            return fake.env[i][1];
    return NULL;
}

static int fake_mask(int how, const sigset_t *set, sigset_t *ret_old)
{
    if (fake_fails())
        return -1;
    fake.is_masked = how == SIG_BLOCK && sigismember(set, SIGINT) == 1;
    if (ret_old != NULL)
        sigemptyset(ret_old);
    return 0;
}

static int fake_pending(sigset_t *ret_set)
{
    if (fake_fails())
        return -1;
    sigemptyset(ret_set);
    if (fake.signal != 0 && fake.is_masked && fake.signal_in-- <= 0)
        sigaddset(ret_set, fake.signal);
    return 0;
}

/* Processes and terminals are not faked; tests/support/real_sys.h makes calls for real ones
 * fail. */
static const rc_sys_calls fake_calls = {
    .open_read = fake_open,
    .open_file = fake_open,
    .stat = fake_stat,
    .fstat = fake_fstat,
    .read = fake_read,
    .write = fake_write,
    .close = fake_close,
    .isatty = fake_isatty,
    .columns = fake_columns,
    .clock_realtime = fake_clock,
    .clock_monotonic = fake_monotonic,
    .utc_offset_s = fake_offset,
    .getrandom = fake_random,
    .getenv = fake_getenv,
    .signal_mask = fake_mask,
    .signal_pending = fake_pending,
};

#endif
