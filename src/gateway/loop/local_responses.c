/* Responses without an exchange: errors for malformed requests, and the page at "/". Called by
 * loop.c. */
#include <recourse/builder.h>
#include <recourse/classify.h>
#include <recourse/json.h>
#include <recourse/render.h>

#include "base/str.h"
#include "dialect/endpoint.h"
#include "gateway/loop/loop_private.h"
#include "gateway/request/base_url.h"
#include "gateway/request/client_request.h"
#include "gateway/runtime/runtime.h"
#include "http/http1.h"
#include "net/server/responder.h"
#include "net/server/server.h"

#define MESSAGE_MAX 128u
#define ROOT_MAX 1536u

static rc_dialect dialect_of(rc_str target)
{
    rc_endpoint_match match;
    const rc_str path = rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
    return rc_endpoint_find(path, &match) && match.endpoint->wire != RC_WIRE_LOCAL
               ? match.endpoint->dialect
               : rc_dialect_of_path(path);
}

static rc_str advice_of(int status)
{
    switch (status) {
    case 408:
        return RC_STR("Send the whole request without long pauses.");
    case 413:
        return RC_STR("Send a smaller body.");
    case 414:
        return RC_STR("Send a shorter path and query.");
    case 431:
        return RC_STR("Send fewer or shorter headers.");
    default:
        return RC_STR("Send an HTTP/1.1 request.");
    }
}

void rc_loop_render_refusal(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page)
{
    rc_loop *loop = ctx;
    rc_runtime *runtime = &loop->runtime;
    const rc_id id = rc_runtime_next_id(runtime, rc_runtime_unix_ms(runtime));
    const rc_dialect dialect = dialect_of(refusal->target);
    char scratch[MESSAGE_MAX];
    rc_buf message;
    rc_builder builder;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    rc_buf_push(&message, RC_STR("The request was refused: "));
    rc_buf_push(&message, rc_str_c(refusal->text));
    rc_buf_push_byte(&message, '.');
    const rc_local_outcome outcome = rc_outcome_of_refusal(refusal->status);
    rc_builder_init(&builder, &runtime->alloc, rc_local_outcome_get(outcome)->code);
    rc_builder_set_id(&builder, &id);
    rc_builder_set_message(&builder, rc_buf_get(&message));
    rc_builder_set_http_status(&builder, refusal->status);
    rc_builder_set_action(&builder, RC_ACTION_FIX_REQUEST, advice_of(refusal->status));
    const rc_report *report = rc_builder_finish(&builder);
    (void)rc_render_headers(report, dialect, lines);
    (void)rc_render_body(report, dialect, RC_VIEW_USER, page);
    rc_report_free(report);
}

/* Responds to "/" for browsers and for clients such as Claude Code, which check with HEAD that a
 * server exists. */
bool rc_loop_respond_root(rc_responder *responder, const rc_http1 *reader, const char *head)
{
    const rc_header field = {RC_STR("content-type"), RC_STR("text/plain")};
    char scratch[ROOT_MAX];
    rc_buf text;
    const rc_str method = rc_http1_method(reader);
    if (!rc_str_eq(rc_http1_target(reader, head), RC_STR("/")) ||
        (!rc_str_eq(method, RC_STR("GET")) && !rc_str_eq(method, RC_STR("HEAD"))))
        return false;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("This is Recourse, a gateway for LLM APIs.\n\nBase URLs:\n"));
    rc_base_url_push_all(&text, rc_http1_host(reader, head), RC_STR("  "), RC_STR("\n"));
    rc_buf_push(&text, RC_STR("\nGET /v1/models lists the models, GET /healthz says ok.\n"));
    (void)rc_responder_send(responder, 200, &field, 1, rc_buf_get(&text));
    return true;
}
