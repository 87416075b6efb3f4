/* POST /admin/v1/explain: the endpoint of the dashboard for `recourse explain`. Called by
 * admin.c. */
#include "cli/serve/explain.h"

#include <recourse/json.h>

#include "base/str.h"
#include "cli/explain/explanation.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "sys/clock.h"
#include "json/writer.h"

#define REPORT_MAX ((size_t)2 << 20)

/* Input of the explain task, which runs on a thread of the task pool. */
typedef struct explain_query {
    rc_str text;
    rc_explain_overrides overrides;
    rc_snapshot *snapshot; /* Snapshot whose rules are used; NULL: built-in rules. */
    const rc_sys_calls *calls;
} explain_query;

/* ---- on the task's thread ---- */

/* Writes {"read_as": ..., "end_only": ..., "report": {...}}; the caller adds the steps of the
 * judgement. */
static void push_object(const rc_explanation *e, const rc_report *report, const rc_alloc *alloc,
                        rc_buf *buf)
{
    char scratch[256];
    rc_buf text;
    rc_buf json;
    rc_json_writer w;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_detected_push(&e->detected, &text);
    rc_buf_init(&json, alloc, REPORT_MAX);
    const rc_status status = rc_report_encode(report, RC_VIEW_INTERNAL, &json);
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("read_as"), rc_buf_get(&text));
    rc_json_member_bool(&w, RC_STR("end_only"), e->detected.is_tail);
    rc_json_key(&w, RC_STR("report"));
    if (status == RC_OK)
        rc_json_raw(&w, rc_buf_get(&json));
    else
        (void)rc_buf_reserve(buf, SIZE_MAX / 2); /* This reservation always fails, so that `buf` and
                                                  * the response fail. */
    rc_json_object_end(&w);
    rc_buf_done(&json);
}

/* Returns true if the input already is a report, which is then written without being judged
 * again. */
static bool show_report(rc_admin_task *task, const rc_explanation *e)
{
    const rc_report *report = NULL;
    if (e->detected.kind != RC_DETECTED_REPORT)
        return false;
    if (rc_report_decode(e->detected.report, RC_DECODE_TOLERANT, &task->alloc, &report, NULL) !=
        RC_OK) {
        (void)rc_buf_reserve(&task->body, SIZE_MAX / 2);
        return true;
    }
    push_object(e, report, &task->alloc, &task->body);
    rc_report_free(report);
    return true;
}

static void explain(rc_admin_task *task, const explain_query *a, rc_explanation *e)
{
    rc_buf object;
    rc_buf scratch;
    const rc_verdict verdict = rc_explanation_judge(e, rc_clock_unix_ms(a->calls));
    const rc_report *report = rc_explanation_report(e, &verdict, a->calls, &task->alloc);
    rc_buf_init(&object, &task->alloc, REPORT_MAX);
    rc_buf_init(&scratch, &task->alloc, REPORT_MAX);
    push_object(e, report, &task->alloc, &object);
    rc_reasoning_json(&e->reasoning, rc_buf_get(&object), 0, &scratch, &task->body);
    rc_buf_push_byte(&task->body, '\n');
    if (rc_buf_status(&object) != RC_OK || rc_buf_status(&scratch) != RC_OK)
        (void)rc_buf_reserve(&task->body, SIZE_MAX / 2);
    rc_buf_done(&object);
    rc_buf_done(&scratch);
    rc_report_free(report);
}

static void run(rc_admin_task *task, void *query)
{
    const explain_query *a = query;
    rc_explanation *e = rc_arena_get(&task->arena, sizeof *e);
    if (e == NULL)
        return;
    rc_explanation_init(e, RC_ADMIN_BODY_MAX, &task->alloc);
    e->overrides = &a->overrides;
    e->rules = a->snapshot != NULL ? a->snapshot->input.rules : NULL;
    e->is_traced = true;
    rc_explanation_read(e, a->text);
    if (e->detected.kind == RC_DETECTED_NOTHING && !a->overrides.is_enough) {
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 400, RC_STR("There is nothing to explain."),
            RC_ACTION_FIX_REQUEST,
            RC_STR("Send the failure as the body: the output of curl, "
                   "a JSON body, a log line or a stack trace.")};
        rc_admin_task_fail(task, &problem);
    } else if (!show_report(task, e)) {
        explain(task, a, e);
    }
    rc_explanation_done(e);
}

/* ---- on the loop ---- */

static void release(void *query)
{
    rc_snapshot_release(((explain_query *)query)->snapshot);
}

/* Reads the parameter ?status=. Returns false if it is present but not an HTTP status. */
static bool read_status(const rc_admin_request *request, rc_explain_overrides *overrides)
{
    rc_str value;
    int status = 0;
    if (!rc_admin_request_parameter(request, RC_STR("status"), &value) || value.len == 0)
        return true;
    for (size_t i = 0; i < value.len; i++) {
        if (!rc_ascii_is_digit(value.ptr[i]) || i >= 3)
            return false;
        status = status * 10 + (value.ptr[i] - '0');
    }
    overrides->failure.status = status;
    overrides->is_enough = true;
    return status >= 100;
}

static void read_overrides(const rc_admin_request *request, rc_arena *arena,
                           rc_explain_overrides *overrides)
{
    rc_str value;
    if (rc_admin_request_parameter(request, RC_STR("provider"), &value))
        overrides->failure.provider = rc_arena_dup(arena, value);
    if (rc_admin_request_parameter(request, RC_STR("model"), &value))
        overrides->failure.model = rc_arena_dup(arena, value);
}

static void on_explain(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    const rc_serve_explain *self = ctx;
    rc_admin_task *task = rc_admin_task_new(self->works, request, stream);
    if (task == NULL)
        return;
    explain_query *a = rc_arena_get(&task->arena, sizeof *a);
    if (a == NULL) {
        rc_admin_task_start(task, NULL, NULL, NULL);
        return;
    }
    if (!read_status(request, &a->overrides)) {
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 400, RC_STR("The parameter status is not an HTTP status."),
            RC_ACTION_FIX_REQUEST, RC_STR("Send three digits, or omit the parameter.")};
        rc_admin_task_refuse(task, &problem);
        return;
    }
    read_overrides(request, &task->arena, &a->overrides);
    a->text = rc_arena_dup(&task->arena, request->body);
    a->calls = self->calls;
    a->snapshot = self->hub != NULL ? rc_hub_take_snapshot(self->hub) : NULL;
    rc_admin_task_start(task, run, a, release);
}

static const rc_admin_route routes[] = {
    {"POST", "/admin/v1/explain", RC_ADMIN_CHANGE, NULL, on_explain}};

rc_admin_table rc_serve_explain_table(rc_serve_explain *explain)
{
    return (rc_admin_table){routes, 1, explain};
}
