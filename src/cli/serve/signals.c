/* Signal handling of a running gateway. A signal that users, supervisors or tools send never ends
 * the gateway without a log line. Called by run.c. */
#include <signal.h>

#include "base/str.h"
#include "cli/serve/log.h"

typedef enum signal_effect {
    EFFECT_END,    /* The gateway ends after the requests in flight; a second signal ends it
                    * immediately. */
    EFFECT_RELOAD, /* Reloads the configuration. */
    EFFECT_STATE,  /* Reopens the log and writes the state to it. */
    EFFECT_NONE    /* No effect except a log line. */
} signal_effect;

static const struct {
    int number;
    signal_effect signal_effect;
    const char *name;
} handled[RC_SERVE_SIGNALS] = {
    {SIGINT, EFFECT_END, "a signal (SIGINT)"},        {SIGTERM, EFFECT_END, "a signal (SIGTERM)"},
    {SIGQUIT, EFFECT_END, "a signal (SIGQUIT)"},      {SIGHUP, EFFECT_RELOAD, "a signal (SIGHUP)"},
    {SIGUSR1, EFFECT_STATE, "a signal (SIGUSR1)"},    {SIGUSR2, EFFECT_NONE, "a signal (SIGUSR2)"},
    {SIGALRM, EFFECT_NONE, "a signal (SIGALRM)"},     {SIGIO, EFFECT_NONE, "a signal (SIGIO)"},
    {SIGVTALRM, EFFECT_NONE, "a signal (SIGVTALRM)"}, {SIGPWR, EFFECT_NONE, "a signal (SIGPWR)"},
};

static void log_ignored(rc_serve_run *run, const char *name)
{
    char memory[128];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, rc_str_c(name));
    rc_buf_push(&text, RC_STR(" has no effect; SIGUSR1 writes the state into the log"));
    rc_serve_log_event(run, RC_LOG_EVENT_SIGNAL, rc_buf_get(&text));
}

static void end(rc_serve_run *run, const char *name)
{
    if (!run->is_stopping) {
        rc_serve_drain(run, name);
        return;
    }
    if (!run->is_forced)
        rc_serve_force_end();
    run->is_forced = true;
    rc_gateway_close(run->gateway);
}

static void on_signal(uv_signal_t *handle, int number)
{
    rc_serve_run *run = handle->data;
    const size_t i = (size_t)(handle - run->signals);
    const rc_admin_action reload = {.kind = RC_ADMIN_RELOAD, .peer = rc_str_c(handled[i].name)};
    (void)number;
    if (run->gateway == NULL)
        return;
    switch (handled[i].signal_effect) {
    case EFFECT_END:
        end(run, handled[i].name);
        return;
    case EFFECT_RELOAD:
        (void)rc_serve_reload(run, &reload);
        return;
    case EFFECT_STATE:
        rc_serve_log_reopen(run);
        rc_serve_log_state(run);
        return;
    case EFFECT_NONE:
        log_ignored(run, handled[i].name);
        return;
    }
}

static void open_signals(rc_serve_run *run, bool is_end)
{
    for (size_t i = 0; i < RC_SERVE_SIGNALS; i++) {
        uv_signal_t *handle = &run->signals[i];
        if ((handled[i].signal_effect == EFFECT_END) != is_end)
            continue;
        (void)uv_signal_init(&run->loop, handle);
        handle->data = run;
        (void)uv_signal_start(handle, on_signal, handled[i].number);
    }
}

void rc_serve_signals_open(rc_serve_run *run)
{
    open_signals(run, false);
}

void rc_serve_signals_open_end(rc_serve_run *run)
{
    open_signals(run, true);
}

/* Closes the handles and ignores these signals from now on, because a further signal must not kill
 * the process while it ends. */
void rc_serve_signals_close(rc_serve_run *run)
{
    for (size_t i = 0; i < RC_SERVE_SIGNALS; i++) {
        if (run->signals[i].data == NULL || uv_is_closing((uv_handle_t *)&run->signals[i]))
            continue;
        uv_close((uv_handle_t *)&run->signals[i], NULL);
        (void)signal(handled[i].number, SIG_IGN);
    }
}
