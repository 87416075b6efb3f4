/* `recourse audit stats`: what was added up, before anybody knows how it is shown. */
#ifndef RC_CLI_AUDIT_STATS_H
#define RC_CLI_AUDIT_STATS_H

#include "cli/audit/audit.h"

#define RC_AUDIT_MEASURES_MAX 10

/* One key of a table: how operations fared, and attempts. Either may be NULL. */
typedef struct rc_audit_row {
    const rc_stats_group *operations;
    const rc_stats_group *attempts;
} rc_audit_row;

/* A column. */
typedef struct rc_audit_measure {
    const char *title;
    unsigned rank; /* in a narrow terminal the highest is left out first, 0 never */
    void (*push)(rc_buf *buf, const rc_audit_row *row);
} rc_audit_measure;

/* A table: by what, and what of it. */
typedef struct rc_audit_kind {
    uint32_t by;
    const char *name;
    const char *of; /* "attempts": what is counted */
    const rc_audit_measure *measures;
    size_t measure_count;
} rc_audit_kind;

typedef struct rc_audit_table {
    const rc_audit_kind *kind;
    rc_audit_row *rows; /* in the order in which they are shown */
    size_t count;
    size_t shown; /* how many of them */
} rc_audit_table;

/* The kinds of tables; NULL past the end. */
const rc_audit_kind *rc_audit_kind_at(size_t index);

#define RC_AUDIT_KINDS 7
#define RC_AUDIT_NOTICES_SHOWN 3

typedef struct rc_audit_totals {
    rc_audit *audit;
    rc_stats operations;
    rc_stats attempts;
    rc_audit_table tables[RC_AUDIT_KINDS]; /* those that were asked for, in that order */
    size_t table_count;
    rc_buf notices; /* lines, of the latest */
    uint32_t notice_count;
    int64_t from_unix_ms; /* that were looked at; 0: from the first on */
    int64_t until_unix_ms;
} rc_audit_totals;

/* ---- audit_progress.c ---- */

typedef struct rc_audit_progress {
    rc_cli *cli;
    rc_store *store;
    const rc_stats *stats; /* that grows */
    int64_t until_unix_ms; /* where it ends */
    uint64_t started_ms;
    uint64_t next_ms; /* when the line is drawn next */
    bool is_drawn;
} rc_audit_progress;

/* From now on a line on standard error says how far the store has come, where that is a terminal
 * and the statistics are for a person. All: borrow until the end, which wipes it. */
void rc_audit_progress_begin(rc_audit_progress *progress, rc_audit *audit, const rc_stats *stats);
void rc_audit_progress_end(rc_audit_progress *progress);

/* What a row is called: a name, a code, an hour. */
void rc_audit_push_row_name(const rc_audit_totals *totals, const rc_audit_table *table, rc_buf *buf,
                            const rc_audit_row *row);

/* "1.24 s" of the histogram at so many permille; "-" when it is empty. */
void rc_audit_push_quantile(rc_buf *buf, const rc_histogram *histogram, uint32_t permille);

rc_status rc_audit_stats_human(rc_audit_totals *totals);
void rc_audit_stats_markdown(const rc_audit_totals *totals);
void rc_audit_stats_json(const rc_audit_totals *totals);

/* The lines above the tables: a label, and what it is in words; NULL past the end. */
typedef struct rc_audit_fact {
    const char *label;
    void (*push)(rc_buf *buf, const rc_audit_totals *totals);
} rc_audit_fact;
const rc_audit_fact *rc_audit_fact_at(size_t index);

/* "from Mon 16 Nov 2026 02:00:00 UTC on". */
void rc_audit_push_period(const rc_audit_totals *totals, rc_buf *buf);

#endif
