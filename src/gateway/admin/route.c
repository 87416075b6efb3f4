/* Finds the route of an admin request and its captures. Called by core.c, paths.c and
 * src/cli/serve/explain.c. */
#include "base/str.h"
#include "base/utf8.h"
#include "gateway/admin/core.h"
#include "gateway/request/model.h"
#include "gateway/request/query.h"

/* ---- segments ---- */

/* Removes the next segment from *rest. Returns false if *rest has no segment. */
static bool next_segment(rc_str *rest, rc_str *ret_segment)
{
    if (rest->len == 0 || rest->ptr[0] != '/')
        return false;
    const size_t end = rc_str_find_byte(*rest, '/', 1);
    *ret_segment = rc_str_slice(*rest, 1, end);
    *rest = end == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(*rest, end, rest->len);
    return true;
}

static size_t count_segments(rc_str path)
{
    size_t count = 0;
    rc_str segment;
    while (next_segment(&path, &segment))
        count++;
    return count;
}

/* Whether a segment is empty, "." or "..". Such segments are never names of targets, keys or other
 * objects. */
static bool is_odd(rc_str segment)
{
    return segment.len == 0 || rc_str_eq(segment, RC_STR(".")) || rc_str_eq(segment, RC_STR(".."));
}

/* Removes `count` segments from the path. ret_text receives them as one text, with the slashes
 * between the segments. */
static bool take_segments(rc_str *path, size_t count, rc_str *ret_text)
{
    const char *begin = path->ptr + 1;
    rc_str segment = rc_str_make(NULL, 0);
    for (size_t i = 0; i < count; i++)
        if (!next_segment(path, &segment) || is_odd(segment))
            return false;
    *ret_text = rc_str_make(begin, (size_t)(segment.ptr + segment.len - begin));
    return true;
}

/* ---- one route ---- */

typedef struct match {
    rc_str captures[RC_ADMIN_CAPTURES_MAX]; /* The captured segments as written. */
    size_t count;
} match;

/* Matches one part of the pattern against the path. many: the number of segments that {...} must
 * match. */
static bool fits_part(rc_str pattern, rc_str *path, size_t many, match *found)
{
    const bool is_many = rc_str_eq(pattern, RC_STR("{...}"));
    const bool is_capture = is_many || rc_str_eq(pattern, RC_STR("{}"));
    rc_str text;
    if (!is_capture)
        return next_segment(path, &text) && rc_str_eq(text, pattern);
    if (found->count == RC_ADMIN_CAPTURES_MAX || !take_segments(path, is_many ? many : 1, &text))
        return false;
    found->captures[found->count++] = text;
    return true;
}

static bool fits(const rc_admin_route *route, rc_str path, match *found)
{
    rc_str pattern = rc_str_c(route->path);
    const size_t wanted = count_segments(pattern);
    const size_t given = count_segments(path);
    const bool has_many = rc_str_find(pattern, RC_STR("{...}"), 0) != RC_STR_NPOS;
    rc_str part;
    if (given < wanted || (given > wanted && !has_many))
        return false;
    *found = (match){0};
    while (next_segment(&pattern, &part))
        if (!fits_part(part, &path, given - wanted + 1, found))
            return false;
    return true;
}

static bool takes_method(const rc_admin_route *route, rc_str method)
{
    const rc_str own = rc_str_c(route->method);
    return rc_str_eq(own, method) ||
           (rc_str_eq(method, RC_STR("HEAD")) && rc_str_eq(own, RC_STR("GET")));
}

/* ---- captures ---- */

static bool is_text(rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7F)
            return false;
    return rc_utf8_is_valid(text);
}

/* Decodes escapes into the arena. Returns false if an escape is malformed, the result is not valid
 * text, or memory runs out. */
static bool decode(rc_arena *arena, rc_str written, rc_str *ret_text)
{
    char *scratch = rc_arena_get_unset(arena, written.len + 1);
    rc_buf buf;
    if (scratch == NULL)
        return false;
    rc_buf_init_fixed(&buf, scratch, written.len + 1);
    if (!rc_percent_decode(written, &buf) || rc_buf_status(&buf) != RC_OK)
        return false;
    *ret_text = rc_buf_get(&buf);
    return is_text(*ret_text);
}

static bool take_captures(rc_admin_request *request, const match *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (!decode(request->arena, found->captures[i], &request->captures[i]))
            return false;
    request->capture_count = found->count;
    return true;
}

bool rc_admin_request_parameter(const rc_admin_request *request, rc_str name, rc_str *ret_value)
{
    rc_str written;
    return rc_query_find(request->query, name, &written) &&
           decode(request->arena, written, ret_value);
}

/* ---- all routes ---- */

/* Rejects the request. method: the method that the path supports, for the status 405; NULL if the
 * path does not exist, for the status 404. */
static void refuse(const rc_admin_request *request, rc_admin_reply *reply, const char *method)
{
    if (method == NULL) {
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 404, RC_STR("The admin interface does not have this path."),
            RC_ACTION_FIX_REQUEST, RC_STR("GET /admin/v1/state shows the gateway's state.")};
        rc_admin_reply_problem(request->core, reply, &problem);
        return;
    }
    const bool is_get = rc_str_eq(rc_str_c(method), RC_STR("GET"));
    const rc_admin_problem problem = {
        RC_CODE_SHAPE_INVALID, 405, RC_STR("The path does not support this method."),
        RC_ACTION_FIX_REQUEST, is_get ? RC_STR("Use GET.") : RC_STR("Use POST.")};
    rc_admin_reply_field(reply, "Allow", is_get ? RC_STR("GET, HEAD") : RC_STR("POST"));
    rc_admin_reply_problem(request->core, reply, &problem);
}

static bool find_in(rc_admin_request *request, const rc_admin_table *table, match *found,
                    const char **other_method)
{
    const rc_str method = rc_http1_method(request->reader);
    match fitting;
    for (size_t i = 0; i < table->count; i++) {
        if (!fits(&table->routes[i], request->path, &fitting))
            continue;
        if (!takes_method(&table->routes[i], method)) {
            *other_method = table->routes[i].method;
            continue;
        }
        request->route = &table->routes[i];
        request->route_ctx = table->ctx;
        *found = fitting;
        return true;
    }
    return false;
}

bool rc_admin_find_route(rc_admin_request *request, rc_admin_reply *reply)
{
    const rc_str target = rc_http1_target(request->reader, request->head);
    const size_t mark = rc_str_find_byte(target, '?', 0);
    const char *other_method = NULL;
    match found;
    request->path = rc_str_slice(target, 0, mark);
    request->query =
        mark == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(target, mark + 1, target.len);
    for (size_t i = 0; i < request->core->table_count; i++) {
        if (!find_in(request, &request->core->tables[i], &found, &other_method))
            continue;
        if (take_captures(request, &found))
            return true;
        if (rc_arena_status(request->arena) != RC_OK) {
            rc_admin_reply_no_memory(request->core, reply);
            return false;
        }
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 400, RC_STR("The path has an invalid escape."),
            RC_ACTION_FIX_REQUEST, RC_STR("Write a slash or a space in a name as %2F or %20.")};
        rc_admin_reply_problem(request->core, reply, &problem);
        return false;
    }
    refuse(request, reply, other_method);
    return false;
}
