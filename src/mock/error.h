/* Errors in the form of each dialect, from spec/mock.def. */
#ifndef RC_MOCK_ERROR_H
#define RC_MOCK_ERROR_H

#include <recourse/buf.h>

#include "mock/response.h"

typedef struct rc_mock_error_row {
    int status;
    const char *type;
    const char *code;
    const char *message;
} rc_mock_error_row;

/* Returns the static row of an error, never NULL. For RC_MOCK_ERROR_NONE this is the row of the
 * server error. */
const rc_mock_error_row *rc_mock_error_get(rc_mock_error error, rc_mock_family family);

/* Appends the body of the response's error: JSON, or an HTML page. response: borrows during the
 * call. */
void rc_mock_error_push(const rc_mock_response *response, rc_buf *buf);

/* Adds the headers that state the time until a retry. Headers with an absolute time are computed
 * from now_unix_ms. */
void rc_mock_error_hint(rc_mock_response *response, int64_t now_unix_ms);

#endif
