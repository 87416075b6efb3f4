/* rc_admin_audit: answers audit queries as JSON. Routed by rc_admin; created by
 * src/cli/serve/admin.c. */
#include "gateway/admin/audit.h"

#include <string.h>

#include <recourse/id.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "gateway/admin/audit_query.h"
#include "store/operation_key.h"
#include "store/record_json.h"
#include "sys/clock.h"

/* Maximum number of records of one operation that are shown. */
#define RECORDS_MAX 1000
/* An id prefix is searched for so many operations: two are enough to see that it is ambiguous. */
#define FOUND_MAX 2

/* The input of a query thread. */
typedef struct query_input {
    rc_str url;
    rc_admin_audit_query query;
    rc_str id; /* Operation id, for a query of one operation. */
} query_input;

/* ---- the store ---- */

static void fail_with_fault(rc_admin_task *task, const rc_store_fault *fault)
{
    const bool is_slow = fault->kind == RC_STORE_STOPPED;
    const rc_admin_problem problem = {
        .code = RC_CODE_STORE_UNAVAILABLE,
        .status = 503,
        .message = is_slow ? RC_STR("The question took longer than 30 seconds.")
                           : rc_str_c(rc_store_fault_text(fault->kind)),
        .action = is_slow ? RC_ACTION_FIX_REQUEST : RC_ACTION_WAIT_AND_RETRY,
        .next = rc_str_c(rc_store_fault_advice(fault->kind))};
    rc_admin_task_fail(task, &problem);
}

/* Opens the store for reading. NULL: the task has the problem. */
static rc_store *open_store(rc_admin_task *task, rc_str url)
{
    rc_store *store = NULL;
    rc_store_fault fault;
    if (!rc_store_open(url, &(rc_store_settings){.mode = RC_STORE_READ}, &task->alloc, &store,
                       &fault)) {
        fail_with_fault(task, &fault);
        return NULL;
    }
    rc_store_set_cancel_check(store, rc_admin_task_is_over, task);
    return store;
}

/* ---- list of operations ---- */

typedef struct page {
    rc_json_writer w;
    rc_admin_task *task;
    rc_store *store;
    const rc_record *notice; /* The operation whose record is being read. */
    uint32_t count;
    int64_t last_key;
} page;

/* True: the response written so far is complete and may be sent. */
static bool check_memory(rc_admin_task *task, bool has_memory)
{
    rc_store_fault fault;
    if (has_memory)
        return rc_buf_status(&task->body) == RC_OK && !task->has_problem;
    rc_store_fault_set(&fault, RC_STORE_NO_MEMORY, "read", NULL, NULL);
    fail_with_fault(task, &fault);
    return false;
}

static rc_record_json_options json_options_of(const rc_admin_task *task, rc_record_report report)
{
    return (rc_record_json_options){
        .report = report, .view = RC_VIEW_INTERNAL, .alloc = &task->alloc};
}

/* The row of a notice has no details; they are in its record. */
static bool put_notice(void *ctx, const rc_record *record)
{
    page *p = ctx;
    rc_record notice = *p->notice;
    notice.target = record->target;
    notice.provider = record->provider;
    notice.model = record->model;
    notice.credential = record->credential;
    notice.text = record->text;
    const rc_record_json_options options = json_options_of(p->task, RC_RECORD_REPORT_NONE);
    (void)rc_record_json_operation(&p->w, &notice, &options);
    return false;
}

static bool put_operation(void *ctx, const rc_record *record)
{
    page *p = ctx;
    rc_store_fault fault;
    const rc_record_json_options options = json_options_of(p->task, RC_RECORD_REPORT_MESSAGE);
    p->count++;
    p->last_key = record->key;
    p->notice = record;
    if (record->outcome != RC_OUTCOME_NOTICE)
        return check_memory(p->task, rc_record_json_operation(&p->w, record, &options));
    if (!rc_store_timeline(p->store, record->operation_id, put_notice, p, &fault))
        fail_with_fault(p->task, &fault);
    return check_memory(p->task, true);
}

static void put_next(page *p)
{
    char scratch[RC_OPERATION_KEY_TEXT_LEN];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_operation_key_push(&text, p->last_key);
    rc_json_member_string(&p->w, RC_STR("next"), rc_buf_get(&text));
}

static void run_list(rc_admin_task *task, void *query)
{
    const query_input *a = query;
    const rc_admin_audit_query *q = &a->query;
    page p = {.task = task};
    rc_store_fault fault;
    rc_store *store = open_store(task, a->url);
    if (store == NULL)
        return;
    p.store = store;
    rc_json_writer_init(&p.w, &task->body, 0);
    rc_json_object_begin(&p.w);
    rc_json_key(&p.w, RC_STR("operations"));
    rc_json_array_begin(&p.w);
    const bool is_good = q->id.len > 0 ? rc_store_find(store, rc_admin_operation_id(q->id),
                                                       q->query.limit, put_operation, &p, &fault)
                                       : rc_store_list(store, &q->query, put_operation, &p, &fault);
    rc_json_array_end(&p.w);
    if (q->id.len == 0 && p.count == q->query.limit)
        put_next(&p);
    rc_json_object_end(&p.w);
    rc_buf_push_byte(&task->body, '\n');
    rc_store_close(store);
    if (!is_good)
        fail_with_fault(task, &fault);
}

/* ---- one operation ---- */

typedef struct operation_page {
    page p;
    char id[RC_ID_LEN];
    size_t id_len;
    uint32_t found;
} operation_page;

static bool put_found(void *ctx, const rc_record *record)
{
    operation_page *s = ctx;
    if (s->found++ > 0 || record->operation_id.len > sizeof(s->id))
        return false;
    memcpy(s->id, record->operation_id.ptr, record->operation_id.len);
    s->id_len = record->operation_id.len;
    const rc_record_json_options options = json_options_of(s->p.task, RC_RECORD_REPORT_WHOLE);
    rc_json_key(&s->p.w, RC_STR("operation"));
    return check_memory(s->p.task, rc_record_json_operation(&s->p.w, record, &options));
}

static bool put_record(void *ctx, const rc_record *record)
{
    operation_page *s = ctx;
    if (record->kind == RC_RECORD_OUTCOME)
        return true;
    const rc_record_json_options options = json_options_of(s->p.task, RC_RECORD_REPORT_WHOLE);
    return check_memory(s->p.task, rc_record_json_record(&s->p.w, record, &options)) &&
           ++s->p.count < RECORDS_MAX;
}

static bool read_operation(operation_page *s, rc_store *store, rc_str id, rc_store_fault *fault)
{
    rc_json_writer *w = &s->p.w;
    rc_json_object_begin(w);
    if (!rc_store_find(store, id, FOUND_MAX, put_found, s, fault))
        return false;
    if (s->found != 1)
        return true;
    rc_json_key(w, RC_STR("records"));
    rc_json_array_begin(w);
    if (!rc_store_timeline(store, rc_str_make(s->id, s->id_len), put_record, s, fault))
        return false;
    rc_json_array_end(w);
    rc_json_object_end(w);
    rc_buf_push_byte(&s->p.task->body, '\n');
    return true;
}

static void run_operation(rc_admin_task *task, void *query)
{
    const query_input *a = query;
    operation_page s = {.p = {.task = task}};
    rc_store_fault fault;
    rc_store *store = open_store(task, a->url);
    if (store == NULL)
        return;
    rc_json_writer_init(&s.p.w, &task->body, 0);
    if (!read_operation(&s, store, a->id, &fault)) {
        fail_with_fault(task, &fault);
    } else if (s.found == 0) {
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 404, RC_STR("The audit has no operation or report of this id."),
            RC_ACTION_FIX_REQUEST,
            RC_STR("GET /admin/v1/operations lists them. A record appears when its request has "
                   "ended.")};
        rc_admin_task_fail(task, &problem);
    } else if (s.found > 1) {
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 409, RC_STR("Several operations have an id that begins so."),
            RC_ACTION_FIX_REQUEST, RC_STR("Write more of the id; ?id= of the list shows all.")};
        rc_admin_task_fail(task, &problem);
    }
    rc_store_close(store);
}

/* ---- statistics ---- */

static const struct {
    uint32_t by;
    const char *name;
} group_names[] = {
    {RC_STATS_BY_HOUR, "time"},     {RC_STATS_BY_CLASS, "class"},   {RC_STATS_BY_CODE, "code"},
    {RC_STATS_BY_TARGET, "target"}, {RC_STATS_BY_CLIENT, "client"}, {RC_STATS_BY_MODEL, "model"},
    {RC_STATS_BY_ROUTE, "route"},
};

/* Writes the code with the taxonomy's advice. */
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
    for (size_t i = 0; i < sizeof(group_names) / sizeof(group_names[0]); i++) {
        if ((stats->by & group_names[i].by) == 0)
            continue;
        rc_json_key(w, rc_str_c(group_names[i].name));
        put_groups(w, stats, group_names[i].by);
    }
    rc_json_object_end(w);
}

static void put_survey(rc_admin_task *task, const rc_admin_audit_query *q,
                       const rc_stats *operations, const rc_stats *attempts, uint64_t took_ms)
{
    const rc_store_filter *filter = &q->query.filter;
    rc_json_writer w;
    rc_json_writer_init(&w, &task->body, 0);
    rc_json_object_begin(&w);
    rc_record_json_time(&w, RC_STR("since"), filter->from_unix_ms);
    rc_record_json_time(&w, RC_STR("until"),
                        filter->until_unix_ms > 0 ? filter->until_unix_ms : q->now_unix_ms);
    rc_json_member_i64(&w, RC_STR("step_ms"), q->step_ms);
    rc_json_member_i64(&w, RC_STR("took_ms"), (int64_t)took_ms);
    put_stats(&w, RC_STR("operations"), operations);
    put_stats(&w, RC_STR("attempts"), attempts);
    rc_json_object_end(&w);
    rc_buf_push_byte(&task->body, '\n');
}

static void survey(rc_admin_task *task, const query_input *a, rc_stats *operations,
                   rc_stats *attempts)
{
    const rc_admin_audit_query *q = &a->query;
    const uint64_t began_ns = uv_hrtime();
    rc_store_fault fault;
    rc_store *store = open_store(task, a->url);
    if (store == NULL)
        return;
    operations->span_ms = attempts->span_ms = q->step_ms;
    if (rc_store_survey(store, &q->query.filter, operations, attempts, &fault))
        put_survey(task, q, operations, attempts, (uv_hrtime() - began_ns) / 1000000);
    else
        fail_with_fault(task, &fault);
    rc_store_close(store);
}

static void run_stats(rc_admin_task *task, void *query)
{
    const query_input *a = query;
    rc_stats *stats = rc_arena_get_array(&task->arena, 2, sizeof(*stats));
    if (stats == NULL)
        return;
    const rc_status first = rc_stats_init(&stats[0], a->query.by, false, &task->alloc);
    const rc_status second = rc_stats_init(&stats[1], a->query.by, true, &task->alloc);
    if (first == RC_OK && second == RC_OK)
        survey(task, a, &stats[0], &stats[1]);
    else
        (void)check_memory(task, false);
    rc_stats_done(&stats[0]);
    rc_stats_done(&stats[1]);
}

/* ---- paths ---- */

static void refuse_off(const rc_admin_request *request, rc_admin_stream *stream)
{
    const rc_admin_problem problem = {RC_CODE_SHAPE_INVALID, 404, RC_STR("No audit is kept."),
                                      RC_ACTION_CHECK_CONFIG,
                                      RC_STR("Name a file in store, as in sqlite:recourse.db.")};
    rc_admin_reply_problem(request->core, rc_admin_stream_reply(stream), &problem);
    rc_admin_stream_send(stream);
}

/* Creates a task with its input. NULL: a reply was sent. */
static rc_admin_task *begin(rc_admin_audit *audit, const rc_admin_request *request,
                            rc_admin_stream *stream, query_input **ret_input)
{
    if (audit->url_len == 0) {
        refuse_off(request, stream);
        return NULL;
    }
    rc_admin_task *task = rc_admin_task_new(audit->tasks, request, stream);
    if (task == NULL)
        return NULL;
    query_input *a = rc_arena_get(&task->arena, sizeof(*a));
    if (a == NULL) {
        rc_admin_task_start(task, NULL, NULL, NULL);
        return NULL;
    }
    a->url = rc_str_make(audit->url, audit->url_len);
    *ret_input = a;
    return task;
}

static void start_query(rc_admin_audit *audit, const rc_admin_request *request,
                        rc_admin_stream *stream, rc_admin_audit_query_kind kind,
                        rc_admin_task_run run)
{
    query_input *a;
    rc_admin_problem problem = {0};
    rc_admin_task *task = begin(audit, request, stream, &a);
    if (task == NULL)
        return;
    if (!rc_admin_audit_query_parse(request->query, kind, rc_clock_unix_ms(audit->calls),
                                    &task->arena, &a->query, &problem)) {
        rc_admin_task_refuse(task, &problem);
        return;
    }
    rc_admin_task_start(task, run, a, NULL);
}

static void on_list(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    start_query(ctx, request, stream, RC_ADMIN_QUERY_LIST, run_list);
}

static void on_stats(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    start_query(ctx, request, stream, RC_ADMIN_QUERY_STATS, run_stats);
}

static void on_operation(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    query_input *a;
    rc_admin_task *task = begin(ctx, request, stream, &a);
    if (task == NULL)
        return;
    a->id = rc_arena_dup(&task->arena, rc_admin_operation_id(request->captures[0]));
    rc_admin_task_start(task, run_operation, a, NULL);
}

static const rc_admin_route routes[] = {
    {"GET", "/admin/v1/operations", RC_ADMIN_READ, NULL, on_list},
    {"GET", "/admin/v1/operations/{}", RC_ADMIN_READ, NULL, on_operation},
    {"GET", "/admin/v1/stats", RC_ADMIN_READ, NULL, on_stats},
};

bool rc_admin_audit_init(rc_admin_audit *audit, rc_str url, rc_admin_task_pool *tasks,
                         const rc_sys_calls *calls)
{
    *audit = (rc_admin_audit){.tasks = tasks, .calls = calls};
    if (url.len > sizeof(audit->url))
        return false;
    if (url.len > 0)
        memcpy(audit->url, url.ptr, url.len);
    audit->url_len = url.len;
    return true;
}

rc_admin_table rc_admin_audit_table(rc_admin_audit *audit)
{
    return (rc_admin_table){routes, sizeof(routes) / sizeof(routes[0]), audit};
}
