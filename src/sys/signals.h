/* Signals of a command that reads, thinks and writes. */
#ifndef RC_SYS_SIGNALS_H
#define RC_SYS_SIGNALS_H

/* SIGPIPE is ignored, so that a reader who has gone is a failed write that can be told. SIGINT and
 * SIGTERM end the process with 130 and 143; a signal that the parent chose to ignore stays ignored.
 */
void rc_signals_init(void);

#endif
