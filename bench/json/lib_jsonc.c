/* json-c for the JSON benchmark (main.c). */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "bench.h"

typedef struct context {
    struct json_tokener *tokener;
    struct json_object *root; /* Contains the text of the last rewrite. */
} context;

static void *open_lib(void)
{
    context *c = calloc(1, sizeof *c);
    if (!c || !(c->tokener = json_tokener_new()))
        abort();
    return c;
}

static void close_lib(void *ctx)
{
    context *c = ctx;
    json_object_put(c->root);
    json_tokener_free(c->tokener);
    free(c);
}

static struct json_object *parse(context *c, const bench_body *body)
{
    json_tokener_reset(c->tokener);
    return json_tokener_parse_ex(c->tokener, body->bytes, (int)body->len);
}

static bool find(void *ctx, const bench_body *body, bench_found *found)
{
    struct json_object *root = parse(ctx, body);
    struct json_object *model = NULL;
    struct json_object *stream = NULL;
    bool ok = json_object_object_get_ex(root, "model", &model) &&
              json_object_object_get_ex(root, "stream", &stream) &&
              (size_t)json_object_get_string_len(model) < sizeof found->model;
    if (ok) {
        memcpy(found->model, json_object_get_string(model),
               (size_t)json_object_get_string_len(model) + 1);
        found->stream = json_object_get_boolean(stream);
    }
    json_object_put(root);
    return ok;
}

static bool rewrite(void *ctx, const bench_body *body, const char **ret_text, size_t *ret_len)
{
    context *c = ctx;
    json_object_put(c->root);
    c->root = parse(c, body);
    if (!c->root ||
        json_object_object_add(c->root, "model", json_object_new_string(BENCH_NEW_MODEL)) != 0)
        return false;
    int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
    *ret_text = json_object_to_json_string_length(c->root, flags, ret_len);
    return *ret_text != NULL;
}

const bench_lib bench_jsonc = {
    .name = "json-c",
    .is_c_library = true,
    .open = open_lib,
    .close = close_lib,
    .find = find,
    .rewrite = rewrite,
};
