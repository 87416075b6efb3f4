/* What of the machine a gateway depends on, asked without changing anything. Every function gives
 * 0, or the errno number of what went wrong. */
#ifndef RC_SYS_PROBE_H
#define RC_SYS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that we may still write where path is. path: borrows. */
int rc_probe_free_bytes(const char *path, uint64_t *ret_bytes);

/* May we make files in that folder? 0: yes. */
int rc_probe_folder(const char *path);

/* Descriptors that a process of ours may have at most, once it asks for them. */
int rc_probe_files_max(uint64_t *ret_count);

/* Could somebody listen at this address now? Nobody can connect meanwhile. EADDRINUSE: somebody
 * does. host: an address, or localhost; borrows. */
int rc_probe_port(const char *host, uint16_t port);

#endif
