/* Measures the time to read a large audit store: bench_audit [OPERATIONS [FILE]]. Fills a store
 * unless the file exists (which is then kept), and runs the command as a user would: each line is
 * one run of `recourse audit`, including the opening of the store. "cold": the system's cache of
 * the file was dropped before. The store spans ten days; "day" is the last of them. Goals are for
 * CPU time, because elapsed time depends on the load of the machine. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <recourse/stdlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../tests/support/audit_fill.h"
#include "cli/cli.h"
#include "store/operation_key.h"
#include "sys/file.h"

#define OPERATIONS 300000
#define DAY_MS INT64_C(86400000)
#define RUNS 5
#define ARGS_MAX 16
#define RSS_GOAL_MB 200.0

static double seconds(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- store --- */

static bool make(const char *url, const rc_alloc *alloc, uint64_t count, int64_t end_unix_ms)
{
    static fill f;
    rc_store *store = NULL;
    rc_store_fault fault;
    const rc_store_settings settings = {.mode = RC_STORE_WRITE};
    const double start = seconds(CLOCK_MONOTONIC);
    bool is_made = rc_store_open(rc_str_c(url), &settings, alloc, &store, &fault);
    if (is_made) {
        fill_init(&f, store, alloc, 1);
        is_made = fill_run(&f, count, end_unix_ms - 10 * DAY_MS, end_unix_ms, &fault);
    }
    rc_store_close(store);
    if (!is_made)
        fprintf(stderr, "%s\n", fault.detail);
    else
        printf("filled with %llu operations in %.1f s\n", (unsigned long long)count,
               seconds(CLOCK_MONOTONIC) - start);
    return is_made;
}

static void drop_cache(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    fdatasync(fd);
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
}

/* --- runs of the command --- */

static size_t written;

static ssize_t swallow(int fd, const void *bytes, size_t size)
{
    if (fd != RC_FD_STDOUT)
        return write(fd, bytes, size);
    written += size;
    return (ssize_t)size;
}

static int keep_open(int fd)
{
    return fd == RC_FD_STDOUT ? 0 : close(fd);
}

typedef struct timing {
    double wall_s;
    double cpu_s;
} timing;

static timing run(const char *const *args)
{
    rc_sys_calls calls = rc_sys_real;
    const rc_alloc alloc = rc_alloc_stdlib();
    const char *argv[ARGS_MAX + 1] = {"recourse", "audit"};
    int argc = 2;
    for (; args[argc - 2] != NULL && argc < ARGS_MAX; argc++)
        argv[argc] = args[argc - 2];
    calls.write = swallow;
    calls.close = keep_open;
    const timing start = {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
    rc_cli cli;
    rc_cli_init(&cli, &calls, &alloc);
    const int result = rc_cli_main(&cli, argc, argv);
    rc_cli_done(&cli);
    const timing took = {seconds(CLOCK_MONOTONIC) - start.wall_s,
                         seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu_s};
    if (result != 0)
        exit(1);
    return took;
}

static double peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* Prints the best of several runs and the first run with a cold cache, in milliseconds. */
static void measure(const char *path, const char *name, double goal_s, int runs,
                    const char *const *args)
{
    drop_cache(path);
    const timing cold = run(args);
    timing best = run(args);
    for (int i = 1; i < runs; i++) {
        const timing took = run(args);
        best.wall_s = took.wall_s < best.wall_s ? took.wall_s : best.wall_s;
        best.cpu_s = took.cpu_s < best.cpu_s ? took.cpu_s : best.cpu_s;
    }
    printf("%-34s %9.1f ms  cpu %9.1f ms  cold %9.1f ms", name, best.wall_s * 1e3, best.cpu_s * 1e3,
           cold.wall_s * 1e3);
    if (goal_s > 0)
        printf("  goal %.0f ms: %s", goal_s * 1e3, best.cpu_s <= goal_s ? "met" : "MISSED");
    printf("\n");
    fflush(stdout);
}

/* --- one operation in the middle --- */

typedef struct picked {
    char id[RC_ID_LEN + 1];
    char report[RC_ID_LEN + 1];
} picked;

static bool pick(void *ctx, const rc_record *operation)
{
    picked *p = ctx;
    memcpy(p->id, operation->operation_id.ptr, RC_ID_LEN);
    if (operation->report_id.len > 0)
        memcpy(p->report, operation->report_id.ptr, operation->report_id.len);
    return false;
}

static picked pick_failed(const char *url, const rc_alloc *alloc, int64_t until_unix_ms)
{
    picked p = {{0}, {0}};
    rc_store *store = NULL;
    rc_store_fault fault;
    const rc_store_settings settings = {.mode = RC_STORE_READ};
    const rc_store_query query = {
        .filter = {.until_unix_ms = until_unix_ms,
                   .has_outcome = true,
                   .outcome = RC_OUTCOME_FAILED},
        .limit = 1,
    };
    if (rc_store_open(rc_str_c(url), &settings, alloc, &store, &fault))
        (void)rc_store_list(store, &query, pick, &p, &fault);
    rc_store_close(store);
    return p;
}

static void measure_all(const char *path, const picked *p, const char *day)
{
    const char *s = "--store";
    measure(path, "show, by id", 0.05, RUNS, (const char *[]){"show", p->id, s, path, NULL});
    measure(path, "show, by report id", 0.05, RUNS,
            (const char *[]){"show", p->report, s, path, NULL});
    char prefix[24];
    snprintf(prefix, sizeof(prefix), "%.20s", p->id);
    measure(path, "show, by a beginning", 0.05, RUNS,
            (const char *[]){"show", prefix, s, path, "--format", "json", NULL});
    measure(path, "list, newest 20", 0, RUNS, (const char *[]){"list", s, path, NULL});
    measure(path, "list, failed", 0, RUNS,
            (const char *[]){"list", s, path, "--outcome", "failed", NULL});
    measure(path, "list, recovered", 0, RUNS,
            (const char *[]){"list", s, path, "--outcome", "recovered", NULL});
    measure(path, "list, by client and code", 0, RUNS,
            (const char *[]){"list", s, path, "--client", "web", "--code", "AuthFailed", NULL});
    measure(path, "list, by target", 0, RUNS,
            (const char *[]){"list", s, path, "--target", "openai/gpt-4o-mini", NULL});
    measure(path, "stats of a day", 2, RUNS,
            (const char *[]){"stats", s, path, "--since", day, NULL});
    measure(path, "stats of a day, by everything", 2, RUNS,
            (const char *[]){"stats", s, path, "--since", day, "--by",
                             "target,code,class,hour,client,route,model", NULL});
    measure(path, "stats of a day, of one client", 2, RUNS,
            (const char *[]){"stats", s, path, "--since", day, "--client", "web", NULL});
    measure(path, "stats of all", 0, 1, (const char *[]){"stats", s, path, NULL});
    measure(path, "export of a day, JSON lines", 0, 1,
            (const char *[]){"export", s, path, "--since", day, NULL});
    measure(path, "export of a day's attempts, CSV", 0, 1,
            (const char *[]){"export", s, path, "--since", day, "--of", "attempts", "--format",
                             "csv", NULL});
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : OPERATIONS;
    const int64_t end = INT64_C(1794790923000);
    const rc_alloc alloc = rc_alloc_stdlib();
    char folder[] = "/tmp/recourse-bench-XXXXXX";
    char path[4096];
    char url[4112];
    struct stat there;
    if (argc < 3 && mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof(path), argc > 2 ? "%s" : "%s/audit.db", argc > 2 ? argv[2] : folder);
    snprintf(url, sizeof(url), "sqlite:%s", path);
    if (stat(path, &there) != 0 && !make(url, &alloc, count, end))
        return 1;
    if (stat(path, &there) == 0)
        printf("the file has %.0f MB\n", (double)there.st_size / 1e6);
    const picked p = pick_failed(url, &alloc, end - 5 * DAY_MS);
    measure_all(path, &p, "2026-11-15T01:02:03Z");
    const double peak = peak_mb();
    printf("at most %.0f MB of memory; goal %.0f MB: %s\n", peak, RSS_GOAL_MB,
           peak < RSS_GOAL_MB ? "met" : "MISSED");
    if (argc < 3) {
        static const char *const parts[] = {"", "-wal", "-shm", "-writer"};
        for (size_t i = 0; i < 4; i++) {
            snprintf(url, sizeof(url), "%s%s", path, parts[i]);
            unlink(url);
        }
        rmdir(folder);
    }
    return 0;
}
