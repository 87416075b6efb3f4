/* audit_fill FILE fill COUNT HOURS END_UNIX_MS [SEED]: adds operations of the last hours.
 * audit_fill FILE story NAME [UNIX_MS]: adds a hand-written operation; see audit_stories.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <recourse/stdlib.h>

#include "support/audit_fill.h"
#include "support/audit_stories.h"

static int refuse(const char *what)
{
    fprintf(stderr, "audit_fill: %s\n", what);
    return 1;
}

static int64_t number(const char *text)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0') {
        fprintf(stderr, "audit_fill: %s is not a number\n", text);
        exit(64);
    }
    return value;
}

static int64_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

static int run_fill(rc_store *store, const rc_alloc *alloc, int argc, char **argv)
{
    static fill f;
    rc_store_fault fault;
    const int64_t end = number(argv[5]);
    fill_init(&f, store, alloc, argc > 6 ? (uint64_t)number(argv[6]) : 1);
    return fill_run(&f, (uint64_t)number(argv[3]), end - number(argv[4]) * 3600000, end, &fault)
               ? 0
               : refuse(fault.detail);
}

int main(int argc, char **argv)
{
    char url[4096];
    rc_store *store = NULL;
    rc_store_fault fault;
    const rc_store_settings settings = {.mode = RC_STORE_WRITE};
    const rc_alloc alloc = rc_alloc_stdlib();
    if (argc < 4 || (strcmp(argv[2], "fill") == 0 && argc < 6))
        return refuse("FILE fill COUNT HOURS END [SEED], or FILE story NAME [TIME]");
    snprintf(url, sizeof(url), "sqlite:%s", argv[1]);
    if (!rc_store_open(rc_str_c(url), &settings, &alloc, &store, &fault))
        return refuse(fault.detail);
    int result = 0;
    if (strcmp(argv[2], "fill") == 0)
        result = run_fill(store, &alloc, argc, argv);
    else if (!story_write(store, &alloc, argv[3], argc > 4 ? number(argv[4]) : now(), &fault))
        result = refuse(fault.detail);
    rc_store_close(store);
    return result;
}
