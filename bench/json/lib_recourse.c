/* Recourse's own JSON reader for the JSON benchmark (main.c). */
#include <stdlib.h>
#include <string.h>

#include <recourse/stdlib.h>

#include "bench.h"
#include "json/find.h"

static void *open_lib(void)
{
    rc_buf *buf = malloc(sizeof *buf);
    if (!buf)
        abort();
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf_init(buf, &alloc, SIZE_MAX);
    return buf;
}

static void close_lib(void *ctx)
{
    rc_buf_done(ctx);
    free(ctx);
}

static bool find_with(const bench_body *body, bool stop_early, bench_found *found)
{
    rc_json_member members[] = {{.key = RC_STR("model")}, {.key = RC_STR("stream")}};
    if (rc_json_find(rc_str_make(body->bytes, body->len), members, 2, stop_early) != RC_OK)
        return false;
    rc_str model = members[0].value.raw;
    if (!members[0].is_found || !members[1].is_found || model.len >= sizeof found->model)
        return false;
    memcpy(found->model, model.ptr, model.len);
    found->model[model.len] = '\0';
    found->stream = members[1].value.type == RC_JSON_TRUE;
    return true;
}

static bool find(void *ctx, const bench_body *body, bench_found *found)
{
    (void)ctx;
    return find_with(body, false, found);
}

static bool find_early(void *ctx, const bench_body *body, bench_found *found)
{
    (void)ctx;
    return find_with(body, true, found);
}

static bool rewrite(void *ctx, const bench_body *body, const char **ret_text, size_t *ret_len)
{
    rc_buf *buf = ctx;
    rc_str text = rc_str_make(body->bytes, body->len);
    rc_json_member model = {.key = RC_STR("model")};
    if (rc_json_find(text, &model, 1, false) != RC_OK || !model.is_found)
        return false;
    rc_buf_reset(buf);
    if (rc_json_splice(text, model.value.offset, model.value_end, RC_STR("\"" BENCH_NEW_MODEL "\""),
                       buf) != RC_OK)
        return false;
    *ret_text = rc_buf_get(buf).ptr;
    *ret_len = rc_buf_get(buf).len;
    return true;
}

const bench_lib bench_recourse = {
    .name = "recourse",
    .open = open_lib,
    .close = close_lib,
    .find = find,
    .find_early = find_early,
    .rewrite = rewrite,
};
