/* rc_report_id: makes ids for the reports of the program itself. Called by client_call_report.c and
 * the commands (cli/error_text.c). */
#include "client/report_id.h"

#include "sys/clock.h"
#include "sys/entropy.h"

void rc_report_id_set(const rc_sys_calls *calls, rc_builder *builder)
{
    rc_id_maker maker = {0};
    uint8_t entropy[10];
    if (!rc_entropy_get(calls, entropy, sizeof entropy))
        return;
    const rc_id id = rc_id_make(&maker, rc_clock_unix_ms(calls), entropy);
    rc_builder_set_id(builder, &id);
}
