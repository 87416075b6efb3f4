/* `recourse errors` in its forms. What is chosen: one code, one class, or with neither the whole
 * table. Each function appends to buf; its failure is the buffer's. */
#ifndef RC_CLI_ERRORS_ERRORS_H
#define RC_CLI_ERRORS_ERRORS_H

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/taxonomy.h>

typedef struct rc_errors_choice {
    const rc_code_info *code;
    const rc_class_info *error_class; /* NULL when there is a code */
} rc_errors_choice;

/* A code is one object, a class one with its codes, the whole table an array. One row a line. */
void rc_errors_json(rc_buf *buf, const rc_errors_choice *choice);

/* Tables and panels as wide as the style says. */
void rc_errors_human(rc_buf *buf, const rc_errors_choice *choice, const rc_panel_style *style);

#endif
