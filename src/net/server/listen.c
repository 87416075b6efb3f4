/* Listening sockets: opens them and accepts connections. Called by the gateway's loops, the admin
 * server and the mock server; server.c and connection.c call the accept functions. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/server/connection.h"

#define BACKLOG 1024
/* Maximum number of connections that are accepted in one iteration of the loop. */
#define ACCEPTS_A_TURN 64
#define RETRY_MS 100

static rc_listen_result result_of_errno(int error)
{
    switch (error) {
    case EADDRINUSE:
        return RC_LISTEN_IN_USE;
    case EACCES:
    case EPERM:
    case EROFS:
        return RC_LISTEN_DENIED;
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
        return RC_LISTEN_ADDRESS;
    case EBADF:
    case ENOTSOCK:
        return RC_LISTEN_NO_SOCKET;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
        return RC_LISTEN_EXHAUSTED;
    default:
        return RC_LISTEN_OTHER;
    }
}

static rc_listen_result fail(rc_listening *listening, rc_listen_result result, const char *text)
{
    listening->result = result;
    (void)snprintf(listening->text, sizeof(listening->text), "%s", text);
    return result;
}

static rc_listen_result fail_errno(rc_listening *listening)
{
    int error = errno;
    return fail(listening, result_of_errno(error), strerror(error));
}

/* Returns whether accept failed because descriptors or memory are missing. The server then accepts
 * no connections for RETRY_MS, in which descriptors or memory may become free. */
static bool is_exhausted(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

static void on_readable(uv_poll_t *poll, int status, int events);

static void pause_accepting(rc_server *server)
{
    server->stats.accept_pauses++;
    server->is_accept_paused = true;
    for (uint32_t i = 0; i < server->listener_count; i++)
        uv_poll_stop(&server->listeners[i].poll);
}

void rc_listen_resume(rc_server *server)
{
    if (!server->is_accept_paused || server->is_stopping || server->is_refusing)
        return;
    server->is_accept_paused = false;
    server->is_full = false;
    for (uint32_t i = 0; i < server->listener_count; i++)
        uv_poll_start(&server->listeners[i].poll, UV_READABLE, on_readable);
}

void rc_listen_on_retry(uv_timer_t *timer)
{
    rc_listen_resume(timer->data);
}

static bool has_pending(const rc_listener *listener)
{
    struct pollfd polled = {.fd = listener->fd, .events = POLLIN};
    return poll(&polled, 1, 0) > 0;
}

/* Returns whether one more connection may be accepted. If max_connections is reached, one
 * connection is closed (rc_connection_evict). If no connection may be closed, accepting pauses
 * until a connection closes or becomes late with its head; new connections wait in the kernel's
 * queue. */
static bool make_space(const rc_listener *listener)
{
    rc_server *server = listener->server;
    if (server->stats.connections < server->settings.max_connections)
        return true;
    if (!has_pending(listener))
        return false;
    if (rc_connection_evict(server))
        return true;
    server->is_full = true;
    pause_accepting(server);
    const uint64_t wait_ms = rc_connection_evictable_in_ms(server);
    if (wait_ms != UINT64_MAX)
        uv_timer_start(&server->accept_retry, rc_listen_on_retry, wait_ms, 0);
    return false;
}

/* Accepts one connection. Returns false if no connection can be accepted now. */
static bool accept_one(rc_listener *listener)
{
    rc_server *server = listener->server;
    if (!make_space(listener))
        return false;
    struct sockaddr_storage peer;
    socklen_t len = sizeof(peer);
    memset(&peer, 0, sizeof(peer));
    int fd = accept4(listener->fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        server->stats.accepted++;
        return rc_connection_open(server, fd, &peer);
    }
    int error = errno;
    if (error == EAGAIN || error == EWOULDBLOCK)
        return false;
    if (is_exhausted(error)) {
        rc_connection_evict(server);
        pause_accepting(server);
        uv_timer_start(&server->accept_retry, rc_listen_on_retry, RETRY_MS, 0);
        return false;
    }
    return true; /* A connection failed in the kernel's queue; other connections may follow. */
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPTS_A_TURN; i++)
        if (!accept_one(poll->data))
            return;
}

void rc_listen_accept_pending(rc_server *server)
{
    if (server->is_refusing)
        return;
    for (uint32_t i = 0; i < server->listener_count && !server->is_accept_paused; i++)
        for (int n = 0; n < BACKLOG; n++)
            if (!accept_one(&server->listeners[i]))
                break;
}

/* After shutdown the kernel refuses connections at the socket's address. The socket keeps its port,
 * because the port was bound by its number. */
void rc_server_refuse_connections(rc_server *server)
{
    if (server->is_stopping || server->is_refusing)
        return;
    server->is_refusing = true;
    uv_timer_stop(&server->accept_retry);
    for (uint32_t i = 0; i < server->listener_count; i++) {
        uv_poll_stop(&server->listeners[i].poll);
        (void)shutdown(server->listeners[i].fd, SHUT_RD);
    }
    rc_server_close_idle(server);
}

bool rc_server_accept_connections(rc_server *server)
{
    bool does_listen = true;
    if (server->is_stopping || !server->is_refusing)
        return true;
    for (uint32_t i = 0; i < server->listener_count; i++)
        does_listen = listen(server->listeners[i].fd, BACKLOG) == 0 && does_listen;
    server->is_refusing = false;
    server->is_accept_paused = true;
    rc_listen_resume(server);
    return does_listen;
}

static void on_listener_closed(uv_handle_t *handle)
{
    rc_listener *listener = handle->data;
    rc_server *server = listener->server;
    if (listener->path != NULL)
        server->alloc.put(server->alloc.ctx, listener->path, strlen(listener->path) + 1);
    rc_server_handle_closed(server);
}

void rc_listen_close(rc_server *server)
{
    uv_timer_stop(&server->accept_retry);
    for (uint32_t i = 0; i < server->listener_count; i++) {
        rc_listener *listener = &server->listeners[i];
        if (listener->path != NULL)
            (void)unlink(listener->path);
        uv_close((uv_handle_t *)&listener->poll, on_listener_closed);
        (void)close(listener->fd);
    }
    server->listener_count = 0;
}

/* Adds a listening socket. fd, path: takes ownership if the result is true. */
static bool add(rc_server *server, int fd, char *path, rc_listening *listening)
{
    if (server->listener_count >= RC_LISTENERS_MAX) {
        fail(listening, RC_LISTEN_EXHAUSTED, "too many listening sockets");
        return false;
    }
    rc_listener *listener = &server->listeners[server->listener_count];
    int error = uv_poll_init(server->loop, &listener->poll, fd);
    if (error != 0) {
        fail(listening, RC_LISTEN_OTHER, uv_strerror(error));
        return false;
    }
    server->listener_count++;
    server->handles++;
    listener->poll.data = listener;
    listener->server = server;
    listener->fd = fd;
    listener->path = path;
    if (!server->is_accept_paused)
        uv_poll_start(&listener->poll, UV_READABLE, on_readable);
    listening->result = RC_LISTEN_OK;
    return true;
}

static void note_address(int fd, rc_listening *listening)
{
    const rc_listen_address at = rc_listen_address_of_socket(fd);
    in_port_t port = 0;
    if (at.address.base.sa_family == AF_INET)
        port = at.address.v4.sin_port;
    if (at.address.base.sa_family == AF_INET6)
        port = at.address.v6.sin6_port;
    listening->at = at;
    listening->port = ntohs(port);
}

static socklen_t read_address(const char *host, uint16_t port, struct sockaddr_storage *ret_address)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
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

/* Binds and listens. The first socket sets SO_REUSEPORT only after listen, so that bind fails if
 * another process already listens at the address, and of two processes that start at the same time
 * only one succeeds. */
static bool open_tcp(int fd, const struct sockaddr_storage *address, socklen_t len,
                     rc_listen_share share)
{
    const int on = 1;
    /* IPV6_V6ONLY is set explicitly, so that it does not depend on the system's settings whether
     * [::] also serves IPv4. */
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           (share != RC_LISTEN_MORE ||
            setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0) &&
           (address->ss_family != AF_INET6 ||
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
           bind(fd, (const struct sockaddr *)address, len) == 0 && listen(fd, BACKLOG) == 0 &&
           (share != RC_LISTEN_FIRST ||
            setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0);
}

static void set_port(struct sockaddr_storage *address, in_port_t port)
{
    if (address->ss_family == AF_INET)
        ((struct sockaddr_in *)address)->sin_port = port;
    else
        ((struct sockaddr_in6 *)address)->sin6_port = port;
}

/* Opens a socket that holds a free port of the kernel's choice and sets this port in `address`.
 * While the socket is open and does not listen, another socket can be bound to the same port by its
 * number. Returns the socket, or -1 with errno set. */
static int hold_port(struct sockaddr_storage *address, socklen_t len)
{
    const int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(fd, (const struct sockaddr *)address, len) != 0) {
        (void)close(fd);
        return -1;
    }
    const rc_listen_address held = rc_listen_address_of_socket(fd);
    set_port(address, held.address.base.sa_family == AF_INET ? held.address.v4.sin_port
                                                             : held.address.v6.sin6_port);
    return fd;
}

rc_listen_result rc_server_listen_tcp(rc_server *server, const char *host, uint16_t port,
                                      rc_listen_share share, rc_listening *ret_listening)
{
    struct sockaddr_storage address;
    memset(ret_listening, 0, sizeof(*ret_listening));
    memset(&address, 0, sizeof(address));
    socklen_t len = read_address(host, port, &address);
    if (len == 0)
        return fail(ret_listening, RC_LISTEN_ADDRESS, "not an IP address");
    const bool holds_port = share == RC_LISTEN_PAUSABLE && port == 0;
    const int holder = holds_port ? hold_port(&address, len) : -1;
    if (holds_port && holder < 0)
        return fail_errno(ret_listening);
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || !open_tcp(fd, &address, len, share))
        fail_errno(ret_listening);
    else if (add(server, fd, NULL, ret_listening))
        note_address(fd, ret_listening);
    if (fd >= 0 && ret_listening->result != RC_LISTEN_OK)
        (void)close(fd);
    if (holder >= 0)
        (void)close(holder);
    return ret_listening->result;
}

/* Removes the socket file of a process that no longer listens. */
static void remove_stale(const struct sockaddr_un *address)
{
    struct stat found;
    if (lstat(address->sun_path, &found) != 0 || !S_ISSOCK(found.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
        errno == ECONNREFUSED)
        (void)unlink(address->sun_path);
    (void)close(fd);
}

rc_listen_result rc_server_listen_unix(rc_server *server, const char *path, unsigned mode,
                                       rc_listening *ret_listening)
{
    memset(ret_listening, 0, sizeof(*ret_listening));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path) + 1;
    if (size < 2 || size > sizeof(address.sun_path))
        return fail(ret_listening, RC_LISTEN_ADDRESS, "the path is empty or too long");
    memcpy(address.sun_path, path, size);
    char *copy = server->alloc.get(server->alloc.ctx, size);
    if (copy == NULL)
        return fail(ret_listening, RC_LISTEN_EXHAUSTED, "no memory");
    memcpy(copy, path, size);
    remove_stale(&address);
    bool is_bound = false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        fail_errno(ret_listening);
    } else {
        is_bound = true;
        /* chmod precedes listen, because a client can connect only after listen. */
        if (chmod(path, mode) != 0 || listen(fd, BACKLOG) != 0)
            fail_errno(ret_listening);
        else if (add(server, fd, copy, ret_listening))
            return RC_LISTEN_OK;
    }
    if (is_bound)
        (void)unlink(path);
    if (fd >= 0)
        (void)close(fd);
    server->alloc.put(server->alloc.ctx, copy, size);
    return ret_listening->result;
}

rc_listen_result rc_server_listen_fd(rc_server *server, int fd, rc_listening *ret_listening)
{
    memset(ret_listening, 0, sizeof(*ret_listening));
    int does_listen = 0;
    socklen_t len = sizeof(does_listen);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &does_listen, &len) != 0)
        return fail_errno(ret_listening);
    if (!does_listen)
        return fail(ret_listening, RC_LISTEN_NO_SOCKET, "the socket does not listen");
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return fail_errno(ret_listening);
    if (add(server, fd, NULL, ret_listening))
        note_address(fd, ret_listening);
    return ret_listening->result;
}

bool rc_server_adopt(rc_server *server, int fd)
{
    const struct sockaddr_storage peer = {.ss_family = AF_UNIX};
    if (server->wants_stop) {
        (void)close(fd);
        return false;
    }
    server->stats.accepted++;
    return rc_connection_open(server, fd, &peer);
}
