/* What the place that text goes to can show. */
#ifndef RC_SYS_TERMINAL_H
#define RC_SYS_TERMINAL_H

#include <stdbool.h>

#include "sys/calls.h"

#define RC_TERMINAL_WIDTH_DEFAULT 80

typedef struct rc_terminal {
    bool is_tty;
    bool has_utf8; /* by LC_ALL, LC_CTYPE or LANG, the first that is set; pipes too: it is what the
                      reader expects */
    bool has_colour; /* a terminal that is not dumb, and NO_COLOR is unset or empty */
    unsigned width;  /* COLUMNS, else the terminal's own, else 80 */
} rc_terminal;

rc_terminal rc_terminal_get(const rc_sys_calls *calls, int fd);

#endif
