/* `recourse simulate`: declarations that its files share.
 *
 *   scenario (a name or a file) ──► rc_sim_run ──► result ──┬─► human: table, verdict, charts
 *      scenario.c                    progress on stderr     ├─► json, csv
 *                                                           └─► files of --out */
#ifndef RC_CLI_SIMULATE_SIMULATE_H
#define RC_CLI_SIMULATE_SIMULATE_H

#include <recourse/render.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "sim/result.h"
#include "sim/scenario.h"
#include "sim/sim.h"
#include "sys/output.h"
#include "sys/status_line.h"

/* Exit status for an invalid scenario, the same as of the error code ShapeInvalid. */
#define RC_SIMULATE_REFUSED 65
/* Exit status of an interrupted run, the same that shells use for SIGINT. */
#define RC_SIMULATE_INT 130

/* Runs the command; returns the exit status. files: borrows during the call; the functions that
 * write the files of --out, which tests replace. */
int rc_simulate_run(rc_cli *cli, const rc_args *args, const rc_output_calls *files);

/* Reads the scenario of the operand: a built-in name, a file, or "-" for standard input. Returns
 * RC_EXIT_OK, or the exit status with the reason in err: 64 (unknown name), 65 (invalid scenario),
 * 66 (the file cannot be read) or 70 (out of memory). command: borrows during the call; the command
 * that messages name. */
int rc_simulate_scenario(rc_cli *cli, const char *command, const char *operand,
                         rc_sim_scenario *ret_scenario);

/* Replaces the policies of the scenario by those with the given names, which are policies of the
 * scenario or built-in policies. Returns RC_EXIT_OK, or RC_EXIT_USAGE with the reason in err.
 * names: borrows during the call. */
int rc_simulate_choose(rc_cli *cli, const char *const *names, size_t count,
                       rc_sim_scenario *scenario);

/* Append the list of built-in scenarios and policies, for people or as JSON. */
void rc_simulate_list_human(rc_buf *buf, unsigned width);
void rc_simulate_list_json(rc_buf *buf);

/* Appends the result for people, with charts over time if has_plot. Returns RC_OK, RC_E_NOMEM or
 * RC_E_TOO_LARGE. */
rc_status rc_simulate_human(rc_buf *buf, const rc_sim_result *result, const rc_panel_style *style,
                            bool has_plot, const rc_alloc *alloc);

/* Appends the table of policies. The best value of a column has an asterisk (and colour), unless
 * all values are equal. A table wider than the terminal continues in a second table below. Columns
 * with only zeros are left out.
 *
 *               success   added latency            calls/   wasted
 *   policy                p50     p90     p99      request  calls
 *   recourse    99.1%*    0 ms    1.2 s   4.9 s    1.08*    412 */
rc_status rc_simulate_push_table(rc_buf *buf, const rc_sim_result *result,
                                 const rc_panel_style *style, const rc_alloc *alloc);

/* Appends a comparison of recourse's first policy with the best of the other policies. For each
 * measure, recourse is ahead, even or behind. Appends nothing if there is no policy of recourse or
 * no other policy. */
void rc_simulate_push_verdict(rc_buf *buf, const rc_sim_result *result,
                              const rc_panel_style *style);

/* Append the result for programs: rc_simulate_json as one JSON object, rc_simulate_csv with one row
 * per policy. */
void rc_simulate_json(rc_buf *buf, const rc_sim_result *result);
void rc_simulate_csv(rc_buf *buf, const rc_sim_result *result);

/* Writes the charts as SVG and the result as JSON into a folder. Returns RC_EXIT_OK, or the exit
 * status with the reason in err. */
int rc_simulate_files(rc_cli *cli, const char *folder, const rc_output_calls *files,
                      const rc_sim_result *result);

/* Appends the kinds of faults in the scenario, each kind once: "outage, brownout". */
void rc_simulate_push_faults(rc_buf *buf, const rc_sim_result *result);

/* A progress line, drawn on standard error if this is a terminal. SIGINT and SIGTERM are blocked
 * until the line is cleared. */
typedef struct rc_simulate_progress {
    rc_cli *cli;
    unsigned percent;
    rc_status_line line;
    bool is_masked; /* SIGINT and SIGTERM are blocked. */
    sigset_t old_mask;
} rc_simulate_progress;
void rc_simulate_progress_init(rc_simulate_progress *progress, rc_cli *cli);
/* Progress callback of rc_sim_options. ctx: the rc_simulate_progress. Returns false, which ends the
 * simulation, if a signal is pending. */
bool rc_simulate_progress_step(void *ctx, const rc_sim_progress *step);
/* Clears the line and unblocks SIGINT and SIGTERM. */
void rc_simulate_progress_done(rc_simulate_progress *progress);
/* Clears the line, prints the percentage and unblocks SIGINT and SIGTERM. The pending signal then
 * ends the process; if the process survives the signal, the function returns RC_SIMULATE_INT. */
int rc_simulate_progress_interrupted(rc_simulate_progress *progress);

#endif
