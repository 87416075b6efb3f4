/* The reference page of the taxonomy, in Markdown: docs/errors.md and `recourse errors --format markdown`.
 *
 * It reads spec/errors.def itself and knows nothing of the library, because the program that generates the library's
 * own headers uses it too. */
#ifndef RC_CLI_ERRORS_PAGE_H
#define RC_CLI_ERRORS_PAGE_H

/* Takes the next piece of the page. text: borrows. */
typedef void (*rc_errors_page_put)(void *ctx, const char *text);

/* Gives the whole page to put, piece by piece. ctx: borrows. */
void rc_errors_page(rc_errors_page_put put, void *ctx);

#endif
