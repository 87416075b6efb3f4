/* Lists the child processes of this process from the kernel's list, because the kernel does not
 * notify a process that adopts an orphan. Called through rc_sys_calls. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "sys/calls.h"

/* Adds `pid` to the list if it is in our session. A process in a session of its own has detached
 * itself on purpose. */
static size_t add_if_in_session(pid_t pid, pid_t session, pid_t *ret_pids, size_t count, size_t max)
{
    if (pid <= 0 || count >= max || getsid(pid) != session)
        return count;
    ret_pids[count] = pid;
    return count + 1;
}

int rc_sys_children(pid_t *ret_pids, size_t max)
{
    char piece[1024];
    size_t count = 0;
    pid_t pid = 0;
    pid_t session = getsid(0);
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, piece, sizeof(piece));
    for (; got > 0; got = read(fd, piece, sizeof(piece))) {
        for (ssize_t i = 0; i < got; i++) {
            if (piece[i] >= '0' && piece[i] <= '9') {
                pid = pid * 10 + (piece[i] - '0');
                continue;
            }
            count = add_if_in_session(pid, session, ret_pids, count, max);
            pid = 0;
        }
    }
    close(fd);
    return (int)add_if_in_session(pid, session, ret_pids, count, max);
}
