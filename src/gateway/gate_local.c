/* What the gateway answers by itself: is it there, and is it ready? */
#include "base/str.h"
#include "gateway/gate_private.h"

bool rc_gate_answer_health(const rc_gate *gate, rc_exchange *exchange, rc_str path)
{
    const rc_header field = {RC_STR("content-type"), RC_STR("text/plain")};
    const bool is_ready = rc_str_eq(path, RC_STR("/readyz"));
    if (!is_ready && !rc_str_eq(path, RC_STR("/healthz")))
        return false;
    const bool is_leaving = is_ready && gate->is_stopping;
    (void)rc_exchange_answer(exchange, is_leaving ? 503 : 200, &field, 1,
                             is_leaving ? RC_STR("stopping\n") : RC_STR("ok\n"));
    return true;
}
