/* A client whose base URL is wrong is told the right one. */
#include "base/str.h"
#include "gateway/base_url.h"
#include "gateway/job.h"

/* Of a path that is repeated. */
#define PATH_MAX_BYTES 200u
#define MESSAGE_MAX 1536u

static rc_str host_of(const rc_gate_job *job)
{
    return rc_http1_host(job->request.reader, job->request.head);
}

static rc_str path_of(const rc_gate_job *job)
{
    const rc_str target = rc_http1_target(job->request.reader, job->request.head);
    return rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
}

static void push_base(rc_buf *text, const rc_gate_job *job)
{
    rc_gate_push_base(text, rc_gate_request_dialect(&job->request), host_of(job));
}

static void push_message(rc_buf *text, const rc_gate_job *job, rc_str path, rc_str meant)
{
    rc_buf_push(text, RC_STR("There is no endpoint "));
    if (path.len <= PATH_MAX_BYTES) {
        rc_buf_push(text, path);
        rc_buf_push_byte(text, ' ');
    }
    rc_buf_push(text, RC_STR("here: the client's base URL is wrong. For "));
    rc_buf_push(text, rc_gate_base_clients(rc_gate_request_dialect(&job->request)));
    rc_buf_push(text, RC_STR(" it is "));
    push_base(text, job);
    if (meant.len <= PATH_MAX_BYTES) {
        rc_buf_push(text, RC_STR(", and this request is sent to "));
        rc_buf_push(text, meant);
    }
    rc_buf_push_byte(text, '.');
}

bool rc_gate_job_refuse_mistake(rc_gate_job *job)
{
    const rc_str path = path_of(job);
    rc_gate_mistake mistake;
    char room[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    if (!rc_gate_mistake_find(path, &mistake))
        return false;
    rc_buf_init_fixed(&text, room, sizeof room);
    push_message(&text, job, path, mistake.path);
    rc_gate_job_begin_report(job, &builder, RC_CODE_ENDPOINT_NOT_FOUND, rc_buf_get(&text));
    rc_builder_set_http_status(&builder, 404);
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Set the client's base URL to "));
    push_base(&text, job);
    rc_buf_push_byte(&text, '.');
    rc_builder_set_action(&builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
    rc_gate_job_refuse_report(job, rc_builder_finish(&builder));
    return true;
}

void rc_gate_job_refuse_unknown(rc_gate_job *job)
{
    const rc_str path = path_of(job);
    char room[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, RC_STR("There is no endpoint "));
    if (path.len <= PATH_MAX_BYTES) {
        rc_buf_push(&text, rc_http1_method(job->request.reader));
        rc_buf_push_byte(&text, ' ');
        rc_buf_push(&text, path);
        rc_buf_push_byte(&text, ' ');
    }
    rc_buf_push(&text, RC_STR("here."));
    rc_gate_job_begin_report(job, &builder, RC_CODE_ENDPOINT_NOT_FOUND, rc_buf_get(&text));
    rc_builder_set_http_status(&builder, 404);
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Check the path and the client's base URL:"));
    rc_gate_push_bases(&text, host_of(job), RC_STR(" "), RC_STR(";"));
    rc_buf_push(&text, RC_STR(" GET /v1/models lists the models."));
    rc_builder_set_action(&builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
    rc_gate_job_refuse_report(job, rc_builder_finish(&builder));
}
