/* Cells of comma-separated values (RFC 4180) that no spreadsheet takes for anything but text.
 *
 * A text that begins like a formula (=, +, -, @, also behind spaces) gets an apostrophe in front.
 * Control characters, bidirectional controls and invisible characters stand as \u{XXXX}: a cell is
 * one line, and shows what is in it. */
#ifndef RC_CLI_CSV_H
#define RC_CLI_CSV_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends a cell, with a comma in front unless the line begins. text: borrows. */
void rc_csv_text(rc_buf *buf, rc_str text);
void rc_csv_number(rc_buf *buf, int64_t number);
/* A cell with nothing in it. */
void rc_csv_empty(rc_buf *buf);
void rc_csv_end(rc_buf *buf);

#endif
