/* Byte counts of a TCP connection, from TCP_INFO. Called by link.c. */
#include "net/client/tcp_counts.h"

#include <stddef.h>
#include <sys/socket.h>

#include <linux/tcp.h> /* This header has more fields than <netinet/tcp.h>, with which it
                        * conflicts. */
#include <netinet/in.h>

/* Reads the counts from TCP_INFO. The kernel counts this side's SYN as one acknowledged byte, and
 * the server's FIN as one received byte. */
bool rc_tcp_count(int fd, uint64_t read_bytes, rc_tcp_counts *ret_counts)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_segs_out) || info.tcpi_bytes_acked == 0)
        return false;
    *ret_counts = (rc_tcp_counts){
        .acked = info.tcpi_bytes_acked - 1,
        .has_end = info.tcpi_bytes_received == read_bytes + 1,
    };
    return true;
}
