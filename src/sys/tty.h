/* rc_tty: the terminal that the process belongs to: who is in its foreground, and single keys.
 *
 *   a command runs      its group holds the foreground: Ctrl-C and Ctrl-Z are its own
 *   a wait              we hold it; keys come one by one and are not shown
 *   a stop, the end     the modes are those of the beginning, and the foreground is ours
 *
 * Without a terminal every function does nothing. */
#ifndef RC_SYS_TTY_H
#define RC_SYS_TTY_H

#include "sys/calls.h"

typedef struct rc_tty {
    const rc_sys_calls *calls;
    int fd;               /* -1: there is none */
    pid_t group;          /* ours */
    struct termios modes; /* of the beginning */
    bool has_modes;
    bool is_key_mode;
    pid_t foreground_group; /* the group that has the foreground from us; 0: none */
} rc_tty;

typedef enum rc_keypress {
    RC_KEYPRESS_NONE = 0, /* nothing that means anything here */
    RC_KEYPRESS_ESCAPE = 1,
    RC_KEYPRESS_CLOSED = 2 /* the terminal gives no more keys */
} rc_keypress;

/* Never fails. calls: borrows until done. */
void rc_tty_init(rc_tty *tty, const rc_sys_calls *calls);
void rc_tty_done(rc_tty *tty);

/* Does our group hold the foreground? */
bool rc_tty_is_ours(const rc_tty *tty);

/* The foreground goes to a group, if we hold it; false: it does not. And back, if it was given and
 * nobody but the group, or nobody at all, holds it. */
bool rc_tty_give_foreground(rc_tty *tty, pid_t group);
void rc_tty_take_foreground(rc_tty *tty);

/* The group took it when it started. */
void rc_tty_set_given(rc_tty *tty, pid_t group);

/* The modes of the beginning, if we hold the foreground. */
void rc_tty_restore(const rc_tty *tty);

/* Keys one by one and unseen, Ctrl-C and Ctrl-Z as ever; what was typed before is dropped. False:
 * there are none to be had. The modes come back with rc_tty_keys_end, and also when the process
 * crashes meanwhile. */
bool rc_tty_keys_begin(rc_tty *tty);
void rc_tty_keys_end(rc_tty *tty);

/* Somebody else may have set the modes meanwhile: they are not touched, and the next begin sets
 * them anew. */
void rc_tty_keys_forget(rc_tty *tty);

/* What was pressed; call it when fd is readable. An arrow or function key begins with the byte of
 * Esc too: what follows it within a moment is looked at. */
rc_keypress rc_tty_read_key(const rc_tty *tty);

#endif
