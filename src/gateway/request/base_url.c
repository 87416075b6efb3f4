/* Recognises wrong base URLs by the paths of their requests. Called by exchange_unknown_path.c,
 * local_responses.c and dialect.c. */
#include "gateway/request/base_url.h"

#include "base/str.h"

/* Maximum number of bytes of a host in a suggested base URL. A longer host is written as "HOST". */
#define HOST_MAX_BYTES 255u

static const struct {
    rc_str suffix, clients;
} bases[RC_WIRE_COUNT] = {
#define RC_BASE_URL(WIRE, suffix, clients) \
    [RC_WIRE_##WIRE] = {RC_STR_INIT(suffix), RC_STR_INIT(clients)},
#include "spec/base_urls.def"
};

static const struct {
    rc_str wrong, right;
} mistakes[] = {
#define RC_BASE_MISTAKE(wrong, right) {RC_STR_INIT(wrong), RC_STR_INIT(right)},
#include "spec/base_urls.def"
};

rc_str rc_base_url_suffix(rc_dialect dialect)
{
    return bases[rc_wire_of_dialect(dialect)].suffix;
}

rc_str rc_base_url_clients(rc_dialect dialect)
{
    return bases[rc_wire_of_dialect(dialect)].clients;
}

static void push_base(rc_buf *buf, rc_wire wire, rc_str host)
{
    rc_buf_push(buf, RC_STR("http://"));
    rc_buf_push(buf, host.len > 0 && host.len <= HOST_MAX_BYTES ? host : RC_STR("HOST"));
    rc_buf_push(buf, bases[wire].suffix);
}

void rc_base_url_push(rc_buf *buf, rc_dialect dialect, rc_str host)
{
    push_base(buf, rc_wire_of_dialect(dialect), host);
}

void rc_base_url_push_all(rc_buf *buf, rc_str host, rc_str before, rc_str after)
{
    for (size_t i = 0; i < RC_WIRE_COUNT; i++) {
        rc_buf_push(buf, before);
        push_base(buf, (rc_wire)i, host);
        rc_buf_push(buf, RC_STR(" for "));
        rc_buf_push(buf, bases[i].clients);
        rc_buf_push(buf, after);
    }
}

/* Appends the path, in which each double slash becomes one slash, without its trailing slash. */
static rc_str push_clean(rc_buf *buf, rc_str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] != '/' || (i + 1 < path.len && path.ptr[i + 1] != '/'))
            rc_buf_push_byte(buf, path.ptr[i]);
    return rc_buf_get(buf);
}

static bool is_endpoint(rc_str path, rc_base_url_mistake *mistake)
{
    if (!rc_endpoint_find(path, &mistake->match) || mistake->match.endpoint->wire == RC_WIRE_NATIVE)
        return false;
    mistake->path = path;
    return true;
}

bool rc_base_url_mistake_find(rc_str path, rc_base_url_mistake *ret_mistake)
{
    char scratch[RC_BASE_URL_MISTAKE_MAX];
    rc_buf clean;
    rc_buf fixed;
    rc_buf_init_fixed(&clean, scratch, sizeof scratch);
    rc_buf_init_fixed(&fixed, ret_mistake->scratch, sizeof ret_mistake->scratch);
    const rc_str clean_path = push_clean(&clean, path);
    if (rc_buf_status(&clean) != RC_OK)
        return false;
    rc_buf_push(&fixed, clean_path);
    if (!rc_str_eq(clean_path, path) && is_endpoint(rc_buf_get(&fixed), ret_mistake))
        return true;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        if (!rc_str_starts_with(clean_path, mistakes[i].wrong))
            continue;
        rc_buf_reset(&fixed);
        rc_buf_push(&fixed, mistakes[i].right);
        rc_buf_push(&fixed, rc_str_slice(clean_path, mistakes[i].wrong.len, clean_path.len));
        if (rc_buf_status(&fixed) == RC_OK && is_endpoint(rc_buf_get(&fixed), ret_mistake))
            return true;
    }
    return false;
}
