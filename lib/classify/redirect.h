/* Where a redirect leads, for whoever has to correct an address. */
#ifndef RC_CLASSIFY_REDIRECT_H
#define RC_CLASSIFY_REDIRECT_H

#include <recourse/buf.h>
#include <recourse/builder.h>
#include <recourse/classify.h>

/* What is told of an address at most. */
#define RC_REDIRECT_MAX ((size_t)400)

/* Appends what of a Location can be told to anybody: scheme, host and path. User names, queries,
 * fragments, what may be a token and all that is no plain text stay out, and what stands behind it
 * with them ("…" in its place). False: there is nothing to be told, and nothing was written.
 * location: borrows. */
bool rc_redirect_push(rc_buf *buf, rc_str location);

/* Message and advice of a report whose verdict is that a redirect leads to another address. Others
 * keep their own words. failure, verdict: borrow. */
void rc_redirect_describe(rc_builder *builder, const rc_failure *failure,
                          const rc_verdict *verdict);

#endif
