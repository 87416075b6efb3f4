/* Refuses requests of clients with a wrong base URL and names the right one. Called by
 * exchange_request.c. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"
#include "gateway/request/base_url.h"

/* Longest path that is shown. */
#define PATH_MAX_BYTES 200u
#define MESSAGE_MAX 1536u

static rc_str host_of(const rc_exchange *exchange)
{
    return rc_http1_host(exchange->request.reader, exchange->request.head);
}

static rc_str path_of(const rc_exchange *exchange)
{
    const rc_str target = rc_http1_target(exchange->request.reader, exchange->request.head);
    return rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
}

static void push_base(rc_buf *text, const rc_exchange *exchange)
{
    rc_base_url_push(text, rc_client_request_dialect(&exchange->request), host_of(exchange));
}

static void push_message(rc_buf *text, const rc_exchange *exchange, rc_str path, rc_str meant)
{
    rc_buf_push(text, RC_STR("There is no endpoint "));
    if (path.len <= PATH_MAX_BYTES) {
        rc_buf_push(text, path);
        rc_buf_push_byte(text, ' ');
    }
    rc_buf_push(text, RC_STR("here: the client's base URL is wrong. For "));
    rc_buf_push(text, rc_base_url_clients(rc_client_request_dialect(&exchange->request)));
    rc_buf_push(text, RC_STR(" it is "));
    push_base(text, exchange);
    if (meant.len <= PATH_MAX_BYTES) {
        rc_buf_push(text, RC_STR(", and this request is sent to "));
        rc_buf_push(text, meant);
    }
    rc_buf_push_byte(text, '.');
}

bool rc_exchange_refuse_base_url(rc_exchange *exchange)
{
    const rc_str path = path_of(exchange);
    rc_base_url_mistake mistake;
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    if (!rc_base_url_mistake_find(path, &mistake))
        return false;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    push_message(&text, exchange, path, mistake.path);
    rc_exchange_begin_report(exchange, &builder, RC_CODE_ENDPOINT_NOT_FOUND, rc_buf_get(&text));
    rc_builder_set_http_status(&builder, 404);
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Set the client's base URL to "));
    push_base(&text, exchange);
    rc_buf_push_byte(&text, '.');
    rc_builder_set_action(&builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
    return true;
}

void rc_exchange_refuse_unknown_path(rc_exchange *exchange)
{
    const rc_str path = path_of(exchange);
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("There is no endpoint "));
    if (path.len <= PATH_MAX_BYTES) {
        rc_buf_push(&text, rc_http1_method(exchange->request.reader));
        rc_buf_push_byte(&text, ' ');
        rc_buf_push(&text, path);
        rc_buf_push_byte(&text, ' ');
    }
    rc_buf_push(&text, RC_STR("here."));
    rc_exchange_begin_report(exchange, &builder, RC_CODE_ENDPOINT_NOT_FOUND, rc_buf_get(&text));
    rc_builder_set_http_status(&builder, 404);
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Check the path and the client's base URL:"));
    rc_base_url_push_all(&text, host_of(exchange), RC_STR(" "), RC_STR(";"));
    rc_buf_push(&text, RC_STR(" GET /v1/models lists the models."));
    rc_builder_set_action(&builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
}
