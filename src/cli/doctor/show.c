/* Doctor: prints the findings as text, JSON or Markdown. Called by command.c. */
#include "base/str.h"
#include "cli/doctor/doctor.h"
#include "render/markdown.h"
#include "render/pen.h"
#include "json/writer.h"

#define SUBJECT_COLUMNS_MAX 28u
#define SUBJECT_AT 4u

/* ---- human format ---- */

static void push_finding(rc_pen *pen, const rc_finding *finding, unsigned subject_columns)
{
    static const rc_symbol symbols[] = {RC_SYMBOL_NOTE, RC_SYMBOL_GOOD, RC_SYMBOL_NOTICE,
                                        RC_SYMBOL_BAD};
    static const rc_tone tones[] = {RC_TONE_FAINT, RC_TONE_GOOD, RC_TONE_WARN, RC_TONE_BAD};
    const unsigned detail_at = SUBJECT_AT + subject_columns + 2;
    rc_pen_to(pen, SUBJECT_AT - 2);
    rc_pen_symbol(pen, tones[finding->level], symbols[finding->level]);
    rc_pen_to(pen, SUBJECT_AT);
    rc_pen_cut(pen, RC_TONE_PLAIN, rc_str_c(finding->subject), subject_columns);
    rc_pen_to(pen, detail_at);
    rc_pen_wrap(pen, RC_TONE_PLAIN, detail_at, rc_str_c(finding->detail));
    if (finding->advice[0] == '\0')
        return;
    rc_pen_to(pen, detail_at);
    rc_pen_symbol(pen, RC_TONE_FAINT, RC_SYMBOL_NEXT);
    rc_pen_to(pen, detail_at + 2);
    rc_pen_wrap(pen, RC_TONE_FAINT, detail_at + 2, rc_str_c(finding->advice));
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
    const rc_panel_style style = {
        .width = terminal->width, .has_colour = has_colour, .has_utf8 = terminal->has_utf8};
    const unsigned subject_columns = widest(doctor, terminal->width, terminal->has_utf8);
    rc_pen pen;
    rc_pen_init(&pen, &style, buf);
    for (size_t g = 0; g < RC_GROUP_COUNT; g++) {
        if (doctor->first[g] == NULL)
            continue;
        rc_pen_text(&pen, RC_TONE_STRONG, rc_str_c(rc_doctor_group_name((rc_doctor_group)g)));
        rc_pen_end_line(&pen);
        for (const rc_finding *f = doctor->first[g]; f != NULL; f = f->next)
            push_finding(&pen, f, subject_columns);
        rc_pen_end_line(&pen);
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
