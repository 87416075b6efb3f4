/* rc_run: a running command. Used only by the files of src/sys/process. */
#ifndef RC_SYS_PROCESS_RUN_H
#define RC_SYS_PROCESS_RUN_H

#include "sys/process/process.h"

#define RC_RUN_PIECE ((size_t)4096)
/* Limits for leftover processes (see process.h): the number of processes that are stored as already
 * signalled, and the number of times that newly found processes extend the grace period. */
#define RC_RUN_SIGNALLED_MAX 64
#define RC_RUN_ROUNDS_MAX 8

typedef enum rc_run_phase {
    RC_RUN_RUNNING = 1,
    RC_RUN_CLEARING = 2,
    RC_RUN_DRAINING = 3,
    RC_RUN_OVER = 4
} rc_run_phase;

typedef struct rc_run {
    const rc_sys_calls *calls;
    rc_watch *watch;
    rc_tty *tty;
    const rc_process_options *options;
    rc_run_phase phase;
    pid_t pid;     /* Number of the command's process and of its group. */
    int in_fd;     /* Write end of the command's standard input. -1: closed, or there is no pipe. */
    int err_fd;    /* Read end of the command's standard error. -1: closed. */
    int report_fd; /* Read end of the command's report pipe. -1: closed. */
    uint64_t kill_at_ms;
    bool is_killed;
    size_t drained; /* Number of bytes that were read after the command's end. */
    size_t piece_at, piece_len;
    char piece[RC_RUN_PIECE]; /* Bytes of the command's standard error that must be written to
                               * ours. */
    pid_t signalled[RC_RUN_SIGNALLED_MAX];
    size_t signalled_count;
    unsigned rounds;
    rc_process_end end;
} rc_run;

/* copy.c: the functions copy the command's standard error, its report and its standard input. Each
 * call copies as many bytes as it can without blocking. */
void rc_run_read_error(rc_run *run);
void rc_run_write_error(rc_run *run);
void rc_run_read_report(rc_run *run);
void rc_run_feed(rc_run *run);
void rc_run_close(const rc_run *run, int *fd);

/* group.c: handles signals, stops and the exit of the command. */
void rc_run_on_signals(rc_run *run);
void rc_run_on_time(rc_run *run);
/* Returns whether a signal or the deadline ended the command. The run then does not wait for
 * remaining output. */
bool rc_run_is_ended(const rc_run *run);
void rc_run_terminate(rc_run *run, int signal);

/* Called when the command can no longer be watched: kills its remaining processes and ends the
 * run. */
void rc_run_break(rc_run *run, int error, const char *failed_step);

/* leftovers.c: handles leftover processes that became our children. rc_run_terminate_leftovers
 * sends SIGTERM to those that were not signalled yet, and returns the number of all of them.
 * *ret_has_new is true if at least one was signalled. */
size_t rc_run_terminate_leftovers(rc_run *run, bool *ret_has_new);
void rc_run_kill_leftovers(const rc_run *run);

#endif
