/* rc_report_id: ids of reports that the program itself makes (not the gateway). */
#ifndef RC_CLIENT_REPORT_ID_H
#define RC_CLIENT_REPORT_ID_H

#include <recourse/builder.h>

typedef struct rc_sys_calls rc_sys_calls;

/* Sets a new id in the report that is being built. Sets no id if the system has no entropy. */
void rc_report_id_set(const rc_sys_calls *calls, rc_builder *builder);

#endif
