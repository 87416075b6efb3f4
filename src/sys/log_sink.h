/* rc_log_sink: writes log lines to a file or standard error without blocking the caller.
 *
 *   any thread ──push──► [ filling ] ──swap──► [ writing ] ──► file or standard error
 *                            │ full                 the sink's own thread
 *                            ▼
 *                        dropped and counted
 *
 * rc_log_sink_push copies the line under a lock and makes no system call on the file. If the disk
 * is full, a pipe has no reader or the terminal is stopped, log lines are dropped; the caller is
 * never delayed, and no more memory is used. When lines can be written again, one line reports how
 * many were dropped. */
#ifndef RC_SYS_LOG_SINK_H
#define RC_SYS_LOG_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "sys/calls.h"

typedef struct rc_log_sink rc_log_sink;

typedef struct rc_log_sink_settings {
    const rc_sys_calls *calls; /* System calls; borrows until rc_log_sink_stop. */
    const char *path;          /* File to which lines are appended; copies. NULL: standard error. */
    size_t max_bytes;          /* Maximum number of bytes in the queue. 0: 256 KiB. */
    /* Writes a line that reports `count` dropped lines, with its line feed, into `buf`, and returns
     * the length of the line. Called on the sink's thread. NULL: dropped lines are not reported. */
    size_t (*format_dropped)(void *ctx, uint64_t count, char *buf, size_t size);
    void *ctx;
} rc_log_sink_settings;

/* Opens the file and starts the thread. Returns 0, the errno number or RC_FILE_NO_MEMORY. settings,
 * alloc: copies the structs. *ret_sink: gives the sink, which rc_log_sink_stop frees. */
int rc_log_sink_start(const rc_log_sink_settings *settings, const rc_alloc *alloc,
                      rc_log_sink **ret_sink);

/* Queues one line, which includes its line feed. May be called on any thread. line: copies. */
void rc_log_sink_push(rc_log_sink *sink, rc_str line);

/* Reopens the file by its name, for log rotation; does nothing for standard error. Returns 0, or
 * the errno number; on failure the old file stays in use. */
int rc_log_sink_reopen(rc_log_sink *sink);

/* Switches to the file `path`, or to standard error if `path` is NULL; does nothing if that is the
 * current target. Returns 0, or the errno number; on failure the old target stays in use.
 * rc_log_sink_move and rc_log_sink_reopen must not run on two threads at the same time. path:
 * copies. */
int rc_log_sink_move(rc_log_sink *sink, const char *path);

typedef struct rc_log_sink_counts {
    uint64_t written; /* Number of lines that were written. */
    uint64_t dropped;
} rc_log_sink_counts;
/* Returns the counters. May be called on any thread. */
rc_log_sink_counts rc_log_sink_count(rc_log_sink *sink);

/* Writes the queued lines, for at most one second, ends the thread and frees the sink. No thread
 * may push lines any more. sink: takes; NULL is allowed. */
void rc_log_sink_stop(rc_log_sink *sink);

#endif
