/* The end that waits for nobody. A thread that hangs in the store's disk can be neither asked nor
 * joined: this one only looks whether the process is still there. */
#include <pthread.h>
#include <unistd.h>
#include <uv.h>

#include "cli/serve_private.h"

/* For what is nearly done. */
#define PATIENCE_MS 2000

static void *end_all(void *unused)
{
    static const char words[] =
        "recourse serve: the store does not answer; ended without it. Requests that were answered "
        "while it was down may be missing from the audit. Check the store: its disk, its locks.\n";
    (void)unused;
    uv_sleep(PATIENCE_MS);
    const ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    (void)written; /* there is nobody left to tell */
    _exit(RC_EXIT_IO);
}

void rc_serve_force(void)
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
