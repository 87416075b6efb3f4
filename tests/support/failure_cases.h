/* Labelled failures from a JSON Lines file: the input of `recourse explain --jsonl` with the
 * expected results. */
#ifndef RC_TEST_FAILURE_CASES_H
#define RC_TEST_FAILURE_CASES_H

#include <jansson.h>
#include <recourse/classify.h>
#include <recourse/taxonomy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RC_CASE_HEADERS_MAX 32

/* Current time of all cases: the points in time in the cases are always in its past or in its
 * future. */
#define RC_CASE_NOW_MS INT64_C(1794800000000)

typedef struct rc_case {
    json_t *json; /* owns all texts of the case */
    const char *id;
    rc_failure failure;
    rc_header headers[RC_CASE_HEADERS_MAX];
} rc_case;

static inline rc_str rc_case_text(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        return rc_str_make(NULL, 0);
    return rc_str_make(json_string_value(value), json_string_length(value));
}

static inline void rc_case_read_headers(rc_case *c)
{
    json_t *headers = json_object_get(c->json, "headers");
    const char *name;
    json_t *value;
    size_t count = 0;
    json_object_foreach(headers, name, value)
    {
        if (count == RC_CASE_HEADERS_MAX)
            break;
        c->headers[count].name = rc_str_c(name);
        c->headers[count].value = rc_str_make(json_string_value(value), json_string_length(value));
        count++;
    }
    c->failure.headers = c->headers;
    c->failure.header_count = count;
}

/* Reads one line. Returns false if the line is not a case. */
static inline bool rc_case_read(rc_case *c, const char *line, size_t len)
{
    memset(c, 0, sizeof(*c));
    c->json = json_loadb(line, len, 0, NULL);
    c->id = json_string_value(json_object_get(c->json, "id"));
    if (c->id == NULL) {
        json_decref(c->json);
        return false;
    }
    rc_failure *failure = &c->failure;
    failure->provider = rc_case_text(c->json, "provider");
    failure->model = rc_case_text(c->json, "model");
    failure->body = rc_case_text(c->json, "body");
    failure->event = rc_case_text(c->json, "event");
    failure->transport = rc_transport_parse(rc_case_text(c->json, "transport"));
    failure->phase = rc_phase_parse(rc_case_text(c->json, "phase"));
    failure->status = (int)json_integer_value(json_object_get(c->json, "status"));
    failure->exit_status = (int)json_integer_value(json_object_get(c->json, "exit_status"));
    failure->context_window = json_integer_value(json_object_get(c->json, "context_window"));
    failure->now_unix_ms = RC_CASE_NOW_MS;
    rc_str family = rc_case_text(c->json, "family");
    failure->family = family.len > 0 ? rc_family_parse(family) : RC_FAMILY_NONE;
    const json_t *replayable = json_object_get(c->json, "replayable");
    if (json_is_boolean(replayable))
        failure->replay = json_is_true(replayable) ? RC_REPLAY_YES : RC_REPLAY_NO;
    rc_case_read_headers(c);
    return true;
}

static inline void rc_case_done(rc_case *c)
{
    json_decref(c->json);
}

/* Returns whether the value is the expected one, or one of the other accepted values. */
static inline bool rc_case_accepts(const rc_case *c, const char *key, const char *value)
{
    const json_t *expect = json_object_get(c->json, "expect");
    const char *expected = json_string_value(json_object_get(expect, key));
    if (expected != NULL && value != NULL && strcmp(expected, value) == 0)
        return true;
    const json_t *others = json_object_get(json_object_get(c->json, "also_accept"), key);
    for (size_t i = 0; value != NULL && i < json_array_size(others); i++) {
        if (strcmp(json_string_value(json_array_get(others, i)), value) == 0)
            return true;
    }
    return false;
}

/* Returns whether the wait differs by at most a second from the expected one; true if no wait is
 * expected. */
static inline bool rc_case_accepts_wait(const rc_case *c, int64_t wait_ms)
{
    const json_t *expected = json_object_get(json_object_get(c->json, "expect"), "retry_after_ms");
    if (!json_is_integer(expected))
        return true;
    int64_t difference = wait_ms - json_integer_value(expected);
    return wait_ms >= 0 && difference >= -1000 && difference <= 1000;
}

/* Calls `use` for every case of the file. Returns the number of cases; -1 if the file cannot be
 * read. */
static inline int rc_cases_each(const char *path, void (*use)(void *ctx, const rc_case *c),
                                void *ctx)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    char *line = NULL;
    size_t capacity = 0;
    int count = 0;
    for (ssize_t len = getline(&line, &capacity, file); len > 0;
         len = getline(&line, &capacity, file)) {
        rc_case c;
        if (!rc_case_read(&c, line, (size_t)len)) {
            fprintf(stderr, "%s: line %d is not a case\n", path, count + 1);
            count = -1;
            break;
        }
        use(ctx, &c);
        rc_case_done(&c);
        count++;
    }
    free(line);
    fclose(file);
    return count;
}

#endif
