/* The admin server of `recourse serve`: listeners, state and actions. Called by run.c, reload.c and
 * state.c. */
#include "cli/serve/admin.h"

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/mock/mock.h"
#include "cli/serve/log.h"
#include "gateway/admin/live.h"
#include "gateway/admin/web.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"

/* ---- state and actions ---- */

bool rc_serve_read_state(void *ctx, rc_arena *arena, rc_admin_snapshot *ret_snapshot)
{
    rc_serve_run *run = ctx;
    ret_snapshot->started_unix_ms = run->started_unix_ms;
    ret_snapshot->log_dropped = rc_serve_log_dropped(run);
    if (run->gateway == NULL)
        return true;
    if (!rc_gateway_read(run->gateway, arena, ret_snapshot))
        return false;
    ret_snapshot->is_draining = run->is_stopping;
    if (run->is_stopping) {
        ret_snapshot->is_ready = false;
        ret_snapshot->not_ready_reason = RC_STR("the gateway is shutting down");
    }
    rc_admin_config *config = &ret_snapshot->config;
    config->loaded_unix_ms = run->loaded_unix_ms;
    config->is_refused = run->is_refused;
    config->refusal = rc_arena_dup(arena, rc_str_c(run->is_refused ? run->refusal : ""));
    config->needs_restart = run->needs_restart;
    config->needs_restart_count = run->needs_restart_count;
    return rc_arena_status(arena) == RC_OK;
}

static void set_text(rc_admin_outcome *outcome, rc_admin_outcome_kind kind, const char *text)
{
    rc_buf out;
    outcome->kind = kind;
    rc_buf_init_fixed(&out, outcome->text, sizeof outcome->text);
    rc_buf_push(&out, rc_str_slice(rc_str_c(text), 0, sizeof outcome->text - 1));
    rc_buf_push_byte(&out, '\0');
}

static void act(void *ctx, const rc_admin_action *action, rc_admin_outcome *ret_outcome)
{
    rc_serve_run *run = ctx;
    if (run->gateway == NULL) {
        set_text(ret_outcome, RC_ADMIN_FAILED, "the gateway has stopped");
    } else if (action->kind == RC_ADMIN_RELOAD) {
        if (rc_serve_reload(run, action))
            set_text(ret_outcome, RC_ADMIN_DONE, "the configuration was reloaded");
        else
            set_text(ret_outcome, RC_ADMIN_REFUSED, run->refusal);
    } else if (action->kind == RC_ADMIN_DRAIN) {
        rc_serve_drain(run, "the admin interface");
        set_text(ret_outcome, RC_ADMIN_DONE, "the gateway stops after the requests in flight");
    } else {
        rc_gateway_act(run->gateway, action, ret_outcome);
    }
}

/* ---- listeners ---- */

static void on_stopped(void *ctx)
{
    rc_serve_run *run = ctx;
    run->admin = NULL;
    rc_admin_live_close(run->live);
    run->live = NULL;
}

static int listen_tcp(rc_serve_run *run, const rc_host_port *address)
{
    rc_cli *cli = run->cli;
    rc_listening listening = {0};
    if (rc_admin_listen(run->admin, address->host, address->port, &listening) != RC_LISTEN_OK) {
        rc_cli_err_prefix(cli, "serve");
        rc_cli_text(&cli->err, "the admin interface cannot listen at ");
        rc_serve_push_address(&cli->err, address->host, address->port);
        rc_cli_text(&cli->err, ": ");
        rc_cli_err_name(cli, rc_str_c(listening.text));
        rc_cli_text(&cli->err, "; set another address with --admin or admin.listen, or off\n");
        return RC_EXIT_UNAVAILABLE;
    }
    rc_serve_log_address(run, "dashboard and admin interface at http://", address->host,
                         listening.port);
    return RC_EXIT_OK;
}

static void log_socket(rc_serve_run *run, rc_str path)
{
    char memory[512];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_cli_text(&text, "dashboard and admin interface at the socket ");
    rc_buf_push(&text, path);
    rc_serve_log_event(run, RC_LOG_EVENT_LISTENING, rc_buf_get(&text));
}

static int listen_unix(rc_serve_run *run, rc_str path)
{
    char name[256];
    rc_listening listening = {0};
    rc_buf text;
    rc_buf_init_fixed(&text, name, sizeof name);
    rc_buf_push(&text, path);
    rc_buf_push_byte(&text, '\0');
    if (rc_buf_status(&text) != RC_OK ||
        rc_admin_listen_unix(run->admin, name, &listening) != RC_LISTEN_OK)
        return rc_serve_refuse(run->cli,
                               "the admin interface cannot listen at its socket: ", listening.text,
                               RC_EXIT_UNAVAILABLE);
    log_socket(run, path);
    return RC_EXIT_OK;
}

static rc_secret token_of(const rc_snapshot *snapshot)
{
    return rc_secret_make(rc_str_make(snapshot->admin_token.bytes, snapshot->admin_token.len));
}

/* ---- endpoints of the dashboard ---- */

/* Adds the endpoints of the dashboard. Returns false if memory ran out or the URL of the store is
 * too long. */
static bool add_tables(rc_serve_run *run, const rc_admin_source *source)
{
    const rc_cli *cli = run->cli;
    char scratch[RC_ADMIN_STORE_URL_MAX];
    rc_buf url;
    rc_buf_init_fixed(&url, scratch, sizeof scratch);
    rc_gateway_push_store(run->gateway, &url);
    rc_admin_task_pool_init(&run->works, &run->loop, &cli->alloc);
    const bool is_read =
        rc_admin_audit_init(&run->audit, rc_buf_get(&url), &run->works, cli->calls);
    rc_secret_wipe(scratch, sizeof scratch);
    run->explain = (rc_serve_explain){
        .works = &run->works, .hub = rc_gateway_hub(run->gateway), .calls = cli->calls};
    run->live = rc_admin_live_new(&run->loop, &cli->alloc, cli->calls, source);
    if (!is_read || run->live == NULL)
        return false;
    const rc_admin_table tables[] = {
        rc_admin_web_table(),
        rc_admin_audit_table(&run->audit),
        rc_admin_live_table(run->live),
        rc_serve_explain_table(&run->explain),
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (!rc_admin_add(run->admin, &tables[i]))
            return false;
    return true;
}

int rc_serve_admin_open(rc_serve_run *run)
{
    rc_hub *hub = rc_gateway_hub(run->gateway);
    const rc_config_admin *config = &hub->snapshot->config->admin;
    const char *option = run->options->admin;
    const rc_str listen = option != NULL ? rc_str_c(option) : config->listen;
    const bool listens = !rc_str_eq(listen, RC_STR("off"));
    rc_host_port address = {0};
    if (!listens && config->socket.len == 0)
        return RC_EXIT_OK;
    if (listens && !rc_host_port_parse(listen, &address))
        return rc_serve_refuse(run->cli,
                               option != NULL ? "--admin must be HOST:PORT or off, not "
                                              : "admin.listen is not HOST:PORT",
                               option != NULL ? option : "",
                               option != NULL ? RC_EXIT_USAGE : RC_EXIT_CONFIG);
    const rc_admin_source source = {.fill_snapshot = rc_serve_read_state, .act = act, .ctx = run};
    const rc_admin_settings settings = {
        .alloc = run->cli->alloc,
        .calls = run->cli->calls,
        .source = source,
        .metrics = hub->metrics,
        .token = token_of(hub->snapshot),
        .host = rc_str_c(address.host),
    };
    run->admin = rc_admin_new(&run->loop, &settings, on_stopped, run);
    if (run->admin == NULL || !add_tables(run, &source))
        return rc_serve_refuse(run->cli, "out of memory for the admin interface", "",
                               RC_EXIT_INTERNAL);
    int result = listens ? listen_tcp(run, &address) : RC_EXIT_OK;
    if (result == RC_EXIT_OK && config->socket.len > 0)
        result = listen_unix(run, config->socket);
    return result;
}

void rc_serve_admin_renew(rc_serve_run *run)
{
    if (run->admin == NULL)
        return;
    const rc_secret token = token_of(rc_gateway_hub(run->gateway)->snapshot);
    if (rc_admin_has_token(run->admin, token))
        return;
    (void)rc_admin_set_token(run->admin, token);
    rc_admin_live_disconnect_all(run->live);
}

void rc_serve_admin_stop(rc_serve_run *run)
{
    run->explain.hub = NULL;
    if (run->admin != NULL)
        rc_admin_close(run->admin);
}
