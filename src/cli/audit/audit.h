/* `recourse audit`: the state of one run, and the functions that its files share.
 *
 *   command.c    options, verbs and dispatch
 *   filter.c     the options as a query (audit/query.h)
 *   open.c       opens the store; messages when it cannot be read
 *   list.c       operations as a table             tail.c     operations as they end
 *   show*.c      one operation: timeline, panel    stats*.c   totals and tables
 *   export.c     every column, for programs        check.c    integrity of the file
 *   prune.c      deletes old operations
 *   text.c       times, amounts and outcomes as text
 *   timeline.c   operations and records as sentences
 *   json.c       operations and records as JSON */
#ifndef RC_CLI_AUDIT_AUDIT_H
#define RC_CLI_AUDIT_AUDIT_H

#include <recourse/json.h>
#include <recourse/render.h>

#include "audit/operation.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "store/store.h"
#include "ui/grid.h"
#include "json/writer.h"

typedef enum rc_audit_option {
    RC_AUDIT_STORE,
    RC_AUDIT_CONFIG,
    RC_AUDIT_SINCE,
    RC_AUDIT_UNTIL,
    RC_AUDIT_CLIENT,
    RC_AUDIT_ROUTE,
    RC_AUDIT_MODEL,
    RC_AUDIT_TARGET,
    RC_AUDIT_CODE,
    RC_AUDIT_CLASS,
    RC_AUDIT_OUTCOME,
    RC_AUDIT_REPORT,
    RC_AUDIT_LIMIT,
    RC_AUDIT_AFTER,
    RC_AUDIT_BY,
    RC_AUDIT_OF,
    RC_AUDIT_FOLLOW,
    RC_AUDIT_OLDER_THAN,
    RC_AUDIT_BEFORE,
    RC_AUDIT_DRY_RUN,
    RC_AUDIT_VACUUM,
    RC_AUDIT_YES,
    RC_AUDIT_FORMAT,
    RC_AUDIT_AGENT,
    RC_AUDIT_VIEW,
    RC_AUDIT_COLOR,
    RC_AUDIT_WIDTH,
    RC_AUDIT_OPTIONS
} rc_audit_option;

typedef enum rc_audit_format {
    RC_AUDIT_HUMAN,
    RC_AUDIT_JSON,
    RC_AUDIT_MARKDOWN,
    RC_AUDIT_JSONL,
    RC_AUDIT_CSV,
    RC_AUDIT_FORMATS
} rc_audit_format;

typedef struct rc_audit {
    rc_cli *cli;
    const rc_args *args;
    rc_store *store;
    rc_buf url;
    rc_audit_query query; /* Views args; its limit is not set. */
    uint32_t limit;
    rc_audit_format format;
    rc_view view;
    rc_panel_style style;
    rc_store_fault *fault; /* First fault noted during the run; kind NO_FAULT: none. */
} rc_audit;

/* The verbs. Each returns the exit status; if it is not 0 the reason is in err. */
int rc_audit_list(rc_audit *audit);
int rc_audit_show(rc_audit *audit);
int rc_audit_tail(rc_audit *audit);
int rc_audit_stats(rc_audit *audit);
int rc_audit_export(rc_audit *audit);
int rc_audit_check(rc_audit *audit);
/* Opens the store itself, after it has checked its options. */
int rc_audit_prune(rc_audit *audit);

/* ---- filter.c ---- */

/* Reads the options that select operations into audit->query. Returns RC_EXIT_OK, or RC_EXIT_USAGE
 * with the reason in err. */
int rc_audit_filter_read(rc_audit *audit, rc_audit_query_kind kind);

/* Used when nothing was found: appends to err which given name does not occur in the audit, and the
 * nearest one that does. */
void rc_audit_suggest_names(rc_audit *audit);

/* ---- open.c ---- */

/* Opens the store of --store or of the configuration. Returns RC_EXIT_OK, or the exit status with
 * the reason in err. */
int rc_audit_open(rc_audit *audit);
/* Opens the same URL again after a close, as the file may have been replaced. */
bool rc_audit_open_again(rc_audit *audit, rc_store_fault *fault);
void rc_audit_close(rc_audit *audit);

/* Prints a store fault and its advice, as text, Markdown or JSON. Returns the exit status. */
int rc_audit_refuse(rc_audit *audit, const rc_store_fault *fault);

/* Notes that the output is incomplete because of a fault. The verb continues; when it ends, its
 * output is dropped and the fault is printed instead. Only the first fault is kept. fault:
 * copies. */
void rc_audit_note_fault(const rc_audit *audit, const rc_store_fault *fault);
/* Notes an out-of-memory fault when has_memory is false. */
void rc_audit_note_memory(const rc_audit *audit, bool has_memory);

/* Writes and empties out. Returns RC_EXIT_OK, RC_EXIT_IO or RC_EXIT_INTERNAL; the reason is in err,
 * except for a failed buffer, which rc_cli_finish reports. */
int rc_audit_flush(rc_audit *audit);

/* ---- text.c ---- */

/* Append, in local time: "02:22:43"; "Tue 17 Nov 2026"; both with the zone; "17 Nov 02:00";
 * "UTC+1". */
void rc_audit_push_clock(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_day(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_date_time(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_hour(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_zone(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);

/* Returns the number of the local day, never 0, for comparisons. */
int64_t rc_audit_day_of(const rc_audit *audit, int64_t unix_ms);

/* Appends "4 minutes ago" or "just now". */
void rc_audit_push_ago(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);

/* Appends "4.1 MB". */
void rc_audit_push_size(rc_buf *buf, uint64_t bytes);

/* Append "1.24 s" ("-" when negative); "$0.0123"; "12.4 k"; the share of part in whole as
 * "97.2%". */
void rc_audit_push_ms(rc_buf *buf, int64_t ms);
void rc_audit_push_usd(rc_buf *buf, uint64_t micro_usd);
/* Appends "~$0.0123" if some tokens were estimated instead of counted by the provider. */
void rc_audit_push_cost(rc_buf *buf, uint64_t micro_usd, bool is_estimated);
void rc_audit_push_count(rc_buf *buf, uint64_t count);
void rc_audit_push_share(rc_buf *buf, uint64_t part, uint64_t whole);

/* Appends "1 operation" or "12.4 k operations". */
void rc_audit_push_counted(rc_buf *buf, uint64_t count, const char *one, const char *many);

/* Returns the time at which an operation began, taken from its key. */
int64_t rc_audit_began_unix_ms(const rc_record *operation);

/* Appends "openai/gpt-4o", or "gpt-4o → claude/claude-sonnet-4-5" when the client had asked for
 * another model. */
void rc_audit_push_target(const rc_audit *audit, rc_buf *buf, const rc_record *operation);

/* Appends "✗ RateLimited" or "✓ recovered"; returns its tone. */
rc_tone rc_audit_push_outcome(const rc_audit *audit, rc_buf *buf, const rc_record *operation);

/* Appends a symbol in the form that the terminal can show. */
void rc_audit_push_symbol(const rc_audit *audit, rc_buf *buf, rc_symbol symbol);

/* ---- json.c ---- */

/* What rc_record_json_operation writes for this run. */
rc_record_json_options rc_audit_json_options(const rc_audit *audit, bool has_report);

/* Writes an operation as an object, with its report under "report" when has_report. */
void rc_audit_json_operation(const rc_audit *audit, rc_json_writer *w, const rc_record *operation,
                             bool has_report);
/* Writes a record of another kind. */
void rc_audit_json_record(const rc_audit *audit, rc_json_writer *w, const rc_record *record,
                          bool has_report);

/* Decodes the report of a record; NULL when there is none. Gives. */
const rc_report *rc_audit_report(const rc_audit *audit, const rc_record *record);

/* ---- show.c, show_human.c, show_markdown.c, timeline.c ---- */

#define RC_AUDIT_CODES_MAX 4

/* Facts about one operation, collected from its records. */
typedef struct rc_audit_timeline {
    rc_audit *audit;
    const rc_record *operation;
    int64_t total_ms; /* From the beginning to the latest known moment. */
    uint32_t attempts;
    rc_code codes[RC_AUDIT_CODES_MAX]; /* Codes of the failed attempts, each once. */
    size_t code_count;
    const rc_report *report; /* Report of the operation or of its last failure; NULL: none. */
    rc_str notice_target;
    rc_str notice_text;
} rc_audit_timeline;

/* Print the timeline for a person or an agent. False: fault is set. */
bool rc_audit_show_human(rc_audit_timeline *timeline, rc_store_fault *fault);
bool rc_audit_show_markdown(rc_audit_timeline *timeline, rc_store_fault *fault);

/* Appends a summary, such as "openai/gpt-4o answered at the first try." */
void rc_audit_push_summary(const rc_audit_timeline *timeline, rc_buf *buf);

/* Append one record as a line without its time, and its details. */
void rc_audit_push_event(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record);
void rc_audit_push_detail(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record);

/* Appends "$0.0123 for 1200 tokens in, 310 out"; nothing when neither is known. */
void rc_audit_push_usage(rc_buf *buf, const rc_record *record);

/* Appends foreign text as one line: line breaks and tabs become spaces. */
void rc_audit_push_flat(rc_buf *buf, rc_str text);

/* Returns the outcome of one attempt of the operation. */
rc_outcome rc_audit_attempt_outcome(const rc_record *operation, const rc_record *attempt);

/* Gives a record's start, in ms since the operation began, and its duration; -1 for a record
 * without one. */
void rc_audit_span(const rc_record *record, int64_t *ret_from_ms, int64_t *ret_took_ms);

/* ---- list.c, used by tail.c and show.c ---- */

#define RC_AUDIT_LIST_COLUMNS 8
extern const rc_grid_column rc_audit_list_columns[RC_AUDIT_LIST_COLUMNS];
/* Adds one row. *day: in and out, the day of the previous row; 0 for none. */
void rc_audit_list_row(const rc_audit *audit, rc_grid *grid, const rc_record *operation,
                       int64_t *day);

#endif
