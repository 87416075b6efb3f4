#include "cli/audit.h"
int rc_audit_export(rc_audit *audit)
{
    (void)audit;
    return 70;
}
