/* Forced end of the process: a detached thread ends the process after a grace period even if
 * another thread hangs in a write to the disk of the store and cannot be joined. Called by
 * signals.c. */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <uv.h>

#include "cli/serve/run.h"

/* Time for the other threads to end by themselves. */
#define GRACE_MS 2000

/* Writes the message only if stderr is writable immediately, because a full pipe must not block the
 * end of the process. */
static void write_message(void)
{
    static const char text[] = "recourse serve: the store does not respond; the gateway ended "
                               "without it. Requests that ended during the outage may be missing "
                               "from the audit. Check the store's disk and locks.\n";
    struct pollfd polled = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&polled, 1, 0) <= 0)
        return;
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* A failed write cannot be reported anywhere. */
}

static void *end_all(void *unused)
{
    (void)unused;
    uv_sleep(GRACE_MS);
    write_message();
    _exit(RC_EXIT_IO);
}

void rc_serve_force_end(void)
{
    pthread_t thread;
    pthread_attr_t detached;
    if (pthread_attr_init(&detached) != 0)
        return;
    (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    /* If the thread cannot be created, the process ends when the hanging disk write returns. */
    (void)pthread_create(&thread, &detached, end_all, NULL);
    (void)pthread_attr_destroy(&detached);
}
