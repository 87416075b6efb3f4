/* `recourse explain`: declarations that its files share.
 *
 *   options ──► overrides ─────────┐
 *   FILE ──► clean ──► detected ───┴──► rc_failure ──► rc_judge ──► panel, --why, any format
 *   FILE --jsonl ──► lines ──► case ──────────┘            (one report per line)              */
#ifndef RC_CLI_EXPLAIN_EXPLAIN_H
#define RC_CLI_EXPLAIN_EXPLAIN_H

#include <recourse/classify.h>
#include <recourse/id.h>
#include <recourse/rules.h>

#include "cli/explain/detect.h"
#include "cli/explain/reasoning.h"
#include "cli/options.h"

/* Indexes of the options in the command's table. */
enum {
    EXPLAIN_PROVIDER,
    EXPLAIN_MODEL,
    EXPLAIN_FAMILY,
    EXPLAIN_STATUS,
    EXPLAIN_HEADER,
    EXPLAIN_TRANSPORT,
    EXPLAIN_PHASE,
    EXPLAIN_EXIT,
    EXPLAIN_WINDOW,
    EXPLAIN_REPLAYABLE,
    EXPLAIN_RULES,
    EXPLAIN_CHECK_RULES,
    EXPLAIN_WHY,
    EXPLAIN_JSONL,
    EXPLAIN_FORMAT,
    EXPLAIN_VIEW,
    EXPLAIN_DIALECT,
    EXPLAIN_INDENT,
    EXPLAIN_COLOUR,
    EXPLAIN_WIDTH,
    EXPLAIN_COUNT
};

/* EX_DATAERR of sysexits.h: the rules file is invalid. */
#define RC_EXIT_DATA 65

#define RC_EXPLAIN_HEADERS_MAX (RC_CASE_HEADERS_MAX + RC_REPEATED_MAX)

/* Facts about the failure that options of the command line give. Caller's storage. */
typedef struct rc_explain_overrides {
    rc_failure failure; /* Only the fields that options set. */
    bool is_enough;     /* The options alone describe a failure. */
    bool has_exit;
    rc_header headers[RC_REPEATED_MAX];
} rc_explain_overrides;

/* Reads the options. Returns RC_EXIT_OK, or RC_EXIT_USAGE with the reason in err. args: borrows as
 * long as ret_overrides is used. */
int rc_explain_overrides_read(rc_cli *cli, const rc_args *args,
                              rc_explain_overrides *ret_overrides);

/* Overwrites fields and single headers of failure with those of overrides. scratch: borrows as long
 * as the failure is used; space for RC_EXPLAIN_HEADERS_MAX headers. */
void rc_explain_overrides_apply(const rc_explain_overrides *overrides, rc_failure *failure,
                                rc_header *scratch);

/* Reads a rules file. Returns RC_EXIT_OK and gives *ret_rules. Otherwise err holds the reason, and
 * the result is 66 (the file cannot be read), 65 (a rule is invalid; the message begins with
 * FILE:LINE:COLUMN) or 70 (out of memory). path: borrows during the call. */
int rc_explain_load_rules(rc_cli *cli, const char *path, rc_rules **ret_rules);

/* --check-rules: reads a rules file and prints the number of its rules if the file is valid.
 * Returns the exit status. */
int rc_explain_check_rules(rc_cli *cli, const char *path);

/* Prints "recourse explain: cannot read FILE: ...". Returns RC_EXIT_NO_INPUT, or RC_EXIT_INTERNAL
 * if memory ran out. path: NULL or "-" means standard input. */
int rc_explain_unreadable(rc_cli *cli, const char *path, int error);

/* --jsonl: reads one case per line and writes one report per line. path: NULL or "-" means standard
 * input. overrides, rules: borrows during the call. Returns the exit status. */
int rc_explain_jsonl(rc_cli *cli, const char *path, const rc_explain_overrides *overrides,
                     const rc_rules *rules);

/* Appends the panel: verdict, wait, advice, evidence. report, verdict, style: borrows during the
 * call. */
void rc_explain_panel(const rc_report *report, const rc_verdict *verdict,
                      const rc_panel_style *style, rc_buf *buf);

/* Run function of the command. */
int rc_explain_run(rc_cli *cli, const rc_args *args);

#endif
