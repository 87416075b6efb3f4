/* Names of the status codes (recourse/status.h). Called by users of the library and by tests. */
#include <recourse/status.h>

const char *rc_status_name(rc_status status)
{
    switch (status) {
    case RC_OK:
        return "ok";
    case RC_E_NOMEM:
        return "no_memory";
    case RC_E_TOO_LARGE:
        return "too_large";
    case RC_E_SYNTAX:
        return "syntax";
    case RC_E_TRUNCATED:
        return "truncated";
    case RC_E_TOO_DEEP:
        return "too_deep";
    case RC_E_TYPE:
        return "wrong_type";
    case RC_E_RANGE:
        return "out_of_range";
    case RC_E_UNKNOWN_KEY:
        return "unknown_key";
    case RC_E_DUPLICATE:
        return "duplicate_key";
    case RC_E_NOT_FOUND:
        return "not_found";
    case RC_E_ARGUMENT:
        return "bad_argument";
    }
    return "unknown";
}
