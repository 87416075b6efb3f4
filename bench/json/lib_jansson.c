/* Jansson for the JSON benchmark (main.c). */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "bench.h"

/* Uses json_object_getn, because json-c has a json_object_get too and this program links both. */

typedef struct context {
    char *text;
} context;

static void *open_lib(void)
{
    return calloc(1, sizeof(context));
}

static void close_lib(void *ctx)
{
    free(((context *)ctx)->text);
    free(ctx);
}

static bool find(void *ctx, const bench_body *body, bench_found *found)
{
    (void)ctx;
    json_t *root = json_loadb(body->bytes, body->len, 0, NULL);
    const json_t *model = json_object_getn(root, "model", 5);
    const json_t *stream = json_object_getn(root, "stream", 6);
    bool ok = json_is_string(model) && json_is_boolean(stream) &&
              json_string_length(model) < sizeof found->model;
    if (ok) {
        memcpy(found->model, json_string_value(model), json_string_length(model) + 1);
        found->stream = json_is_true(stream);
    }
    json_decref(root);
    return ok;
}

static bool rewrite(void *ctx, const bench_body *body, const char **ret_text, size_t *ret_len)
{
    context *c = ctx;
    free(c->text);
    c->text = NULL;
    json_t *root = json_loadb(body->bytes, body->len, 0, NULL);
    if (root && json_object_set_new(root, "model", json_string(BENCH_NEW_MODEL)) == 0)
        c->text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    if (!c->text)
        return false;
    *ret_text = c->text;
    *ret_len = strlen(c->text);
    return true;
}

const bench_lib bench_jansson = {
    .name = "jansson",
    .is_c_library = true,
    .open = open_lib,
    .close = close_lib,
    .find = find,
    .rewrite = rewrite,
};
