/* `recourse simulate`: the parts of the command.
 *
 *   scenario (a name or a file) ──► rc_sim_run ──► result ──┬─► human: table, verdict, charts
 *      simulate_scenario.c           progress on stderr     ├─► json, csv
 *                                                           └─► files of --out */
#ifndef RC_CLI_SIMULATE_SIMULATE_H
#define RC_CLI_SIMULATE_SIMULATE_H

#include "cli/cli.h"
#include "cli/options.h"
#include "sim/output/table.h"
#include "sim/result.h"
#include "sim/scenario.h"
#include "sim/sim.h"
#include "sys/output.h"

/* The exit status for a scenario that makes no sense: that of ShapeInvalid. */
#define RC_SIMULATE_REFUSED 65
/* Of a run that was interrupted: what shells give to SIGINT. */
#define RC_SIMULATE_INT 130

/* The command's run, with the calls that write the files of --out. files: borrows. */
int rc_simulate_run(rc_cli *cli, const rc_args *args, const rc_output_calls *files);

/* Reads the scenario that the operand names: a built-in one, a file, or - for standard input.
 * RC_EXIT_OK, or the exit status with the reason in err: 64 for a name that does not exist, 65 for
 * a file that is no scenario, 66 for one that cannot be read, 70 without memory. */
int rc_simulate_scenario(rc_cli *cli, const char *operand, rc_sim_scenario *ret_scenario);

/* Runs these policies in the place of the scenario's: its own by their names, else built-in ones.
 * RC_EXIT_OK, or RC_EXIT_USAGE with the reason in err. names: borrow. */
int rc_simulate_choose(rc_cli *cli, const char *const *names, size_t count,
                       rc_sim_scenario *scenario);

/* What there is: scenarios and policies. */
void rc_simulate_list_human(rc_buf *buf, unsigned width);
void rc_simulate_list_json(rc_buf *buf);

/* The result for people, with charts over time when has_plot. RC_E_NOMEM, RC_E_TOO_LARGE. */
rc_status rc_simulate_human(rc_buf *buf, const rc_sim_result *result, const rc_table_style *style,
                            bool has_plot, const rc_alloc *alloc);

/* The result for programs: everything, one object; or a row a policy. */
void rc_simulate_json(rc_buf *buf, const rc_sim_result *result);
void rc_simulate_csv(rc_buf *buf, const rc_sim_result *result);

/* Writes the charts as SVG and the result as JSON into a folder. RC_EXIT_OK, or the exit status
 * with the reason in err. */
int rc_simulate_files(rc_cli *cli, const char *folder, const rc_output_calls *files,
                      const rc_sim_result *result);

/* "outage, brownout": the kinds of faults, each once. */
void rc_simulate_push_faults(rc_buf *buf, const rc_sim_result *result);

/* One line on standard error that is drawn again and again, when that is a terminal. SIGINT and
 * SIGTERM wait until it is wiped. */
typedef struct rc_simulate_progress {
    rc_cli *cli;
    unsigned percent;
    unsigned shown_percent; /* 101: nothing is shown */
    bool is_masked;         /* the signals wait */
    sigset_t old_mask;
} rc_simulate_progress;
void rc_simulate_progress_init(rc_simulate_progress *progress, rc_cli *cli);
/* For rc_sim_options; ctx is the progress. False: a signal waits. */
bool rc_simulate_progress_step(void *ctx, const rc_sim_progress *step);
/* Wipes the line. */
void rc_simulate_progress_done(rc_simulate_progress *progress);
/* Wipes it, says how far it was and lets the signal through, which ends the process. Gives
 * RC_SIMULATE_INT where nothing does. */
int rc_simulate_progress_interrupted(rc_simulate_progress *progress);

#endif
