/* Each layer wraps the report of the layer below: the outermost report still shows that a key was
 * rejected. */
#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#include <stdio.h>

static const rc_report *call_model(const rc_alloc *alloc)
{
    rc_builder b;
    rc_builder_init(&b, alloc, RC_CODE_AUTH_FAILED);
    rc_builder_set_provider(&b, RC_STR("openai"));
    rc_builder_set_provider_status(&b, 401);
    /* The provider's message may contain the key itself; the scrubber removes it. */
    rc_builder_set_detail(&b,
                          RC_STR("Incorrect API key provided: sk-proj-AbCdEf0123456789GhIjKlMnOp"));
    return rc_builder_finish(&b);
}

static const rc_report *run_step(const rc_alloc *alloc)
{
    const rc_report *cause = call_model(alloc);
    rc_builder b;
    rc_builder_init(&b, alloc,
                    RC_CODE_NONE); /* A wrapper: it takes over the classification of its cause. */
    rc_builder_set_error_type(&b, RC_STR("StepError"));
    rc_builder_set_message(&b, RC_STR("The step \"summarize\" failed."));
    rc_builder_set_context(&b, RC_STR("node_id"), RC_STR("summarize"));
    rc_builder_set_cause(&b, cause);
    rc_report_free(cause);
    return rc_builder_finish(&b);
}

int main(void)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = run_step(&alloc);

    printf("%s: %s\n", rc_report_error_type(report).ptr, rc_report_message(report).ptr);
    printf("code %s, retryable %s, HTTP %d, exit %d\n", rc_code_name(rc_report_code(report)),
           rc_report_is_retryable(report) ? "yes" : "no", rc_report_http_status(report),
           rc_report_exit_status(report));
    printf("do: %s\n", rc_report_action_detail(report).ptr);
    printf("cause: %s\n", rc_report_detail(rc_report_root(report)).ptr);

    rc_report_free(report);
    return 0;
}
