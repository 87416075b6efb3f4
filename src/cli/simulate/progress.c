/* Progress line of a simulation. Called by command.c. */
#include "cli/simulate/simulate.h"
#include "render/symbol.h"
#include "render/wrap.h"
#include "sys/file.h"

#define BAR_WIDTH 24u
/* On a narrower terminal the line has no bar. */
#define WIDTH_MIN (BAR_WIDTH + 12)
#define LINE_MAX 512

/* Signals that end the command. These signals are blocked, so that the progress line is cleared
 * before the command ends. */
static const int ending[] = {SIGINT, SIGTERM};

void rc_simulate_progress_init(rc_simulate_progress *progress, rc_cli *cli)
{
    *progress = (rc_simulate_progress){.cli = cli};
    rc_status_line_init(&progress->line, &cli->err_terminal);
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

static void push_bar(rc_buf *text, unsigned percent, bool has_utf8)
{
    const unsigned full = percent * BAR_WIDTH / 100;
    for (unsigned i = 0; i < BAR_WIDTH; i++)
        rc_buf_push(text, rc_symbol_text(i < full ? RC_SYMBOL_THICK : RC_SYMBOL_TRACK, has_utf8));
}

/* Appends "━━━━━━━━━━━━············  49%  openai-sdk, 2 of 6". */
static void push_text(rc_buf *text, const rc_terminal *terminal, unsigned percent,
                      const rc_sim_progress *step)
{
    if (terminal->width >= WIDTH_MIN) {
        push_bar(text, percent, terminal->has_utf8);
        rc_buf_push_byte(text, ' ');
    }
    rc_cli_text(text, percent < 10 ? "  " : percent < 100 ? " " : "");
    rc_buf_push_u64(text, percent);
    rc_cli_text(text, "%  ");
    rc_visible_push(text, rc_str_c(step->policy), terminal->has_utf8);
    rc_cli_text(text, ", ");
    rc_buf_push_u64(text, step->policy_index + 1);
    rc_cli_text(text, " of ");
    rc_buf_push_u64(text, step->policy_count);
}

bool rc_simulate_progress_step(void *ctx, const rc_sim_progress *step)
{
    rc_simulate_progress *progress = ctx;
    rc_status_line *line = &progress->line;
    const unsigned percent = step->permille / 10;
    const bool is_same = line->is_drawn && percent == progress->percent;
    progress->percent = percent;
    if (is_interrupted(progress))
        return false;
    if (is_same)
        return true;
    char text_scratch[LINE_MAX];
    char scratch[LINE_MAX + RC_STATUS_LINE_EXTRA];
    rc_buf text;
    rc_buf bytes;
    rc_buf_init_fixed(&text, text_scratch, sizeof(text_scratch));
    rc_buf_init_fixed(&bytes, scratch, sizeof(scratch));
    push_text(&text, &progress->cli->err_terminal, percent, step);
    rc_status_line_draw(line, &bytes, rc_buf_get(&text));
    /* A failed write of the progress line is ignored; the result still follows. */
    rc_fd_write(progress->cli->calls, RC_FD_STDERR, rc_buf_get(&bytes));
    return true;
}

static void wipe(rc_simulate_progress *progress)
{
    char scratch[RC_STATUS_LINE_EXTRA];
    rc_buf bytes;
    rc_buf_init_fixed(&bytes, scratch, sizeof(scratch));
    rc_status_line_erase(&progress->line, &bytes);
    rc_fd_write(progress->cli->calls, RC_FD_STDERR, rc_buf_get(&bytes));
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
