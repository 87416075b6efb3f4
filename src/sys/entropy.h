/* Unpredictable random bytes from the system. */
#ifndef RC_SYS_ENTROPY_H
#define RC_SYS_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/calls.h"

/* Fills `bytes` with `size` random bytes. Returns false if the system provides no random bytes;
 * `bytes` must then not be used. bytes: borrows during the call. */
bool rc_entropy_get(const rc_sys_calls *calls, void *bytes, size_t size);

#endif
