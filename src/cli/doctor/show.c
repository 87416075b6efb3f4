/* Doctor: output of the findings as text, JSON and Markdown. Called by command.c. */
#include "base/str.h"
#include "cli/doctor/doctor.h"
#include "render/markdown.h"
#include "render/wrap.h"
#include "ui/grid.h"
#include "json/writer.h"

#define SUBJECT_COLUMNS_MAX 28u
#define TEXT_COLUMNS_MIN RC_VISIBLE_CHAR_WIDTH_MAX

typedef struct page {
    const rc_doctor *doctor;
    rc_buf *buf;
    bool has_colour;
    bool has_utf8;
    unsigned width;
    unsigned subject_columns;
} page;

/* ---- human format ---- */

static const char *sign_of(const page *p, rc_finding_level level)
{
    static const char *const plain[] = {"-", "+", "!", "x"};
    static const char *const glyphs[] = {"·", "✓", "!", "✗"};
    return p->has_utf8 ? glyphs[level] : plain[level];
}

static rc_colour colour_of(rc_finding_level level)
{
    static const rc_colour colours[] = {RC_COLOUR_FAINT, RC_COLOUR_GOOD, RC_COLOUR_WARN,
                                        RC_COLOUR_BAD};
    return colours[level];
}

static void push_spaces(rc_buf *buf, unsigned count)
{
    while (count-- > 0)
        rc_buf_push_byte(buf, ' ');
}

/* Column of the details: after "  x ", the widest subject and two spaces. */
static unsigned indent_of(const page *p)
{
    return 4 + p->subject_columns + 2;
}

static void push_wrapped(const page *p, const char *lead, const char *text, rc_colour colour,
                         bool is_begun)
{
    const unsigned indent = indent_of(p);
    const unsigned lead_columns = rc_visible_width(rc_str_c(lead), p->has_utf8);
    const unsigned used = indent + lead_columns;
    const unsigned columns =
        p->width > used + TEXT_COLUMNS_MIN ? p->width - used : TEXT_COLUMNS_MIN;
    rc_wrap wrap;
    rc_wrap_line line;
    bool is_first = true;
    rc_wrap_init(&wrap, rc_str_c(text), p->has_utf8);
    while (rc_wrap_next(&wrap, columns, &line)) {
        push_spaces(p->buf, is_first && is_begun ? 0 : indent);
        rc_colour_begin(p->buf, colour, p->has_colour);
        rc_cli_text(p->buf, is_first ? lead : "");
        push_spaces(p->buf, is_first ? 0 : lead_columns);
        rc_visible_push(p->buf, line.text, p->has_utf8);
        rc_colour_end(p->buf, colour, p->has_colour);
        rc_buf_push_byte(p->buf, '\n');
        is_first = false;
    }
    if (is_first && is_begun)
        rc_buf_push_byte(p->buf, '\n');
}

static void push_finding(const page *p, const rc_finding *finding)
{
    rc_cli_text(p->buf, "  ");
    rc_colour_begin(p->buf, colour_of(finding->level), p->has_colour);
    rc_cli_text(p->buf, sign_of(p, finding->level));
    rc_colour_end(p->buf, colour_of(finding->level), p->has_colour);
    rc_buf_push_byte(p->buf, ' ');
    const unsigned used =
        rc_visible_push_cut(p->buf, rc_str_c(finding->subject), p->subject_columns, p->has_utf8);
    push_spaces(p->buf, p->subject_columns - used + 2);
    push_wrapped(p, "", finding->detail, RC_COLOUR_PLAIN, true);
    if (finding->advice[0] != '\0')
        push_wrapped(p, p->has_utf8 ? "→ " : "> ", finding->advice, RC_COLOUR_FAINT, false);
}

/* Returns the width of the subject column, at most a third of the line. */
static unsigned widest(const rc_doctor *doctor, unsigned columns, bool has_utf8)
{
    unsigned widest = 8;
    for (size_t g = 0; g < RC_GROUP_COUNT; g++)
        for (const rc_finding *f = doctor->first[g]; f != NULL; f = f->next) {
            const unsigned width = rc_visible_width(rc_str_c(f->subject), has_utf8);
            widest = width > widest ? width : widest;
        }
    if (widest > SUBJECT_COLUMNS_MAX)
        widest = SUBJECT_COLUMNS_MAX;
    return widest > columns / 3 ? columns / 3 : widest;
}

static void push_count(rc_buf *buf, size_t count, const char *one, const char *more)
{
    rc_buf_push_u64(buf, count);
    rc_cli_text(buf, count == 1 ? one : more);
}

static void push_sum(const rc_doctor *doctor, rc_buf *buf)
{
    push_count(buf, doctor->counts[RC_FINDING_FAULT], " fault, ", " faults, ");
    push_count(buf, doctor->counts[RC_FINDING_WARN], " warning, ", " warnings, ");
    push_count(buf, doctor->counts[RC_FINDING_FINE], " fine", " fine");
}

void rc_doctor_push_human(const rc_doctor *doctor, rc_buf *buf, bool has_colour)
{
    const rc_terminal *terminal = &doctor->cli->out_terminal;
    const page p = {
        .doctor = doctor,
        .buf = buf,
        .has_colour = has_colour,
        .has_utf8 = terminal->has_utf8,
        .width = terminal->width,
        .subject_columns = widest(doctor, terminal->width, terminal->has_utf8),
    };
    for (size_t g = 0; g < RC_GROUP_COUNT; g++) {
        if (doctor->first[g] == NULL)
            continue;
        rc_colour_begin(buf, RC_COLOUR_STRONG, has_colour);
        rc_cli_text(buf, rc_doctor_group_name((rc_doctor_group)g));
        rc_colour_end(buf, RC_COLOUR_STRONG, has_colour);
        rc_buf_push_byte(buf, '\n');
        for (const rc_finding *f = doctor->first[g]; f != NULL; f = f->next)
            push_finding(&p, f);
        rc_buf_push_byte(buf, '\n');
    }
    push_sum(doctor, buf);
    rc_buf_push_byte(buf, '\n');
}

/* ---- JSON ---- */

static void json_finding(rc_json_writer *w, rc_doctor_group group, const rc_finding *finding)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("group"), rc_str_c(rc_doctor_group_name(group)));
    rc_json_member_string(w, RC_STR("what"), rc_str_c(finding->subject));
    rc_json_member_string(w, RC_STR("mark"), rc_str_c(rc_finding_level_name(finding->level)));
    rc_json_member_string(w, RC_STR("detail"), rc_str_c(finding->detail));
    if (finding->advice[0] != '\0')
        rc_json_member_string(w, RC_STR("next"), rc_str_c(finding->advice));
    if (finding->level == RC_FINDING_FAULT)
        rc_json_member_i64(w, RC_STR("exit_status"), finding->exit_status);
    rc_json_object_end(w);
}

void rc_doctor_push_json(const rc_doctor *doctor, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_i64(&w, RC_STR("exit_status"), rc_doctor_exit_status(doctor));
    rc_json_member_i64(&w, RC_STR("faults"), (int64_t)doctor->counts[RC_FINDING_FAULT]);
    rc_json_member_i64(&w, RC_STR("warnings"), (int64_t)doctor->counts[RC_FINDING_WARN]);
    rc_json_key(&w, RC_STR("findings"));
    rc_json_array_begin(&w);
    for (size_t g = 0; g < RC_GROUP_COUNT; g++)
        for (const rc_finding *f = doctor->first[g]; f != NULL; f = f->next)
            json_finding(&w, (rc_doctor_group)g, f);
    rc_json_array_end(&w);
    rc_json_object_end(&w);
    rc_buf_push_byte(buf, '\n');
}

/* ---- Markdown, for bug reports ---- */

static void markdown_cell(rc_buf *buf, const char *text)
{
    rc_cli_text(buf, " | ");
    rc_markdown_push_inline(buf, rc_str_c(text));
}

void rc_doctor_push_markdown(const rc_doctor *doctor, rc_buf *buf)
{
    rc_cli_text(buf, "# recourse doctor: ");
    push_sum(doctor, buf);
    rc_buf_push_byte(buf, '\n');
    for (size_t g = 0; g < RC_GROUP_COUNT; g++) {
        if (doctor->first[g] == NULL)
            continue;
        rc_cli_text(buf, "\n## ");
        rc_cli_text(buf, rc_doctor_group_name((rc_doctor_group)g));
        rc_cli_text(buf, "\n\n| | what | found | next |\n|---|---|---|---|\n");
        for (const rc_finding *f = doctor->first[g]; f != NULL; f = f->next) {
            rc_cli_text(buf, "| ");
            rc_cli_text(buf, rc_finding_level_name(f->level));
            markdown_cell(buf, f->subject);
            markdown_cell(buf, f->detail);
            markdown_cell(buf, f->advice);
            rc_cli_text(buf, " |\n");
        }
    }
}
