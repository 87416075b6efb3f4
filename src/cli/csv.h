/* Cells of comma-separated values (RFC 4180) that spreadsheets treat as text.
 *
 * A text that begins like a formula (=, +, -, @, also after spaces) is prefixed with an apostrophe.
 * Control characters, bidirectional controls and invisible characters are written as \u{XXXX}, so
 * that a cell is one line and all of its content is visible. */
#ifndef RC_CLI_CSV_H
#define RC_CLI_CSV_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* Append a cell with a text or a number, preceded by a comma unless the cell is the first of its
 * line. text: borrows during the call. */
void rc_csv_text(rc_buf *buf, rc_str text);
void rc_csv_number(rc_buf *buf, int64_t number);
/* Appends an empty cell. */
void rc_csv_empty(rc_buf *buf);
/* Ends the line. */
void rc_csv_end(rc_buf *buf);

#endif
