/* What a signal means to a running gateway. None that people, supervisors and tools send ends it
 * without a word. */
#include <signal.h>

#include "base/str.h"
#include "cli/serve_log.h"

typedef enum deed {
    DEED_END,    /* lets what is under way finish; the second one does not */
    DEED_RELOAD, /* reads the configuration again */
    DEED_STATE,  /* opens the log again and writes what there is now */
    DEED_NONE    /* is told of */
} deed;

static const struct {
    int number;
    deed deed;
    const char *name;
} heard[RC_SERVE_SIGNALS] = {
    {SIGINT, DEED_END, "a signal (SIGINT)"},        {SIGTERM, DEED_END, "a signal (SIGTERM)"},
    {SIGQUIT, DEED_END, "a signal (SIGQUIT)"},      {SIGHUP, DEED_RELOAD, "a signal (SIGHUP)"},
    {SIGUSR1, DEED_STATE, "a signal (SIGUSR1)"},    {SIGUSR2, DEED_NONE, "a signal (SIGUSR2)"},
    {SIGALRM, DEED_NONE, "a signal (SIGALRM)"},     {SIGIO, DEED_NONE, "a signal (SIGIO)"},
    {SIGVTALRM, DEED_NONE, "a signal (SIGVTALRM)"}, {SIGPWR, DEED_NONE, "a signal (SIGPWR)"},
};

static void tell_nothing(serve_run *run, const char *name)
{
    char memory[128];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, rc_str_c(name));
    rc_buf_push(&text, RC_STR(" means nothing here; SIGUSR1 writes the state into the log"));
    rc_serve_log_event(run, RC_LOG_EVENT_SIGNAL, rc_buf_get(&text));
}

static void end(serve_run *run, const char *name)
{
    if (!run->is_stopping) {
        rc_serve_drain(run, name);
        return;
    }
    if (!run->is_forced)
        rc_serve_force();
    run->is_forced = true;
    rc_gateway_close(run->gateway);
}

static void on_signal(uv_signal_t *handle, int number)
{
    serve_run *run = handle->data;
    const size_t i = (size_t)(handle - run->signals);
    const rc_admin_action reload = {.kind = RC_ADMIN_RELOAD, .by = rc_str_c(heard[i].name)};
    (void)number;
    if (run->gateway == NULL)
        return;
    switch (heard[i].deed) {
    case DEED_END:
        end(run, heard[i].name);
        return;
    case DEED_RELOAD:
        (void)rc_serve_reload(run, &reload);
        return;
    case DEED_STATE:
        rc_serve_log_reopen(run);
        rc_serve_show_state(run);
        return;
    case DEED_NONE:
        tell_nothing(run, heard[i].name);
        return;
    }
}

static void hear(serve_run *run, bool is_end)
{
    for (size_t i = 0; i < RC_SERVE_SIGNALS; i++) {
        uv_signal_t *handle = &run->signals[i];
        if ((heard[i].deed == DEED_END) != is_end)
            continue;
        (void)uv_signal_init(&run->loop, handle);
        handle->data = run;
        (void)uv_signal_start(handle, on_signal, heard[i].number);
    }
}

void rc_serve_hear(serve_run *run)
{
    hear(run, false);
}

void rc_serve_hear_end(serve_run *run)
{
    hear(run, true);
}

/* What was asked for is under way, or was never begun: asking for it again does not make it an end
 * by a signal. */
void rc_serve_deafen(serve_run *run)
{
    for (size_t i = 0; i < RC_SERVE_SIGNALS; i++) {
        if (run->signals[i].data == NULL || uv_is_closing((uv_handle_t *)&run->signals[i]))
            continue;
        uv_close((uv_handle_t *)&run->signals[i], NULL);
        (void)signal(heard[i].number, SIG_IGN);
    }
}
