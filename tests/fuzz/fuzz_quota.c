/* Headers of any bytes, one "name: value" per line: no number is out of its limits, and a low
 * amount is reported exactly once. */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "policy/quota.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_str text = rc_str_make(size > 0 ? (const char *)data : NULL, size);
    rc_quotas quotas;
    rc_quota_alarm alarm = {.others = {{0}}};
    rc_quotas_init(&quotas, INT64_C(1794830400000));
    for (size_t at = 0; at < text.len;) {
        size_t end = rc_str_find_byte(text, '\n', at);
        rc_str line = rc_str_slice(text, at, end);
        size_t colon = rc_str_find_byte(line, ':', 0);
        if (colon != RC_STR_NPOS)
            rc_quotas_add_header(&quotas, rc_str_slice(line, 0, colon),
                                 rc_str_slice(line, colon + 1, line.len));
        at = end == RC_STR_NPOS ? text.len : end + 1;
    }
    check(quotas.count <= RC_QUOTAS_MAX);
    for (uint32_t i = 0; i < quotas.count; i++) {
        const rc_quota *quota = &quotas.list[i];
        check(quota->remaining >= -1 && quota->limit >= -1 && quota->limit != 0);
        check(quota->reset_ms >= -1 && quota->kind < RC_QUOTA_KIND_COUNT);
    }
    for (unsigned i = 0; i <= RC_QUOTA_KIND_COUNT; i++) {
        const rc_quota *quota = rc_quota_alarm_next(&alarm, &quotas);
        check(!quota || (i < RC_QUOTA_KIND_COUNT && rc_quota_is_low(quota, 10)));
    }
    return 0;
}
