/* bench_rows: the labelled failures of a corpus file, as rc_failure. */
#ifndef BENCH_CLASSIFY_ROWS_H
#define BENCH_CLASSIFY_ROWS_H

#include <recourse/classify.h>

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* The rows of a corpus. The failures view the JSON trees. An all-zero struct has no rows. */
typedef struct bench_rows {
    rc_failure *failures;
    cJSON **trees;
    size_t count;
    size_t capacity;
} bench_rows;

/* Adds the rows of one file of JSON lines. Returns false after a message on stderr. */
bool bench_rows_read(bench_rows *rows, const char *path, int64_t now_unix_ms);
void bench_rows_done(bench_rows *rows);

#endif
