/* rc_tcp_counts: the kernel's byte counts of a TCP connection that this process opened. */
#ifndef RC_NET_CLIENT_TCP_COUNTS_H
#define RC_NET_CLIENT_TCP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rc_tcp_counts {
    uint64_t acked; /* Bytes that the other system has acknowledged. */
    bool has_end;   /* The other side's FIN has arrived, and all data before it has been read. */
} rc_tcp_counts;

/* Reads the counts with one system call. read_bytes is the number of bytes that the caller has read
 * so far. Returns false if fd is not a TCP connection or the kernel has no counts. */
bool rc_tcp_count(int fd, uint64_t read_bytes, rc_tcp_counts *ret_counts);

#endif
