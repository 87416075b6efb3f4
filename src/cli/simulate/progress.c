/* Progress line of a simulation. Called by command.c. */
#include "cli/simulate/simulate.h"
#include "render/wrap.h"
#include "sys/file.h"

#define NOT_SHOWN 101
#define BAR_WIDTH 24u
/* Columns of the bar and of " 100%  "; the rest of the terminal is for the name. */
#define WIDTH_MIN (BAR_WIDTH + 12)
#define LINE_MAX 512

/* Signals that end the command; they are blocked so that the line can be cleared first. */
static const int ending[] = {SIGINT, SIGTERM};

void rc_simulate_progress_init(rc_simulate_progress *progress, rc_cli *cli)
{
    *progress = (rc_simulate_progress){.cli = cli, .shown_percent = NOT_SHOWN};
    if (!cli->err_terminal.is_tty)
        return;
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        sigaddset(&set, ending[i]);
    progress->is_masked = cli->calls->signal_mask(SIG_BLOCK, &set, &progress->old_mask) == 0;
}

static bool is_interrupted(const rc_simulate_progress *progress)
{
    sigset_t set;
    if (!progress->is_masked || progress->cli->calls->signal_pending(&set) != 0)
        return false;
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        if (sigismember(&set, ending[i]) == 1)
            return true;
    return false;
}

static void push_bar(rc_buf *line, unsigned percent, bool has_utf8)
{
    const unsigned full = percent * BAR_WIDTH / 100;
    for (unsigned i = 0; i < BAR_WIDTH; i++) {
        if (has_utf8)
            rc_cli_text(line, i < full ? "━" : "·");
        else
            rc_cli_text(line, i < full ? "=" : ".");
    }
}

/* Appends "━━━━━━━━━━━━············  49%  openai-sdk, 2 of 6". */
static void push_line(rc_buf *line, const rc_terminal *terminal, unsigned percent,
                      const rc_sim_progress *step)
{
    char scratch[LINE_MAX];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof(scratch));
    rc_cli_text(&name, step->policy);
    rc_cli_text(&name, ", ");
    rc_buf_push_u64(&name, step->policy_index + 1);
    rc_cli_text(&name, " of ");
    rc_buf_push_u64(&name, step->policy_count);

    push_bar(line, percent, terminal->has_utf8);
    rc_cli_text(line, percent < 10 ? "   " : percent < 100 ? "  " : " ");
    rc_buf_push_u64(line, percent);
    rc_cli_text(line, "%  ");
    rc_visible_push_cut(line, rc_buf_get(&name), terminal->width - WIDTH_MIN, terminal->has_utf8);
}

bool rc_simulate_progress_step(void *ctx, const rc_sim_progress *step)
{
    rc_simulate_progress *progress = ctx;
    const rc_terminal *terminal = &progress->cli->err_terminal;
    const unsigned percent = step->permille / 10;
    progress->percent = percent;
    if (is_interrupted(progress))
        return false;
    if (!terminal->is_tty || terminal->width < WIDTH_MIN + RC_VISIBLE_CHAR_WIDTH_MAX ||
        percent == progress->shown_percent)
        return true;
    char scratch[LINE_MAX];
    rc_buf line;
    rc_buf_init_fixed(&line, scratch, sizeof(scratch));
    rc_buf_push_byte(&line, '\r');
    push_line(&line, terminal, percent, step);
    rc_cli_text(&line, "\033[K");
    /* A failed write of the progress line is ignored; the result still follows. */
    rc_fd_write(progress->cli->calls, RC_FD_STDERR, rc_buf_get(&line));
    progress->shown_percent = percent;
    return true;
}

static void wipe(rc_simulate_progress *progress)
{
    if (progress->shown_percent == NOT_SHOWN)
        return;
    rc_fd_write(progress->cli->calls, RC_FD_STDERR, RC_STR("\r\033[K"));
    progress->shown_percent = NOT_SHOWN;
}

static void unmask(rc_simulate_progress *progress)
{
    if (progress->is_masked)
        progress->cli->calls->signal_mask(SIG_SETMASK, &progress->old_mask, NULL);
    progress->is_masked = false;
}

void rc_simulate_progress_done(rc_simulate_progress *progress)
{
    wipe(progress);
    unmask(progress);
}

int rc_simulate_progress_interrupted(rc_simulate_progress *progress)
{
    rc_cli *cli = progress->cli;
    wipe(progress);
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, "interrupted at ");
    rc_buf_push_u64(&cli->err, progress->percent);
    rc_cli_text(&cli->err, "%\n");
    rc_cli_flush_err(cli);
    unmask(progress);
    return RC_SIMULATE_INT;
}
