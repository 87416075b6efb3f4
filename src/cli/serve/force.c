/* The end that waits for nobody. A thread that hangs in the store's disk can be neither asked nor
 * joined: this one only looks whether the process is still there. */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <uv.h>

#include "cli/serve/run.h"

/* For what is nearly done. */
#define GRACE_MS 2000

/* A pipe that nobody reads keeps nobody here: one that can be written to takes it all at once. */
static void write_message(void)
{
    static const char text[] =
        "recourse serve: the store does not answer; ended without it. Requests that were answered "
        "while it was down may be missing from the audit. Check the store: its disk, its locks.\n";
    struct pollfd polled = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&polled, 1, 0) <= 0)
        return;
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* there is nobody left to tell */
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
    /* Without it the end takes as long as the store does. */
    (void)pthread_create(&thread, &detached, end_all, NULL);
    (void)pthread_attr_destroy(&detached);
}
