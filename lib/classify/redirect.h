/* Redirects: shows the target of a 3xx response in a report, so that the operator can correct
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
 * before the first segment that looks like a token. If the safe part is empty, the function appends
 * nothing and returns false. location: borrows during the call. */
bool rc_redirect_push(rc_buf *buf, rc_str location);

/* Sets message and advice of the report if the failure's status is a redirect and the verdict's
 * code is RC_CODE_ENDPOINT_NOT_FOUND; otherwise does nothing. failure, verdict: borrows during the
 * call. */
void rc_redirect_describe(rc_builder *builder, const rc_failure *failure,
                          const rc_verdict *verdict);

#endif
