/* Bytes that nobody can guess. */
#ifndef RC_SYS_ENTROPY_H
#define RC_SYS_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/calls.h"

/* Fills bytes. False when the system gives none; bytes are then not to be used. bytes: borrows. */
bool rc_entropy_get(const rc_sys_calls *calls, void *bytes, size_t size);

#endif
