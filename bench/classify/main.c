/* Measures the cost of classifying a failure: the verdict alone, and the whole report.
 *
 *   bench_classify [--json] [CORPUS...]
 *
 * The corpus: the given files, else $RECOURSE_CORPUS, else the conformance sets below this
 * directory. CPU time of this thread over whole passes of the corpus; the two tasks are
 * interleaved, and the median of the rounds counts. With --json the program also prints the
 * results, for the comparison with npm's classifiers in run.sh. */
#include <recourse/classify.h>
#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rows.h"

#define DEFAULT_CORPUS "tests/conformance/providers/*.jsonl"
#define ROUNDS 31
#define TURN_NS 5000000.0

enum {
    VERDICT,
    REPORT,
    TASKS
};

/* Keeps the compiler from removing work whose result is not used. */
static volatile size_t sum;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_verdicts(const bench_rows *rows)
{
    static rc_classify_space space;
    for (size_t i = 0; i < rows->count; i++)
        sum += (size_t)rc_judge(&rows->failures[i], NULL, NULL, &space).code;
}

static void run_reports(const bench_rows *rows)
{
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < rows->count; i++) {
        const rc_report *report = rc_classify(&rows->failures[i], NULL, &alloc);
        sum += (size_t)rc_report_code(report);
        rc_report_free(report);
    }
}

static void run(int task, const bench_rows *rows)
{
    if (task == VERDICT)
        run_verdicts(rows);
    else
        run_reports(rows);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Gives the microseconds per row for each task. */
static void measure(const bench_rows *rows, double ret_us[TASKS])
{
    static double times[TASKS][ROUNDS];
    size_t passes[TASKS] = {0};
    for (int task = 0; task < TASKS; task++) {
        double start = now_ns();
        while (now_ns() - start < TURN_NS) {
            run(task, rows);
            passes[task]++;
        }
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        for (int task = 0; task < TASKS; task++) {
            double start = now_ns();
            for (size_t pass = 0; pass < passes[task]; pass++)
                run(task, rows);
            times[task][round] =
                (now_ns() - start) / (double)passes[task] / (double)rows->count / 1000;
        }
    }
    for (int task = 0; task < TASKS; task++) {
        qsort(times[task], ROUNDS, sizeof times[task][0], compare);
        ret_us[task] = times[task][ROUNDS / 2];
    }
}

static void print_verdicts(const bench_rows *rows)
{
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < rows->count; i++) {
        const rc_report *report = rc_classify(&rows->failures[i], NULL, &alloc);
        const char *category = rc_category_name(rc_report_category(report));
        int64_t wait_ms = rc_report_retry_after_ms(report);
        printf("%s\n{\"error_code\":\"%s\",\"error_category\":\"%s\",\"retryable\":%s",
               i ? "," : "", rc_code_name(rc_report_code(report)), category ? category : "",
               rc_report_is_retryable(report) ? "true" : "false");
        if (wait_ms >= 0)
            printf(",\"retry_after_ms\":%" PRId64, wait_ms);
        printf("}");
        rc_report_free(report);
    }
}

static bool read_all(bench_rows *rows, char **paths, size_t count)
{
    int64_t now_unix_ms = (int64_t)time(NULL) * 1000;
    for (size_t i = 0; i < count; i++) {
        if (!bench_rows_read(rows, paths[i], now_unix_ms))
            return false;
    }
    return true;
}

static bool read_default(bench_rows *rows)
{
    char *path = getenv("RECOURSE_CORPUS");
    if (path && *path)
        return read_all(rows, &path, 1);
    glob_t found;
    if (glob(DEFAULT_CORPUS, 0, NULL, &found) != 0) {
        fprintf(stderr, "bench_classify: no corpus: %s\n", DEFAULT_CORPUS);
        return false;
    }
    bool ok = read_all(rows, found.gl_pathv, found.gl_pathc);
    globfree(&found);
    return ok;
}

int main(int argc, char **argv)
{
    bool is_json = argc > 1 && strcmp(argv[1], "--json") == 0;
    int first = is_json ? 2 : 1;
    bench_rows rows = {0};
    bool ok =
        first < argc ? read_all(&rows, argv + first, (size_t)(argc - first)) : read_default(&rows);
    if (!ok || rows.count == 0) {
        bench_rows_done(&rows);
        return 1;
    }
    double us[TASKS];
    measure(&rows, us);
    if (is_json) {
        printf("{\"verdict_us\":%.4f,\"report_us\":%.4f,\"answers\":[", us[VERDICT], us[REPORT]);
        print_verdicts(&rows);
        printf("]}\n");
    } else {
        printf("\nOne failure classified (CPU time, %zu rows, median of %d rounds)\n\n", rows.count,
               ROUNDS);
        printf("verdict      %8.2f us\nwhole report %8.2f us\n", us[VERDICT], us[REPORT]);
    }
    bench_rows_done(&rows);
    return 0;
}
