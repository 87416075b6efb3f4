/* The reference page of the taxonomy in Markdown: docs/errors.md and `recourse errors --format
 * markdown`.
 *
 * It includes spec/errors.def and uses nothing of the library, because the generator of the
 * library's headers (tools/gen_errors.c) uses it too. */
#ifndef RC_CLI_ERRORS_PAGE_H
#define RC_CLI_ERRORS_PAGE_H

/* Receives the next piece of the page. text: borrows. */
typedef void (*rc_errors_page_put)(void *ctx, const char *text);

/* Passes the whole page to put, piece by piece. ctx: borrows. */
void rc_errors_page(rc_errors_page_put put, void *ctx);

/* Pass the part of the page for one class or one code, by its exact name; nothing when there is
 * none. name: borrows. */
void rc_errors_page_class(const char *name, rc_errors_page_put put, void *ctx);
void rc_errors_page_code(const char *name, rc_errors_page_put put, void *ctx);

#endif
