#include "cli/serve_explain.h"

#include <recourse/json.h>

#include "base/json_writer.h"
#include "base/str.h"
#include "cli/explain_judge.h"
#include "sys/clock.h"

#define REPORT_MAX ((size_t)2 << 20)

/* What a thread is given. */
typedef struct asked {
    rc_str text;
    rc_given given;
    rc_gate_plans *plans; /* whose rules are used; NULL: none */
    const rc_sys_calls *calls;
} asked;

/* ---- on its thread ---- */

/* {"read_as": ..., "end_only": ..., "report": {...}}; the steps are added by the caller. */
static void push_object(const rc_explaining *e, const rc_report *report, const rc_alloc *alloc,
                        rc_buf *buf)
{
    char room[256];
    rc_buf words;
    rc_buf json;
    rc_json_writer w;
    rc_buf_init_fixed(&words, room, sizeof room);
    rc_seen_push(&e->seen, &words);
    rc_buf_init(&json, alloc, REPORT_MAX);
    const rc_status status = rc_report_encode(report, RC_VIEW_INTERNAL, &json);
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("read_as"), rc_buf_get(&words));
    rc_json_member_bool(&w, RC_STR("end_only"), e->seen.is_tail);
    rc_json_key(&w, RC_STR("report"));
    if (status == RC_OK)
        rc_json_raw(&w, rc_buf_get(&json));
    else
        (void)rc_buf_reserve(buf, SIZE_MAX / 2); /* it fails as a whole */
    rc_json_object_end(&w);
    rc_buf_done(&json);
}

/* Is it a report already? Then it is shown as it is. */
static bool show_report(rc_admin_work *work, const rc_explaining *e)
{
    const rc_report *report = NULL;
    if (e->seen.kind != RC_SEEN_REPORT)
        return false;
    if (rc_report_decode(e->seen.report, RC_DECODE_TOLERANT, &work->alloc, &report, NULL) !=
        RC_OK) {
        (void)rc_buf_reserve(&work->body, SIZE_MAX / 2);
        return true;
    }
    push_object(e, report, &work->alloc, &work->body);
    rc_report_free(report);
    return true;
}

static void explain(rc_admin_work *work, const asked *a, rc_explaining *e)
{
    rc_buf object;
    rc_buf scratch;
    const rc_verdict verdict = rc_explaining_judge(e, rc_clock_unix_ms(a->calls));
    const rc_report *report = rc_explaining_report(e, &verdict, a->calls, &work->alloc);
    rc_buf_init(&object, &work->alloc, REPORT_MAX);
    rc_buf_init(&scratch, &work->alloc, REPORT_MAX);
    push_object(e, report, &work->alloc, &object);
    rc_reasoning_json(&e->why, rc_buf_get(&object), 0, &scratch, &work->body);
    rc_buf_push_byte(&work->body, '\n');
    if (rc_buf_status(&object) != RC_OK || rc_buf_status(&scratch) != RC_OK)
        (void)rc_buf_reserve(&work->body, SIZE_MAX / 2);
    rc_buf_done(&object);
    rc_buf_done(&scratch);
    rc_report_free(report);
}

static void run(rc_admin_work *work, void *question)
{
    const asked *a = question;
    rc_explaining *e = rc_arena_get(&work->arena, sizeof *e);
    if (e == NULL)
        return;
    rc_explaining_init(e, RC_ADMIN_BODY_MAX, &work->alloc);
    e->given = &a->given;
    e->rules = a->plans != NULL ? a->plans->given.rules : NULL;
    e->is_traced = true;
    rc_explaining_read(e, a->text);
    if (e->seen.kind == RC_SEEN_NOTHING && !a->given.is_anything) {
        const rc_admin_problem problem = {RC_CODE_SHAPE_INVALID, 400,
                                          RC_STR("There is nothing to explain."),
                                          RC_ACTION_FIX_REQUEST,
                                          RC_STR("Send what failed as the body: what curl printed, "
                                                 "a JSON body, a log line, a stack trace.")};
        rc_admin_work_fail(work, &problem);
    } else if (!show_report(work, e)) {
        explain(work, a, e);
    }
    rc_explaining_done(e);
}

/* ---- on the loop ---- */

static void let_go(void *question)
{
    rc_gate_plans_drop(((asked *)question)->plans);
}

/* False: the parameter is there and is none. */
static bool read_status(const rc_admin_request *request, rc_given *given)
{
    rc_str value;
    int status = 0;
    if (!rc_admin_query(request, RC_STR("status"), &value) || value.len == 0)
        return true;
    for (size_t i = 0; i < value.len; i++) {
        if (!rc_ascii_is_digit(value.ptr[i]) || i >= 3)
            return false;
        status = status * 10 + (value.ptr[i] - '0');
    }
    given->failure.status = status;
    given->is_anything = true;
    return status >= 100;
}

static void read_given(const rc_admin_request *request, rc_arena *arena, rc_given *given)
{
    rc_str value;
    if (rc_admin_query(request, RC_STR("provider"), &value))
        given->failure.provider = rc_arena_dup(arena, value);
    if (rc_admin_query(request, RC_STR("model"), &value))
        given->failure.model = rc_arena_dup(arena, value);
}

static void on_explain(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    const rc_serve_explain *self = ctx;
    rc_admin_work *work = rc_admin_work_new(self->works, request, stream);
    if (work == NULL)
        return;
    asked *a = rc_arena_get(&work->arena, sizeof *a);
    if (a == NULL) {
        rc_admin_work_start(work, NULL, NULL, NULL);
        return;
    }
    if (!read_status(request, &a->given)) {
        const rc_admin_problem problem = {
            RC_CODE_SHAPE_INVALID, 400, RC_STR("The parameter status is no HTTP status."),
            RC_ACTION_FIX_REQUEST, RC_STR("Write three digits, or leave it out.")};
        rc_admin_work_refuse(work, &problem);
        return;
    }
    read_given(request, &work->arena, &a->given);
    a->text = rc_arena_dup(&work->arena, request->body);
    a->calls = self->calls;
    a->plans = self->world != NULL ? rc_gate_world_plans(self->world) : NULL;
    rc_admin_work_start(work, run, a, let_go);
}

static const rc_admin_route routes[] = {
    {"POST", "/admin/v1/explain", RC_ADMIN_CHANGE, NULL, on_explain}};

rc_admin_table rc_serve_explain_table(rc_serve_explain *explain)
{
    return (rc_admin_table){routes, 1, explain};
}
