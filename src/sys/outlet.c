/* Non-blocking output to a terminal, pipe or file. Called by `recourse call`, `recourse exec`,
 * process/copy.c and watch.c. */
#define _GNU_SOURCE
#include "sys/outlet.h"

#include <errno.h>

#include "base/str.h"
#include "sys/file.h"
#include "sys/watch.h"

/* Maximum number of bytes of one write. A pipe that poll(2) reports as writable accepts this number
 * without blocking (PIPE_BUF of POSIX). */
#define PIECE_BYTES ((size_t)4096)

/* Returns whether writes to fd can block. Writes to a regular file never block; it must not be
 * opened a second time, because writing would start at its beginning. */
static bool may_wait(const rc_sys_calls *calls, int fd)
{
    struct stat info;
    return calls->isatty(fd) != 0 || (calls->fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode));
}

void rc_outlet_init(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                    size_t max_bytes)
{
    *outlet = (rc_outlet){.calls = calls, .fd = fd, .is_waiting = true};
    rc_buf_init(&outlet->queue, alloc, max_bytes);
    int again = may_wait(calls, fd) ? rc_fd_lift(calls, calls->open_again(fd)) : -1;
    if (again < 0)
        return;
    outlet->fd = again;
    outlet->is_own = true;
    outlet->is_waiting = false;
}

void rc_outlet_init_own(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                        size_t max_bytes)
{
    *outlet = (rc_outlet){.calls = calls, .fd = fd, .is_own = true};
    rc_buf_init(&outlet->queue, alloc, max_bytes);
}

int rc_outlet_done(rc_outlet *outlet)
{
    int error = 0;
    rc_buf_done(&outlet->queue);
    outlet->queue_at = 0;
    if (outlet->is_own && outlet->fd >= 0)
        error = rc_fd_close(outlet->calls, outlet->fd);
    outlet->fd = -1;
    return error;
}

static void close_after_error(rc_outlet *outlet, int error)
{
    outlet->error = error;
    rc_outlet_done(outlet);
}

static bool is_ready(const rc_outlet *outlet)
{
    struct pollfd fd = {.fd = outlet->fd, .events = POLLOUT};
    return !outlet->is_waiting || outlet->calls->poll(&fd, 1, 0) > 0;
}

/* Writes as many bytes as the descriptor accepts and returns their number. */
static size_t write_now(rc_outlet *outlet, rc_str bytes)
{
    size_t done = 0;
    while (outlet->fd >= 0 && done < bytes.len && is_ready(outlet)) {
        size_t left = bytes.len - done;
        ssize_t put = outlet->calls->write(outlet->fd, bytes.ptr + done,
                                           left < PIECE_BYTES ? left : PIECE_BYTES);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            break;
        if (put <= 0) {
            close_after_error(outlet, put < 0 ? errno : EIO);
            break;
        }
        done += (size_t)put;
    }
    return done;
}

static void note_end(rc_outlet *outlet, rc_str bytes)
{
    if (bytes.len > 0)
        outlet->is_mid_line = bytes.ptr[bytes.len - 1] != '\n';
}

bool rc_outlet_is_empty(const rc_outlet *outlet)
{
    return outlet->fd < 0 || rc_buf_get(&outlet->queue).len == outlet->queue_at;
}

void rc_outlet_step(rc_outlet *outlet)
{
    rc_str queue = rc_buf_get(&outlet->queue);
    size_t put = write_now(outlet, rc_str_slice(queue, outlet->queue_at, queue.len));
    if (outlet->fd < 0)
        return;
    outlet->queue_at += put;
    if (outlet->queue_at < queue.len)
        return;
    rc_buf_reset(&outlet->queue);
    outlet->queue_at = 0;
}

bool rc_outlet_push(rc_outlet *outlet, rc_str bytes)
{
    if (outlet->fd < 0 || bytes.len == 0)
        return true;
    if (rc_buf_push(&outlet->queue, bytes) != RC_OK) {
        if (rc_outlet_is_empty(outlet))
            rc_buf_reset(&outlet->queue);
        return false;
    }
    note_end(outlet, bytes);
    rc_outlet_step(outlet);
    return true;
}

size_t rc_outlet_write(rc_outlet *outlet, rc_str bytes)
{
    if (outlet->fd >= 0 && !rc_outlet_is_empty(outlet))
        return 0;
    size_t put = write_now(outlet, bytes);
    note_end(outlet, rc_str_make(bytes.ptr, put));
    return outlet->fd < 0 ? bytes.len : put;
}

void rc_outlet_begin_line(rc_outlet *outlet)
{
    if (outlet->is_mid_line)
        rc_outlet_push(outlet, RC_STR("\n"));
}

struct pollfd rc_outlet_poll(const rc_outlet *outlet)
{
    bool is_wanted = outlet->is_awaited || !rc_outlet_is_empty(outlet);
    return (struct pollfd){.fd = is_wanted ? outlet->fd : -1, .events = POLLOUT};
}
