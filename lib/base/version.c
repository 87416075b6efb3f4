#include <recourse/version.h>

const char *rc_version(void)
{
    return RC_VERSION;
}
