/* `recourse explain`: what its parts share.
 *
 *   options ──► given ─────────────┐
 *   FILE ──► clean ──► seen ───────┴──► rc_failure ──► rc_judge ──► panel, why, any format
 *   FILE --jsonl ──► lines ──► case ──────────┘            (one report a line)                */
#ifndef RC_CLI_EXPLAIN_EXPLAIN_H
#define RC_CLI_EXPLAIN_EXPLAIN_H

#include <recourse/classify.h>
#include <recourse/id.h>
#include <recourse/rules.h>

#include "cli/explain/detect.h"
#include "cli/explain/reasoning.h"
#include "cli/options.h"

/* The options, by their place in the table. */
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

/* sysexits.h: a rules file that is refused. */
#define RC_EXIT_DATA 65

#define RC_EXPLAIN_HEADERS_MAX (RC_CASE_HEADERS_MAX + RC_REPEATED_MAX)

/* What the command line says of the failure. The caller's storage. */
typedef struct rc_explain_overrides {
    rc_failure failure; /* its own headers first */
    bool is_enough;     /* enough of it to be explained without any input */
    bool has_exit;
    rc_header headers[RC_REPEATED_MAX];
} rc_explain_overrides;

/* Reads the options. RC_EXIT_OK, or RC_EXIT_USAGE with the reason in err. args: borrows until given
 * was used. */
int rc_explain_overrides_read(rc_cli *cli, const rc_args *args,
                              rc_explain_overrides *ret_overrides);

/* Lays what is given over what was seen: it beats it, header by header. room: borrows until the
 * failure was used; RC_EXPLAIN_HEADERS_MAX of them. */
void rc_explain_overrides_apply(const rc_explain_overrides *overrides, rc_failure *failure,
                                rc_header *scratch);

/* Reads a rules file. RC_EXIT_OK: *ret_rules is the caller's to free. Else err holds the reason:
 * 66 it cannot be read, 65 "FILE:LINE:COLUMN: what", 70 no memory. path: borrows. */
int rc_explain_load_rules(rc_cli *cli, const char *path, rc_rules **ret_rules);

/* --check-rules: the same, and data when it is good. */
int rc_explain_check_rules(rc_cli *cli, const char *path);

/* "recourse explain: cannot read FILE: ..." Gives RC_EXIT_NO_INPUT, or RC_EXIT_INTERNAL for want of
 * memory. path: NULL or "-" is standard input. */
int rc_explain_unreadable(rc_cli *cli, const char *path, int error);

/* --jsonl: one case a line in, one report a line out, as they come. path: NULL or "-" is standard
 * input. given, rules: borrow. Gives the exit status. */
int rc_explain_jsonl(rc_cli *cli, const char *path, const rc_explain_overrides *overrides,
                     const rc_rules *rules);

/* The panel: the verdict, the wait, what to do, the evidence. All borrow. */
void rc_explain_panel(const rc_report *report, const rc_verdict *verdict,
                      const rc_panel_style *style, rc_buf *buf);

/* The command. */
int rc_explain_run(rc_cli *cli, const rc_args *args);

#endif
