/* YAJL for the JSON benchmark (main.c). */
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>

#include "bench.h"

/* State of the event parser: the depth and, at the top level, the current member. */
typedef struct context {
    unsigned depth;
    enum {
        OTHER,
        MODEL,
        STREAM
    } member;
    bench_found *found;
    bool has_model;
    bool has_stream;
    yajl_gen gen; /* Set by the function rewrite() only; otherwise NULL. */
} context;

static int on_map_begin(void *ctx)
{
    context *c = ctx;
    c->depth++;
    return !c->gen || yajl_gen_map_open(c->gen) == yajl_gen_status_ok;
}

static int on_map_end(void *ctx)
{
    context *c = ctx;
    c->depth--;
    return !c->gen || yajl_gen_map_close(c->gen) == yajl_gen_status_ok;
}

static int on_array_begin(void *ctx)
{
    context *c = ctx;
    c->depth++;
    return !c->gen || yajl_gen_array_open(c->gen) == yajl_gen_status_ok;
}

static int on_array_end(void *ctx)
{
    context *c = ctx;
    c->depth--;
    return !c->gen || yajl_gen_array_close(c->gen) == yajl_gen_status_ok;
}

static int on_key(void *ctx, const unsigned char *key, size_t len)
{
    context *c = ctx;
    if (c->depth == 1) {
        bool is_model = len == 5 && memcmp(key, "model", 5) == 0;
        bool is_stream = len == 6 && memcmp(key, "stream", 6) == 0;
        c->member = is_model ? MODEL : is_stream ? STREAM : OTHER;
    }
    return !c->gen || yajl_gen_string(c->gen, key, len) == yajl_gen_status_ok;
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    context *c = ctx;
    if (c->depth == 1 && c->member == MODEL) {
        c->has_model = len < sizeof c->found->model;
        if (c->has_model) {
            memcpy(c->found->model, text, len);
            c->found->model[len] = '\0';
        }
        if (c->gen)
            return yajl_gen_string(c->gen, (const unsigned char *)BENCH_NEW_MODEL,
                                   sizeof BENCH_NEW_MODEL - 1) == yajl_gen_status_ok;
    }
    return !c->gen || yajl_gen_string(c->gen, text, len) == yajl_gen_status_ok;
}

static int on_bool(void *ctx, int value)
{
    context *c = ctx;
    if (c->depth == 1 && c->member == STREAM) {
        c->has_stream = true;
        c->found->stream = value != 0;
    }
    return !c->gen || yajl_gen_bool(c->gen, value) == yajl_gen_status_ok;
}

static int on_null(void *ctx)
{
    context *c = ctx;
    return !c->gen || yajl_gen_null(c->gen) == yajl_gen_status_ok;
}

static int on_number(void *ctx, const char *text, size_t len)
{
    context *c = ctx;
    return !c->gen || yajl_gen_number(c->gen, text, len) == yajl_gen_status_ok;
}

static const yajl_callbacks CALLBACKS = {
    .yajl_null = on_null,
    .yajl_boolean = on_bool,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_map_begin,
    .yajl_map_key = on_key,
    .yajl_end_map = on_map_end,
    .yajl_start_array = on_array_begin,
    .yajl_end_array = on_array_end,
};

static void *open_lib(void)
{
    return calloc(1, sizeof(context));
}

static void close_lib(void *ctx)
{
    context *c = ctx;
    if (c->gen)
        yajl_gen_free(c->gen);
    free(c);
}

static bool parse(context *c, const bench_body *body)
{
    yajl_handle handle = yajl_alloc(&CALLBACKS, NULL, c);
    bool ok = yajl_parse(handle, (const unsigned char *)body->bytes, body->len) == yajl_status_ok &&
              yajl_complete_parse(handle) == yajl_status_ok;
    yajl_free(handle);
    return ok;
}

static bool find(void *ctx, const bench_body *body, bench_found *found)
{
    context *c = ctx;
    *c = (context){.found = found};
    return parse(c, body) && c->has_model && c->has_stream;
}

static bool rewrite(void *ctx, const bench_body *body, const char **ret_text, size_t *ret_len)
{
    context *c = ctx;
    bench_found found;
    if (c->gen)
        yajl_gen_free(c->gen);
    *c = (context){.found = &found, .gen = yajl_gen_alloc(NULL)};
    const unsigned char *text;
    if (!parse(c, body) || !c->has_model ||
        yajl_gen_get_buf(c->gen, &text, ret_len) != yajl_gen_status_ok)
        return false;
    *ret_text = (const char *)text;
    return true;
}

const bench_lib bench_yajl = {
    .name = "yajl",
    .is_c_library = true,
    .open = open_lib,
    .close = close_lib,
    .find = find,
    .rewrite = rewrite,
};
