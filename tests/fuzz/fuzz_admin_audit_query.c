/* Any query of the audit: it is accepted within its limits, or refused with a message that has
 * advice. The resulting store query refers only to its own memory, and equal bytes give equal
 * queries. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include "base/utf8.h"
#include "gateway/admin/audit_query.h"

#define NOW INT64_C(1700000000000)

static int utc(time_t at)
{
    (void)at;
    return 0;
}

static const rc_audit_clock at_now = {NOW, utc};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_text(const rc_arena *arena, rc_str text)
{
    check(text.len == 0 || rc_arena_owns(arena, text.ptr));
    check(rc_utf8_is_valid(text));
    for (size_t i = 0; i < text.len; i++)
        check((unsigned char)text.ptr[i] >= 0x20 && text.ptr[i] != 0x7F);
}

static void check_groups(const rc_audit_query *question)
{
    uint32_t by = 0;
    check(question->group_count <= RC_AUDIT_GROUPS_MAX);
    for (size_t i = 0; i < question->group_count; i++) {
        check((by & question->groups[i]) == 0);
        by |= question->groups[i];
    }
    check(by == question->by);
}

static void check_question(const rc_arena *arena, const rc_audit_query *question,
                           rc_audit_query_kind kind)
{
    const rc_store_filter *filter = &question->select.filter;
    const rc_str texts[] = {filter->client, filter->route,     filter->model,
                            filter->target, filter->report_id, question->id};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        check_text(arena, texts[i]);
    check(filter->code == RC_CODE_NONE || rc_code_get(filter->code) != NULL);
    check(filter->error_class == RC_CLASS_NONE || rc_class_get(filter->error_class) != NULL);
    check(!(filter->has_outcome && filter->is_recovered));
    if (kind != RC_AUDIT_QUERY_STATS) {
        check(question->select.limit >= 1 && question->select.limit <= RC_AUDIT_PAGE_MAX);
        return;
    }
    check_groups(question);
    const int64_t until = filter->until_unix_ms > 0 ? filter->until_unix_ms : NOW;
    check(question->step_ms >= 1000 && question->step_ms % 1000 == 0);
    check(filter->from_unix_ms >= 0 && question->by < 128);
    if ((question->by & RC_STATS_BY_HOUR) != 0)
        check((until - filter->from_unix_ms) / question->step_ms <= RC_AUDIT_STEPS_MAX);
}

static void read(rc_str text, rc_audit_query_kind kind)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_arena arenas[2];
    rc_audit_query questions[2] = {{.by = 0}, {.by = 0}};
    rc_admin_problem problems[2] = {{.status = 0}, {.status = 0}};
    bool is_read[2];
    for (size_t i = 0; i < 2; i++) {
        rc_arena_init(&arenas[i], &alloc, (size_t)1 << 20);
        is_read[i] = rc_admin_audit_query_parse(text, kind, &at_now, &arenas[i], &questions[i],
                                                &problems[i]);
        check(rc_arena_status(&arenas[i]) == RC_OK);
    }
    check(is_read[0] == is_read[1]);
    if (is_read[0]) {
        check_question(&arenas[0], &questions[0], kind);
        check(questions[0].select.beyond_key == questions[1].select.beyond_key);
        check(questions[0].step_ms == questions[1].step_ms);
    } else {
        check(problems[0].status == 400 && problems[0].next.len > 0);
        check(problems[0].message.len > 0 && problems[0].message.len < 400);
        check(rc_str_eq(problems[0].message, problems[1].message));
    }
    rc_arena_done(&arenas[0]);
    rc_arena_done(&arenas[1]);
}

/* Sets each parameter to these bytes, as the options of the command line do. */
static void set_each(rc_audit_query_kind kind, rc_str value)
{
    rc_audit_query query;
    rc_audit_query_init(&query, kind, &at_now);
    for (size_t i = 0; rc_audit_parameter_at(&query, i) != NULL; i++) {
        const rc_str name = rc_str_c(rc_audit_parameter_at(&query, i));
        rc_audit_refusal refusal;
        if (rc_audit_query_set(&query, name, value, &refusal))
            continue;
        check(refusal.reason == RC_AUDIT_INVALID_VALUE);
        check(refusal.parameter->takes != NULL && refusal.parameter->advice != NULL);
        check(refusal.text.len == 0 ||
              (refusal.text.ptr >= value.ptr &&
               refusal.text.ptr + refusal.text.len <= value.ptr + value.len));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > RC_ADMIN_QUERY_MAX + 16)
        return 0;
    /* An exact copy, so that reading beyond its end is seen. */
    char *copy = malloc(size > 0 ? size : 1);
    check(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    read(rc_str_make(copy, size), RC_AUDIT_QUERY_LIST);
    read(rc_str_make(copy, size), RC_AUDIT_QUERY_STATS);
    set_each(RC_AUDIT_QUERY_LIST, rc_str_make(copy, size));
    set_each(RC_AUDIT_QUERY_STATS, rc_str_make(copy, size));
    free(copy);
    return 0;
}
