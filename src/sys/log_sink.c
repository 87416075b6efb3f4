/* Writes log lines on a thread of its own. Called by `recourse serve` (cli/serve/log.c). */
#include "sys/log_sink.h"

#include <errno.h>
#include <string.h>

#include <uv.h>

#include "sys/clock.h"
#include "sys/file.h"

#define MAX_BYTES ((size_t)256 << 10)
#define NOTICE_MAX 1024
#define PATH_BYTES_MAX 4096
/* Maximum number of bytes of one write. A pipe that poll(2) reports as writable accepts this number
 * without blocking (PIPE_BUF of POSIX). */
#define PIECE_BYTES 4096
#define POLL_MS 100
#define STOP_MS 1000
/* Pause between two writes, because waking the thread for each line would be expensive under
 * load. */
#define PAUSE_NS UINT64_C(5000000)

/* A buffer of log lines. */
typedef struct lines {
    char *bytes;
    size_t len;
    uint64_t count;
} lines;

struct rc_log_sink {
    rc_alloc alloc;
    rc_log_sink_settings settings;
    char path[PATH_BYTES_MAX];
    uv_thread_t thread;
    uv_mutex_t lock; /* Guards all members below, except those whose comment names the sink's
                      * thread. */
    uv_cond_t wake;
    lines filling;
    lines writing;    /* Used by the sink's thread only. */
    bool is_mid_line; /* The last write ended in the middle of a line. */
    uint64_t missing; /* Number of lines that were dropped since the latest line that reported
                       * drops. */
    int fd;           /* The file or standard error. The sink's thread uses it without the lock
                       * while it writes. */
    int next_fd;      /* Descriptor that replaces fd before the next write. -1: no replacement. */
    bool is_own_fd;
    bool is_next_own;
    bool is_pausing; /* The thread is in pause_writing and will wake up without a signal. */
    bool is_stopping;
    uint64_t stop_at_ms; /* Time at which rc_log_sink_stop no longer waits. */
    rc_log_sink_counts counts;
};

/* ---- writing, on the sink's thread ---- */

static bool may_wait(rc_log_sink *sink)
{
    uv_mutex_lock(&sink->lock);
    const bool is_late = sink->is_stopping && rc_clock_ms(sink->settings.calls) >= sink->stop_at_ms;
    uv_mutex_unlock(&sink->lock);
    return !is_late;
}

/* Waits until fd is writable. Returns false if the sink is stopping and stop_at_ms has come. */
static bool await_writable(rc_log_sink *sink)
{
    struct pollfd polled = {.fd = sink->fd, .events = POLLOUT};
    while (may_wait(sink)) {
        const int ready = sink->settings.calls->poll(&polled, 1, POLL_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return true;
    }
    return false;
}

/* Writes the bytes in pieces and returns the number of written bytes. */
static size_t write_pieces(rc_log_sink *sink, const char *bytes, size_t len)
{
    size_t done = 0;
    while (done < len && await_writable(sink)) {
        const size_t left = len - done;
        const ssize_t wrote = sink->settings.calls->write(sink->fd, bytes + done,
                                                          left < PIECE_BYTES ? left : PIECE_BYTES);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || (errno != EINTR && errno != EAGAIN))
            break;
    }
    return done;
}

/* Writes the bytes as write_pieces does. If the previous write ended in the middle of a line,
 * writes a line feed first. */
static size_t write_out(rc_log_sink *sink, const char *bytes, size_t len)
{
    if (sink->is_mid_line && len > 0 && write_pieces(sink, "\n", 1) == 0)
        return 0;
    const size_t done = write_pieces(sink, bytes, len);
    if (len > 0)
        sink->is_mid_line = done > 0 && bytes[done - 1] != '\n';
    return done;
}

static uint64_t count_lines(const char *bytes, size_t len)
{
    uint64_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += bytes[i] == '\n';
    return count;
}

/* Writes the line that reports how many lines were dropped. Returns true if the line was written or
 * no line was dropped. */
static bool write_notice(rc_log_sink *sink, uint64_t missing)
{
    char notice[NOTICE_MAX];
    if (missing == 0 || sink->settings.format_dropped == NULL)
        return true;
    const size_t len =
        sink->settings.format_dropped(sink->settings.ctx, missing, notice, sizeof(notice));
    return write_out(sink, notice, len) == len;
}

static void write_lines(rc_log_sink *sink, uint64_t missing)
{
    const bool is_noticed = write_notice(sink, missing);
    const size_t done = write_out(sink, sink->writing.bytes, sink->writing.len);
    const uint64_t written =
        done == sink->writing.len ? sink->writing.count : count_lines(sink->writing.bytes, done);
    uv_mutex_lock(&sink->lock);
    const uint64_t lost = sink->writing.count - written;
    sink->counts.written += written;
    sink->counts.dropped += lost;
    sink->missing += lost + (is_noticed ? 0 : missing);
    uv_mutex_unlock(&sink->lock);
    sink->writing.len = 0;
    sink->writing.count = 0;
}

/* Replaces fd by next_fd if next_fd is set. The caller holds the lock. */
static void take_next_fd(rc_log_sink *sink)
{
    if (sink->next_fd < 0)
        return;
    if (sink->is_own_fd)
        sink->settings.calls->close(sink->fd);
    sink->fd = sink->next_fd;
    sink->is_own_fd = sink->is_next_own;
    sink->next_fd = -1;
}

/* Waits for PAUSE_NS, or until the buffer is half full or the sink stops. The caller holds the
 * lock. */
static void pause_writing(rc_log_sink *sink)
{
    sink->is_pausing = true;
    while (!sink->is_stopping && sink->filling.len < sink->settings.max_bytes / 2 &&
           uv_cond_timedwait(&sink->wake, &sink->lock, PAUSE_NS) == 0)
        ;
    sink->is_pausing = false;
}

static void work(void *arg)
{
    rc_log_sink *sink = arg;
    uv_mutex_lock(&sink->lock);
    for (;;) {
        while (sink->filling.len == 0 && !sink->is_stopping)
            uv_cond_wait(&sink->wake, &sink->lock);
        /* Before the thread ends, it reports once more how many lines were dropped. */
        const bool is_over = sink->filling.len == 0;
        if (is_over && sink->missing == 0)
            break;
        const lines full = sink->filling;
        sink->filling = sink->writing;
        sink->writing = full;
        const uint64_t missing = sink->missing;
        sink->missing = 0;
        take_next_fd(sink);
        uv_mutex_unlock(&sink->lock);
        write_lines(sink, missing);
        uv_mutex_lock(&sink->lock);
        if (is_over)
            break;
        pause_writing(sink);
    }
    uv_mutex_unlock(&sink->lock);
}

/* ---- pushing, on any thread ---- */

void rc_log_sink_push(rc_log_sink *sink, rc_str line)
{
    uv_mutex_lock(&sink->lock);
    lines *filling = &sink->filling;
    if (line.len > 0 && line.len <= sink->settings.max_bytes - filling->len) {
        memcpy(filling->bytes + filling->len, line.ptr, line.len);
        const bool was_half = filling->len >= sink->settings.max_bytes / 2;
        filling->len += line.len;
        filling->count++;
        const bool is_half = filling->len >= sink->settings.max_bytes / 2;
        if (sink->is_pausing ? is_half && !was_half : filling->count == 1)
            uv_cond_signal(&sink->wake);
    } else if (line.len > 0) {
        sink->counts.dropped++;
        sink->missing++;
    }
    uv_mutex_unlock(&sink->lock);
}

rc_log_sink_counts rc_log_sink_count(rc_log_sink *sink)
{
    uv_mutex_lock(&sink->lock);
    const rc_log_sink_counts counts = sink->counts;
    uv_mutex_unlock(&sink->lock);
    return counts;
}

/* ---- targets ---- */

/* Returns whether standard error must be opened a second time. Writes to a full pipe or terminal
 * then do not block this process, while other processes that share standard error stay in blocking
 * mode. A regular file is not opened again, because writing would start at its beginning. A
 * read-only descriptor is also not opened again: it stands for a closed standard error
 * (rc_fd_hold_standard), and writes to it must fail, so that the lines are counted as dropped. */
static bool is_to_open_again(const rc_sys_calls *calls)
{
    struct stat info;
    return calls->fstat(RC_FD_STDERR, &info) == 0 &&
           (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)) &&
           (calls->write(RC_FD_STDERR, "", 0) >= 0 || errno != EBADF);
}

/* Opens the file at `path` or, if `path` is NULL, standard error. Returns 0, or the errno
 * number. */
static int open_target(const rc_sys_calls *calls, const char *path, int *ret_fd, bool *ret_is_own)
{
    int fd = -1;
    if (path != NULL)
        fd = calls->open_append(path);
    else if (is_to_open_again(calls))
        fd = calls->open_again(RC_FD_STDERR);
    if (fd < 0 && path != NULL)
        return errno;
    *ret_fd = fd >= 0 ? fd : RC_FD_STDERR;
    *ret_is_own = fd >= 0;
    return 0;
}

/* Opens a new target. The sink's thread writes to it from its next write on. */
static int change_target(rc_log_sink *sink, const char *path)
{
    const rc_sys_calls *calls = sink->settings.calls;
    int fd = -1;
    bool is_own = false;
    const int error = open_target(calls, path, &fd, &is_own);
    if (error != 0)
        return error;
    uv_mutex_lock(&sink->lock);
    const int unused = sink->is_next_own ? sink->next_fd : -1;
    sink->next_fd = fd;
    sink->is_next_own = is_own;
    uv_mutex_unlock(&sink->lock);
    if (unused >= 0)
        calls->close(unused);
    return 0;
}

int rc_log_sink_reopen(rc_log_sink *sink)
{
    return sink->settings.path != NULL ? change_target(sink, sink->settings.path) : 0;
}

int rc_log_sink_move(rc_log_sink *sink, const char *path)
{
    const char *current = sink->settings.path;
    const size_t len = path != NULL ? strlen(path) : 0;
    if (len >= PATH_BYTES_MAX)
        return ENAMETOOLONG;
    if (current != NULL && path != NULL ? strcmp(current, path) == 0 : current == path)
        return 0;
    const int error = change_target(sink, path);
    if (error != 0)
        return error;
    if (path != NULL)
        memcpy(sink->path, path, len + 1);
    sink->settings.path = path != NULL ? sink->path : NULL;
    return 0;
}

/* ---- start and stop ---- */

static void free_sink(rc_log_sink *sink)
{
    const rc_alloc alloc = sink->alloc;
    const rc_sys_calls *calls = sink->settings.calls;
    if (sink->is_own_fd)
        calls->close(sink->fd);
    if (sink->next_fd >= 0 && sink->is_next_own)
        calls->close(sink->next_fd);
    if (sink->filling.bytes != NULL)
        alloc.put(alloc.ctx, sink->filling.bytes, sink->settings.max_bytes);
    if (sink->writing.bytes != NULL)
        alloc.put(alloc.ctx, sink->writing.bytes, sink->settings.max_bytes);
    alloc.put(alloc.ctx, sink, sizeof(*sink));
}

static int begin(rc_log_sink *sink)
{
    const rc_alloc *alloc = &sink->alloc;
    sink->filling.bytes = alloc->get(alloc->ctx, sink->settings.max_bytes);
    sink->writing.bytes = alloc->get(alloc->ctx, sink->settings.max_bytes);
    if (sink->filling.bytes == NULL || sink->writing.bytes == NULL)
        return RC_FILE_NO_MEMORY;
    const int error =
        open_target(sink->settings.calls, sink->settings.path, &sink->fd, &sink->is_own_fd);
    if (error != 0)
        return error;
    if (uv_mutex_init(&sink->lock) != 0)
        return RC_FILE_NO_MEMORY;
    if (uv_cond_init(&sink->wake) != 0) {
        uv_mutex_destroy(&sink->lock);
        return RC_FILE_NO_MEMORY;
    }
    if (uv_thread_create(&sink->thread, work, sink) == 0)
        return 0;
    uv_cond_destroy(&sink->wake);
    uv_mutex_destroy(&sink->lock);
    return RC_FILE_NO_MEMORY;
}

int rc_log_sink_start(const rc_log_sink_settings *settings, const rc_alloc *alloc,
                      rc_log_sink **ret_sink)
{
    const size_t path_len = settings->path != NULL ? strlen(settings->path) : 0;
    if (path_len >= PATH_BYTES_MAX)
        return ENAMETOOLONG;
    rc_log_sink *sink = alloc->get(alloc->ctx, sizeof(*sink));
    if (sink == NULL)
        return RC_FILE_NO_MEMORY;
    memset(sink, 0, sizeof(*sink));
    sink->alloc = *alloc;
    sink->settings = *settings;
    sink->next_fd = -1;
    if (settings->max_bytes == 0)
        sink->settings.max_bytes = MAX_BYTES;
    if (settings->path != NULL) {
        memcpy(sink->path, settings->path, path_len + 1);
        sink->settings.path = sink->path;
    }
    const int error = begin(sink);
    if (error != 0) {
        free_sink(sink);
        return error;
    }
    *ret_sink = sink;
    return 0;
}

void rc_log_sink_stop(rc_log_sink *sink)
{
    if (sink == NULL)
        return;
    uv_mutex_lock(&sink->lock);
    sink->is_stopping = true;
    sink->stop_at_ms = rc_clock_ms(sink->settings.calls) + STOP_MS;
    uv_cond_signal(&sink->wake);
    uv_mutex_unlock(&sink->lock);
    uv_thread_join(&sink->thread);
    uv_cond_destroy(&sink->wake);
    uv_mutex_destroy(&sink->lock);
    free_sink(sink);
}
