/* Sends a request with libcurl and prints a failure as a report.
 *
 *   cc main.c $(pkg-config --cflags --libs recourse libcurl)
 *   ./a.out http://127.0.0.1:8787/v1/models */
#include <curl/curl.h>
#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#include <stdio.h>

#define BODY_MAX ((size_t)1 << 20)

/* Stores the beginning of the body, which is enough for the classifier. */
static size_t on_body(char *bytes, size_t size, size_t count, void *body)
{
    rc_buf_push((rc_buf *)body, rc_str_make(bytes, size * count));
    return size * count;
}

static rc_transport transport_of(CURLcode code)
{
    switch (code) {
    case CURLE_OK:
        return RC_TRANSPORT_NONE;
    case CURLE_OPERATION_TIMEDOUT:
        return RC_TRANSPORT_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_HOST:
        return RC_TRANSPORT_DNS;
    case CURLE_COULDNT_CONNECT:
        return RC_TRANSPORT_CONNECT_REFUSED;
    default:
        return RC_TRANSPORT_RESET;
    }
}

static void print_report(long status, CURLcode code, rc_str body)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_failure failure = rc_failure_http((int)status, body.ptr, body.len);
    failure.transport = transport_of(code);
    const rc_report *report = rc_classify(&failure, NULL, &alloc);
    rc_str message = rc_report_message(report);
    printf("%s: %.*s %s\n", rc_code_name(rc_report_code(report)), (int)message.len, message.ptr,
           rc_report_is_retryable(report) ? "It may be tried again." : "A retry will not help.");
    rc_report_free(report);
}

int main(int count, char **args)
{
    rc_alloc alloc = rc_alloc_stdlib();
    long status = 0;
    rc_buf body;
    CURL *curl = curl_easy_init();
    if (curl == NULL || count != 2)
        return 2;
    rc_buf_init(&body, &alloc, BODY_MAX);
    curl_easy_setopt(curl, CURLOPT_URL, args[1]);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    int is_good = code == CURLE_OK && status < 400;
    if (!is_good)
        print_report(status, code, rc_buf_get(&body));
    rc_buf_done(&body);
    curl_easy_cleanup(curl);
    return is_good ? 0 : 1;
}
