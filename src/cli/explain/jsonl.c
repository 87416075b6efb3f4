/* `recourse explain --jsonl`: reads one case per line and writes one report per line. Output is
 * written before each read that may block, so that a program that sends one line and waits gets the
 * report. Called by explain.c. */
#include <string.h>

#include <recourse/builder.h>
#include <recourse/json.h>

#include "base/str.h"
#include "cli/explain/explain.h"
#include "cli/explain/lines.h"
#include "sys/clock.h"
#include "sys/entropy.h"
#include "sys/file.h"
#include "sys/stream.h"
#include "json/writer.h"

/* Number of bytes at which the collected output is written, if it was not written earlier. */
#define OUTPUT_BYTES ((size_t)256 << 10)
/* Size of the memory for one report. A larger report gets further memory from the allocator of the
 * program. */
#define SPACE_BYTES ((size_t)64 << 10)
#define SPACE_ALIGN _Alignof(max_align_t)
#define MESSAGE_BYTES 512

/* Bump allocator for the report of one line; the allocator is reset after each line. */
typedef struct space {
    rc_alloc behind;
    size_t used;
    _Alignas(max_align_t) char bytes[SPACE_BYTES];
} space;

static void *space_get(void *ctx, size_t size)
{
    space *s = ctx;
    size_t padded = (size + SPACE_ALIGN - 1) / SPACE_ALIGN * SPACE_ALIGN;
    if (padded < size || padded > SPACE_BYTES - s->used)
        return s->behind.get(s->behind.ctx, size);
    void *memory = s->bytes + s->used;
    s->used += padded;
    return memory;
}

static void space_put(void *ctx, void *memory, size_t size)
{
    space *s = ctx;
    uintptr_t at = (uintptr_t)memory;
    uintptr_t start = (uintptr_t)s->bytes;
    if (at < start || at >= start + SPACE_BYTES)
        s->behind.put(s->behind.ctx, memory, size);
}

typedef struct jsonl {
    rc_cli *cli;
    const rc_explain_overrides *overrides;
    const rc_rules *rules;
    uint64_t line;
    bool has_written;
    rc_alloc alloc; /* Memory for the report of the current line. */
    rc_buf report;  /* The report as JSON. */
    rc_id_maker ids;
    uint8_t entropy[10];
    bool has_entropy;
    int64_t now_unix_ms;
    rc_case current;
    rc_header headers[RC_EXPLAIN_HEADERS_MAX];
    space space;
} jsonl;

/* ---- output ---- */

static void push_id(jsonl *j)
{
    rc_buf *out = &j->cli->out;
    rc_buf_push_byte(out, '{');
    if (!j->current.has_id)
        return;
    rc_buf_push(out, RC_STR("\"id\":"));
    if (j->current.is_id_number)
        rc_buf_push(out, j->current.id);
    else
        rc_json_push_quoted(out, j->current.id);
    rc_buf_push_byte(out, ',');
}

/* Appends the report as one JSON object; its first member is the id of the case. */
static int push_report(jsonl *j, const rc_report *report)
{
    rc_buf *out = &j->cli->out;
    rc_buf_reset(&j->report);
    if (rc_report_encode(report, RC_VIEW_INTERNAL, &j->report) != RC_OK) {
        rc_cli_err_prefix(j->cli, "explain");
        rc_cli_text(&j->cli->err, "out of memory at line ");
        rc_buf_push_u64(&j->cli->err, j->line);
        rc_buf_push_byte(&j->cli->err, '\n');
        return RC_EXIT_INTERNAL;
    }
    push_id(j);
    if (rc_report_id(report).len == 0 && j->has_entropy) {
        rc_id id = rc_id_make(&j->ids, j->now_unix_ms, j->entropy);
        rc_buf_push(out, RC_STR("\"report_id\":\""));
        rc_buf_push(out, rc_str_make(id.text, RC_ID_LEN));
        rc_buf_push(out, RC_STR("\","));
    }
    rc_str members = rc_buf_get(&j->report);
    rc_buf_push(out, rc_str_slice(members, 1, members.len));
    rc_buf_push_byte(out, '\n');
    return RC_EXIT_OK;
}

/* Writes the buffer `out` to standard output and empties it. */
static int flush(jsonl *j)
{
    rc_cli *cli = j->cli;
    if (rc_buf_status(&cli->out) != RC_OK)
        return RC_EXIT_INTERNAL; /* rc_cli_finish prints the reason. */
    rc_str data = rc_buf_get(&cli->out);
    int error = data.len > 0 ? rc_fd_write(cli->calls, RC_FD_STDOUT, data) : 0;
    j->has_written = j->has_written || data.len > 0;
    rc_buf_reset(&cli->out);
    return error == 0 ? RC_EXIT_OK : rc_cli_output_lost(cli, error);
}

/* Closes standard output, because the system may report a full disk only on close. Returns result,
 * or the exit status of that error. */
static int close_output(const jsonl *j, int result)
{
    if (!j->has_written || result == RC_EXIT_IO || result == RC_EXIT_INTERNAL)
        return result;
    int error = rc_fd_close(j->cli->calls, RC_FD_STDOUT);
    return error != 0 ? rc_cli_output_lost(j->cli, error) : result;
}

/* ---- lines ---- */

/* Sets the time and entropy for the next batch of lines. One value serves the whole batch, because
 * these system calls would cost more than the work for a line. */
static void begin_batch(jsonl *j)
{
    j->now_unix_ms = rc_clock_unix_ms(j->cli->calls);
    j->has_entropy = rc_entropy_get(j->cli->calls, j->entropy, sizeof j->entropy);
}

/* Makes a report with a message such as "line 7 is not a case: status is a whole number from 0 to
 * 999". */
static const rc_report *refuse(jsonl *j, const rc_case_fault *fault, bool has_column)
{
    char scratch[MESSAGE_BYTES];
    rc_buf message;
    rc_builder builder;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    rc_builder_init(&builder, &j->alloc, RC_CODE_SHAPE_INVALID);
    rc_buf_push(&message, RC_STR("line "));
    rc_buf_push_u64(&message, j->line);
    rc_buf_push(&message, RC_STR(" is not a case: "));
    if (fault->key != NULL) {
        rc_buf_push(&message, rc_str_c(fault->key));
        rc_buf_push_byte(&message, ' ');
        rc_builder_set_context(&builder, RC_STR("field"), rc_str_c(fault->key));
    }
    rc_buf_push(&message, rc_str_c(fault->what));
    rc_builder_set_message(&builder, rc_buf_get(&message));
    rc_builder_set_context_int(&builder, RC_STR("line"), (int64_t)j->line);
    if (has_column)
        rc_builder_set_context_int(&builder, RC_STR("column"), (int64_t)fault->offset + 1);
    rc_builder_add_source(&builder, RC_HERE("ShapeInvalid"));
    return rc_builder_finish(&builder);
}

static const rc_report *explain(jsonl *j, const rc_line *line)
{
    rc_case_fault fault = {.what = "longer than the limit of 16 MiB"};
    if (line->is_too_long) {
        rc_case_find_id(&j->current, line->text);
        return refuse(j, &fault, false);
    }
    rc_status status = rc_case_read(&j->current, line->text, &fault);
    if (status != RC_OK)
        return refuse(j, &fault, status != RC_E_NOMEM);
    if (!j->current.has_id) {
        fault = (rc_case_fault){.key = "id", .what = "is missing"};
        return refuse(j, &fault, false);
    }
    rc_failure failure = j->current.failure;
    failure.now_unix_ms = j->now_unix_ms;
    rc_explain_overrides_apply(j->overrides, &failure, j->headers);
    return rc_classify(&failure, j->rules, &j->alloc);
}

static int on_line(jsonl *j, const rc_line *line)
{
    j->line++;
    if (rc_str_trim(line->text).len == 0 && !line->is_too_long)
        return RC_EXIT_OK;
    const rc_report *report = explain(j, line);
    int result = push_report(j, report);
    rc_report_free(report);
    j->space.used = 0;
    if (result == RC_EXIT_OK && rc_buf_get(&j->cli->out).len >= OUTPUT_BYTES)
        return flush(j);
    return result;
}

static int run_lines(jsonl *j, rc_lines *lines, const char *path)
{
    int result = RC_EXIT_OK;
    rc_line line;
    while (result == RC_EXIT_OK) {
        switch (rc_lines_next(lines, &line)) {
        case RC_LINES_LINE:
            if (j->now_unix_ms == 0)
                begin_batch(j);
            result = on_line(j, &line);
            break;
        case RC_LINES_WAIT:
            j->now_unix_ms = 0;
            result = flush(j);
            break;
        case RC_LINES_END:
            return flush(j);
        case RC_LINES_ERROR:
            result = flush(j);
            return result != RC_EXIT_OK ? result
                                        : rc_explain_unreadable(j->cli, path, lines->error);
        }
    }
    return result;
}

static int run_fd(rc_cli *cli, int fd, const char *path, const rc_explain_overrides *overrides,
                  const rc_rules *rules)
{
    jsonl *j = cli->alloc.get(cli->alloc.ctx, sizeof *j);
    if (j == NULL)
        return rc_explain_unreadable(cli, path, RC_FILE_NO_MEMORY);
    rc_lines lines;
    memset(j, 0, offsetof(jsonl, space));
    j->cli = cli;
    j->overrides = overrides;
    j->rules = rules;
    j->space.behind = cli->alloc;
    j->space.used = 0;
    j->alloc = (rc_alloc){&j->space, space_get, space_put};
    rc_buf_init(&j->report, &cli->alloc, RC_CLI_OUTPUT_MAX);
    rc_case_init(&j->current, &cli->alloc);
    rc_lines_init(&lines, cli->calls, &cli->alloc, fd, RC_CASE_MAX_BYTES);
    int result = close_output(j, run_lines(j, &lines, path));
    rc_lines_done(&lines);
    rc_case_done(&j->current);
    rc_buf_done(&j->report);
    cli->alloc.put(cli->alloc.ctx, j, sizeof *j);
    return result;
}

int rc_explain_jsonl(rc_cli *cli, const char *path, const rc_explain_overrides *overrides,
                     const rc_rules *rules)
{
    int fd = RC_FD_STDIN;
    bool is_stdin = path == NULL || strcmp(path, "-") == 0;
    if (!is_stdin) {
        int error = rc_stream_open(cli->calls, path, &fd);
        if (error != 0)
            return rc_explain_unreadable(cli, path, error);
    } else if (cli->calls->isatty(RC_FD_STDIN) == 1) {
        rc_cli_err_prefix(cli, "explain");
        rc_cli_text(&cli->err, "reading cases from the terminal, one per line; end with Ctrl-D\n");
        rc_cli_flush_err(cli);
    }
    int result = run_fd(cli, fd, path, overrides, rules);
    if (!is_stdin)
        cli->calls->close(fd);
    return result;
}
