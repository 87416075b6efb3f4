/* The clients of the gateway benchmark. Called by main.c. */
#include "load.h"

#include "message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536
#define SMALL_BUFFER_BYTES 4096

struct bench_client {
    bench_watch watch;
    bench_load *load;
    uint32_t number;
    bool is_busy;
    bool is_writing; /* The socket accepted only a part of the request. */
    size_t sent;
    uint64_t since_ns;
    bench_message response;
};

static bool client_new(bench_load *load, uint32_t number);

static void client_close(bench_client *client)
{
    client->load->clients[client->number] = NULL;
    bench_loop_close(client->load->loop, &client->watch);
}

static void on_failed(bench_client *client, int why)
{
    bench_load *load = client->load;
    uint32_t number = client->number;
    bool was_busy = client->is_busy;
    if (was_busy) {
        load->bad++;
        load->bad_status = client->response.status;
        load->bad_errno = why;
    }
    client_close(client);
    if (was_busy && !load->is_held && load->begun < load->requests)
        client_new(load, number);
}

/* Sends the rest of the request. */
static void client_write(bench_client *client)
{
    bench_load *load = client->load;
    while (client->sent < load->request_len) {
        ssize_t sent = send(client->watch.fd, load->request + client->sent,
                            load->request_len - client->sent, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            client->is_writing = true;
            bench_loop_change(load->loop, &client->watch, EPOLLIN | EPOLLOUT);
            return;
        }
        if (sent < 0) {
            on_failed(client, errno);
            return;
        }
        client->sent += (size_t)sent;
    }
    if (client->is_writing) {
        client->is_writing = false;
        bench_loop_change(load->loop, &client->watch, EPOLLIN);
    }
}

static void client_begin(bench_client *client)
{
    bench_load *load = client->load;
    if (load->begun == load->requests)
        return;
    load->begun++;
    bench_message_reset(&client->response);
    client->is_busy = true;
    client->sent = 0;
    client->since_ns = bench_clock_ns();
    client_write(client);
}

static void on_response(bench_client *client)
{
    bench_load *load = client->load;
    uint32_t number = client->number;
    uint64_t took_ns = bench_clock_ns() - client->since_ns;
    client->is_busy = false;
    load->body_bytes += client->response.body_bytes;
    if (client->response.status == 200) {
        load->good++;
        load->latencies_ns[load->latency_count++] =
            took_ns < UINT32_MAX ? (uint32_t)took_ns : UINT32_MAX;
    } else {
        load->bad++;
        load->bad_status = client->response.status;
    }
    if (client->response.is_closing) {
        client_close(client);
        if (load->begun < load->requests)
            client_new(load, number);
        return;
    }
    client_begin(client);
}

static void on_bytes(bench_client *client, const char *bytes, size_t len)
{
    bench_load *load = client->load;
    uint64_t before = client->response.body_bytes;
    size_t taken = bench_message_push(&client->response, bytes, len);
    if (before == 0 && client->response.body_bytes > 0) {
        load->begun_bodies++;
        if (load->is_stalled)
            bench_loop_change(load->loop, &client->watch, 0);
    }
    if (client->response.state == BENCH_WRONG || (taken < len && client->is_busy))
        on_failed(client, EBADMSG);
    else if (client->response.state == BENCH_WHOLE)
        on_response(client);
}

static void on_end(bench_client *client)
{
    if (client->response.state != BENCH_UNTIL_CLOSE) {
        on_failed(client, 0);
        return;
    }
    client->response.is_closing = true;
    on_response(client);
}

static void on_ready(bench_watch *watch, uint32_t events)
{
    static char bytes[READ_BYTES];
    bench_client *client = (bench_client *)watch;
    if ((events & EPOLLOUT) != 0)
        client_write(client);
    if (watch->fd < 0 || (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0)
        return;
    ssize_t got = recv(watch->fd, bytes, sizeof bytes, 0);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got < 0)
        on_failed(client, errno);
    else if (got == 0)
        on_end(client);
    else
        on_bytes(client, bytes, (size_t)got);
}

static int connect_to(int port, bool is_small)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int on = 1;
    int small = SMALL_BUFFER_BYTES;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (is_small)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool client_new(bench_load *load, uint32_t number)
{
    bench_client *client = calloc(1, sizeof *client);
    if (client == NULL)
        return false;
    client->watch =
        (bench_watch){.fd = connect_to(load->port, load->is_stalled), .on_ready = on_ready};
    client->load = load;
    client->number = number;
    client->response.is_response = true;
    if (client->watch.fd < 0 || !bench_loop_add(load->loop, &client->watch, EPOLLIN)) {
        free(client);
        return false;
    }
    load->clients[number] = client;
    /* While the socket is connecting, the write fails with EAGAIN and is repeated when it is
     * writable. */
    client_begin(client);
    return true;
}

bool bench_load_begin(bench_load *load, bench_loop *loop, int port, uint32_t clients)
{
    load->loop = loop;
    load->port = port;
    load->client_count = clients;
    load->clients = calloc(clients, sizeof(bench_client *));
    load->latencies_ns = calloc(load->requests, sizeof(uint32_t));
    if (load->clients == NULL || load->latencies_ns == NULL)
        return false;
    for (uint32_t i = 0; i < clients; i++) {
        if (!client_new(load, i))
            return false;
    }
    return true;
}

bool bench_load_is_over(const bench_load *load)
{
    return load->good + load->bad == load->requests;
}

void bench_load_done(bench_load *load)
{
    for (uint32_t i = 0; load->clients != NULL && i < load->client_count; i++) {
        if (load->clients[i] != NULL)
            client_close(load->clients[i]);
    }
    free(load->clients);
    free(load->latencies_ns);
    *load = (bench_load){0};
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

double bench_load_percentile_us(bench_load *load, double percent)
{
    if (load->latency_count == 0)
        return 0;
    qsort(load->latencies_ns, load->latency_count, sizeof(uint32_t), compare);
    uint64_t at = (uint64_t)((double)(load->latency_count - 1) * percent / 100);
    return (double)load->latencies_ns[at] / 1000;
}
