/* `recourse audit stats`: totals and tables, independent of the output format. */
#ifndef RC_CLI_AUDIT_STATS_H
#define RC_CLI_AUDIT_STATS_H

#include "audit/survey.h"
#include "cli/audit/audit.h"
#include "sys/status_line.h"

#define RC_AUDIT_MEASURES_MAX 10

/* One row of a table: the statistics of operations and of attempts for one key, such as a target.
 * One of the two pointers may be NULL. */
typedef struct rc_audit_row {
    const rc_stats_group *operations;
    const rc_stats_group *attempts;
} rc_audit_row;

/* One column of a table. */
typedef struct rc_audit_measure {
    const char *title;
    unsigned rank; /* The highest rank is hidden first on a narrow terminal; 0: never hidden. */
    void (*push)(rc_buf *buf, const rc_audit_row *row);
} rc_audit_measure;

/* A kind of table: the grouping key and the columns. */
typedef struct rc_audit_kind {
    uint32_t by;
    const char *name;
    const char *of; /* The counted noun, such as "attempts". */
    const rc_audit_measure *measures;
    size_t measure_count;
} rc_audit_kind;

typedef struct rc_audit_table {
    const rc_audit_kind *kind;
    rc_audit_row *rows; /* Rows in display order. */
    size_t count;
    size_t shown; /* Number of rows shown. */
} rc_audit_table;

/* Returns the kind of table at an index; NULL if the index is too large. The result is static. */
const rc_audit_kind *rc_audit_kind_at(size_t index);

#define RC_AUDIT_KINDS 7
#define RC_AUDIT_NOTICES_SHOWN 3

typedef struct rc_audit_totals {
    rc_audit *audit;
    rc_audit_survey survey;
    /* The tables that the option --by names, in the order in which its value names them. */
    rc_audit_table tables[RC_AUDIT_KINDS];
    size_t table_count;
    /* Text of the latest notices (events of the gateway process), one per line. */
    rc_buf notices;
    uint32_t notice_count;
    int64_t from_unix_ms; /* Start of the time range; 0: from the first operation. */
    int64_t until_unix_ms;
} rc_audit_totals;

/* ---- progress.c ---- */

typedef struct rc_audit_progress {
    rc_cli *cli;
    rc_store *store;
    const rc_stats *stats; /* Updated while the store is read. */
    int64_t until_unix_ms; /* End of the time range. */
    uint64_t started_ms;
    uint64_t next_ms; /* Time at which the line is drawn again. */
    rc_status_line line;
} rc_audit_progress;

/* If standard error is a terminal and the format is human, shows a progress line there while the
 * store is read. rc_audit_progress_end clears the line. progress, audit, stats: borrows until
 * then. */
void rc_audit_progress_begin(rc_audit_progress *progress, rc_audit *audit, const rc_stats *stats);
void rc_audit_progress_end(rc_audit_progress *progress);

/* Appends the key of a row as text: a name, a code or an hour. */
void rc_audit_push_row_name(const rc_audit_totals *totals, const rc_audit_table *table, rc_buf *buf,
                            const rc_audit_row *row);

/* Appends a quantile of the histogram, such as "1.24 s"; "-" if the histogram is empty. */
void rc_audit_push_quantile(rc_buf *buf, const rc_histogram *histogram, uint32_t permille);

rc_status rc_audit_stats_human(rc_audit_totals *totals);
void rc_audit_stats_markdown(const rc_audit_totals *totals);
void rc_audit_stats_json(const rc_audit_totals *totals);

/* One line above the tables: a label, and a function that appends the text. rc_audit_fact_at
 * returns NULL if the index is too large. */
typedef struct rc_audit_fact {
    const char *label;
    void (*push)(rc_buf *buf, const rc_audit_totals *totals);
} rc_audit_fact;
const rc_audit_fact *rc_audit_fact_at(size_t index);

/* Appends the time range, such as "from Mon 16 Nov 2026 02:00:00 UTC on". */
void rc_audit_push_period(const rc_audit_totals *totals, rc_buf *buf);

#endif
