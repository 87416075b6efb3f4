/* Reloads the configuration of a running gateway. Called by signals.c, admin.c and run.c. */
#include <string.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/serve/admin.h"
#include "cli/serve/load.h"
#include "cli/serve/log.h"
#include "config/prices/unpriced.h"
#include "gateway/state/hub.h"
#include "sys/clock.h"
#include "sys/config_file.h"

#define PATH_MAX_BYTES ((size_t)16 << 10)

/* Adds the advice for a missing secret to a load error. */
void rc_serve_add_advice(rc_load_error *load_error)
{
    if (load_error->is_secret)
        rc_load_error_add(load_error,
                          RC_STR("; create it, or correct the reference in the configuration"));
}

/* Stores the reason of a refused reload for the admin API: the first line of err behind the offset
 * `from`. */
static void note_refusal(rc_serve_run *run, size_t from)
{
    const rc_str written = rc_str_slice(rc_buf_get(&run->cli->err), from, SIZE_MAX);
    const rc_str whole = rc_str_slice(written, 0, rc_str_find_byte(written, '\n', 0));
    const rc_str prefix = RC_STR("recourse serve: ");
    const rc_str line =
        rc_str_slice(whole, rc_str_starts_with(whole, prefix) ? prefix.len : 0, whole.len);
    rc_buf text;
    rc_buf_init_fixed(&text, run->refusal, sizeof run->refusal);
    rc_buf_push(&text, rc_str_slice(line, 0, sizeof run->refusal - 1));
    rc_buf_push_byte(&text, '\0');
}

/* Applies a loaded configuration. The log is changed first, so that nothing else has changed if the
 * new log cannot be written. */
static bool apply_input(rc_serve_run *run, const rc_snapshot_input *input, const rc_config *before)
{
    rc_load_error load_error;
    if (rc_serve_log_change(run, &input->config->log) != RC_EXIT_OK) {
        rc_gateway_count_reload(run->gateway, false);
        return false;
    }
    if (rc_gateway_reload(run->gateway, input, &load_error)) {
        run->needs_restart_count =
            rc_serve_fixed_compare(&run->fixed, input->config, run->needs_restart);
        return true;
    }
    rc_serve_add_advice(&load_error);
    (void)rc_serve_refuse(run->cli, "", load_error.text, RC_EXIT_CONFIG);
    (void)rc_serve_log_change(run, &before->log);
    return false;
}

/* Returns whether the configuration can be read again. Standard input and pipes are refused,
 * because they are read once at the start, and a second read could block the thread that handles
 * signals. */
static bool can_read_again(rc_serve_run *run)
{
    const char *path = run->options->config_path;
    const char *other = NULL;
    rc_buf found;
    rc_buf_init(&found, &run->cli->alloc, PATH_MAX_BYTES);
    if (path == NULL && rc_config_file_find(run->cli->calls, &found))
        path = rc_buf_get(&found).ptr;
    if (path != NULL)
        other =
            strcmp(path, "-") == 0 ? "standard input" : rc_path_special_kind(run->cli->calls, path);
    if (other != NULL)
        (void)rc_serve_refuse(run->cli, "the configuration cannot be reloaded: it is ", other,
                              RC_EXIT_CONFIG);
    rc_buf_done(&found);
    return other == NULL;
}

static bool reload_input(rc_serve_run *run)
{
    rc_snapshot_input input;
    if (run->is_stopping) {
        (void)rc_serve_refuse(run->cli, "the gateway is shutting down", "", RC_EXIT_UNAVAILABLE);
        return false;
    }
    if (!can_read_again(run) ||
        rc_serve_load(run->cli, "serve", run->options->config_path, &input) != RC_EXIT_OK) {
        rc_gateway_count_reload(run->gateway, false);
        return false;
    }
    rc_snapshot *before = rc_hub_take_snapshot(rc_gateway_hub(run->gateway));
    const bool is_loaded = apply_input(run, &input, before->config);
    if (!is_loaded)
        rc_snapshot_input_done(&input, &run->cli->alloc);
    rc_snapshot_release(before);
    return is_loaded;
}

/* ---- log lines ---- */

static void log_needs_restart(rc_serve_run *run)
{
    for (size_t i = 0; i < run->needs_restart_count; i++) {
        char memory[128];
        rc_buf text;
        rc_buf_init_fixed(&text, memory, sizeof memory);
        rc_buf_push(&text, run->needs_restart[i]);
        rc_buf_push(&text, RC_STR(" has changed; restart the gateway to apply it"));
        rc_serve_log_event(run, RC_LOG_EVENT_RESTART_NEEDED, rc_buf_get(&text));
    }
}

static void log_one_unpriced(void *ctx, const rc_unpriced *unpriced)
{
    char memory[RC_SERVE_REFUSAL_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_unpriced_push(&text, unpriced);
    rc_cli_text(&text, "; ");
    rc_cli_text(&text, rc_unpriced_advice());
    rc_serve_log_event(ctx, RC_LOG_EVENT_BUDGET_UNPRICED, rc_buf_get(&text));
}

void rc_serve_log_unpriced(rc_serve_run *run)
{
    rc_snapshot *snapshot = rc_hub_take_snapshot(rc_gateway_hub(run->gateway));
    const size_t count =
        rc_unpriced_find(snapshot->prices, snapshot->config, log_one_unpriced, run);
    char memory[128];
    rc_buf text;
    rc_snapshot_release(snapshot);
    if (count <= RC_UNPRICED_SHOWN)
        return;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push_u64(&text, count - RC_UNPRICED_SHOWN);
    rc_cli_text(&text, " more have no price; recourse config prices lists them");
    rc_serve_log_event(run, RC_LOG_EVENT_BUDGET_UNPRICED, rc_buf_get(&text));
}

static void log_refusal(rc_serve_run *run)
{
    char memory[RC_SERVE_REFUSAL_MAX + 64];
    rc_buf message;
    rc_buf_init_fixed(&message, memory, sizeof memory);
    rc_cli_text(&message, "the new configuration was rejected; the previous one stays in use");
    if (rc_serve_log_has_events(run)) {
        rc_cli_text(&message, ": ");
        rc_cli_text(&message, run->refusal);
    }
    rc_serve_log_event(run, RC_LOG_EVENT_RELOAD_REFUSED, rc_buf_get(&message));
}

bool rc_serve_reload(rc_serve_run *run, const rc_admin_action *action)
{
    const size_t from = rc_buf_get(&run->cli->err).len;
    rc_serve_log_reopen(run);
    const bool is_loaded = reload_input(run);
    run->is_refused = !is_loaded;
    if (is_loaded) {
        run->loaded_unix_ms = rc_clock_unix_ms(run->cli->calls);
        rc_serve_admin_renew(run);
    } else {
        note_refusal(run, from);
    }
    /* If events go to the log, the message is a line of the log and not written to standard
     * error. */
    if (rc_serve_log_has_events(run))
        rc_buf_reset(&run->cli->err);
    rc_cli_flush_err(run->cli);
    rc_gateway_record_reload(run->gateway, action, is_loaded ? RC_STR("") : rc_str_c(run->refusal));
    if (is_loaded) {
        rc_serve_log_event(run, RC_LOG_EVENT_RELOADED, RC_STR("the configuration was reloaded"));
        log_needs_restart(run);
        rc_serve_log_unpriced(run);
    } else {
        log_refusal(run);
    }
    return is_loaded;
}
