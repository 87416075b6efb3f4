/* cJSON for the JSON benchmark (main.c). */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "bench.h"

typedef struct context {
    char *text;
} context;

static void *open_lib(void)
{
    return calloc(1, sizeof(context));
}

static void close_lib(void *ctx)
{
    cJSON_free(((context *)ctx)->text);
    free(ctx);
}

static bool find(void *ctx, const bench_body *body, bench_found *found)
{
    (void)ctx;
    cJSON *root = cJSON_ParseWithLength(body->bytes, body->len);
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(root, "model");
    const cJSON *stream = cJSON_GetObjectItemCaseSensitive(root, "stream");
    bool ok = cJSON_IsString(model) && cJSON_IsBool(stream) &&
              strlen(model->valuestring) < sizeof found->model;
    if (ok) {
        memcpy(found->model, model->valuestring, strlen(model->valuestring) + 1);
        found->stream = cJSON_IsTrue(stream);
    }
    cJSON_Delete(root);
    return ok;
}

static bool rewrite(void *ctx, const bench_body *body, const char **ret_text, size_t *ret_len)
{
    context *c = ctx;
    cJSON_free(c->text);
    c->text = NULL;
    cJSON *root = cJSON_ParseWithLength(body->bytes, body->len);
    cJSON *model = cJSON_GetObjectItemCaseSensitive(root, "model");
    if (model && cJSON_SetValuestring(model, BENCH_NEW_MODEL))
        c->text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    if (!c->text)
        return false;
    *ret_text = c->text;
    *ret_len = strlen(c->text);
    return true;
}

const bench_lib bench_cjson = {
    .name = "cJSON",
    .is_c_library = true,
    .open = open_lib,
    .close = close_lib,
    .find = find,
    .rewrite = rewrite,
};
