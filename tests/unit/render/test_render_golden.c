/* Tests of several reports in every format, byte for byte: CASE/report.json in tests/golden/render
 * is rendered as CASE/FORMAT. To accept a change, run this program with RECOURSE_UPDATE_GOLDEN=1
 * and review the difference. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/render_cases.h"

#define FOLDER RC_TEST_DIR "/golden/render/"

static const struct golden {
    const char *name;
    render_function render;
    rc_view view;
} FORMATS[] = {
    {"panel-user.txt", render_utf8_80, RC_VIEW_USER},
    {"panel-internal-ascii.txt", render_ascii_60, RC_VIEW_INTERNAL},
    {"panel-internal-colour.txt", render_colour_100, RC_VIEW_INTERNAL},
    {"agent-model.json", render_agent, RC_VIEW_MODEL},
    {"agent-internal.json", render_agent_indented, RC_VIEW_INTERNAL},
    {"page-model.md", rc_render_markdown, RC_VIEW_MODEL},
    {"page-internal.md", rc_render_markdown, RC_VIEW_INTERNAL},
    {"problem.json", render_problem, RC_VIEW_USER},
    {"openai-chat.json", render_openai_chat, RC_VIEW_USER},
    {"openai-responses.json", render_openai_responses, RC_VIEW_USER},
    {"anthropic.json", render_anthropic, RC_VIEW_USER},
    {"gemini.json", render_gemini, RC_VIEW_USER},
    {"problem.sse", render_problem_frame, RC_VIEW_USER},
    {"openai-chat.sse", render_openai_chat_frame, RC_VIEW_USER},
    {"openai-responses.sse", render_openai_responses_frame, RC_VIEW_USER},
    {"anthropic.sse", render_anthropic_frame, RC_VIEW_USER},
    {"gemini.sse", render_gemini_frame, RC_VIEW_USER},
    {"openai-chat.http", render_http, RC_VIEW_USER},
    {"headers.txt", render_headers, RC_VIEW_USER},
    {"log.jsonl", render_log, RC_VIEW_INTERNAL},
    {"otel.json", render_otel, RC_VIEW_INTERNAL},
};
#define FORMAT_COUNT (sizeof FORMATS / sizeof *FORMATS)

static void path_of(char path[512], const char *name, const char *file)
{
    int len = snprintf(path, 512, FOLDER "%s/%s", name, file);
    assert_true(len > 0 && len < 512);
}

/* Reads the whole file into a buffer; returns false if it does not exist. */
static bool read_whole(const char *path, rc_buf *buf)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    char chunk[4096];
    size_t count;
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        rc_buf_push(buf, rc_str_make(chunk, count));
    fclose(file);
    return rc_buf_status(buf) == RC_OK;
}

static void write_whole(const char *path, rc_str text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
    assert_int_equal(fclose(file), 0);
}

static void compare(const char *name, const struct golden *format, rc_str text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    char path[512];
    path_of(path, name, format->name);
    if (getenv("RECOURSE_UPDATE_GOLDEN")) {
        write_whole(path, text);
        return;
    }
    rc_buf want;
    rc_buf_init(&want, &alloc, 1u << 20);
    if (!read_whole(path, &want))
        fail_msg("%s/%s cannot be read", name, format->name);
    if (!rc_str_eq(rc_buf_get(&want), text))
        fail_msg("%s/%s differs; now it is:\n%.*s", name, format->name, (int)text.len, text.ptr);
    rc_buf_done(&want);
}

static void check_case(const char *name)
{
    rc_alloc alloc = rc_alloc_stdlib();
    char path[512];
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1u << 20);
    path_of(path, name, "report.json");
    assert_true(read_whole(path, &buf));
    const rc_report *report = case_decode(rc_buf_get(&buf));
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        rc_buf_reset(&buf);
        assert_int_equal(FORMATS[i].render(report, FORMATS[i].view, &buf), RC_OK);
        compare(name, &FORMATS[i], rc_buf_get(&buf));
    }
    rc_buf_done(&buf);
    rc_report_free(report);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Every folder is a case; the number of cases is checked, so that none is lost. */
static void test_cases(void **state)
{
    (void)state;
    struct dirent **entries = NULL;
    int count = scandir(FOLDER, &entries, is_visible, alphasort);
    assert_true(count >= 7);
    for (int i = 0; i < count; i++) {
        check_case(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* A folder contains only files that are compared, so that outputs that no longer exist are
 * removed. */
static void test_no_stale_files(void **state)
{
    (void)state;
    struct dirent **cases = NULL;
    int count = scandir(FOLDER, &cases, is_visible, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[512];
        struct dirent **files = NULL;
        path_of(path, cases[i]->d_name, "");
        int found = scandir(path, &files, is_visible, alphasort);
        assert_int_equal(found, FORMAT_COUNT + 1);
        for (int j = 0; j < found; j++)
            free(files[j]);
        free(files);
        free(cases[i]);
    }
    free(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_no_stale_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
