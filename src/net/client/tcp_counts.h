/* What the system has counted on a TCP connection that was opened from here. */
#ifndef RC_NET_CLIENT_TCP_COUNTS_H
#define RC_NET_CLIENT_TCP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rc_tcp_counts {
    uint64_t acked; /* bytes that the peer's system has acknowledged */
    bool has_end;   /* the peer's end (FIN) has come, and nothing that was not read before it */
} rc_tcp_counts;

/* read_bytes: how many were read so far. False: it is no TCP connection, or the system does not
 * count. One system call. */
bool rc_tcp_count(int fd, uint64_t read_bytes, rc_tcp_counts *ret_counts);

#endif
