/* rc_terminal: what the output descriptor can display. */
#ifndef RC_SYS_TERMINAL_H
#define RC_SYS_TERMINAL_H

#include <stdbool.h>

#include "sys/calls.h"

#define RC_TERMINAL_WIDTH_DEFAULT 80

typedef struct rc_terminal {
    bool is_tty;
    bool has_utf8; /* UTF-8 by the first set variable of LC_ALL, LC_CTYPE, LANG; also for pipes. */
    bool can_redraw; /* A terminal whose TERM is set and not "dumb": a line can be drawn again. */
    bool has_colour; /* The same, and NO_COLOR is unset or empty. */
    unsigned width;  /* COLUMNS, else the terminal's own, else 80. */
} rc_terminal;

/* Inspects fd and the environment. */
rc_terminal rc_terminal_get(const rc_sys_calls *calls, int fd);

#endif
