/* rc_sys_calls: every system call and every fact of the surroundings that the command uses, as a
 * table.
 *
 * Whoever needs one takes the table as a parameter. The command passes rc_sys_real; a test passes
 * its own, in which the Nth call fails, reads come in pieces or the clock stands still. The
 * functions have the meaning of their namesakes: -1 and errno on failure. */
#ifndef RC_SYS_CALLS_H
#define RC_SYS_CALLS_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

typedef struct rc_sys_calls {
    int (*open_read)(const char *path); /* open for reading, close-on-exec */
    ssize_t (*read)(int fd, void *buf, size_t size);
    ssize_t (*write)(int fd, const void *buf, size_t size);
    int (*close)(int fd);
    int (*isatty)(int fd);
    int (*columns)(int fd); /* the terminal's width; 0 or -1 when it is not known */
    int (*clock_realtime)(struct timespec *ret_time);
    int (*utc_offset_s)(time_t at); /* of the local time zone at that time */
    ssize_t (*getrandom)(void *buf, size_t size);
    const char *(*getenv)(const char *name);
} rc_sys_calls;

extern const rc_sys_calls rc_sys_real;

#endif
