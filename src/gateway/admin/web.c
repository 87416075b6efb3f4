/* rc_admin_web: serves the dashboard's static files. Added to rc_admin by src/cli/serve/admin.c. */
#include "gateway/admin/web.h"

#include "base/str.h"

const rc_web_file *rc_web_file_find(rc_str name)
{
    for (size_t i = 0; i < rc_web_file_count; i++)
        if (rc_str_eq(name, rc_str_c(rc_web_files[i].name)))
            return &rc_web_files[i];
    return NULL;
}

/* Whether If-None-Match contains the file's tag or "*", so that the client already has this version
 * of the file. Weak tags match, too (RFC 9110, section 13.1.2). */
static bool is_known(const rc_admin_request *request, const rc_web_file *file)
{
    rc_str value;
    if (!rc_admin_request_header(request, RC_STR("if-none-match"), &value))
        return false;
    return rc_str_eq(value, RC_STR("*")) ||
           rc_str_find(value, rc_str_c(file->etag), 0) != RC_STR_NPOS;
}

static void show(const rc_admin_request *request, rc_admin_reply *reply, rc_str name)
{
    const rc_web_file *file = rc_web_file_find(name);
    if (file == NULL) {
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 404, RC_STR("The dashboard does not have this file."),
            RC_ACTION_FIX_REQUEST, RC_STR("The dashboard starts at /.")};
        rc_admin_reply_problem(request->core, reply, &problem);
        return;
    }
    reply->is_page = true;
    reply->type = file->type;
    rc_admin_reply_field(reply, "ETag", rc_str_c(file->etag));
    if (is_known(request, file))
        reply->status = 304;
    else
        rc_buf_push(&reply->body, rc_str_make((const char *)file->bytes, file->size));
}

static void on_page(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    show(request, reply, RC_STR("index.html"));
}

static void on_file(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    show(request, reply, request->captures[0]);
}

static const rc_admin_route routes[] = {
    {"GET", "/", RC_ADMIN_OPEN, on_page, NULL},
    {"GET", "/app/{}", RC_ADMIN_OPEN, on_file, NULL},
};

rc_admin_table rc_admin_web_table(void)
{
    return (rc_admin_table){routes, sizeof(routes) / sizeof(routes[0]), NULL};
}
