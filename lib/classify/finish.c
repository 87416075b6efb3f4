/* Finish and block reasons of all API formats (spec/finish.def): sets the fact of a reason. Called
 * by unwrap/json.c. */
#include "base/str.h"
#include "classify/evidence.h"

#define FINISH_FACT_GOOD RC_FACT_NONE
#define FINISH_FACT_FILTER RC_FACT_FINISH_FILTER
#define FINISH_FACT_REFUSAL RC_FACT_FINISH_REFUSAL
#define FINISH_FACT_LENGTH RC_FACT_FINISH_LENGTH
#define FINISH_FACT_CONTEXT RC_FACT_FINISH_CONTEXT
#define FINISH_FACT_TOOL RC_FACT_FINISH_TOOL
#define FINISH_FACT_ERROR RC_FACT_FINISH_ERROR

typedef struct finish_row {
    rc_str name;
    rc_fact fact;
} finish_row;

static const finish_row ROWS[] = {
#define RC_FINISH(name, MEANING) {RC_STR_INIT(name), FINISH_FACT_##MEANING},
#include "spec/finish.def"
};

/* Returns whether an earlier finish reason other than "length" was a failure. Output that was cut
 * at the token limit is usable, so "length" must not replace the fact of another reason. */
static bool has_failure(const rc_evidence *evidence)
{
    for (unsigned fact = RC_FACT_FINISH_FILTER; fact <= RC_FACT_FINISH_ERROR; fact++) {
        if (fact != RC_FACT_FINISH_LENGTH && rc_facts_has(&evidence->facts, fact))
            return true;
    }
    return false;
}

bool rc_finish_read(rc_evidence *evidence, rc_str reason)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (!rc_str_eq_nocase(reason, ROWS[i].name))
            continue;
        evidence->finish_reason = reason;
        if (ROWS[i].fact == RC_FACT_NONE)
            return true;
        if (has_failure(evidence))
            return false; /* of several choices in a response, the first failed one sets the fact */
        rc_facts_clear(&evidence->facts, RC_FACT_FINISH_LENGTH);
        rc_evidence_set(evidence, ROWS[i].fact);
        rc_evidence_note(evidence, RC_TRACE_FIELD, RC_STR("finish reason"), reason);
        return false;
    }
    return false;
}
