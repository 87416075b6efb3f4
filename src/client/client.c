/* rc_client: opens and closes the gateway and the upstream connections to it, and runs the timer of
 * the calls. Called by `recourse call` (cli/call/gateway.c, run.c and result.c) and
 * client_call.c. */
#include "client/client.h"

#include <string.h>

#include "base/secret.h"
#include "base/str.h"
#include "client/client_private.h"
#include "config/config.h"
#include "gateway/gateway.h"
#include "gateway/observe/exchange_summary.h"
#include "gateway/state/snapshot_input.h"
#include "net/client/upstream.h"
#include "store/fault.h"

#define TOKEN_MAX_BYTES ((size_t)4096)
#define URL_MAX_BYTES ((size_t)64 << 10)

/* ---- closing ---- */

static void free_client(rc_client *client)
{
    rc_secret_wipe_buf(&client->token);
    rc_buf_done(&client->token);
    rc_buf_done(&client->url);
    client->config = NULL;
    client->is_open = false;
    if (client->settings.on_closed != NULL)
        client->settings.on_closed(client->settings.ctx);
}

static void end_if_closed(rc_client *client)
{
    if (client->gateway == NULL && !client->is_upstream_open && !client->is_timer_open)
        free_client(client);
}

static void on_timer_closed(uv_handle_t *handle)
{
    rc_client *client = handle->data;
    client->is_timer_open = false;
    end_if_closed(client);
}

static void on_upstream_closed(void *ctx)
{
    rc_client *client = ctx;
    client->is_upstream_open = false;
    end_if_closed(client);
}

static void on_gateway_stopped(void *ctx)
{
    rc_client *client = ctx;
    client->gateway = NULL;
    client->config = NULL; /* The gateway owned the configuration and has freed it. */
    end_if_closed(client);
}

/* Closes the gateway and the connections, and the timer last. rc_gateway_close calls
 * on_gateway_stopped at once if the gateway was never opened; the timer is then still open and
 * prevents free_client from running too early. */
static void close_parts(rc_client *client)
{
    if (client->upstream != NULL)
        rc_upstream_close(client->upstream, on_upstream_closed, client);
    client->upstream = NULL;
    if (client->gateway != NULL)
        rc_gateway_close(client->gateway);
    uv_close((uv_handle_t *)&client->timer, on_timer_closed);
}

void rc_client_close(rc_client *client)
{
    if (!client->is_open || client->is_closing)
        return;
    client->is_closing = true;
    for (rc_client_call *call = client->calls; call != NULL; call = call->next)
        rc_client_call_cancel(call);
    rc_client_arm(client);
}

bool rc_client_is_open(const rc_client *client)
{
    return client->is_open;
}

/* ---- time ---- */

/* A call's on_end callback may start, cancel and release other calls. Therefore the search for due
 * calls starts again at the head of the list after each call that was due. */
static void on_timer(uv_timer_t *timer)
{
    rc_client *client = timer->data;
    const uint64_t now_ms = uv_now(client->settings.uv_loop);
    for (rc_client_call *call = client->calls; call != NULL;) {
        const bool is_due = call->due_at_ms <= now_ms;
        rc_client_call *next = call->next;
        if (is_due) {
            rc_client_call_on_due(call, now_ms);
            next = client->calls;
        }
        call = next;
    }
    if (client->is_closing && client->calls == NULL)
        close_parts(client);
    else
        rc_client_arm(client);
}

void rc_client_arm(rc_client *client)
{
    const uint64_t now_ms = uv_now(client->settings.uv_loop);
    uint64_t due_at_ms = client->is_closing && client->calls == NULL ? now_ms : UINT64_MAX;
    if (!client->is_timer_open || uv_is_closing((uv_handle_t *)&client->timer))
        return;
    for (const rc_client_call *call = client->calls; call != NULL; call = call->next)
        if (call->due_at_ms < due_at_ms)
            due_at_ms = call->due_at_ms;
    if (due_at_ms == UINT64_MAX)
        (void)uv_timer_stop(&client->timer);
    else
        (void)uv_timer_start(&client->timer, on_timer, due_at_ms > now_ms ? due_at_ms - now_ms : 0,
                             0);
}

/* ---- callbacks of the gateway in this process ---- */

/* Finds a call by its mark. The call sent the mark in its request, and the gateway returns it. */
static rc_client_call *find_call(const rc_client *client, rc_str mark)
{
    for (rc_client_call *call = client->calls; call != NULL; call = call->next)
        if (rc_str_eq(rc_str_c(call->mark), mark))
            return call;
    return NULL;
}

/* Called by the gateway on the thread of the uv loop, which is the gateway's only thread. */
static void on_record(void *ctx, const rc_exchange_summary *record)
{
    rc_client_call *call = find_call(ctx, record->mark);
    if (call != NULL)
        rc_client_call_on_record(call, record);
}

static void on_quota(void *ctx, const rc_quota_warning *warning)
{
    rc_client_call *call = find_call(ctx, warning->mark);
    if (call != NULL && rc_client_call_is_live(call))
        call->handler->on_quota(call->ctx, warning->quota, warning->target);
}

/* Called on the thread of the store when an audit record was lost. */
static void on_suppressed(void *ctx, rc_str line)
{
    rc_client *client = ctx;
    (void)line;
    atomic_store(&client->has_lost_record, true);
}

static int open_connection(void *ctx, const rc_origin *origin)
{
    const rc_client *client = ctx;
    (void)origin;
    return client->gateway != NULL ? rc_gateway_connect(client->gateway) : -1;
}

/* ---- opening ---- */

static void begin(rc_client *client, const rc_client_settings *settings)
{
    memset(client, 0, sizeof *client);
    client->settings = *settings;
    rc_buf_init(&client->url, &settings->alloc, URL_MAX_BYTES);
    rc_buf_init(&client->token, &settings->alloc, TOKEN_MAX_BYTES);
    (void)uv_timer_init(settings->uv_loop, &client->timer); /* uv_timer_init never fails. */
    client->timer.data = client;
    client->is_timer_open = true;
    client->is_open = true;
}

static bool refuse_without_memory(rc_client_error *error)
{
    *error = (rc_client_error){.code = RC_CODE_INTERNAL, .message = "Out of memory.", .advice = ""};
    return false;
}

/* Returns whether calls may be made without audit records after the store could not be opened for
 * the reason `fault`. */
static bool may_run_unrecorded(const rc_snapshot_input *input, int fault)
{
    return fault == RC_STORE_HAS_WRITER || input->is_environment ||
           input->config->audit.on_failure == 1;
}

static rc_gateway *make_gateway(rc_client *client, const rc_snapshot_input *input,
                                rc_load_error *error)
{
    const rc_gateway_settings settings = {
        .uv_loop = client->settings.uv_loop,
        .calls = client->settings.calls,
        .alloc = client->settings.alloc,
        .threads = 1,
        .on_record = on_record,
        .on_quota = on_quota,
        .on_suppressed = on_suppressed,
        .on_stopped = on_gateway_stopped,
        .ctx = client,
    };
    /* The program itself is the only client of this gateway, so no token is needed. */
    input->config->client_count = 0;
    input->config->admin.token.kind = RC_SECRET_NONE;
    return rc_gateway_new(&settings, input, error);
}

/* Fills in `error` (a sentence, a code and advice) for a gateway that could not be created. */
static bool refuse_to_open(rc_client_error *error, rc_load_error *load_error)
{
    char *text = load_error->text;
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
    if (!rc_str_ends_with(rc_str_c(text), RC_STR(".")))
        rc_load_error_add(load_error, RC_STR("."));
    *error = (rc_client_error){.code = RC_CODE_CONFIG_SCHEMA_VIOLATION, .advice = ""};
    memcpy(error->message, text, strlen(text) + 1);
    if (load_error->is_memory)
        error->code = RC_CODE_INTERNAL;
    else if (load_error->store_fault != 0)
        error->code = RC_CODE_STORE_UNAVAILABLE;
    else if (load_error->is_secret) {
        error->code = RC_CODE_AUTH_FAILED;
        error->advice = "Create it, or correct the reference under the provider's keys in the "
                        "configuration.";
    }
    return false;
}

static bool open_upstream(rc_client *client, rc_client_error *error)
{
    rc_upstream_settings settings = rc_upstream_settings_default();
    settings.alloc = client->settings.alloc;
    if (client->gateway != NULL) {
        settings.open = open_connection;
        settings.open_ctx = client;
    }
    client->is_upstream_open =
        rc_upstream_new(client->settings.uv_loop, &settings, &client->upstream) == RC_OK;
    return client->is_upstream_open || refuse_without_memory(error);
}

bool rc_client_open(rc_client *client, const rc_client_settings *settings, rc_snapshot_input *input,
                    rc_client_error *ret_error)
{
    rc_load_error load_error = {0};
    begin(client, settings);
    /* The address is never dialled, because open_connection returns one end of a socket pair. */
    (void)rc_origin_parse(RC_STR("http://127.0.0.1:1"), (rc_origin_options){0}, &client->origin);
    client->gateway = make_gateway(client, input, &load_error);
    if (client->gateway == NULL && load_error.store_fault != 0 &&
        may_run_unrecorded(input, load_error.store_fault)) {
        client->store_fault = load_error.store_fault;
        input->config->audit.durability = RC_DURABLE_OFF;
        client->gateway = make_gateway(client, input, &load_error);
    }
    if (client->gateway == NULL)
        return refuse_to_open(ret_error, &load_error);
    client->config = input->config;
    *input = (rc_snapshot_input){0};
    if (!rc_gateway_open(client->gateway))
        return refuse_without_memory(ret_error);
    return open_upstream(client, ret_error);
}

bool rc_client_connect(rc_client *client, const rc_client_settings *settings,
                       const rc_client_remote *remote, rc_client_error *ret_error)
{
    begin(client, settings);
    return rc_client_read_remote(client, remote, ret_error) && open_upstream(client, ret_error);
}

/* ---- the store ---- */

int rc_client_store_fault(const rc_client *client)
{
    return client->store_fault;
}

bool rc_client_has_lost_record(const rc_client *client)
{
    return atomic_load(&client->has_lost_record);
}
