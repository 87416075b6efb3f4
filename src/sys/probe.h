/* Checks the resources of the machine that a gateway needs. The functions change nothing and return
 * 0 or the errno number. */
#ifndef RC_SYS_PROBE_H
#define RC_SYS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Determines the free bytes on the file system of `path`. path: borrows during the call. */
int rc_probe_free_bytes(const char *path, uint64_t *ret_bytes);

/* Checks whether files can be created in the folder `path`. Returns 0 if they can. */
int rc_probe_folder(const char *path);

/* Determines the hard limit of open descriptors of this process. */
int rc_probe_files_max(uint64_t *ret_count);

/* Checks whether a server could listen at this address. Clients cannot connect to the address
 * during the check, because no socket listens. Returns EADDRINUSE if another process listens there.
 * `host` is an IP address or "localhost". host: borrows during the call. */
int rc_probe_port(const char *host, uint16_t port);

#endif
