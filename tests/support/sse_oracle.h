/* A reference reader of server-sent events, which follows the steps of the standard in one pass:
 * lines, then fields, then events at blank lines. Its results are compared with those of rc_sse. */
#ifndef TESTS_SUPPORT_SSE_ORACLE_H
#define TESTS_SUPPORT_SSE_ORACLE_H

#include <recourse/str.h>

#include <stdlib.h>

typedef struct oracle_event {
    char *name;
    char *data;
    size_t name_len;
    size_t data_len;
} oracle_event;

typedef struct oracle {
    char *name; /* as large as the whole text, like data, because neither can be larger */
    char *data;
    size_t name_len;
    size_t data_len; /* length of data, including the LF after each line */
    oracle_event *events;
    size_t count;
} oracle;

static inline char *oracle_dup(const char *bytes, size_t len)
{
    char *copy = malloc(len + 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, len);
    return copy;
}

static inline void oracle_dispatch(oracle *o)
{
    if (o->data_len > 0) {
        size_t len = o->data_len - 1;
        o->events[o->count++] = (oracle_event){oracle_dup(o->name, o->name_len),
                                               oracle_dup(o->data, len), o->name_len, len};
    }
    o->data_len = 0;
    o->name_len = 0;
}

static inline void oracle_line(oracle *o, const char *line, size_t len)
{
    if (len == 0) {
        oracle_dispatch(o);
        return;
    }
    const char *colon = memchr(line, ':', len);
    size_t name_len = colon ? (size_t)(colon - line) : len;
    const char *value = colon ? colon + 1 : line + len;
    size_t value_len = (size_t)(line + len - value);
    if (value_len > 0 && value[0] == ' ') {
        value++;
        value_len--;
    }
    if (name_len == 4 && memcmp(line, "data", 4) == 0) {
        memcpy(o->data + o->data_len, value, value_len);
        o->data_len += value_len;
        o->data[o->data_len++] = '\n';
    } else if (name_len == 5 && memcmp(line, "event", 5) == 0) {
        memcpy(o->name, value, value_len);
        o->name_len = value_len;
    }
}

static inline void oracle_read(oracle *o, rc_str text)
{
    *o = (oracle){.name = malloc(text.len + 1),
                  .data = malloc(text.len + 1),
                  .events = calloc(text.len + 1, sizeof(oracle_event))};
    if (!o->name || !o->data || !o->events)
        abort();
    size_t at = text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    size_t start = at;
    while (at < text.len) {
        char c = text.ptr[at++];
        if (c != '\n' && c != '\r')
            continue;
        oracle_line(o, text.ptr + start, at - 1 - start);
        if (c == '\r' && at < text.len && text.ptr[at] == '\n')
            at++;
        start = at;
    }
}

static inline void oracle_done(oracle *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->events[i].name);
        free(o->events[i].data);
    }
    free(o->events);
    free(o->name);
    free(o->data);
}

#endif
