/* rc_admin_core: stores the token, makes replies and runs the access checks in the order that
 * core.h lists. Called by the other files of this folder. */
#include "gateway/admin/core.h"

#include <string.h>

#include <recourse/builder.h>
#include <recourse/render.h>

#include "base/str.h"
#include "sys/clock.h"
#include "sys/entropy.h"

/* ---- the core ---- */

bool rc_admin_core_set_token(rc_admin_core *core, rc_secret token)
{
    rc_buf buf;
    if (token.len > sizeof(core->token))
        return false;
    rc_secret_wipe(core->token, sizeof(core->token));
    rc_buf_init_fixed(&buf, core->token, sizeof(core->token));
    rc_secret_push(&buf, token);
    core->token_len = token.len;
    return true;
}

bool rc_admin_core_has_token(const rc_admin_core *core, rc_secret token)
{
    return core->token_len == token.len &&
           (token.len == 0 ||
            rc_secret_eq(rc_secret_make(rc_str_make(core->token, core->token_len)), token));
}

bool rc_admin_core_add(rc_admin_core *core, const rc_admin_table *table)
{
    if (core->table_count == RC_ADMIN_TABLES_MAX)
        return false;
    core->tables[core->table_count++] = *table;
    return true;
}

bool rc_admin_core_init(rc_admin_core *core, const rc_admin_settings *settings)
{
    *core = (rc_admin_core){
        .alloc = settings->alloc,
        .calls = settings->calls,
        .source = settings->source,
        .metrics = settings->metrics,
    };
    if (settings->host.len > sizeof(core->host) || !rc_admin_core_set_token(core, settings->token))
        return false;
    if (settings->host.len > 0)
        memcpy(core->host, settings->host.ptr, settings->host.len);
    core->host_len = settings->host.len;
    return rc_admin_core_add(core, &(rc_admin_table){rc_admin_routes, rc_admin_route_count, core});
}

void rc_admin_core_done(rc_admin_core *core)
{
    rc_secret_wipe(core->token, sizeof(core->token));
    core->token_len = 0;
}

/* ---- replies ---- */

void rc_admin_reply_init(rc_admin_reply *reply, const rc_alloc *alloc)
{
    *reply = (rc_admin_reply){.status = 200, .type = "application/json"};
    rc_buf_init(&reply->body, alloc, RC_ADMIN_RESPONSE_MAX);
}

void rc_admin_reply_done(rc_admin_reply *reply)
{
    rc_buf_done(&reply->body);
}

void rc_admin_reply_field(rc_admin_reply *reply, const char *name, rc_str value)
{
    if (reply->field_count < RC_ADMIN_FIELDS_MAX)
        reply->fields[reply->field_count++] = (rc_header){rc_str_c(name), value};
}

/* Makes the id of a report. Without a random source the id contains only the time, which is enough
 * to identify the report. */
static rc_id next_id(rc_admin_core *core)
{
    uint8_t bytes[10] = {0};
    if (!rc_entropy_get(core->calls, bytes, sizeof(bytes)))
        memset(bytes, 0, sizeof(bytes));
    return rc_id_make(&core->ids, rc_clock_unix_ms(core->calls), bytes);
}

static const rc_report *build(rc_admin_core *core, const rc_admin_problem *problem)
{
    rc_builder builder;
    const rc_id id = next_id(core);
    rc_builder_init(&builder, &core->alloc, problem->code);
    rc_builder_set_id(&builder, &id);
    rc_builder_set_message(&builder, problem->message);
    rc_builder_set_action(&builder, problem->action, problem->next);
    if (problem->status > 0)
        rc_builder_set_http_status(&builder, problem->status);
    return rc_builder_finish(&builder);
}

void rc_admin_reply_problem(rc_admin_core *core, rc_admin_reply *reply,
                            const rc_admin_problem *problem)
{
    const rc_report *report = build(core, problem);
    rc_buf_reset(&reply->body);
    reply->status = problem->status > 0 ? problem->status : rc_report_http_status(report);
    reply->type = rc_dialect_content_type(RC_DIALECT_PROBLEM);
    reply->is_page = false;
    /* If the body does not fit, begin() in server.c sends an error without one. */
    (void)rc_render_body(report, RC_DIALECT_PROBLEM, RC_VIEW_USER, &reply->body);
    rc_report_free(report);
}

void rc_admin_reply_no_memory(rc_admin_core *core, rc_admin_reply *reply)
{
    const rc_admin_problem problem = {
        RC_CODE_INTERNAL, 503, RC_STR("There is no memory for the response."),
        RC_ACTION_WAIT_AND_RETRY, RC_STR("Try again, or request a part: /admin/v1/targets.")};
    reply->field_count = 0;
    rc_admin_reply_problem(core, reply, &problem);
}

#define FIELD(name, value)                    \
    {                                         \
        RC_STR_INIT(name), RC_STR_INIT(value) \
    }

const rc_header *rc_admin_fields(bool is_page, size_t *ret_count)
{
    static const rc_header fields[] = {
        FIELD("Cache-Control", "no-store"),
        FIELD("X-Content-Type-Options", "nosniff"),
        FIELD("X-Frame-Options", "DENY"),
        FIELD("Referrer-Policy", "no-referrer"),
        FIELD("Cross-Origin-Resource-Policy", "same-origin"),
        FIELD("Cross-Origin-Opener-Policy", "same-origin"),
        FIELD("Content-Security-Policy",
              "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    };
    static const rc_header page_fields[] = {
        FIELD("Cache-Control", "no-cache"), /* The browser may cache the page, but must revalidate
                                               it by its ETag each time. */
        FIELD("X-Content-Type-Options", "nosniff"),
        FIELD("X-Frame-Options", "DENY"),
        FIELD("Referrer-Policy", "no-referrer"),
        FIELD("Cross-Origin-Resource-Policy", "same-origin"),
        FIELD("Cross-Origin-Opener-Policy", "same-origin"),
        FIELD("Content-Security-Policy",
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
              "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
              "form-action 'none'"),
    };
    *ret_count = sizeof(fields) / sizeof(fields[0]);
    return is_page ? page_fields : fields;
}

/* ---- requests ---- */

static bool is_too_large(const rc_admin_request *request)
{
    return request->reader->framing == RC_HTTP1_LENGTH &&
           request->reader->length > RC_ADMIN_BODY_MAX;
}

static bool refuse_size(const rc_admin_request *request, rc_admin_reply *reply)
{
    const rc_admin_problem problem = {
        RC_CODE_SHAPE_INVALID, 413, RC_STR("The body is larger than 64 KiB."),
        RC_ACTION_FIX_REQUEST, RC_STR("The admin interface accepts only short JSON bodies.")};
    rc_admin_reply_problem(request->core, reply, &problem);
    return false;
}

bool rc_admin_accept(rc_admin_request *request, rc_admin_reply *reply)
{
    if (!rc_admin_check_caller(request, reply))
        return false;
    /* The token is checked before a missing path is reported, so that a client without the token
     * does not learn which paths exist. */
    const bool is_found = rc_admin_find_route(request, reply);
    const bool is_open = is_found && request->route->access == RC_ADMIN_OPEN;
    if (!is_open && !rc_admin_check_token(request, reply))
        return false;
    if (!is_found || !rc_admin_check_site(request, reply))
        return false;
    return !is_too_large(request) || refuse_size(request, reply);
}

void rc_admin_handle(const rc_admin_request *request, rc_admin_reply *reply)
{
    if (request->body.len > RC_ADMIN_BODY_MAX) {
        refuse_size(request, reply);
        return;
    }
    request->route->handle(request->route_ctx, request, reply);
    if (rc_buf_status(&reply->body) == RC_OK && rc_arena_status(request->arena) == RC_OK)
        return;
    rc_admin_reply_no_memory(request->core, reply);
}
