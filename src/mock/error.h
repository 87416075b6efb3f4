/* Errors as the dialects tell them: spec/mock.def. */
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

/* Never NULL; a static row. NONE is the server's own error. */
const rc_mock_error_row *rc_mock_error_get(rc_mock_error error, rc_mock_family family);

/* Appends the body of the answer's error: JSON, or a page. answer: borrows. */
void rc_mock_error_push(const rc_mock_response *response, rc_buf *buf);

/* The headers that tell its wait. now_unix_ms: for points in time. */
void rc_mock_error_hint(rc_mock_response *response, int64_t now_unix_ms);

#endif
