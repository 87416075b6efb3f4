/* Compares the JSON reader with five other libraries in one run: turns are interleaved, and the
 * median of the CPU times counts.
 *
 * Goals: at least 5 times as fast as the fastest C library and at least 0.8 times as fast as
 * simdjson, in every row. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

#define ROUNDS 15
#define TURN_NS 2000000.0
#define LIB_COUNT 6

static const bench_lib *const LIBS[LIB_COUNT] = {
    &bench_recourse, &bench_cjson, &bench_yajl, &bench_jsonc, &bench_jansson, &bench_simdjson,
};

typedef enum task {
    FIND,
    FIND_EARLY,
    REWRITE
} task;

static const char *const TASK_NAMES[] = {"find, whole text", "find, stop early", "rewrite model"};

typedef struct row {
    task kind;
    size_t about_bytes;
    bool is_model_last;
} row;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static bool does(const bench_lib *lib, task kind)
{
    return kind != FIND_EARLY || lib->find_early;
}

/* Keeps the compiler from removing work whose result is not used. */
static volatile size_t sum;

static bool run_once(const bench_lib *lib, void *ctx, task kind, const bench_body *body)
{
    if (kind == REWRITE) {
        const char *text;
        size_t len;
        bool ok = lib->rewrite(ctx, body, &text, &len);
        sum += ok ? len : 0;
        return ok;
    }
    bench_found found;
    bool ok = (kind == FIND ? lib->find : lib->find_early)(ctx, body, &found);
    sum += ok && found.stream;
    return ok;
}

/* Checks that the library does the task that is measured. */
static void verify(const bench_lib *lib, void *ctx, task kind, const bench_body *body)
{
    bench_found found = {{0}, false};
    bool ok = true;
    if (kind != REWRITE) {
        ok = (kind == FIND ? lib->find : lib->find_early)(ctx, body, &found) && found.stream &&
             strcmp(found.model, BENCH_MODEL) == 0;
    } else {
        const char *text;
        size_t len;
        bench_body changed = {0};
        ok = lib->rewrite(ctx, body, &text, &len);
        if (ok) {
            changed.bytes = calloc(1, len + BENCH_PADDING);
            changed.len = len;
            if (!changed.bytes)
                abort();
            memcpy(changed.bytes, text, len);
            ok = bench_recourse.find(NULL, &changed, &found) && found.stream &&
                 strcmp(found.model, BENCH_NEW_MODEL) == 0;
            free(changed.bytes);
        }
    }
    if (!ok) {
        fprintf(stderr, "%s: wrong answer in \"%s\"\n", lib->name, TASK_NAMES[kind]);
        exit(1);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Gives the nanoseconds per call, the median over all rounds, for each library. */
static void measure(const row *r, const bench_body *body, void *ctx[LIB_COUNT],
                    double ret_ns[LIB_COUNT])
{
    static double times[LIB_COUNT][ROUNDS];
    size_t repeat[LIB_COUNT] = {0};
    for (size_t i = 0; i < LIB_COUNT; i++) {
        if (!does(LIBS[i], r->kind))
            continue;
        verify(LIBS[i], ctx[i], r->kind, body);
        double start = now_ns();
        size_t calls = 0;
        while (now_ns() - start < TURN_NS) {
            run_once(LIBS[i], ctx[i], r->kind, body);
            calls++;
        }
        repeat[i] = calls;
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < LIB_COUNT; i++) {
            double start = now_ns();
            for (size_t n = 0; n < repeat[i]; n++)
                run_once(LIBS[i], ctx[i], r->kind, body);
            times[i][round] = repeat[i] ? (now_ns() - start) / (double)repeat[i] : 0;
        }
    }
    for (size_t i = 0; i < LIB_COUNT; i++) {
        qsort(times[i], ROUNDS, sizeof times[i][0], compare);
        ret_ns[i] = times[i][ROUNDS / 2];
    }
}

/* Prints one line of the table. Returns whether both goals are met. */
static bool report(const row *r, const bench_body *body, const double ns[LIB_COUNT])
{
    printf("%-17s %8zu  %-5s", TASK_NAMES[r->kind], body->len, r->is_model_last ? "end" : "start");
    double best_c = 0;
    double simd = 0;
    for (size_t i = 0; i < LIB_COUNT; i++) {
        double gbs = ns[i] > 0 ? (double)body->len / ns[i] : 0;
        if (ns[i] > 0)
            printf(" %9.3f", gbs);
        else
            printf(" %9s", "-");
        if (LIBS[i]->is_c_library && gbs > best_c)
            best_c = gbs;
        if (LIBS[i] == &bench_simdjson)
            simd = gbs;
    }
    double ours = (double)body->len / ns[0];
    bool is_met = (best_c <= 0 || ours >= 5 * best_c) && ours >= 0.8 * simd;
    if (best_c > 0)
        printf(" %8.1fx", ours / best_c);
    else
        printf(" %9s", "-");
    printf(" %8.2fx  %s\n", ours / simd, is_met ? "met" : "MISSED");
    return is_met;
}

int main(void)
{
    static const size_t SIZES[] = {1000, 100000, 1000000};
    void *ctx[LIB_COUNT];
    for (size_t i = 0; i < LIB_COUNT; i++)
        ctx[i] = LIBS[i]->open();

    printf("GB/s of CPU time, median of %d interleaved rounds\n\n", ROUNDS);
    printf("%-17s %8s  %-5s", "task", "bytes", "model");
    for (size_t i = 0; i < LIB_COUNT; i++)
        printf(" %9s", LIBS[i]->name);
    printf(" %9s %9s  goals\n", "best C", "simdjson");

    size_t rows = 0;
    size_t met = 0;
    for (int kind = FIND; kind <= REWRITE; kind++) {
        for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
            for (int last = 0; last < (kind == FIND_EARLY ? 1 : 2); last++) {
                row r = {.kind = (task)kind, .about_bytes = SIZES[s], .is_model_last = last};
                bench_body body = bench_body_new(r.about_bytes, r.is_model_last);
                double ns[LIB_COUNT];
                measure(&r, &body, ctx, ns);
                met += report(&r, &body, ns);
                rows++;
                bench_body_free(&body);
            }
        }
    }
    printf("\ngoals (5x the fastest C library, 0.8x simdjson): met in %zu of %zu rows\n", met,
           rows);
    for (size_t i = 0; i < LIB_COUNT; i++)
        LIBS[i]->close(ctx[i]);
    return 0;
}
