/* rc_tty: the controlling terminal: its foreground process group, and reading single keys.
 *
 *   a command runs      its group has the foreground: Ctrl-C and Ctrl-Z go to it
 *   a wait              we have the foreground; keys are read one by one, without echo
 *   a stop, the end     the original modes are restored, and the foreground is ours
 *
 * Without a terminal every function does nothing. */
#ifndef RC_SYS_TTY_H
#define RC_SYS_TTY_H

#include "sys/calls.h"

typedef struct rc_tty {
    const rc_sys_calls *calls;
    int fd;               /* The controlling terminal; -1: there is none. */
    pid_t group;          /* Our process group. */
    struct termios modes; /* The terminal modes at init. */
    bool has_modes;
    bool is_key_mode;
    bool is_closed;         /* The terminal gives no more keys, until rc_tty_keys_forget. */
    pid_t foreground_group; /* The group to which we gave the foreground; 0: none. */
} rc_tty;

/* Opens the controlling terminal, if there is one. Never fails. calls: borrows until done. */
void rc_tty_init(rc_tty *tty, const rc_sys_calls *calls);
void rc_tty_done(rc_tty *tty);

/* Whether our group has the foreground. */
bool rc_tty_is_ours(const rc_tty *tty);

/* Gives the foreground to a group if we have it; false: not given. rc_tty_take_foreground takes it
 * back if it was given and only that group, or no group, has it. */
bool rc_tty_give_foreground(rc_tty *tty, pid_t group);
void rc_tty_take_foreground(rc_tty *tty);

/* Records that the group took the foreground at its start. */
void rc_tty_set_given(rc_tty *tty, pid_t group);

/* Restores the modes of init if we have the foreground. */
void rc_tty_restore(const rc_tty *tty);

/* Reads keys one by one without echo; Ctrl-C and Ctrl-Z work as usual. Drops earlier input. False:
 * keys cannot be read. The modes are restored by rc_tty_keys_end, and if the process crashes. */
bool rc_tty_keys_begin(rc_tty *tty);
void rc_tty_keys_end(rc_tty *tty);

/* Leaves key mode without restoring the modes, which another process may have set; the next begin
 * sets them again. */
void rc_tty_keys_forget(rc_tty *tty);

/* Whether Esc was pressed; call it when fd is readable. Arrow and function keys start with the byte
 * of Esc too, so bytes that follow within 20 ms are checked. */
bool rc_tty_read_escape(rc_tty *tty);

#endif
