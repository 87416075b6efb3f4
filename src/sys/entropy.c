/* Random bytes from the system. Called by the gateway, the store, the commands and output.c. */
#include "sys/entropy.h"

#include <errno.h>

bool rc_entropy_get(const rc_sys_calls *calls, void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = calls->getrandom((char *)bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}
