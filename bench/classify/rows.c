/* Reads the labelled failures of a corpus file. Called by main.c. */
#include "rows.h"

#include <recourse/taxonomy.h>

#include <stdio.h>
#include <stdlib.h>

static rc_str text_of(const cJSON *row, const char *key)
{
    return rc_str_c(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, key)));
}

static rc_replay replay_of(const cJSON *row)
{
    const cJSON *replayable = cJSON_GetObjectItemCaseSensitive(row, "replayable");
    if (cJSON_IsTrue(replayable))
        return RC_REPLAY_YES;
    return cJSON_IsFalse(replayable) ? RC_REPLAY_NO : RC_REPLAY_BY_FAMILY;
}

static bool read_headers(const cJSON *row, rc_failure *failure)
{
    const cJSON *headers = cJSON_GetObjectItemCaseSensitive(row, "headers");
    int size = cJSON_GetArraySize(headers);
    if (size <= 0)
        return true;
    rc_header *list = calloc((size_t)size, sizeof *list);
    if (!list)
        return false;
    size_t count = 0;
    const cJSON *header;
    cJSON_ArrayForEach(header, headers)
    {
        list[count].name = rc_str_c(header->string);
        list[count].value = rc_str_c(cJSON_GetStringValue(header));
        count++;
    }
    failure->headers = list;
    failure->header_count = count;
    return true;
}

static bool grow(bench_rows *rows)
{
    if (rows->count < rows->capacity)
        return true;
    size_t capacity = rows->capacity ? 2 * rows->capacity : 256;
    rc_failure *failures = realloc(rows->failures, capacity * sizeof *failures);
    if (!failures)
        return false;
    rows->failures = failures;
    cJSON **trees = realloc(rows->trees, capacity * sizeof(cJSON *));
    if (!trees)
        return false;
    rows->trees = trees;
    rows->capacity = capacity;
    return true;
}

/* row: takes, on success. */
static bool add(bench_rows *rows, cJSON *row, int64_t now_unix_ms)
{
    if (!grow(rows))
        return false;
    const cJSON *status = cJSON_GetObjectItemCaseSensitive(row, "status");
    rc_failure failure = {
        .provider = text_of(row, "provider"),
        .model = text_of(row, "model"),
        .family = rc_family_parse(text_of(row, "family")),
        .status = cJSON_IsNumber(status) ? status->valueint : 0,
        .body = text_of(row, "body"),
        .event = text_of(row, "event"),
        .transport = rc_transport_parse(text_of(row, "transport")),
        .phase = rc_phase_parse(text_of(row, "phase")),
        .replay = replay_of(row),
        .now_unix_ms = now_unix_ms,
    };
    if (!read_headers(row, &failure))
        return false;
    rows->failures[rows->count] = failure;
    rows->trees[rows->count] = row;
    rows->count++;
    return true;
}

bool bench_rows_read(bench_rows *rows, const char *path, int64_t now_unix_ms)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    size_t number = 0;
    bool ok = true;
    while (ok && getline(&line, &capacity, file) != -1) {
        number++;
        if (line[0] == '\n')
            continue;
        cJSON *row = cJSON_Parse(line);
        ok = cJSON_IsObject(row) && add(rows, row, now_unix_ms);
        if (!ok) {
            fprintf(stderr, "%s:%zu: not a row\n", path, number);
            cJSON_Delete(row);
        }
    }
    free(line);
    fclose(file);
    return ok;
}

void bench_rows_done(bench_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free((void *)rows->failures[i].headers);
        cJSON_Delete(rows->trees[i]);
    }
    free(rows->failures);
    free(rows->trees);
    *rows = (bench_rows){0};
}
