/* rc_audit_survey: adds up the operations of a query and writes the sums as JSON. Called by
 * `recourse audit stats` and by the admin interface. */
#include "audit/survey.h"

#include <recourse/taxonomy.h>

bool rc_audit_survey_init(rc_audit_survey *survey, uint32_t by_operations, uint32_t by_attempts,
                          const rc_alloc *alloc)
{
    const rc_status first = rc_stats_init(&survey->operations, by_operations, false, alloc);
    const rc_status second = rc_stats_init(&survey->attempts, by_attempts, true, alloc);
    return first == RC_OK && second == RC_OK;
}

void rc_audit_survey_done(rc_audit_survey *survey)
{
    rc_stats_done(&survey->operations);
    rc_stats_done(&survey->attempts);
}

bool rc_audit_survey_run(rc_audit_survey *survey, rc_store *store, const rc_audit_query *query,
                         rc_store_fault *fault)
{
    if (query->step_ms > 0)
        survey->operations.span_ms = survey->attempts.span_ms = query->step_ms;
    return rc_store_survey(store, &query->select.filter, &survey->operations, &survey->attempts,
                           fault);
}

/* Writes the name of an error code, with the domain and advice of spec/errors.def. */
static void put_code(rc_json_writer *w, rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    rc_record_json_text(w, RC_STR("name"), rc_str_c(rc_code_name(code)));
    if (info == NULL)
        return;
    rc_record_json_text(w, RC_STR("domain"), rc_str_c(rc_domain_name(info->domain)));
    rc_record_json_text(w, RC_STR("todo"), rc_str_c(info->action_detail));
}

static void put_group_name(rc_json_writer *w, const rc_stats_group *group)
{
    if (group->is_other)
        rc_json_member_bool(w, RC_STR("rest"), true);
    else if (group->by == RC_STATS_BY_HOUR)
        rc_record_json_time(w, RC_STR("at"), group->key);
    else if (group->by == RC_STATS_BY_CODE)
        put_code(w, (rc_code)group->key);
    else if (group->by == RC_STATS_BY_CLASS)
        rc_record_json_text(w, RC_STR("name"), rc_str_c(rc_class_name((rc_error_class)group->key)));
    else
        rc_record_json_text(w, RC_STR("name"), rc_str_c(group->label));
}

static void put_groups(rc_json_writer *w, const rc_stats *stats, uint32_t by)
{
    rc_json_array_begin(w);
    for (size_t i = 0; i < stats->count; i++) {
        if (stats->groups[i]->by != by)
            continue;
        rc_json_object_begin(w);
        put_group_name(w, stats->groups[i]);
        rc_record_json_sums(w, stats->groups[i]);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

static void put_stats(rc_json_writer *w, rc_str key, const rc_stats *stats)
{
    rc_json_key(w, key);
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("total"));
    rc_json_object_begin(w);
    rc_record_json_sums(w, stats->total);
    rc_json_object_end(w);
    for (size_t i = 0; rc_audit_group_at(i) != NULL; i++) {
        const rc_audit_group *group = rc_audit_group_at(i);
        if ((stats->by & group->by) == 0)
            continue;
        rc_json_key(w, rc_str_c(group->name));
        put_groups(w, stats, group->by);
    }
    rc_json_object_end(w);
}

void rc_audit_survey_json(rc_json_writer *w, const rc_audit_survey *survey,
                          const rc_audit_query *query, int64_t took_ms)
{
    const rc_store_filter *filter = &query->select.filter;
    rc_json_object_begin(w);
    rc_record_json_time(w, RC_STR("since"), filter->from_unix_ms);
    rc_record_json_time(w, RC_STR("until"),
                        filter->until_unix_ms > 0 ? filter->until_unix_ms
                                                  : query->clock.now_unix_ms);
    rc_json_member_i64(w, RC_STR("step_ms"), query->step_ms);
    rc_json_member_i64(w, RC_STR("took_ms"), took_ms);
    put_stats(w, RC_STR("operations"), &survey->operations);
    put_stats(w, RC_STR("attempts"), &survey->attempts);
    rc_json_object_end(w);
    rc_buf_push_byte(w->buf, '\n');
}
