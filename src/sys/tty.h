/* rc_tty: sets the foreground process group of the controlling terminal, and reads single keys from
 * the terminal.
 *
 *   a command runs      its group has the foreground and gets Ctrl-C and Ctrl-Z
 *   a wait              we have the foreground; keys are read one by one, without echo
 *   a stop, the end     the original modes are restored, and we have the foreground
 *
 * Without a terminal every function does nothing. */
#ifndef RC_SYS_TTY_H
#define RC_SYS_TTY_H

#include "sys/calls.h"

typedef struct rc_tty {
    const rc_sys_calls *calls;
    int fd;               /* The controlling terminal. -1: the process has no such terminal. */
    pid_t group;          /* Our process group. */
    struct termios modes; /* The terminal modes that rc_tty_init found. */
    bool has_modes;
    bool is_key_mode;
    bool is_closed;         /* No more keys can be read until rc_tty_keys_forget. */
    pid_t foreground_group; /* The group to which we gave the foreground. 0: no group. */
} rc_tty;

/* Opens the controlling terminal, if the process has one. Never fails. calls: borrows until
 * rc_tty_done. */
void rc_tty_init(rc_tty *tty, const rc_sys_calls *calls);
void rc_tty_done(rc_tty *tty);

/* Returns whether our process group has the foreground. */
bool rc_tty_is_ours(const rc_tty *tty);

/* rc_tty_give_foreground gives the foreground to `group` if our group has it, and returns whether
 * it was given. rc_tty_take_foreground makes our group the foreground group again, unless a third
 * process group is now in the foreground. */
bool rc_tty_give_foreground(rc_tty *tty, pid_t group);
void rc_tty_take_foreground(rc_tty *tty);

/* Records that `group`, the group of a new process, made itself the foreground group when it
 * started. */
void rc_tty_set_given(rc_tty *tty, pid_t group);

/* Restores the terminal modes that rc_tty_init found, if our group has the foreground. */
void rc_tty_restore(const rc_tty *tty);

/* rc_tty_keys_begin sets key mode: keys are read one by one and not echoed, and Ctrl-C and Ctrl-Z
 * work as usual. Keys that were typed before are dropped. Returns false if keys cannot be read.
 * rc_tty_keys_end restores the terminal modes; if the process crashes, a crash handler restores
 * them. */
bool rc_tty_keys_begin(rc_tty *tty);
void rc_tty_keys_end(rc_tty *tty);

/* Leaves key mode without restoring the terminal modes, because another process may have changed
 * them. The next rc_tty_keys_begin sets key mode again. */
void rc_tty_keys_forget(rc_tty *tty);

/* Returns whether Esc was pressed. Must be called when tty->fd is readable. Arrow and function keys
 * start with the same byte as Esc, so the function waits 20 ms for further bytes. */
bool rc_tty_read_escape(rc_tty *tty);

#endif
