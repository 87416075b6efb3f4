/* Checks of the machine that change nothing. Called by the doctor. */
#define _GNU_SOURCE
#include "sys/probe.h"

#include <errno.h>
#include <string.h>

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

int rc_probe_free_bytes(const char *path, uint64_t *ret_bytes)
{
    struct statvfs facts;
    if (statvfs(path, &facts) != 0)
        return errno;
    *ret_bytes = (uint64_t)facts.f_bavail * facts.f_frsize;
    return 0;
}

int rc_probe_folder(const char *path)
{
    return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

int rc_probe_files_max(uint64_t *ret_count)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return errno;
    *ret_count = files.rlim_max == RLIM_INFINITY ? UINT64_MAX : files.rlim_max;
    return 0;
}

static socklen_t read_address(const char *host, uint16_t port, struct sockaddr_storage *ret_address)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    memset(ret_address, 0, sizeof(*ret_address));
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
        memcpy(ret_address, &v4, sizeof(v4));
        return sizeof(v4);
    }
    if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
        memcpy(ret_address, &v6, sizeof(v6));
        return sizeof(v6);
    }
    return 0;
}

/* Binds a socket to the address but does not listen. Because of SO_REUSEADDR, the bound socket does
 * not disturb other processes. */
int rc_probe_port(const char *host, uint16_t port)
{
    struct sockaddr_storage address;
    const int on = 1;
    const socklen_t len = read_address(host, port, &address);
    if (len == 0)
        return EADDRNOTAVAIL;
    const int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    int error = 0;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        (address.ss_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0) ||
        bind(fd, (const struct sockaddr *)&address, len) != 0)
        error = errno;
    (void)close(fd);
    return error;
}
