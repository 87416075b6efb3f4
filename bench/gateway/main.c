/* Both ends of the gateway benchmark in one process: providers, one per port, and clients. Prints
 * its ports, then executes each line of its input and prints one line of JSON for it.
 *
 *   load  port=N clients=N requests=N request=FILE      until all requests have a response
 *   open  port=N clients=N request=FILE [service=NAME] [stalled=1]
 *                                                        streams that stay open; with service,
 *                                                        until the provider has all requests
 *   leave service=NAME [wait_ms=N]                       closes them, until the provider saw it
 *   pace  [chunks=N] [interval_us=N] [flood_bytes=N]     sets the pace of the streams
 *   stats
 *
 * compare.py controls this program and prints the table. */
#include "load.h"
#include "upstream.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#define WAIT_MAX_NS UINT64_C(60000000000)

typedef struct bench {
    bench_watch input;
    bench_loop loop;
    bench_upstream upstream;
    bench_load held;
    char line[1024];
    size_t line_len;
    bool is_over;
} bench;

/* Copies the value of NAME=, up to a space; returns NULL if it is missing. */
static const char *value_of(const char *line, const char *name, char *to, size_t capacity)
{
    size_t len = strlen(name);
    for (const char *at = strstr(line, name); at != NULL; at = strstr(at + 1, name)) {
        if (at == line || at[-1] != ' ' || at[len] != '=')
            continue;
        size_t value_len = strcspn(at + len + 1, " \n");
        if (value_len >= capacity)
            return NULL;
        memcpy(to, at + len + 1, value_len);
        to[value_len] = '\0';
        return to;
    }
    return NULL;
}

static uint64_t number_of(const char *line, const char *name, uint64_t otherwise)
{
    char text[32];
    return value_of(line, name, text, sizeof text) != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* Gives the file's bytes, or NULL. */
static char *read_file(const char *path, size_t *ret_len)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size_t capacity = UINT64_C(1) << 22;
    char *bytes = malloc(capacity);
    *ret_len = bytes != NULL ? fread(bytes, 1, capacity, file) : 0;
    fclose(file);
    return bytes;
}

static bool service_of(const char *line, bench_service *ret_service)
{
    char name[32];
    if (value_of(line, "service", name, sizeof name) == NULL)
        return false;
    for (bench_service service = 0; service < BENCH_SERVICES; service++) {
        if (strcmp(name, bench_service_name(service)) == 0) {
            *ret_service = service;
            return true;
        }
    }
    return false;
}

static void step(bench *b, uint64_t until_ns)
{
    bench_upstream_step(&b->upstream);
    if (b->loop.wake_at_ns > until_ns)
        b->loop.wake_at_ns = until_ns;
    bench_loop_step(&b->loop);
}

/* The common part of load and open. The request belongs to the load and must be freed after it. */
static bool begin(bench *b, bench_load *load, const char *line)
{
    char path[512];
    uint32_t clients = (uint32_t)number_of(line, "clients", 1);
    if (value_of(line, "request", path, sizeof path) == NULL ||
        (load->request = read_file(path, &load->request_len)) == NULL)
        return false;
    load->requests = number_of(line, "requests", clients);
    return bench_load_begin(load, &b->loop, (int)number_of(line, "port", 0), clients);
}

static void end(bench_load *load)
{
    char *request = (char *)load->request;
    bench_load_done(load);
    free(request);
}

static void print_load(bench_load *load, uint64_t wall_ns)
{
    printf("{\"good\":%llu,\"bad\":%llu,\"bad_status\":%d,\"bad_errno\":%d,\"body_bytes\":%llu,"
           "\"begun_bodies\":%llu,"
           "\"wall_s\":%.6f,\"p50_us\":%.2f,\"p99_us\":%.2f}\n",
           (unsigned long long)load->good, (unsigned long long)load->bad, load->bad_status,
           load->bad_errno, (unsigned long long)load->body_bytes,
           (unsigned long long)load->begun_bodies, (double)wall_ns / 1e9,
           bench_load_percentile_us(load, 50), bench_load_percentile_us(load, 99));
}

static void run_load(bench *b, const char *line)
{
    bench_load load = {0};
    uint64_t since_ns = bench_clock_ns();
    if (!begin(b, &load, line)) {
        printf("{\"error\":\"load could not begin\"}\n");
        end(&load);
        return;
    }
    while (!bench_load_is_over(&load) && bench_clock_ns() < since_ns + WAIT_MAX_NS)
        step(b, since_ns + WAIT_MAX_NS);
    print_load(&load, bench_clock_ns() - since_ns);
    end(&load);
}

static void run_open(bench *b, const char *line)
{
    bench_service service = BENCH_SERVICES;
    bool is_unanswered = service_of(line, &service);
    uint64_t before = is_unanswered ? b->upstream.counts[service].requests : 0;
    uint64_t until_ns = bench_clock_ns() + WAIT_MAX_NS;
    end(&b->held);
    b->held.is_held = true;
    b->held.is_stalled = number_of(line, "stalled", 0) != 0;
    if (!begin(b, &b->held, line)) {
        printf("{\"error\":\"open could not begin\"}\n");
        end(&b->held);
        return;
    }
    for (;;) {
        uint64_t there =
            is_unanswered ? b->upstream.counts[service].requests - before : b->held.begun_bodies;
        if (there + b->held.bad >= b->held.requests || bench_clock_ns() >= until_ns)
            break;
        step(b, until_ns);
    }
    print_load(&b->held, 0);
}

static void run_leave(bench *b, const char *line)
{
    bench_service service;
    if (!service_of(line, &service)) {
        printf("{\"error\":\"leave which service?\"}\n");
        return;
    }
    const bench_counts *counts = &b->upstream.counts[service];
    uint64_t open = b->held.requests;
    uint64_t gone_before = counts->gone;
    uint64_t since_ns = bench_clock_ns();
    uint64_t until_ns = since_ns + number_of(line, "wait_ms", 3000) * 1000000;
    end(&b->held);
    while (counts->gone - gone_before < open && bench_clock_ns() < until_ns)
        step(b, until_ns);
    uint64_t gone = counts->gone - gone_before;
    printf("{\"open\":%llu,\"gone\":%llu,\"last_ms\":%.3f}\n", (unsigned long long)open,
           (unsigned long long)gone,
           gone > 0 ? (double)(counts->last_gone_ns - since_ns) / 1e6 : -1.0);
}

static void run_pace(bench *b, const char *line)
{
    bench_upstream *u = &b->upstream;
    u->sse_chunks = (uint32_t)number_of(line, "chunks", u->sse_chunks);
    u->sse_interval_ns = number_of(line, "interval_us", u->sse_interval_ns / 1000) * 1000;
    u->flood_bytes = number_of(line, "flood_bytes", u->flood_bytes);
    printf("{}\n");
}

static void run_stats(const bench *b)
{
    for (bench_service service = 0; service < BENCH_SERVICES; service++) {
        const bench_counts *c = &b->upstream.counts[service];
        printf("%s\"%s\":{\"requests\":%llu,\"renamed\":%llu,\"request_bytes\":%llu,"
               "\"chunks\":%llu,\"body_bytes\":%llu,\"failed_writes\":%llu,\"connections\":%llu,"
               "\"open\":%llu,\"gone\":%llu}",
               service == 0 ? "{" : ",", bench_service_name(service),
               (unsigned long long)c->requests, (unsigned long long)c->renamed,
               (unsigned long long)c->request_bytes, (unsigned long long)c->chunks,
               (unsigned long long)c->body_bytes, (unsigned long long)c->failed_writes,
               (unsigned long long)c->connections, (unsigned long long)c->open,
               (unsigned long long)c->gone);
    }
    printf("}\n");
}

static void run(bench *b, const char *line)
{
    if (strncmp(line, "load ", 5) == 0)
        run_load(b, line);
    else if (strncmp(line, "open ", 5) == 0)
        run_open(b, line);
    else if (strncmp(line, "leave ", 6) == 0)
        run_leave(b, line);
    else if (strncmp(line, "pace ", 5) == 0)
        run_pace(b, line);
    else if (strncmp(line, "stats", 5) == 0)
        run_stats(b);
    else
        printf("{\"error\":\"no such command\"}\n");
    fflush(stdout);
}

/* Reads one line at a time: the controlling process waits for each result. */
static void on_input(bench_watch *watch, uint32_t events)
{
    (void)events;
    bench *b = (bench *)watch;
    ssize_t got = read(watch->fd, b->line + b->line_len, sizeof b->line - 1 - b->line_len);
    if (got <= 0)
        b->is_over = true;
    else
        b->line_len += (size_t)got;
}

int main(int argc, char **argv)
{
    static bench b = {.input = {.fd = STDIN_FILENO, .on_ready = on_input}};
    struct rlimit files;
    signal(SIGPIPE, SIG_IGN);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (argc != 1 && argc != 3) {
        fprintf(stderr, "Usage: bench_gateway [CERTIFICATE KEY]\n");
        return 64;
    }
    if (!bench_loop_init(&b.loop) ||
        !bench_upstream_init(&b.upstream, &b.loop, argc == 3 ? argv[1] : NULL,
                             argc == 3 ? argv[2] : NULL) ||
        !bench_loop_add(&b.loop, &b.input, EPOLLIN))
        return 1;
    for (bench_service service = 0; service < BENCH_SERVICES; service++)
        printf("%s\"%s\":%d", service == 0 ? "{" : ",", bench_service_name(service),
               b.upstream.ports[service]);
    printf("}\n");
    fflush(stdout);
    while (!b.is_over) {
        step(&b, UINT64_MAX);
        if (b.line_len == 0 || b.line[b.line_len - 1] != '\n')
            continue;
        b.line[b.line_len] = '\0';
        b.line_len = 0;
        run(&b, b.line);
    }
    end(&b.held);
    return 0;
}
