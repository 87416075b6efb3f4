/* Error lines of curl: "curl: (28) Operation timed out after 30001 milliseconds". */
#ifndef RC_CLI_EXPLAIN_CURL_H
#define RC_CLI_EXPLAIN_CURL_H

#include <recourse/classify.h>

/* Sets transport and phase, or the status that --fail prints, from the last such line of text.
 * Fields that are already set stay unchanged. text: borrows. */
void rc_curl_read(rc_str text, rc_failure *failure);

#endif
