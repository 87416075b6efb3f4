/* Documents that the YAML reader rejects, each with the position of its fault and a part of the
 * message. */
#ifndef TESTS_SUPPORT_YAML_REFUSALS_H
#define TESTS_SUPPORT_YAML_REFUSALS_H

#include <string.h>

#include "config/yaml/yaml.h"

typedef struct refusal {
    const char *text;
    rc_status status;
    unsigned line, column;
    const char *part;
} refusal;

static inline void refusal_expect(const refusal *wanted, rc_status status,
                                  const rc_config_faults *faults)
{
    assert_true(faults->count > 0);
    const rc_config_fault *fault = &faults->list[0];
    if (status != wanted->status || fault->line != wanted->line ||
        fault->column != wanted->column || strstr(fault->message, wanted->part) == NULL)
        fail_msg("%s: %s: %u:%u: %s", wanted->text, rc_status_name(status), fault->line,
                 fault->column, fault->message);
}

#endif
