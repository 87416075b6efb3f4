/* Kinds, messages and reports of store failures. Called by the store, the gateway, the audit
 * commands and the doctor. */
#include "store/fault.h"

#include <string.h>

#include <recourse/buf.h>
#include <recourse/builder.h>

#include "base/utf8.h"

typedef struct fault_row {
    rc_store_fault_kind kind;
    bool may_pass;
    const char *name;
    const char *text;
    const char *advice;
} fault_row;

static const fault_row faults[] = {
    {RC_STORE_NO_FAULT, false, "", "", ""},
#define RC_STORE_FAULT(number, ID, name, may_pass, text, advice) \
    {RC_STORE_##ID, may_pass, name, text, advice},
#include "spec/audit.def"
};

static const fault_row *row_of(rc_store_fault_kind kind)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        if (faults[i].kind == kind)
            return &faults[i];
    return &faults[0];
}

const char *rc_store_fault_name(rc_store_fault_kind kind)
{
    return row_of(kind)->name;
}

const char *rc_store_fault_text(rc_store_fault_kind kind)
{
    return row_of(kind)->text;
}

const char *rc_store_fault_advice(rc_store_fault_kind kind)
{
    return row_of(kind)->advice;
}

bool rc_store_fault_may_pass(rc_store_fault_kind kind)
{
    return row_of(kind)->may_pass;
}

/* Appends as much of the text as fits into the detail. UTF-8 characters are not split, and control
 * characters become spaces. */
static void append(rc_store_fault *fault, const char *text)
{
    size_t len = strlen(fault->detail);
    size_t space = sizeof(fault->detail) - 1 - len;
    size_t taken = rc_utf8_cut(rc_str_c(text), space);
    for (size_t i = 0; i < taken; i++)
        fault->detail[len + i] = (unsigned char)text[i] < 0x20 ? ' ' : text[i];
    fault->detail[len + taken] = '\0';
}

bool rc_store_fault_set(rc_store_fault *fault, rc_store_fault_kind kind, const char *activity,
                        const char *path, const char *system_text)
{
    fault->kind = kind;
    fault->detail[0] = '\0';
    append(fault, activity);
    if (path != NULL) {
        append(fault, " ");
        append(fault, path);
    }
    append(fault, ": ");
    append(fault, rc_store_fault_text(kind));
    if (system_text != NULL) {
        append(fault, " (");
        append(fault, system_text);
        append(fault, ")");
    }
    return false;
}

const rc_report *rc_store_fault_report(const rc_store_fault *fault, const rc_id *id,
                                       const rc_alloc *alloc)
{
    rc_builder builder;
    rc_builder_init(&builder, alloc, RC_CODE_STORE_UNAVAILABLE);
    rc_builder_set_id(&builder, id);
    rc_builder_set_detail(&builder, rc_str_c(fault->detail));
    rc_builder_set_action(&builder, RC_ACTION_WAIT_AND_RETRY,
                          rc_str_c(rc_store_fault_advice(fault->kind)));
    rc_builder_set_context(&builder, RC_STR("store_fault"),
                           rc_str_c(rc_store_fault_name(fault->kind)));
    return rc_builder_finish(&builder);
}
