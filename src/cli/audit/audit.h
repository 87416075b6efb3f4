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
    rc_audit_query query; /* The query views the strings of args; query.limit is not set. */
    uint32_t limit;
    rc_audit_format format;
    rc_view view;
    rc_panel_style style;
    rc_store_fault *fault; /* First store fault of the run; kind NO_FAULT: none. */
} rc_audit;

/* The verbs of the command. Each function returns the exit status; if the status is not 0, the
 * reason is in err. */
int rc_audit_list(rc_audit *audit);
int rc_audit_show(rc_audit *audit);
int rc_audit_tail(rc_audit *audit);
int rc_audit_stats(rc_audit *audit);
int rc_audit_export(rc_audit *audit);
int rc_audit_check(rc_audit *audit);
/* rc_audit_prune opens the store itself, because it checks its options first; command.c opens the
 * store for the other verbs. */
int rc_audit_prune(rc_audit *audit);

/* ---- filter.c ---- */

/* Reads the options that select operations into audit->query. Returns RC_EXIT_OK, or RC_EXIT_USAGE
 * with the reason in err. */
int rc_audit_filter_read(rc_audit *audit, rc_audit_query_kind kind);

/* Called when no operation was found: appends to err the given name that does not occur in the
 * audit, and the nearest name that occurs there. */
void rc_audit_suggest_names(rc_audit *audit);

/* ---- open.c ---- */

/* Opens the store of --store or of the configuration. Returns RC_EXIT_OK, or the exit status with
 * the reason in err. */
int rc_audit_open(rc_audit *audit);
/* Opens the URL of rc_audit_open again after rc_audit_close, because the file may have been
 * replaced. */
bool rc_audit_open_again(rc_audit *audit, rc_store_fault *fault);
void rc_audit_close(rc_audit *audit);

/* Prints a store fault and its advice as text, Markdown or JSON, as --format says. Returns the exit
 * status. */
int rc_audit_refuse(rc_audit *audit, const rc_store_fault *fault);

/* Stores a fault that makes the output incomplete. The verb continues; when it ends, its output is
 * dropped and the fault is printed instead. Only the first fault is stored. fault: copies the
 * struct. */
void rc_audit_note_fault(const rc_audit *audit, const rc_store_fault *fault);
/* Stores an out-of-memory fault like rc_audit_note_fault if has_memory is false. */
void rc_audit_note_memory(const rc_audit *audit, bool has_memory);

/* Writes the buffer `out` to standard output and empties it. If a fault was noted, prints the fault
 * instead. Returns RC_EXIT_OK, or another exit status with the reason in err; rc_cli_finish prints
 * the reason if the buffer itself failed. */
int rc_audit_flush(rc_audit *audit);

/* ---- text.c ---- */

/* Append a local time or a part of it:
 *   rc_audit_push_clock       "02:22:43"
 *   rc_audit_push_day         "Tue 17 Nov 2026"
 *   rc_audit_push_date_time   day, clock and zone
 *   rc_audit_push_hour        "17 Nov 02:00"
 *   rc_audit_push_zone        "UTC+1" */
void rc_audit_push_clock(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_day(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_date_time(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_hour(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_zone(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);

/* Returns a number for the local day, so that days can be compared; never 0. */
int64_t rc_audit_day_of(const rc_audit *audit, int64_t unix_ms);

/* Appends "4 minutes ago" or "just now". */
void rc_audit_push_ago(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);

/* Appends "4.1 MB". */
void rc_audit_push_size(rc_buf *buf, uint64_t bytes);

/* Append an amount:
 *   rc_audit_push_ms      "1.24 s", or "-" for a negative time
 *   rc_audit_push_usd     "$0.0123"
 *   rc_audit_push_count   "12.4 k"
 *   rc_audit_push_share   part in relation to whole: "97.2%" */
void rc_audit_push_ms(rc_buf *buf, int64_t ms);
void rc_audit_push_usd(rc_buf *buf, uint64_t micro_usd);
/* Appends "~$0.0123" if some tokens were estimated instead of counted by the provider. */
void rc_audit_push_cost(rc_buf *buf, uint64_t micro_usd, bool is_estimated);
void rc_audit_push_count(rc_buf *buf, uint64_t count);
void rc_audit_push_share(rc_buf *buf, uint64_t part, uint64_t whole);

/* Appends "1 operation" or "12.4 k operations". */
void rc_audit_push_counted(rc_buf *buf, uint64_t count, const char *one, const char *many);

/* Returns the time at which an operation began, which is part of the operation's key. */
int64_t rc_audit_began_unix_ms(const rc_record *operation);

/* Appends "openai/gpt-4o", or "gpt-4o → claude/claude-sonnet-4-5" if the client requested another
 * model. */
void rc_audit_push_target(const rc_audit *audit, rc_buf *buf, const rc_record *operation);

/* Appends the outcome, such as "✗ RateLimited" or "✓ recovered"; returns the tone (colour) of the
 * text. */
rc_tone rc_audit_push_outcome(const rc_audit *audit, rc_buf *buf, const rc_record *operation);

/* Appends a symbol in UTF-8 or, for a terminal without UTF-8, in ASCII. */
void rc_audit_push_symbol(const rc_audit *audit, rc_buf *buf, rc_symbol symbol);

/* ---- json.c ---- */

/* Returns the options of rc_record_json_operation for this run. */
rc_record_json_options rc_audit_json_options(const rc_audit *audit, bool has_report);

/* Writes an operation as a JSON object. has_report: the object contains the report as "report". */
void rc_audit_json_operation(const rc_audit *audit, rc_json_writer *w, const rc_record *operation,
                             bool has_report);
/* Writes a record that is not an operation, such as an attempt. */
void rc_audit_json_record(const rc_audit *audit, rc_json_writer *w, const rc_record *record,
                          bool has_report);

/* Decodes and gives the report of a record; NULL: the record has none. */
const rc_report *rc_audit_report(const rc_audit *audit, const rc_record *record);

/* ---- show.c, show_human.c, show_markdown.c, timeline.c ---- */

#define RC_AUDIT_CODES_MAX 4

/* Facts about one operation, collected from its records. */
typedef struct rc_audit_timeline {
    rc_audit *audit;
    const rc_record *operation;
    int64_t total_ms; /* From the start of the operation to the end of its last record. */
    uint32_t attempts;
    rc_code codes[RC_AUDIT_CODES_MAX]; /* Different codes of the failed attempts. */
    size_t code_count;
    /* Report of the operation, else of its last failed attempt; NULL: none. */
    const rc_report *report;
    rc_str notice_target;
    rc_str notice_text;
} rc_audit_timeline;

/* Print the timeline: rc_audit_show_human for a person, rc_audit_show_markdown for an agent. Return
 * false if the store failed; fault then has the reason. */
bool rc_audit_show_human(rc_audit_timeline *timeline, rc_store_fault *fault);
bool rc_audit_show_markdown(rc_audit_timeline *timeline, rc_store_fault *fault);

/* Appends a summary, such as "openai/gpt-4o responded on the first attempt." */
void rc_audit_push_summary(const rc_audit_timeline *timeline, rc_buf *buf);

/* rc_audit_push_event appends one record as a line without its time; rc_audit_push_detail appends
 * the details of the record. */
void rc_audit_push_event(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record);
void rc_audit_push_detail(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record);

/* Appends "$0.0123 for 1200 tokens in, 310 out"; appends nothing if neither cost nor tokens are
 * known. */
void rc_audit_push_usage(rc_buf *buf, const rc_record *record);

/* Appends foreign text as one line, with line breaks and tabs replaced by spaces. */
void rc_audit_push_flat(rc_buf *buf, rc_str text);

/* Returns the outcome of one attempt of the operation. */
rc_outcome rc_audit_attempt_outcome(const rc_record *operation, const rc_record *attempt);

/* Gives the start of a record in ms since the operation began, and the duration of the record; a
 * record without a duration has -1. */
void rc_audit_span(const rc_record *record, int64_t *ret_from_ms, int64_t *ret_took_ms);

/* ---- list.c, used by tail.c and show.c ---- */

#define RC_AUDIT_LIST_COLUMNS 8
extern const rc_grid_column rc_audit_list_columns[RC_AUDIT_LIST_COLUMNS];
/* Adds one row, and a line with the date if the day changes. *day holds the day of the previous row
 * (0: no row yet) and is updated. */
void rc_audit_list_row(const rc_audit *audit, rc_grid *grid, const rc_record *operation,
                       int64_t *day);

#endif
