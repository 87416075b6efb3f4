/* `recourse audit`: the parts of the command.
 *
 *   audit.c           what there is to ask for; which part answers
 *   audit_filter.c    the options as a filter of the store
 *   audit_open.c      which store, and what is said when it cannot be read
 *   audit_list.c      operations as a table           audit_tail.c    as they end
 *   audit_show.c      one operation: story, panel     audit_stats.c   all of them, added up
 *   audit_export.c    every column, for programs      audit_check.c   is the file sound?
 *   audit_prune.c     deletes what is past
 *   audit_words.c     times, sums and outcomes for people
 *   audit_json.c      operations and records as JSON */
#ifndef RC_CLI_AUDIT_AUDIT_H
#define RC_CLI_AUDIT_AUDIT_H

#include <recourse/json.h>
#include <recourse/render.h>

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
    rc_store_filter filter; /* views args */
    bool is_narrowed;       /* by more than its times */
    uint32_t limit;
    int64_t after_key; /* 0: from the start */
    rc_audit_format format;
    rc_view view;
    rc_panel_style style;
    rc_store_fault *fault; /* what went wrong on the way; of no kind: nothing */
} rc_audit;

/* The verbs. The exit status; the reason for one that is not 0 is in err. */
int rc_audit_list(rc_audit *audit);
int rc_audit_show(rc_audit *audit);
int rc_audit_tail(rc_audit *audit);
int rc_audit_stats(rc_audit *audit);
int rc_audit_export(rc_audit *audit);
int rc_audit_check(rc_audit *audit);
/* Opens the store itself, once it knows what is asked for. */
int rc_audit_prune(rc_audit *audit);

/* ---- audit_filter.c ---- */

/* Names that options take; NULL past the end. */
const char *rc_audit_outcome_at(const void *ctx, size_t index);

/* Reads the options that choose operations. RC_EXIT_OK, or RC_EXIT_USAGE with the reason in err. */
int rc_audit_filter_read(rc_audit *audit);

/* On err, when nothing was found: which name the audit does not have, and which one may have been
 * meant. */
void rc_audit_suggest_names(rc_audit *audit);

/* ---- audit_open.c ---- */

/* Opens the store that --store, or else the configuration, names. RC_EXIT_OK, or the exit status
 * with the reason in err. */
int rc_audit_open(rc_audit *audit);
/* The same store again, after it was closed: another file may be in its place. */
bool rc_audit_open_again(rc_audit *audit, rc_store_fault *fault);
void rc_audit_close(rc_audit *audit);

/* Says what went wrong and what to do, as a line or as JSON. Gives the exit status. */
int rc_audit_refuse(rc_audit *audit, const rc_store_fault *fault);

/* Something is missing in what was made so far: it must not pass for all of it. The verb goes on;
 * when it has ended, this is what is said instead. The first one counts. fault: copies. */
void rc_audit_note_fault(const rc_audit *audit, const rc_store_fault *fault);
/* The same, when a buffer has failed or memory was not to be had. */
void rc_audit_note_memory(const rc_audit *audit, bool has_memory);

/* Writes what is in out, and empties it. RC_EXIT_OK, or RC_EXIT_IO or RC_EXIT_INTERNAL; the reason
 * is in err, unless it will be said at the end. */
int rc_audit_flush(rc_audit *audit);

/* ---- audit_words.c ---- */

/* "02:22:43"; "Tue 17 Nov 2026"; both; "UTC+1". In local time. */
void rc_audit_push_clock(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_day(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_date_time(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);
void rc_audit_push_hour(const rc_audit *audit, rc_buf *buf, int64_t unix_ms); /* "17 Nov 02:00" */
void rc_audit_push_zone(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);

/* The number of the local day, to see whether two are the same. */
int64_t rc_audit_day_of(const rc_audit *audit, int64_t unix_ms);

/* "4 minutes ago", "just now". */
void rc_audit_push_ago(const rc_audit *audit, rc_buf *buf, int64_t unix_ms);

/* "4.1 MB". */
void rc_audit_push_size(rc_buf *buf, uint64_t bytes);

/* "1.24 s"; "$0.0123"; "12.4 k"; "97.2%" of part in whole; "-" for what is not known. */
void rc_audit_push_ms(rc_buf *buf, int64_t ms);
void rc_audit_push_usd(rc_buf *buf, uint64_t micro_usd);
/* The same, as "~$0.0123" where some of its tokens are not the provider's count. */
void rc_audit_push_cost(rc_buf *buf, uint64_t micro_usd, bool is_estimated);
void rc_audit_push_count(rc_buf *buf, uint64_t count);
void rc_audit_push_share(rc_buf *buf, uint64_t part, uint64_t whole);

/* "1 operation", "12.4 k operations". */
void rc_audit_push_counted(rc_buf *buf, uint64_t count, const char *one, const char *many);

/* When an operation began: its key's time. */
int64_t rc_audit_began_unix_ms(const rc_record *operation);

/* "openai/gpt-4o", or "gpt-4o → claude/claude-sonnet-4-5" where another one was asked for. */
void rc_audit_push_target(const rc_audit *audit, rc_buf *buf, const rc_record *operation);

/* "✗ RateLimited", "✓ recovered", and how it should look. */
rc_colour rc_audit_push_outcome(const rc_audit *audit, rc_buf *buf, const rc_record *operation);

/* A mark that the terminal can show. */
const char *rc_audit_symbol(const rc_audit *audit, const char *utf8, const char *ascii);

/* ---- audit_json.c ---- */

/* An operation as an object; its report under "report" when has_report. */
void rc_audit_json_operation(const rc_audit *audit, rc_json_writer *w, const rc_record *operation,
                             bool has_report);
/* Any other record. */
void rc_audit_json_record(const rc_audit *audit, rc_json_writer *w, const rc_record *record,
                          bool has_report);

/* The report of a record, read again; NULL when there is none. Gives. */
const rc_report *rc_audit_report(const rc_audit *audit, const rc_record *record);

/* ---- audit_show.c ---- */

#define RC_AUDIT_CODES_MAX 4

/* What is known of an operation once its records were read. */
typedef struct rc_audit_timeline {
    rc_audit *audit;
    const rc_record *operation;
    int64_t total_ms; /* from its beginning to the last that is known */
    uint32_t attempts;
    rc_code codes[RC_AUDIT_CODES_MAX]; /* that attempts failed with, each once */
    size_t code_count;
    const rc_report *report; /* of the operation, or of its last failure; NULL: none */
    rc_str notice_target;
    rc_str notice_text;
} rc_audit_timeline;

/* All of it, for people or for agents; false: fault. */
bool rc_audit_show_human(rc_audit_timeline *timeline, rc_store_fault *fault);
bool rc_audit_show_markdown(rc_audit_timeline *timeline, rc_store_fault *fault);

/* "openai/gpt-4o answered at the first try." */
void rc_audit_push_summary(const rc_audit_timeline *timeline, rc_buf *buf);

/* What one record says, in one line without its time; and what more there is to say. */
void rc_audit_push_event(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record);
void rc_audit_push_detail(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record);

/* "$0.0123 for 1200 tokens in, 310 out"; nothing when neither is known. */
void rc_audit_push_usage(rc_buf *buf, const rc_record *record);

/* Text from outside in one line: what breaks lines becomes a space. */
void rc_audit_push_flat(rc_buf *buf, rc_str text);

/* How an attempt of the operation ended. */
rc_outcome rc_audit_attempt_outcome(const rc_record *operation, const rc_record *attempt);

/* When it began and how long it took, since the operation's beginning; took -1: a moment. */
void rc_audit_span(const rc_record *record, int64_t *ret_from_ms, int64_t *ret_took_ms);

/* ---- audit_list.c, for audit_tail.c ---- */

#define RC_AUDIT_LIST_COLUMNS 8
extern const rc_grid_column rc_audit_list_columns[RC_AUDIT_LIST_COLUMNS];
/* One row; *day: the day of the one before, 0 for none. */
void rc_audit_list_row(const rc_audit *audit, rc_grid *grid, const rc_record *operation,
                       int64_t *day);

/* Puts an operation. The row of a notice says nothing, its record does: then it is put with what
 * that one says. ctx: for put. */
typedef void (*rc_audit_put)(void *ctx, const rc_record *operation);
void rc_audit_put_with_notice(rc_audit *audit, const rc_record *operation, rc_audit_put put,
                              void *ctx);

#endif
