/* rc_human: state of the renderer of a report's terminal panel. human.c renders the panel's upper
 * part, human_sections.c the sections below. */
#ifndef RC_RENDER_HUMAN_H
#define RC_RENDER_HUMAN_H

#include <recourse/render.h>

#include "render/panel.h"

/* Size of one composed line: four names with masked paths, and the text between the names. */
#define RC_HUMAN_LINE_MAX (8 * RC_REPORT_NAME_MAX + 1024)

typedef struct rc_human {
    rc_panel panel;
    const rc_report *report;
    rc_view view;
    const rc_panel_style *style;
    bool has_tag; /* The code is shown in the title line. */
    bool has_ids; /* The list of ids has begun. */
    rc_buf line;  /* The line that is being composed, stored in `memory`. */
    char memory[RC_HUMAN_LINE_MAX];
} rc_human;

/* Begins a new line in `h->line` and returns that buffer. The text of the line is valid until the
 * next line begins. */
rc_buf *rc_human_line(rc_human *h);

/* Appends a part to the line: `before`, and the text as the view shows it. A separator precedes
 * every part except the first. Appends nothing if the text is empty. */
void rc_human_part(rc_human *h, rc_str before, rc_str text);

/* Replaces line breaks, so that a name that contains a line break cannot look like a line of the
 * panel. */
void rc_human_join_lines(char *text, size_t len);

/* Returns whether the upper part of the panel shows this context entry. An entry that is shown
 * there is omitted in the section "context". */
bool rc_human_is_id(rc_str key);

/* The functions from rc_human_put_attempts to rc_human_put_raw write one section each. These
 * functions write nothing if the view does not show the section, or if the section is empty. */
void rc_human_put_attempts(rc_human *h);
void rc_human_put_context(rc_human *h);
void rc_human_put_detail(rc_human *h);
void rc_human_put_causes(rc_human *h);
void rc_human_put_sources(rc_human *h);
void rc_human_put_raw(rc_human *h);

#endif
