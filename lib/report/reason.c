/* Names and texts of the reasons for decisions, generated from spec/reasons.def by the
 * preprocessor. Called by the gateway, the store and the CLI. Two rows with the same number would
 * not compile, because a switch would have two equal cases. */
#include <recourse/reason.h>

/* reasons.h is generated; these asserts check that it matches the table. */
#define RC_REASON(number, ID, name, step, text)                                       \
    _Static_assert(RC_WHY_##ID == (number), "reasons.h is stale: run make generate"); \
    _Static_assert((step) >= 0 && (step) <= 8, "the decision order has eight steps");
#include "spec/reasons.def"

const char *rc_reason_name(rc_reason reason)
{
    switch (reason) {
#define RC_REASON(number, ID, name, step, text) \
    case RC_WHY_##ID:                           \
        return name;
#include "spec/reasons.def"
    case RC_WHY_NONE:
        return "";
    }
    return "unknown";
}

const char *rc_reason_text(rc_reason reason)
{
    switch (reason) {
#define RC_REASON(number, ID, name, step, text) \
    case RC_WHY_##ID:                           \
        return text;
#include "spec/reasons.def"
    case RC_WHY_NONE:
        return "";
    }
    return "for a reason that this version cannot name";
}

int rc_reason_step(rc_reason reason)
{
    switch (reason) {
#define RC_REASON(number, ID, name, step, text) \
    case RC_WHY_##ID:                           \
        return step;
#include "spec/reasons.def"
    case RC_WHY_NONE:
        break;
    }
    return 0;
}

rc_reason rc_reason_parse(rc_str text)
{
#define RC_REASON(number, ID, name, step, clause) \
    if (rc_str_eq(text, RC_STR(name)))            \
        return RC_WHY_##ID;
#include "spec/reasons.def"
    return RC_WHY_NONE;
}
