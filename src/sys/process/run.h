/* A command that runs: what the files of process*.c share. */
#ifndef RC_SYS_PROCESS_RUN_H
#define RC_SYS_PROCESS_RUN_H

#include "sys/process/process.h"

#define RC_RUN_PIECE ((size_t)4096)
/* Of those that stay behind, how many are remembered as asked, and how often new ones may come. */
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
    pid_t pid;     /* and group */
    int in_fd;     /* the writing end of its standard input; -1: none or closed */
    int err_fd;    /* the reading end of its standard error; -1: closed */
    int report_fd; /* the reading end of where it reports; -1: closed */
    uint64_t kill_at_ms;
    bool is_killed;
    size_t drained; /* after the end */
    size_t piece_at, piece_len;
    char piece[RC_RUN_PIECE]; /* of standard error, to be written */
    pid_t signalled[RC_RUN_SIGNALLED_MAX];
    size_t signalled_count;
    unsigned rounds;
    rc_process_end end;
} rc_run;

/* process_copy.c: standard error and the report out, standard input in. Each moves what can be
 * moved now. */
void rc_run_read_error(rc_run *run);
void rc_run_write_error(rc_run *run);
void rc_run_read_report(rc_run *run);
void rc_run_feed(rc_run *run);
void rc_run_close(const rc_run *run, int *fd);

/* process_group.c: signals, stops, ends. */
void rc_run_on_signals(rc_run *run);
void rc_run_on_time(rc_run *run);
bool rc_run_is_ended(const rc_run *run); /* by us: nobody waits for its last words */
void rc_run_terminate(rc_run *run, int signal);

/* It cannot be watched any more: kills what is left of it and ends the run. */
void rc_run_break(rc_run *run, int error, const char *failed_step);

/* process_leftovers.c: who has become our child. Asks those to end who were not asked; gives their
 * number, and whether there are new ones. */
size_t rc_run_terminate_leftovers(rc_run *run, bool *ret_has_new);
void rc_run_kill_leftovers(const rc_run *run);

#endif
