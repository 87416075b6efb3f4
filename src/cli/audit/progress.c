/* Progress line of `audit stats` on a terminal. Called by stats.c. */
#include "cli/audit/stats.h"
#include "sys/clock.h"

/* Time after which the progress line is drawn for the first time, and the time between later
 * drawings. */
#define PATIENCE_MS 500u
#define SHOW_MS 250u
#define TEXT_BYTES 128

/* Estimates the progress from the times of the operations, because their number is unknown until
 * the end. Operations are read in ascending order of time. */
static unsigned percent_of(const rc_audit_progress *progress)
{
    const rc_stats *stats = progress->stats;
    const int64_t all_ms = progress->until_unix_ms - stats->first_unix_ms;
    const int64_t done_ms = stats->last_unix_ms - stats->first_unix_ms;
    if (all_ms <= 0 || done_ms <= 0)
        return 0;
    return done_ms < all_ms ? (unsigned)((double)done_ms / (double)all_ms * 100) : 99;
}

static void draw(rc_audit_progress *progress, uint64_t since_ms)
{
    rc_cli *cli = progress->cli;
    char scratch[TEXT_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_cli_text(&text, "Computing statistics: ");
    rc_buf_push_u64(&text, percent_of(progress));
    rc_cli_text(&text, "%, ");
    rc_buf_push_u64(&text, progress->stats->total->count);
    rc_cli_text(&text, progress->stats->total->count == 1 ? " operation, " : " operations, ");
    rc_buf_push_u64(&text, since_ms / 1000);
    rc_cli_text(&text, " s");
    rc_status_line_draw(&progress->line, &cli->err, rc_buf_get(&text));
    rc_cli_flush_err(cli);
}

/* Callback of the store while it reads. Always returns false, which means: do not cancel. */
static bool on_progress(void *ctx)
{
    rc_audit_progress *progress = ctx;
    const uint64_t now_ms = rc_clock_ms(progress->cli->calls);
    if (now_ms >= progress->next_ms) {
        progress->next_ms = now_ms + SHOW_MS;
        draw(progress, now_ms - progress->started_ms);
    }
    return false;
}

void rc_audit_progress_begin(rc_audit_progress *progress, rc_audit *audit, const rc_stats *stats)
{
    rc_cli *cli = audit->cli;
    *progress = (rc_audit_progress){.cli = cli, .store = audit->store, .stats = stats};
    rc_status_line_init(&progress->line, &cli->err_terminal);
    if (!progress->line.is_live || audit->format != RC_AUDIT_HUMAN)
        return;
    const int64_t until_unix_ms = audit->query.select.filter.until_unix_ms;
    progress->until_unix_ms = until_unix_ms > 0 ? until_unix_ms : rc_clock_unix_ms(cli->calls);
    progress->started_ms = rc_clock_ms(cli->calls);
    progress->next_ms = progress->started_ms + PATIENCE_MS;
    rc_store_set_cancel_check(audit->store, on_progress, progress);
}

void rc_audit_progress_end(rc_audit_progress *progress)
{
    rc_store_set_cancel_check(progress->store, NULL, NULL);
    rc_status_line_erase(&progress->line, &progress->cli->err);
    rc_cli_flush_err(progress->cli);
}
