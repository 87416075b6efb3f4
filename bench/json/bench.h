/* Declarations of the JSON benchmark: request bodies, libraries, and the tasks of each library. */
#ifndef BENCH_JSON_BENCH_H
#define BENCH_JSON_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A chat request. `bytes` is followed by 64 readable zero bytes, for parsers that need padding. */
typedef struct bench_body {
    char *bytes;
    size_t len;
} bench_body;

#define BENCH_PADDING 64
#define BENCH_MODEL "example-large-2025"
#define BENCH_NEW_MODEL "another/model-small"

/* Makes a body of about that size; `model` and `stream` are the first or the last members. */
bench_body bench_body_new(size_t about_bytes, bool is_model_last);
void bench_body_free(bench_body *body);

/* The result of a search for `model` and `stream`. */
typedef struct bench_found {
    char model[64];
    bool stream;
} bench_found;

/* One library. `open` returns the state that a server would reuse, such as a parser and a
 * buffer. */
typedef struct bench_lib {
    const char *name;
    bool is_c_library; /* The library is written in C. Recourse's goal is to be five times as fast
                        * as the fastest of these libraries. */
    void *(*open)(void);
    void (*close)(void *ctx);
    /* Finds the top-level members `model` and `stream`, and reads the whole text. The last
     * duplicate counts if the library allows this. */
    bool (*find)(void *ctx, const bench_body *body, bench_found *found);
    /* Finds the same members, but may stop once both are found. NULL: the library does not support
     * this. */
    bool (*find_early)(void *ctx, const bench_body *body, bench_found *found);
    /* Makes a copy of the text with the model replaced by BENCH_NEW_MODEL. The result belongs to
     * the library until the next call. */
    bool (*rewrite)(void *ctx, const bench_body *body, const char **ret_text, size_t *ret_len);
} bench_lib;

extern const bench_lib bench_recourse;
extern const bench_lib bench_cjson;
extern const bench_lib bench_yajl;
extern const bench_lib bench_jsonc;
extern const bench_lib bench_jansson;
extern const bench_lib bench_simdjson;

#ifdef __cplusplus
}
#endif

#endif
