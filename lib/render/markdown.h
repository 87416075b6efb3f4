/* Markdown output (CommonMark with GitHub's tables). The text of a report is escaped, so that it is
 * never read as markup. */
#ifndef RC_RENDER_MARKDOWN_H
#define RC_RENDER_MARKDOWN_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends text that may have several lines. Markup characters are escaped, line breaks are
 * preserved, and an empty line begins a paragraph. Adds no line feed at the end. */
void rc_markdown_push_text(rc_buf *buf, rc_str text);

/* Appends the text, escaped and as one line, for list items and table cells. */
void rc_markdown_push_inline(rc_buf *buf, rc_str text);

/* Appends a code span, `like this`, in one line. */
void rc_markdown_push_code(rc_buf *buf, rc_str text);

/* Appends the text as a fenced code block, and a line feed. The fence is longer than any run of
 * backticks in the text. */
void rc_markdown_push_block(rc_buf *buf, rc_str text);

#endif
