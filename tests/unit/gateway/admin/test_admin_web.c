/* Tests of the dashboard's files: they exist, have a type, are cached by their tag, are served
 * without the token, and contain nothing that their content security policy forbids. */
#include "base/str.h"
#include "support/dashboard_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int start(void **state)
{
    (void)state;
    dashboard_make_folder();
    dashboard_start("secret");
    return 0;
}

static int end(void **state)
{
    (void)state;
    dashboard_end();
    dashboard_remove_folder();
    return 0;
}

static rc_str text_of(const rc_web_file *file)
{
    return rc_str_make((const char *)file->bytes, file->size);
}

/* The first line of a d3 module is a comment with its source URL; it is skipped. */
static bool has(const rc_web_file *file, const char *text)
{
    size_t from = 0;
    if (rc_str_starts_with(text_of(file), RC_STR("// https://d3js.org/")))
        from = rc_str_find(text_of(file), RC_STR("\n"), 0);
    return rc_str_find(text_of(file), rc_str_c(text), from) != RC_STR_NPOS;
}

static void files_are_served_without_the_token(void **state)
{
    (void)state;
    static const struct {
        const char *path, *type;
    } cases[] = {
        {"/", "text/html; charset=utf-8"},
        {"/app/main.js", "text/javascript; charset=utf-8"},
        {"/app/style.css", "text/css; charset=utf-8"},
        {"/app/icon.svg", "image/svg+xml"},
        {"/app/d3-shape.min.js", "text/javascript; charset=utf-8"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof(text), "GET %s" OWN "\r\n", cases[i].path);
        assert_int_equal(send_request(text), 200);
        snprintf(text, sizeof(text), "\r\nContent-Type: %s\r\n", cases[i].type);
        assert_true(got(text));
        assert_true(got("\r\nCache-Control: no-cache\r\n") && got("\r\nETag: \""));
        assert_true(got("script-src 'self'; style-src 'self'") && !got("unsafe"));
        assert_true(got("\r\nX-Content-Type-Options: nosniff\r\n"));
    }
    /* data requires the token */
    assert_int_equal(send_request("GET /admin/v1/state" OWN "\r\n"), 401);
    assert_int_equal(send_request("GET /admin/v1/live" OWN "\r\n"), 401);
    assert_int_equal(send_request("GET /admin/v1/operations" OWN "\r\n"), 401);
    assert_int_equal(send_request("POST /admin/v1/explain" OWN MARK "Content-Length: 1\r\n\r\nx"),
                     401);
    assert_int_equal(
        send_request("GET /admin/v1/operations" OWN "Authorization: Bearer wrong\r\n\r\n"), 401);
    /* a request with a foreign Host is refused */
    assert_int_equal(send_request("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421);
}

static void a_cached_file_is_a_304(void **state)
{
    (void)state;
    char tag[64];
    char text[256];
    assert_int_equal(send_request("GET /app/main.js" OWN "\r\n"), 200);
    const char *found = strstr(fixture.client.got, "ETag: ");
    snprintf(tag, sizeof(tag), "%.*s", (int)strcspn(found + 6, "\r"), found + 6);
    snprintf(text, sizeof(text), "GET /app/main.js" OWN "If-None-Match: W/\"x\", %s\r\n\r\n", tag);
    client_open();
    client_send(text, strlen(text));
    UNTIL(got("\r\n\r\n"));
    assert_true(got("HTTP/1.1 304 ") && got("no-cache") && !got("import"));
    snprintf(text, sizeof(text), "GET /app/main.js" OWN "If-None-Match: \"other\"\r\n\r\n");
    assert_int_equal(send_request(text), 200);
    client_open();
    client_send("GET /" OWN "If-None-Match: *\r\n\r\n",
                strlen("GET /" OWN "If-None-Match: *\r\n\r\n"));
    UNTIL(got("\r\n\r\n"));
    assert_true(got("HTTP/1.1 304 "));
}

static void unknown_files_are_a_404(void **state)
{
    (void)state;
    assert_int_equal(send_request("GET /app/nothing.js" OWN "\r\n"), 404);
    assert_true(got("default-src 'none'; frame-ancestors"));
    assert_int_equal(send_request("GET /app/%2e%2e%2fetc%2fpasswd" OWN "\r\n"), 404);
    assert_int_equal(send_request("GET /app/.." OWN "Authorization: Bearer secret\r\n\r\n"), 404);
    assert_int_equal(
        send_request("POST /" OWN MARK "Authorization: Bearer secret\r\nContent-Length: 0\r\n\r\n"),
        405);
    assert_null(rc_web_file_find(RC_STR("main")));
}

/* The files use no feature that the policy blocks, load nothing from other hosts and never create
 * HTML from text. */
static void files_obey_the_content_security_policy(void **state)
{
    (void)state;
    static const char *const never[] = {
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "javascript:",
        "style=\"",
        " onclick=\"",
        "setAttribute('style'",
        "https://",
        "@import",
        "setAttribute(\"style\"",
        "DOMParser",
        "localStorage.setItem(KEY, value",
    };
    assert_true(rc_web_file_count > 15);
    for (size_t i = 0; i < rc_web_file_count; i++) {
        const rc_web_file *file = &rc_web_files[i];
        for (size_t k = 0; k < COUNT(never); k++)
            if (has(file, never[k]))
                fail_msg("%s has %s", file->name, never[k]);
        assert_true(file->size > 0 && file->size < ((size_t)64 << 10));
        assert_true(file->etag[0] == '"' && strlen(file->etag) == 18);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(file->name, rc_web_files[k].name);
    }
}

/* Every file to which another file refers exists. */
static void every_referenced_file_exists(void **state)
{
    (void)state;
    size_t named = 0;
    for (size_t i = 0; i < rc_web_file_count; i++) {
        const rc_str text = text_of(&rc_web_files[i]);
        for (size_t from = rc_str_find(text, RC_STR("/app/"), 0); from != RC_STR_NPOS;
             from = rc_str_find(text, RC_STR("/app/"), from + 1)) {
            const char *name = text.ptr + from + 5;
            size_t len = 0;
            while (name + len < text.ptr + text.len && name[len] != '"' && name[len] != '\'')
                len++;
            const rc_str file = rc_str_make(name, len);
            if (rc_web_file_find(file) == NULL)
                fail_msg("%s names %.*s", rc_web_files[i].name, (int)file.len, file.ptr);
            named++;
        }
    }
    assert_true(named > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_served_without_the_token, start, end),
        cmocka_unit_test_setup_teardown(a_cached_file_is_a_304, start, end),
        cmocka_unit_test_setup_teardown(unknown_files_are_a_404, start, end),
        cmocka_unit_test(files_obey_the_content_security_policy),
        cmocka_unit_test(every_referenced_file_exists),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
