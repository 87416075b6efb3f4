/* rc_admin_audit: responds to audit queries with JSON. src/cli/serve/admin.c creates it, and
 * rc_admin calls its routes. */
#include "gateway/admin/audit.h"

#include <string.h>

#include <recourse/id.h>
#include <recourse/taxonomy.h>

#include "audit/operation.h"
#include "audit/survey.h"
#include "base/str.h"
#include "gateway/admin/audit_query.h"
#include "sys/clock.h"

/* Maximum number of records in the response for one operation. */
#define RECORDS_MAX 1000
/* The search for an id prefix stops after this number of operations. Two are enough to see that the
 * prefix is ambiguous. */
#define FOUND_MAX 2

/* The input of a query thread. */
typedef struct query_input {
    rc_str url;
    rc_audit_query query;
    rc_str id; /* Id of an operation, or the start of one. Used only by the query of one
                * operation. */
} query_input;

/* ---- the store ---- */

static void fail_with_fault(rc_admin_task *task, const rc_store_fault *fault)
{
    const bool is_slow = fault->kind == RC_STORE_STOPPED;
    const rc_admin_problem problem = {
        .code = RC_CODE_STORE_UNAVAILABLE,
        .status = 503,
        .message = is_slow ? RC_STR("The query took longer than 30 seconds.")
                           : rc_str_c(rc_store_fault_text(fault->kind)),
        .action = is_slow ? RC_ACTION_FIX_REQUEST : RC_ACTION_WAIT_AND_RETRY,
        .next = rc_str_c(rc_store_fault_advice(fault->kind))};
    rc_admin_task_fail(task, &problem);
}

/* Opens the store for reading. Returns NULL on failure; the error is then set as the task's
 * response. */
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

static void fail_without_memory(rc_admin_task *task)
{
    rc_store_fault fault;
    rc_store_fault_set(&fault, RC_STORE_NO_MEMORY, "read", NULL, NULL);
    fail_with_fault(task, &fault);
}

/* ---- list of operations ---- */

static rc_record_json_options json_options_of(const rc_admin_task *task, rc_record_report report)
{
    return (rc_record_json_options){
        .report = report, .view = RC_VIEW_INTERNAL, .alloc = &task->alloc};
}

static void run_list(rc_admin_task *task, void *input)
{
    const query_input *a = input;
    const rc_record_json_options options = json_options_of(task, RC_RECORD_REPORT_MESSAGE);
    rc_audit_page page;
    rc_json_writer w;
    rc_store_fault fault;
    rc_store *store = open_store(task, a->url);
    if (store == NULL)
        return;
    rc_json_writer_init(&w, &task->body, 0);
    if (!rc_audit_page_json(&w, store, &a->query, &options, &page, &fault))
        fail_with_fault(task, &fault);
    rc_store_close(store);
}

/* ---- one operation ---- */

typedef struct operation_search {
    char id[RC_ID_LEN];
    uint32_t found;
} operation_search;

static bool note_found(void *ctx, const rc_record *operation)
{
    operation_search *s = ctx;
    if (operation->operation_id.len != sizeof(s->id))
        return true;
    memcpy(s->id, operation->operation_id.ptr, sizeof(s->id));
    s->found++;
    return true;
}

typedef struct operation_output {
    rc_admin_task *task;
    rc_store *store;
} operation_output;

static bool put_operation(void *ctx, const rc_record *operation)
{
    const operation_output *o = ctx;
    const rc_record_json_options options = json_options_of(o->task, RC_RECORD_REPORT_WHOLE);
    const rc_audit_records records = {.has_begin = true, .limit = RECORDS_MAX};
    rc_json_writer w;
    rc_store_fault fault;
    rc_json_writer_init(&w, &o->task->body, 0);
    if (!rc_audit_operation_json(&w, o->store, operation, records, &options, &fault))
        fail_with_fault(o->task, &fault);
    return false;
}

static void refuse_id(rc_admin_task *task, bool is_ambiguous)
{
    const rc_admin_problem none = {
        RC_CODE_SHAPE_INVALID, 404, RC_STR("The audit has no operation or report of this id."),
        RC_ACTION_FIX_REQUEST,
        RC_STR("GET /admin/v1/operations lists the operations. The record of a request appears "
               "when the request has ended.")};
    const rc_admin_problem many = {
        RC_CODE_SHAPE_INVALID, 409,
        RC_STR("Several operations have an id that begins with these characters."),
        RC_ACTION_FIX_REQUEST,
        RC_STR("Use more characters of the id; the list with ?id= shows all matches.")};
    rc_admin_task_fail(task, is_ambiguous ? &many : &none);
}

static void run_operation(rc_admin_task *task, void *input)
{
    const query_input *a = input;
    operation_search s = {.found = 0};
    rc_store_fault fault;
    rc_store *store = open_store(task, a->url);
    if (store == NULL)
        return;
    operation_output output = {.task = task, .store = store};
    bool is_good = rc_audit_find(store, a->id, FOUND_MAX, note_found, &s, &fault);
    if (is_good && s.found == 1)
        is_good = rc_store_find(store, rc_str_make(s.id, sizeof(s.id)), 1, put_operation, &output,
                                &fault);
    else if (is_good)
        refuse_id(task, s.found > 1);
    if (!is_good)
        fail_with_fault(task, &fault);
    rc_store_close(store);
}

/* ---- statistics ---- */

static void run_survey(rc_admin_task *task, const query_input *a, rc_audit_survey *survey)
{
    const uint64_t began_ns = uv_hrtime();
    rc_json_writer w;
    rc_store_fault fault;
    rc_store *store = open_store(task, a->url);
    if (store == NULL)
        return;
    rc_json_writer_init(&w, &task->body, 0);
    if (rc_audit_survey_run(survey, store, &a->query, &fault))
        rc_audit_survey_json(&w, survey, &a->query, (int64_t)((uv_hrtime() - began_ns) / 1000000));
    else
        fail_with_fault(task, &fault);
    rc_store_close(store);
}

static void run_stats(rc_admin_task *task, void *input)
{
    const query_input *a = input;
    rc_audit_survey *survey = rc_arena_get(&task->arena, sizeof(*survey));
    if (survey == NULL)
        return;
    if (rc_audit_survey_init(survey, a->query.by, a->query.by, &task->alloc))
        run_survey(task, a, survey);
    else
        fail_without_memory(task);
    rc_audit_survey_done(survey);
}

/* ---- paths ---- */

static void refuse_off(const rc_admin_request *request, rc_admin_stream *stream)
{
    const rc_admin_problem problem = {
        RC_CODE_SHAPE_INVALID, 404, RC_STR("This gateway stores no audit."), RC_ACTION_CHECK_CONFIG,
        RC_STR("Set store to a file, as in sqlite:recourse.db.")};
    rc_admin_reply_problem(request->core, rc_admin_stream_reply(stream), &problem);
    rc_admin_stream_send(stream);
}

/* Creates a task with its input. Returns NULL on failure; an error reply has then been sent. */
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
                        rc_admin_stream *stream, rc_audit_query_kind kind, rc_admin_task_run run)
{
    query_input *a;
    rc_admin_problem problem = {0};
    const rc_audit_clock clock = {.now_unix_ms = rc_clock_unix_ms(audit->calls),
                                  .utc_offset_s = audit->calls->utc_offset_s};
    rc_admin_task *task = begin(audit, request, stream, &a);
    if (task == NULL)
        return;
    if (!rc_admin_audit_query_parse(request->query, kind, &clock, &task->arena, &a->query,
                                    &problem)) {
        rc_admin_task_refuse(task, &problem);
        return;
    }
    rc_admin_task_start(task, run, a, NULL);
}

static void on_list(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    start_query(ctx, request, stream, RC_AUDIT_QUERY_LIST, run_list);
}

static void on_stats(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    start_query(ctx, request, stream, RC_AUDIT_QUERY_STATS, run_stats);
}

static void on_operation(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    query_input *a;
    rc_admin_task *task = begin(ctx, request, stream, &a);
    if (task == NULL)
        return;
    a->id = rc_arena_dup(&task->arena, request->captures[0]);
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
