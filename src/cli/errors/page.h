/* The reference page of the taxonomy in Markdown: docs/errors.md and `recourse errors --format
 * markdown`.
 *
 * page.c includes spec/errors.def and uses nothing of the library, because tools/gen_errors.c,
 * which generates headers of the library, uses page.c, too. */
#ifndef RC_CLI_ERRORS_PAGE_H
#define RC_CLI_ERRORS_PAGE_H

/* A callback that receives the next piece of the page. text: borrows during the call. */
typedef void (*rc_errors_page_put)(void *ctx, const char *text);

/* Passes the whole page to `put`, piece by piece. ctx: borrows during the call. */
void rc_errors_page(rc_errors_page_put put, void *ctx);

/* Pass to `put` the part of the page for the class or code with exactly this name; nothing if the
 * name is unknown. name: borrows during the call. */
void rc_errors_page_class(const char *name, rc_errors_page_put put, void *ctx);
void rc_errors_page_code(const char *name, rc_errors_page_put put, void *ctx);

#endif
