/* Another edition of the configuration, while the gateway runs. */
#include <string.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/serve_admin.h"
#include "cli/serve_load.h"
#include "cli/serve_log.h"
#include "config/unpriced.h"
#include "sys/clock.h"
#include "sys/config_file.h"

#define PATH_MAX_BYTES ((size_t)16 << 10)

/* The first line of what was said, for those who ask later. */
void rc_serve_advise(rc_gate_trouble *trouble)
{
    if (trouble->is_secret)
        rc_gate_trouble_add(trouble,
                            RC_STR("; put it there, or say in the configuration where it is"));
}

static void note_refusal(serve_run *run, size_t from)
{
    const rc_str said = rc_str_slice(rc_buf_get(&run->cli->err), from, SIZE_MAX);
    const rc_str whole = rc_str_slice(said, 0, rc_str_find_byte(said, '\n', 0));
    const rc_str who = RC_STR("recourse serve: ");
    const rc_str line =
        rc_str_slice(whole, rc_str_starts_with(whole, who) ? who.len : 0, whole.len);
    rc_buf text;
    rc_buf_init_fixed(&text, run->refusal, sizeof run->refusal);
    rc_buf_push(&text, rc_str_slice(line, 0, sizeof run->refusal - 1));
    rc_buf_push_byte(&text, '\0');
}

/* The log first: where it cannot be written, nothing has changed. */
static bool take_over(serve_run *run, const rc_gate_given *given, const rc_config *before)
{
    rc_gate_trouble trouble;
    if (rc_serve_log_change(run, &given->config->log) != RC_EXIT_OK) {
        rc_gateway_note_reload(run->gateway, false);
        return false;
    }
    if (rc_gateway_reload(run->gateway, given, &trouble)) {
        run->wait_count = rc_serve_fixed_compare(&run->fixed, given->config, run->waits);
        return true;
    }
    rc_serve_advise(&trouble);
    (void)rc_serve_refuse(run->cli, "", trouble.text, RC_EXIT_CONFIG);
    (void)rc_serve_log_change(run, &before->log);
    return false;
}

/* Standard input and pipes are read once, at the start: now nobody may write to them, and to wait
 * would stop the thread that reads signals. */
static bool can_read_again(serve_run *run)
{
    const char *path = run->options->config_path;
    const char *other = NULL;
    rc_buf found;
    rc_buf_init(&found, &run->cli->alloc, PATH_MAX_BYTES);
    if (path == NULL && rc_config_file_find(run->cli->calls, &found))
        path = rc_buf_get(&found).ptr;
    if (path != NULL)
        other = strcmp(path, "-") == 0 ? "standard input" : rc_path_other(run->cli->calls, path);
    if (other != NULL)
        (void)rc_serve_refuse(run->cli, "the configuration cannot be read again: it is ", other,
                              RC_EXIT_CONFIG);
    rc_buf_done(&found);
    return other == NULL;
}

static bool load_again(serve_run *run)
{
    rc_gate_given given;
    if (run->is_stopping) {
        (void)rc_serve_refuse(run->cli, "it is going to end", "", RC_EXIT_UNAVAILABLE);
        return false;
    }
    if (!can_read_again(run) ||
        rc_serve_load(run->cli, "serve", run->options->config_path, &given) != RC_EXIT_OK) {
        rc_gateway_note_reload(run->gateway, false);
        return false;
    }
    rc_gate_plans *before = rc_gate_world_plans(rc_gateway_world(run->gateway));
    const bool is_loaded = take_over(run, &given, before->config);
    if (!is_loaded)
        rc_gate_given_done(&given, &run->cli->alloc);
    rc_gate_plans_drop(before);
    return is_loaded;
}

/* ---- what is said of it ---- */

static void tell_waits(serve_run *run)
{
    for (size_t i = 0; i < run->wait_count; i++) {
        char memory[128];
        rc_buf text;
        rc_buf_init_fixed(&text, memory, sizeof memory);
        rc_buf_push(&text, run->waits[i]);
        rc_buf_push(&text, RC_STR(" has changed; that needs a restart"));
        rc_serve_log_event(run, RC_LOG_EVENT_RESTART_NEEDED, rc_buf_get(&text));
    }
}

static void tell_of_unpriced(void *ctx, const rc_unpriced *unpriced)
{
    char memory[RC_SERVE_REFUSAL_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_unpriced_push(&text, unpriced);
    rc_cli_text(&text, "; ");
    rc_cli_text(&text, rc_unpriced_advice());
    rc_serve_log_event(ctx, RC_LOG_EVENT_BUDGET_UNPRICED, rc_buf_get(&text));
}

void rc_serve_tell_unpriced(serve_run *run)
{
    rc_gate_plans *plans = rc_gate_world_plans(rc_gateway_world(run->gateway));
    const size_t count = rc_unpriced_find(plans->prices, plans->config, tell_of_unpriced, run);
    char memory[128];
    rc_buf text;
    rc_gate_plans_drop(plans);
    if (count <= RC_UNPRICED_SHOWN)
        return;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push_u64(&text, count - RC_UNPRICED_SHOWN);
    rc_cli_text(&text, " more have no price; recourse config prices lists them");
    rc_serve_log_event(run, RC_LOG_EVENT_BUDGET_UNPRICED, rc_buf_get(&text));
}

static void tell_refusal(serve_run *run)
{
    char memory[RC_SERVE_REFUSAL_MAX + 64];
    rc_buf words;
    rc_buf_init_fixed(&words, memory, sizeof memory);
    rc_cli_text(&words, "the configuration was refused; the old one goes on");
    if (rc_serve_log_has_events(run)) {
        rc_cli_text(&words, ": ");
        rc_cli_text(&words, run->refusal);
    }
    rc_serve_log_event(run, RC_LOG_EVENT_RELOAD_REFUSED, rc_buf_get(&words));
}

bool rc_serve_reload(serve_run *run, const rc_admin_action *action)
{
    const size_t from = rc_buf_get(&run->cli->err).len;
    rc_serve_log_reopen(run);
    const bool is_loaded = load_again(run);
    run->is_refused = !is_loaded;
    if (is_loaded) {
        run->loaded_unix_ms = rc_clock_unix_ms(run->cli->calls);
        rc_serve_admin_renew(run);
    } else {
        note_refusal(run, from);
    }
    /* What is said of it is a line of the log. */
    if (rc_serve_log_has_events(run))
        rc_buf_reset(&run->cli->err);
    rc_cli_flush_err(run->cli);
    rc_gateway_keep_reload(run->gateway, action, is_loaded ? RC_STR("") : rc_str_c(run->refusal));
    if (is_loaded) {
        rc_serve_log_event(run, RC_LOG_EVENT_RELOADED, RC_STR("the configuration was read again"));
        tell_waits(run);
        rc_serve_tell_unpriced(run);
    } else {
        tell_refusal(run);
    }
    return is_loaded;
}
