/* Reads error lines of curl, such as "curl: (28) Operation timed out after 30001 milliseconds". */
#ifndef RC_CLI_EXPLAIN_CURL_H
#define RC_CLI_EXPLAIN_CURL_H

#include <recourse/classify.h>

/* Sets transport and phase of failure, or the status that --fail prints, from the last curl line of
 * text. Fields that are already set stay unchanged. text: borrows during the call. */
void rc_curl_read(rc_str text, rc_failure *failure);

#endif
