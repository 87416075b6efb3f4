/* Classifies a provider's response: prints the code, whether to retry, and how long to wait. */
#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#include <stdio.h>

int main(void)
{
    const rc_header headers[] = {{RC_STR("retry-after"), RC_STR("20")}};
    rc_failure failure =
        rc_failure_http_text(429, "{\"error\":{\"message\":\"Rate limit reached for gpt-4o\","
                                  "\"type\":\"requests\",\"code\":\"rate_limit_exceeded\"}}");
    failure.headers = headers;
    failure.header_count = 1;

    /* The verdict alone needs no memory. */
    rc_classify_space space;
    rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
    printf("%s, %s, wait %lld ms, by rule %.*s\n", rc_code_name(verdict.code),
           verdict.is_retryable ? "retry" : "do not retry", (long long)verdict.retry_after_ms,
           (int)verdict.rule.len, verdict.rule.ptr);

    /* The same as a report, which can be rendered in any format. */
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = rc_classify(&failure, NULL, &alloc);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 64 << 10);
    rc_report_encode(report, RC_VIEW_INTERNAL, &buf);
    rc_str json = rc_buf_get(&buf);
    printf("%.*s\n", (int)json.len, json.ptr);
    rc_buf_done(&buf);
    rc_report_free(report);
    return 0;
}
