/* The library's version. Called by the CLI, the doctor and the admin API. */
#include <recourse/version.h>

const char *rc_version(void)
{
    return RC_VERSION;
}
