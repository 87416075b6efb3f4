/* Loads the configuration and prints its faults; called by `audit`, `config` and, for `serve` and
 * `call`, by serve/load.c. */
#include "cli/config_load.h"

#include <string.h>

#include <recourse/builder.h>

#include "base/str.h"
#include "cli/error_text.h"
#include "render/wrap.h"
#include "scrub/scrub.h"

/* If the source line is too long for the terminal, this many columns before the fault are shown. */
#define LEAD_COLUMNS 40
#define TEXT_BYTES ((size_t)2048)
/* The context of the report has space for all listed faults and its other entries. */
#define NUMBERED_MAX RC_CONFIG_FAULTS_MAX

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static void push_visible(rc_buf *buf, rc_str text, bool has_utf8)
{
    char scratch[TEXT_BYTES];
    rc_buf clean;
    rc_buf_init_fixed(&clean, scratch, sizeof(scratch));
    if (rc_scrub(text, sizeof(scratch), &clean) == RC_OK)
        text = rc_buf_get(&clean);
    rc_visible_push(buf, text, has_utf8);
}

/* Appends "12:7: routes[0].polcy: unknown key; did you mean policy?" */
static void push_fault(rc_buf *buf, const rc_config_fault *fault)
{
    if (fault->line > 0) {
        rc_buf_push_u64(buf, fault->line);
        push(buf, ":");
        rc_buf_push_u64(buf, fault->column);
        push(buf, ": ");
    }
    rc_config_fault_push(buf, fault);
}

/* ---- the source line ---- */

static rc_str line_at(rc_str text, uint32_t line)
{
    size_t start = 0;
    for (; line > 1; line--) {
        size_t end = rc_str_find_byte(text, '\n', start);
        if (end == RC_STR_NPOS)
            return rc_str_make(NULL, 0);
        start = end + 1;
    }
    rc_str rest = rc_str_slice(text, start, rc_str_find_byte(text, '\n', start));
    return rc_str_ends_with(rest, RC_STR("\r")) ? rc_str_slice(rest, 0, rest.len - 1) : rest;
}

static bool is_scrubbed(rc_str line)
{
    char scratch[TEXT_BYTES];
    rc_buf clean;
    rc_buf_init_fixed(&clean, scratch, sizeof(scratch));
    return rc_scrub(line, sizeof(scratch), &clean) != RC_OK || !rc_str_eq(rc_buf_get(&clean), line);
}

/* Returns the part of line before a column. Columns are counted in characters, not in bytes. */
static rc_str head_of(rc_str line, uint32_t column)
{
    size_t at = 0;
    for (uint32_t i = 1; i < column && at < line.len; i++) {
        at++;
        while (at < line.len && ((unsigned char)line.ptr[at] & 0xC0) == 0x80)
            at++;
    }
    return rc_str_slice(line, 0, at);
}

/* Returns the part of a source line that may be shown: without a comment and without the value of
 * an unknown key, because both may contain a secret: " polcy: ...". */
static rc_str shown_part(rc_str line, const rc_config_fault *fault)
{
    for (size_t i = head_of(line, fault->column).len; i < line.len; i++)
        if (line.ptr[i] == '#' && (i == 0 || line.ptr[i - 1] == ' ' || line.ptr[i - 1] == '\t'))
            line.len = i;
    if (!fault->is_key)
        return line;
    size_t colon = rc_str_find_byte(line, ':', head_of(line, fault->column).len);
    return rc_str_slice(line, 0, colon == RC_STR_NPOS ? 0 : colon + 1);
}

static void push_spaces(rc_buf *buf, size_t count)
{
    while (count-- > 0)
        rc_buf_push_byte(buf, ' ');
}

static void push_line(rc_buf *buf, rc_str line, const rc_config_fault *fault, unsigned width,
                      bool has_utf8)
{
    size_t before = rc_buf_get(buf).len;
    push(buf, "  ");
    rc_buf_push_u64(buf, fault->line);
    size_t gutter = rc_buf_get(buf).len - before;
    push(buf, " | ");
    unsigned columns =
        width > gutter + 3 + 2 * LEAD_COLUMNS ? width - (unsigned)gutter - 3 : 2 * LEAD_COLUMNS;
    rc_str head = head_of(line, fault->column);
    rc_str shown = line;
    if (rc_visible_width(head, has_utf8) >= columns) {
        rc_str cut = head_of(line, fault->column - LEAD_COLUMNS);
        shown = rc_str_slice(line, cut.len, line.len);
        head = rc_str_slice(head, cut.len, head.len);
    }
    rc_visible_push_cut(buf, shown, columns, has_utf8);
    push(buf, fault->is_key ? " ...\n" : "\n");
    push_spaces(buf, gutter);
    push(buf, " | ");
    push_spaces(buf, rc_visible_width(head, has_utf8));
    push(buf, "^\n");
}

void rc_config_faults_push(rc_buf *buf, const rc_config_source *source, unsigned width,
                           bool has_utf8)
{
    const rc_config_faults *faults = &source->faults;
    rc_str text = rc_buf_get(&source->text);
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++) {
        const rc_config_fault *fault = &faults->list[i];
        char scratch[TEXT_BYTES];
        rc_buf fault_text;
        rc_buf_init_fixed(&fault_text, scratch, sizeof(scratch));
        push_fault(&fault_text, fault);
        push_visible(buf, rc_config_source_name(source), has_utf8);
        push(buf, fault->line > 0 ? ":" : ": ");
        push_visible(buf, rc_buf_get(&fault_text), has_utf8);
        push(buf, "\n");
        rc_str line = shown_part(line_at(text, fault->line > 0 ? fault->line : UINT32_MAX), fault);
        if (line.len == 0 || fault->is_private || rc_config_is_secret_name(line) ||
            is_scrubbed(line))
            continue;
        push_line(buf, line, fault, width, has_utf8);
    }
    if (faults->count > rc_config_faults_listed(faults)) {
        push(buf, "and ");
        rc_buf_push_u64(buf, faults->count - rc_config_faults_listed(faults));
        push(buf, " more\n");
    }
}

/* ---- faults as a report ---- */

static void set_first(rc_builder *builder, const rc_config_fault *fault)
{
    if (fault->line > 0) {
        rc_builder_set_context_int(builder, RC_STR("line"), fault->line);
        rc_builder_set_context_int(builder, RC_STR("column"), fault->column);
    }
    if (fault->path[0] != '\0')
        rc_builder_set_context(builder, RC_STR("key"), rc_str_c(fault->path));
    if (fault->nearest[0] != '\0')
        rc_builder_set_context(builder, RC_STR("nearest"), rc_str_c(fault->nearest));
}

/* Stores a fault in the context of the report under a key such as "fault_2", because the message of
 * the report has only the first fault. */
static void set_numbered(rc_builder *builder, size_t number, rc_str fault_text)
{
    char scratch[32];
    rc_buf key;
    rc_buf_init_fixed(&key, scratch, sizeof(scratch));
    push(&key, "fault_");
    rc_buf_push_u64(&key, number);
    rc_builder_set_context(builder, rc_buf_get(&key), fault_text);
}

const rc_report *rc_config_faults_report(rc_cli *cli, const rc_config_source *source)
{
    const rc_config_faults *faults = &source->faults;
    char scratch[TEXT_BYTES];
    rc_buf fault_text;
    rc_builder builder;
    rc_builder_init(&builder, &cli->alloc, RC_CODE_CONFIG_SCHEMA_VIOLATION);
    rc_cli_set_identity(cli, &builder);
    rc_builder_set_context(&builder, RC_STR("file"), rc_config_source_name(source));
    rc_builder_set_context_int(&builder, RC_STR("faults"), (int64_t)faults->count);
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++) {
        rc_buf_init_fixed(&fault_text, scratch, sizeof(scratch));
        push_fault(&fault_text, &faults->list[i]);
        set_numbered(&builder, i + 1, rc_buf_get(&fault_text));
    }
    if (faults->count > 0) {
        set_first(&builder, &faults->list[0]);
        rc_buf_init_fixed(&fault_text, scratch, sizeof(scratch));
        rc_buf_push(&fault_text, rc_config_source_name(source));
        push(&fault_text, faults->list[0].line > 0 ? ":" : ": ");
        push_fault(&fault_text, &faults->list[0]);
        rc_builder_set_message(&builder, rc_buf_get(&fault_text));
    }
    rc_builder_add_source(&builder, RC_HERE("ConfigSchemaViolation"));
    return rc_builder_finish(&builder);
}

/* ---- loading ---- */

int rc_cli_config_refuse(rc_cli *cli, const char *command, const rc_config_source *source,
                         rc_status status)
{
    if (status == RC_E_NOMEM) {
        rc_cli_err_prefix(cli, command);
        rc_cli_text(&cli->err, "out of memory while reading the configuration\n");
        return RC_EXIT_INTERNAL;
    }
    if (status == RC_E_NOT_FOUND) {
        rc_cli_cannot_read(cli, command, rc_config_source_name(source), source->error);
        return RC_EXIT_NO_INPUT;
    }
    rc_config_faults_push(&cli->err, source, cli->err_terminal.width, cli->err_terminal.has_utf8);
    return RC_EXIT_CONFIG;
}

int rc_cli_config_load(rc_cli *cli, const char *command, const char *path, rc_config *ret_config)
{
    rc_config_source source;
    int result = RC_EXIT_OK;
    rc_status status = rc_config_load(ret_config, cli->calls, &cli->alloc, path, &source);
    if (status != RC_OK) {
        result = rc_cli_config_refuse(cli, command, &source, status);
        rc_config_done(ret_config);
    }
    rc_config_source_done(&source);
    return result;
}
