/* Replaces every occurrence of the model's name in a Gemini body. Called by outbound.c. */
#include "gateway/request/model_names.h"

#include "base/str.h"
#include "json/reader.h"
#include "json/writer.h"

/* Space for a name as a JSON string, where each byte takes at most six bytes. */
#define NAME_SCRATCH_BYTES (6 * (RC_MODEL_NAME_MAX + sizeof "models/") + 2)

typedef struct walk {
    rc_json_reader reader;
    rc_str body;
    size_t done;   /* Number of the body's bytes that were written so far. */
    rc_str plain;  /* The new name as a JSON string. */
    rc_str prefix; /* The new name with the prefix "models/", as a JSON string. */
    rc_buf *buf;   /* NULL if only the length is computed. */
    size_t len;
} walk;

bool rc_model_names_are_many(const rc_endpoint *endpoint)
{
    return endpoint->id == RC_ENDPOINT_EMBED_BATCH || endpoint->id == RC_ENDPOINT_EMBED_BATCH_V1 ||
           endpoint->id == RC_ENDPOINT_TOKENS || endpoint->id == RC_ENDPOINT_TOKENS_V1;
}

static void put(walk *w, rc_str text)
{
    w->len += text.len;
    if (w->buf != NULL)
        rc_buf_push(w->buf, text);
}

bool rc_model_name_is_resource(rc_str name)
{
    return rc_str_starts_with(name, RC_STR("models/")) ||
           rc_str_starts_with(name, RC_STR("models\\/"));
}

static void put_name(walk *w, const rc_json_token *old)
{
    const bool is_resource = rc_model_name_is_resource(old->raw);
    put(w, rc_str_slice(w->body, w->done, old->offset));
    put(w, is_resource ? w->prefix : w->plain);
    w->done = old->end;
}

static bool is_key(const rc_json_token *key, rc_str name)
{
    return rc_json_raw_eq(key->raw, key->has_escapes, name);
}

/* Handles the value of the member `key`: replaces the value of "model" and skips every other
 * value. */
static void walk_member(walk *w, const rc_json_token *key)
{
    if (!is_key(key, RC_STR("model"))) {
        (void)rc_json_reader_skip(&w->reader);
        return;
    }
    const rc_json_token value = rc_json_reader_next(&w->reader);
    if (value.type == RC_JSON_STRING)
        put_name(w, &value);
    else
        (void)rc_json_reader_skip(&w->reader);
}

/* Handles all members of an object. A value that is not an object is skipped. */
static void walk_request(walk *w, const rc_json_token *value)
{
    if (value->type != RC_JSON_OBJECT_BEGIN) {
        (void)rc_json_reader_skip(&w->reader);
        return;
    }
    for (rc_json_token key = rc_json_reader_next(&w->reader); key.type == RC_JSON_KEY;
         key = rc_json_reader_next(&w->reader))
        walk_member(w, &key);
}

static void walk_list(walk *w)
{
    rc_json_token value = rc_json_reader_next(&w->reader);
    if (value.type != RC_JSON_ARRAY_BEGIN) {
        (void)rc_json_reader_skip(&w->reader);
        return;
    }
    for (value = rc_json_reader_next(&w->reader);
         value.type != RC_JSON_ARRAY_END && value.type < RC_JSON_END;
         value = rc_json_reader_next(&w->reader))
        walk_request(w, &value);
}

static void walk_body(walk *w)
{
    if (rc_json_reader_next(&w->reader).type != RC_JSON_OBJECT_BEGIN)
        return;
    for (rc_json_token key = rc_json_reader_next(&w->reader); key.type == RC_JSON_KEY;
         key = rc_json_reader_next(&w->reader)) {
        if (is_key(&key, RC_STR("requests"))) {
            walk_list(w);
        } else if (is_key(&key, RC_STR("generateContentRequest"))) {
            const rc_json_token value = rc_json_reader_next(&w->reader);
            walk_request(w, &value);
        } else {
            walk_member(w, &key);
        }
    }
}

static size_t walk_all(rc_str body, rc_str model, rc_buf *buf)
{
    char plain_scratch[NAME_SCRATCH_BYTES];
    char prefix_scratch[NAME_SCRATCH_BYTES];
    char path_scratch[RC_MODEL_NAME_MAX + sizeof "models/"];
    rc_buf plain;
    rc_buf prefix;
    rc_buf path;
    rc_buf_init_fixed(&plain, plain_scratch, sizeof plain_scratch);
    rc_buf_init_fixed(&prefix, prefix_scratch, sizeof prefix_scratch);
    rc_buf_init_fixed(&path, path_scratch, sizeof path_scratch);
    rc_buf_push(&path, RC_STR("models/"));
    rc_buf_push(&path, model);
    rc_json_push_quoted(&plain, model);
    rc_json_push_quoted(&prefix, rc_buf_get(&path));
    walk w = {.body = body, .plain = rc_buf_get(&plain), .prefix = rc_buf_get(&prefix), .buf = buf};
    const rc_json_limits limits = {.max_bytes = SIZE_MAX, .max_depth = RC_JSON_DEPTH_MAX};
    rc_json_reader_init(&w.reader, body, &limits);
    walk_body(&w);
    put(&w, rc_str_slice(body, w.done, body.len));
    return w.len;
}

size_t rc_model_names_measure(rc_str body, rc_str model)
{
    return walk_all(body, model, NULL);
}

rc_status rc_model_names_push(rc_buf *buf, rc_str body, rc_str model)
{
    (void)walk_all(body, model, buf);
    return rc_buf_status(buf);
}
