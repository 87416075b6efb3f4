/* rc_terminal: the display capabilities of an output descriptor. */
#ifndef RC_SYS_TERMINAL_H
#define RC_SYS_TERMINAL_H

#include <stdbool.h>

#include "sys/calls.h"

#define RC_TERMINAL_WIDTH_DEFAULT 80

typedef struct rc_terminal {
    bool is_tty;
    /* The first of LC_ALL, LC_CTYPE and LANG that is set selects UTF-8. `has_utf8` is valid for all
     * descriptors, not only for terminals. */
    bool has_utf8;
    bool can_redraw; /* The descriptor is a terminal, and TERM is set and not "dumb". */
    bool has_colour; /* can_redraw, and NO_COLOR is unset or empty. */
    unsigned width;  /* Width in columns: the value of COLUMNS or, if it is not set, the terminal's
                      * own width or 80. */
} rc_terminal;

/* Determines the properties of fd from the descriptor and the environment. */
rc_terminal rc_terminal_get(const rc_sys_calls *calls, int fd);

#endif
