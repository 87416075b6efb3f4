/* Signal handling of commands that only read and write. */
#ifndef RC_SYS_SIGNALS_H
#define RC_SYS_SIGNALS_H

/* Ignores SIGPIPE, so that writing to a closed pipe is an error that can be reported. SIGINT and
 * SIGTERM end the process with 130 and 143; a signal that the parent ignored stays ignored. */
void rc_signals_init(void);

#endif
