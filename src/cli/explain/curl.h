/* What curl says of its own failures: "curl: (28) Operation timed out after 30001 milliseconds". */
#ifndef RC_CLI_EXPLAIN_CURL_H
#define RC_CLI_EXPLAIN_CURL_H

#include <recourse/classify.h>

/* Adds transport and phase, or the status that --fail names, from the last such line of text; what
 * the failure has already stays. text: borrows. */
void rc_curl_read(rc_str text, rc_failure *failure);

#endif
