/* Converts a chain of rc_fault (errors of the application that uses the library) into a report.
 * Called by programs that use the library. */
#include <recourse/builder.h>

/* Maximum number of faults of a chain that are converted. If the chain is longer, its first
 * CHAIN_MAX faults and its last one are converted. */
#define CHAIN_MAX 1024u
#define END_STEPS_MAX (1u << 20)

static const rc_fault *nth(const rc_fault *fault, size_t index)
{
    while (index-- > 0)
        fault = fault->cause;
    return fault;
}

static bool is_among_first(const rc_fault *wanted, const rc_fault *fault, size_t count)
{
    for (; count > 0; count--, fault = fault->cause) {
        if (fault == wanted)
            return true;
    }
    return false;
}

/* Returns the number of different faults in the chain, up to CHAIN_MAX. A cycle is found by
 * searching each fault among the faults before it. The search needs no memory and is fast enough,
 * because chains are short. */
static size_t chain_len(const rc_fault *fault, const char **ret_note)
{
    *ret_note = NULL;
    size_t len = 0;
    for (const rc_fault *at = fault; at; at = at->cause) {
        if (len == CHAIN_MAX) {
            *ret_note = "too deep";
            return len;
        }
        if (is_among_first(at, fault, len)) {
            *ret_note = "cyclic";
            return len;
        }
        len++;
    }
    return len;
}

static const rc_report *report_of(const rc_alloc *alloc, const rc_fault *fault,
                                  const rc_report *cause, const char *note)
{
    rc_code code = fault->code;
    if (code == RC_CODE_NONE && !cause)
        code = RC_CODE_INTERNAL;

    rc_builder builder;
    rc_builder_init(&builder, alloc, code);
    rc_builder_set_error_type(&builder, rc_str_c(fault->type));
    rc_builder_set_detail(&builder, fault->message);
    if (fault->source.file)
        rc_builder_add_source(&builder, fault->source);
    if (note)
        rc_builder_set_context(&builder, RC_STR("chain"), rc_str_c(note));
    rc_builder_set_cause(&builder, cause);
    return rc_builder_finish(&builder);
}

/* Returns the last fault of a chain longer than CHAIN_MAX; NULL if the chain has a cycle or more
 * than END_STEPS_MAX faults. A second pointer, which moves at half the speed, detects cycles. */
static const rc_fault *end_of(const rc_fault *fault)
{
    const rc_fault *slow = fault;
    for (size_t steps = 0; steps < END_STEPS_MAX; steps++) {
        if (!fault->cause)
            return fault;
        fault = fault->cause;
        if (steps % 2)
            slow = slow->cause;
        if (fault == slow)
            return NULL;
    }
    return NULL;
}

const rc_report *rc_report_from_fault(const rc_alloc *alloc, const rc_fault *fault)
{
    if (!fault)
        return rc_report_static(RC_CODE_INTERNAL);
    const char *note;
    size_t len = chain_len(fault, &note);
    const rc_fault *end = len == CHAIN_MAX ? end_of(fault) : NULL;
    const rc_report *report = end ? report_of(alloc, end, NULL, NULL) : NULL;
    for (size_t i = len; i-- > 0;) {
        const rc_report *outer =
            report_of(alloc, nth(fault, i), report, i + 1 == len ? note : NULL);
        rc_report_free(report);
        report = outer;
    }
    return report;
}
