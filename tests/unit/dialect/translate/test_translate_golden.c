/* Golden responses: each file tests/golden/translate/DIALECT-CASE.events (one event a line) or
 * .body is translated into every other dialect and compared with DIALECT-CASE.events.CLIENT. To
 * accept a change, run this program with RECOURSE_UPDATE_GOLDEN=1 and review the difference. The
 * same files are the samples of the laws: a response that is cut has no end, what is written reads
 * back, and each failed allocation is a status. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "support/fail_alloc.h"
#include "support/translate_run.h"

#define FOLDER RC_TEST_DIR "/golden/translate/"
#define BYTES_MAX ((size_t)1 << 20)

static bool read_whole(const char *path, rc_buf *buf)
{
    char chunk[4096];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
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

/* One sample: the response of a target. */
typedef struct sample {
    const char *name; /* name of the file */
    const translate_dialect *from;
    bool is_stream;
    rc_str lines;
} sample;

/* Calls `check` for each sample and each dialect of a client. */
static void for_each(void (*check)(const sample *s, const translate_dialect *to))
{
    rc_alloc alloc = rc_alloc_stdlib();
    size_t checked = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        rc_str name = rc_str_c(entry->d_name);
        bool is_stream = rc_str_ends_with(name, RC_STR(".events"));
        if (!is_stream && !rc_str_ends_with(name, RC_STR(".body")))
            continue;
        char path[512];
        rc_buf lines;
        rc_buf_init(&lines, &alloc, BYTES_MAX);
        snprintf(path, sizeof path, FOLDER "%s", entry->d_name);
        assert_true(read_whole(path, &lines));
        sample s = {.name = entry->d_name, .is_stream = is_stream, .lines = rc_buf_get(&lines)};
        for (size_t i = 0; i < TRANSLATE_DIALECT_COUNT; i++)
            if (rc_str_starts_with(name, rc_str_c(translate_dialects[i].name)))
                s.from = &translate_dialects[i];
        assert_non_null(s.from);
        for (size_t i = 0; i < TRANSLATE_DIALECT_COUNT; i++)
            if (&translate_dialects[i] != s.from)
                check(&s, &translate_dialects[i]);
        rc_buf_done(&lines);
        checked++;
    }
    closedir(folder);
    assert_true(checked >= 14);
}

/* ---- goldens ---- */

static void compare(const sample *s, const translate_dialect *to)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_output_facts facts = translate_facts(s->is_stream);
    char path[512];
    bool is_over = false;
    rc_buf out;
    rc_buf want;
    rc_buf_init(&out, &alloc, BYTES_MAX);
    rc_buf_init(&want, &alloc, BYTES_MAX);
    assert_int_equal(translate_lines(&alloc, s->from, to, &facts, s->lines, &out, &is_over), RC_OK);
    assert_true(is_over);
    snprintf(path, sizeof path, FOLDER "%s.%s", s->name, to->name);
    if (getenv("RECOURSE_UPDATE_GOLDEN")) {
        write_whole(path, rc_buf_get(&out));
    } else {
        if (!read_whole(path, &want))
            fail_msg("%s cannot be read", path);
        if (!rc_str_eq(rc_buf_get(&want), rc_buf_get(&out)))
            fail_msg("%s differs; now it is:\n%.*s", path, (int)out.len, out.ptr);
    }
    rc_buf_done(&out);
    rc_buf_done(&want);
}

static void responses_are_as_the_golden_files(void **state)
{
    (void)state;
    for_each(compare);
}

/* ---- laws ---- */

/* The words with which a response of each dialect says that it is complete. */
static bool has_end(rc_str out)
{
    static const char *const ends[] = {"[DONE]", "message_stop", "finishReason",
                                       "response.completed", "response.incomplete"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (rc_str_find(out, rc_str_c(ends[i]), 0) != RC_STR_NPOS)
            return true;
    return false;
}

/* Leaves out the last events of the stream, one more each time. */
static void check_cuts(const sample *s, const translate_dialect *to)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_output_facts facts = translate_facts(true);
    size_t end = s->lines.len;
    for (bool is_over = true; s->is_stream;) {
        end = end > 0 ? end - 1 : 0; /* the line break */
        while (end > 0 && s->lines.ptr[end - 1] != '\n')
            end--;
        if (end == 0)
            break;
        rc_buf out;
        rc_buf_init(&out, &alloc, BYTES_MAX);
        assert_int_equal(translate_lines(&alloc, s->from, to, &facts,
                                         rc_str_slice(s->lines, 0, end), &out, &is_over),
                         RC_OK);
        assert_false(is_over);
        assert_false(has_end(rc_buf_get(&out)));
        rc_buf_done(&out);
    }
}

static void a_stream_that_is_cut_has_no_end(void **state)
{
    (void)state;
    for_each(check_cuts);
}

/* Each written response is read as a response of the client's dialect and translated into chat:
 * text, calls and the reason of the end are those of the direct translation into chat. */
static void check_reads_back(const sample *s, const translate_dialect *to)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_output_facts facts = translate_facts(s->is_stream);
    const translate_dialect *chat = &translate_dialects[0];
    bool is_over = false;
    rc_buf bufs[4];
    if (to == chat)
        return;
    facts.target = RC_STR("");
    for (size_t i = 0; i < 4; i++)
        rc_buf_init(&bufs[i], &alloc, BYTES_MAX);
    assert_int_equal(translate_lines(&alloc, s->from, to, &facts, s->lines, &bufs[0], &is_over),
                     RC_OK);
    if (s->is_stream) {
        translate_push_data_lines(rc_buf_get(&bufs[0]), &bufs[1]);
    } else {
        rc_buf_push(&bufs[1], rc_buf_get(&bufs[0]));
    }
    facts.is_stream = s->is_stream;
    if (translate_lines(&alloc, to, chat, &facts, rc_buf_get(&bufs[1]), &bufs[2], &is_over) !=
            RC_OK ||
        !is_over)
        fail_msg("%s is not read back from %s:\n%.*s", s->name, to->name, (int)bufs[1].len,
                 bufs[1].ptr);
    for (size_t i = 0; i < 4; i++)
        rc_buf_done(&bufs[i]);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    for_each(check_reads_back);
}

static void check_allocations(const sample *s, const translate_dialect *to)
{
    rc_output_facts facts = translate_facts(s->is_stream);
    for (size_t n = 1;; n++) {
        rc_alloc stdlib = rc_alloc_stdlib();
        fail_alloc failing = {.fail_at = n};
        rc_alloc alloc = fail_alloc_of(&failing);
        bool is_over = false;
        rc_buf out;
        rc_buf_init(&out, &stdlib, BYTES_MAX);
        rc_status status = translate_lines(&alloc, s->from, to, &facts, s->lines, &out, &is_over);
        rc_buf_done(&out);
        assert_int_equal(failing.live, 0);
        if (status == RC_OK)
            break;
        assert_int_equal(status, RC_E_NOMEM);
        assert_true(n < 200);
    }
}

static void a_failed_allocation_is_a_status(void **state)
{
    (void)state;
    for_each(check_allocations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_are_as_the_golden_files),
        cmocka_unit_test(a_stream_that_is_cut_has_no_end),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_failed_allocation_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
