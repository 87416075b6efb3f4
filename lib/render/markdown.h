/* Text in Markdown (CommonMark, GitHub's tables): nothing in a report can become markup. */
#ifndef RC_RENDER_MARKDOWN_H
#define RC_RENDER_MARKDOWN_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Running text over several lines: markup characters are escaped, line breaks stay, empty lines
 * begin a paragraph. Ends without a line feed. */
void rc_markdown_push_text(rc_buf *buf, rc_str text);

/* The same in one line: for list items and the cells of tables. */
void rc_markdown_push_inline(rc_buf *buf, rc_str text);

/* A code span, `like this`, in one line. */
void rc_markdown_push_code(rc_buf *buf, rc_str text);

/* A fenced block, its fence longer than any run of backticks in it, with a line feed behind it. */
void rc_markdown_push_block(rc_buf *buf, rc_str text);

#endif
