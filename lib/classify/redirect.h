/* Redirects: the target of a 3xx response in a report, so that the operator can correct
 * base_url. */
#ifndef RC_CLASSIFY_REDIRECT_H
#define RC_CLASSIFY_REDIRECT_H

#include <recourse/buf.h>
#include <recourse/builder.h>
#include <recourse/classify.h>

/* Longest target that a report shows, in bytes. */
#define RC_REDIRECT_MAX ((size_t)400)

/* Appends the safe part of a Location header: scheme, host and path. User names, queries and
 * fragments are omitted. The path ends with "…" at the first byte that is not plain text, and
 * before the first segment that looks like a token. Returns false if nothing is left to show;
 * nothing is then written. location: borrows. */
bool rc_redirect_push(rc_buf *buf, rc_str location);

/* Sets message and advice of a report if the status is a redirect and the verdict is
 * ENDPOINT_NOT_FOUND; other reports stay as they are. failure, verdict: borrow. */
void rc_redirect_describe(rc_builder *builder, const rc_failure *failure,
                          const rc_verdict *verdict);

#endif
