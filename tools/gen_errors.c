/* gen_errors ROOT: writes the files below ROOT that are derived from spec/errors.def. Run by
 * tools/generate.sh.
 *
 *   include/recourse/codes.h      the enums
 *   docs/errors.md                the reference for people
 *   man/recourse-errors.7         the same as a man page
 *   tests/golden/errors.json      one row per line, so that a change shows in the diff
 *
 * A host program that needs only the C library and the table, because the rest of the project is
 * built from its output. A file that is up to date is not touched, so that nothing is rebuilt for
 * it. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gen_file.h"

/* The writer of docs/errors.md is that of `recourse errors --format markdown`. The writer is
 * included instead of linked, so that this program needs no other file of the command. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "cli/errors/page.c"

#define GENERATED "Generated from spec/errors.def by `make generate`. Do not edit."

static const char *page_class_name(const char *id)
{
    for (size_t i = 0; i < PAGE_CLASS_COUNT; i++)
        if (strcmp(page_classes[i].id, id) == 0)
            return page_classes[i].name;
    return "";
}

/* ---- include/recourse/codes.h ---- */

static void enum_begin(FILE *out, const char *prefix, const char *comment)
{
    fprintf(out, "\n/* %s */\ntypedef enum %s {\n", comment, prefix);
}

static void enum_row(FILE *out, const char *prefix, const char *id, int number, const char *comment)
{
    fprintf(out, "    %s_%s = %d,", prefix, id, number);
    fprintf(out, comment[0] != '\0' ? " /* %s */\n" : "\n", comment);
}

/* UNKNOWN is not in the table; a tolerant decoder uses it for values of newer versions. */
static void enum_end(FILE *out, const char *type, const char *prefix, int unknown)
{
    if (unknown != 0)
        fprintf(out, "    %s_UNKNOWN = %d\n", prefix, unknown);
    fprintf(out, "} %s;\n", type);
}

static void write_small_enums(FILE *out)
{
    enum_begin(out, "rc_category",
               "What has to change before the call can succeed. UNKNOWN is a row of the table.");
    enum_row(out, "RC_CATEGORY", "NONE", 0, "absent");
#define RC_CATEGORY(number, ID, name, is_retryable, text) \
    enum_row(out, "RC_CATEGORY", #ID, number, text);
#include "spec/errors.def"
    enum_end(out, "rc_category", "RC_CATEGORY", 0);

    enum_begin(out, "rc_domain",
               "The cause of a failure: the request, the configuration or the work itself.");
    enum_row(out, "RC_DOMAIN", "NONE", 0, "absent");
#define RC_DOMAIN(number, ID, name, http_status, text) \
    enum_row(out, "RC_DOMAIN", #ID, number, text);
#include "spec/errors.def"
    enum_end(out, "rc_domain", "RC_DOMAIN", 99);

    enum_begin(
        out, "rc_user_action",
        "What the user should do next. NO_ACTION (name \"none\"): the user need do nothing.");
    enum_row(out, "RC_ACTION", "NONE", 0, "absent");
#define RC_ACTION(number, ID, name, text) enum_row(out, "RC_ACTION", #ID, number, "");
#include "spec/errors.def"
    enum_end(out, "rc_user_action", "RC_ACTION", 99);

    enum_begin(out, "rc_run_event", "The codes in the events node:failed and run:failed.");
    enum_row(out, "RC_EVENT", "NONE", 0, "absent");
#define RC_RUN_EVENT(number, ID, name) enum_row(out, "RC_EVENT", #ID, number, "");
#include "spec/errors.def"
    enum_end(out, "rc_run_event", "RC_EVENT", 99);

    enum_begin(out, "rc_limit_kind", "The kind of limit that a provider applied.");
    enum_row(out, "RC_LIMIT_KIND", "NONE", 0, "absent");
#define RC_LIMIT_KIND(number, ID, name, text) enum_row(out, "RC_LIMIT_KIND", #ID, number, text);
#include "spec/errors.def"
    enum_end(out, "rc_limit_kind", "RC_LIMIT_KIND", 99);

    enum_begin(out, "rc_family", "The kind of call that failed.");
    enum_row(out, "RC_FAMILY", "NONE", 0, "absent");
#define RC_FAMILY(number, ID, name, error_type, not_found_type) \
    enum_row(out, "RC_FAMILY", #ID, number, "");
#include "spec/errors.def"
    enum_end(out, "rc_family", "RC_FAMILY", 99);
}

/* Writes one code; a new class begins with a comment line. */
static void code_row(FILE *out, const char **class_id, const char *row_class, const char *id,
                     int number)
{
    if (strcmp(*class_id, row_class) != 0)
        fprintf(out, "\n    /* %s */\n", page_class_name(row_class));
    *class_id = row_class;
    enum_row(out, "RC_CODE", id, number, "");
}

static void write_header(FILE *out)
{
    fputs("/* " GENERATED " */\n"
          "\n"
          "/* The numbers are part of the ABI. NONE means that the value is absent, UNKNOWN that "
          "this\n"
          " * version does not know the value. */\n"
          "#ifndef RECOURSE_CODES_H\n"
          "#define RECOURSE_CODES_H\n"
          "\n"
          "/* clang-format off */\n",
          out);
    write_small_enums(out);

    enum_begin(out, "rc_error_class", "A group of codes with one exit status.");
    enum_row(out, "RC_CLASS", "NONE", 0, "absent");
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    enum_row(out, "RC_CLASS", #ID, number, "");
#include "spec/errors.def"
    enum_end(out, "rc_error_class", "RC_CLASS", 99);

    const char *class_id = "";
    enum_begin(out, "rc_code",
               "The name of a failure. Number: 100 times the number of the class, plus the place "
               "in the class.");
    enum_row(out, "RC_CODE", "NONE", 0, "absent");
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    code_row(out, &class_id, #CLASS, #ID, number);
#include "spec/errors.def"
    fputc('\n', out);
    enum_end(out, "rc_code", "RC_CODE", 9999);
    fputs("\n/* clang-format on */\n\n#endif\n", out);
}

/* ---- docs/errors.md ---- */

static void put_to_file(void *ctx, const char *text)
{
    fputs(text, ctx);
}

static void write_markdown(FILE *out)
{
    rc_errors_page(put_to_file, out);
}

/* ---- man/recourse-errors.7 ---- */

/* Writes one line of text, escaped for roff. */
static void roff_text(FILE *out, const char *text)
{
    if (text[0] == '.' || text[0] == '\'')
        fputs("\\&", out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\\')
            fputs("\\e", out);
        else
            fputc(*c, out);
    }
    fputc('\n', out);
}

static void roff_table(FILE *out, const struct page_class *cls)
{
    fputs(".TS\ntab(|);\nlB2 lB2 lB2 rB2 rB2 lB\nl l l r r "
          "l.\ncode|category|retry|HTTP|exit|action\n",
          out);
    for (size_t i = 0; i < PAGE_CODE_COUNT; i++) {
        const struct page_code *row = &page_codes[i];
        if (strcmp(row->class_id, cls->id) == 0)
            fprintf(out, "%s|%s|%s|%d|%d|%s\n", row->name, page_category_name(row->category_id),
                    row->is_retryable ? "yes" : "no", page_http_status(row), row->exit_status,
                    page_action_name(row->action_id));
    }
    fputs(".TE\n", out);
}

static void roff_class(FILE *out, const struct page_class *cls)
{
    fprintf(out, ".SS %s\nRecoverable: ", cls->name);
    roff_text(out, cls->recoverable);
    fputs(".br\nHandling: ", out);
    roff_text(out, cls->handler);
    fputs(".PP\n", out);
    roff_table(out, cls);
    for (size_t i = 0; i < PAGE_CODE_COUNT; i++) {
        const struct page_code *row = &page_codes[i];
        if (strcmp(row->class_id, cls->id) != 0)
            continue;
        fprintf(out, ".TP\n.B %s\n", row->name);
        roff_text(out, row->message);
        roff_text(out, row->action_detail);
    }
}

/* Writes an item of a list: a name and its meaning. */
static void roff_item(FILE *out, const char *name, const char *text)
{
    fprintf(out, ".TP\n.B %s\n", name);
    roff_text(out, text);
}

static void write_man(FILE *out)
{
    fputs("'\\\" t\n.\\\" " GENERATED "\n"
          ".TH RECOURSE-ERRORS 7 \"\" Recourse \"Recourse manual\"\n"
          ".SH NAME\nrecourse-errors \\- classes and codes of Recourse's error reports\n"
          ".SH DESCRIPTION\n"
          "Every failure has one code. A code belongs to a class, which says who has to act next.\n"
          "The category of a code decides whether the call is retried; the domain is the side that "
          "caused\n"
          "the failure.\n"
          ".PP\n"
          ".BI \"recourse errors \" CODE\n"
          "prints one code;\n"
          ".B recourse errors \\-\\-format json\n"
          "prints all codes as JSON.\n"
          ".SH CATEGORIES\n"
          "A code without a category gets the category of the report's cause.\n",
          out);
#define RC_CATEGORY(number, ID, name, is_retryable, text) roff_item(out, name, text);
#include "spec/errors.def"
    fputs(".SH DOMAINS\nA code without an HTTP status of its own has the status of its domain.\n",
          out);
#define RC_DOMAIN(number, ID, name, http_status, text) \
    roff_item(out, name, text " (" #http_status ")");
#include "spec/errors.def"
    fputs(".SH CODES\n", out);
    for (size_t i = 0; i < PAGE_CLASS_COUNT; i++)
        roff_class(out, &page_classes[i]);
    fputs(".SH SEE ALSO\n.BR recourse (1)\n", out);
}

/* ---- tests/golden/errors.json ---- */

static void json_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\":\"", key);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

/* Begins a group: a key with an array, one row per line. */
static void json_group(FILE *out, const char *key, bool is_first)
{
    fprintf(out, "%s\"%s\": [", is_first ? "{\n" : "\n],\n", key);
}

/* Opens a row; the caller adds further members and the closing brace. */
static void json_row(FILE *out, bool *has_rows, int number, const char *id, const char *name)
{
    fprintf(out, "%s{\"number\":%d,\"id\":\"%s\",", *has_rows ? ",\n" : "\n", number, id);
    json_text(out, "name", name);
    *has_rows = true;
}

static void json_member(FILE *out, const char *key, const char *text)
{
    fputc(',', out);
    json_text(out, key, text);
}

static void write_json_small(FILE *out)
{
    bool has_rows = false;
    json_group(out, "categories", true);
#define RC_CATEGORY(number, ID, name, is_retryable, text)                 \
    json_row(out, &has_rows, number, #ID, name);                          \
    fprintf(out, ",\"retryable\":%s", (is_retryable) ? "true" : "false"); \
    json_member(out, "text", text);                                       \
    fputc('}', out);
#include "spec/errors.def"
    has_rows = false;
    json_group(out, "domains", false);
#define RC_DOMAIN(number, ID, name, http_status, text) \
    json_row(out, &has_rows, number, #ID, name);       \
    fprintf(out, ",\"http_status\":%d", http_status);  \
    json_member(out, "text", text);                    \
    fputc('}', out);
#include "spec/errors.def"
    has_rows = false;
    json_group(out, "user_actions", false);
#define RC_ACTION(number, ID, name, text)        \
    json_row(out, &has_rows, number, #ID, name); \
    json_member(out, "text", text);              \
    fputc('}', out);
#include "spec/errors.def"
    has_rows = false;
    json_group(out, "run_events", false);
#define RC_RUN_EVENT(number, ID, name)           \
    json_row(out, &has_rows, number, #ID, name); \
    fputc('}', out);
#include "spec/errors.def"
    has_rows = false;
    json_group(out, "limit_kinds", false);
#define RC_LIMIT_KIND(number, ID, name, text)    \
    json_row(out, &has_rows, number, #ID, name); \
    json_member(out, "text", text);              \
    fputc('}', out);
#include "spec/errors.def"
    has_rows = false;
    json_group(out, "families", false);
#define RC_FAMILY(number, ID, name, error_type, not_found_type) \
    json_row(out, &has_rows, number, #ID, name);                \
    json_member(out, "error_type", error_type);                 \
    json_member(out, "not_found_type", not_found_type);         \
    fputc('}', out);
#include "spec/errors.def"
    has_rows = false;
    json_group(out, "classes", false);
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    json_row(out, &has_rows, number, #ID, name);                     \
    json_member(out, "error_type", error_type);                      \
    json_member(out, "recoverable", recoverable);                    \
    json_member(out, "handler", handler);                            \
    fputc('}', out);
#include "spec/errors.def"
}

/* Writes the same members in the same order as `recourse errors --format json`. */
static void json_code(FILE *out, const struct page_code *row)
{
    fprintf(out, "{\"number\":%d", row->number);
    json_member(out, "error_code", row->name);
    json_member(out, "error_class", page_class_name(row->class_id));
    if (strcmp(row->category_id, "NONE") != 0)
        json_member(out, "error_category", page_category_name(row->category_id));
    json_member(out, "error_domain", page_domain_name(row->domain_id));
    fprintf(out, ",\"retryable\":%s,\"http_status\":%d,\"exit_status\":%d",
            row->is_retryable ? "true" : "false", page_http_status(row), row->exit_status);
    json_member(out, "run_event", page_run_event_name(row->event_id));
    fputs(",\"user_action\":{", out);
    json_text(out, "kind", page_action_name(row->action_id));
    json_member(out, "detail", row->action_detail);
    fputc('}', out);
    json_member(out, "message", row->message);
    fputc('}', out);
}

static void write_json(FILE *out)
{
    write_json_small(out);
    json_group(out, "codes", false);
    for (size_t i = 0; i < PAGE_CODE_COUNT; i++) {
        fputs(i == 0 ? "\n" : ",\n", out);
        json_code(out, &page_codes[i]);
    }
    fputs("\n]\n}\n", out);
}

static int generate(const char *root, const char *name, void (*writer)(FILE *))
{
    return gen_file_write("gen_errors", root, name, writer);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: gen_errors ROOT\n", stderr);
        return 64;
    }
    int result = generate(argv[1], "include/recourse/codes.h", write_header);
    result |= generate(argv[1], "docs/errors.md", write_markdown);
    result |= generate(argv[1], "man/recourse-errors.7", write_man);
    result |= generate(argv[1], "tests/golden/errors.json", write_json);
    return result;
}
