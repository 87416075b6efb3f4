/* Checks of what a gateway needs from the machine; they change nothing. The functions return 0 or
 * the errno number. */
#ifndef RC_SYS_PROBE_H
#define RC_SYS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Free bytes on the file system of path. path: borrows. */
int rc_probe_free_bytes(const char *path, uint64_t *ret_bytes);

/* Whether files can be created in that folder. 0: yes. */
int rc_probe_folder(const char *path);

/* The hard limit of open descriptors of a process. */
int rc_probe_files_max(uint64_t *ret_count);

/* Whether a server could listen at this address now. No client can connect meanwhile. EADDRINUSE:
 * another one listens. host: an address, or localhost; borrows. */
int rc_probe_port(const char *host, uint16_t port);

#endif
