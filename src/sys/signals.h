/* Signal handling of commands that only read input and write output. */
#ifndef RC_SYS_SIGNALS_H
#define RC_SYS_SIGNALS_H

/* Ignores SIGPIPE, so that writing to a closed pipe is an error that can be reported. SIGINT ends
 * the process with status 130, SIGTERM with 143. A signal that the parent process ignored stays
 * ignored. */
void rc_signals_init(void);

#endif
