/* `recourse errors` in the human format. Called by command.c. */
#include "cli/errors/errors.h"

#include "base/str.h"
#include "render/panel.h"
#include "ui/grid.h"

/* In the panel of a class the names of facts begin at column LABEL_AT, the values at VALUE_AT. */
#define LABEL_AT 2u
#define VALUE_AT 16u
#define NUMBER_BYTES 24

/* ---- table of codes ---- */

/* Titles of the columns after the first, printed above the codes of each class. */
static const char *const titles[] = {"category", "domain", "retry", "HTTP",
                                     "exit",     "event",  "action"};

static const rc_grid_column columns[] = {
    {.title = ""},
    {.title = "", .rank = 4},
    {.title = "", .rank = 6},
    {.title = "", .rank = 1},
    {.title = "", .rank = 2, .is_right = true},
    {.title = "", .rank = 3, .is_right = true},
    {.title = "", .rank = 7},
    {.title = "", .rank = 5},
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

static void add_cell(rc_grid *grid, rc_tone tone, const char *text)
{
    rc_buf_push(&grid->text, rc_str_c(text));
    rc_grid_cell(grid, tone);
}

static void add_number(rc_grid *grid, int number)
{
    rc_buf_push_i64(&grid->text, number);
    rc_grid_cell(grid, RC_TONE_PLAIN);
}

static void add_code(rc_grid *grid, const rc_code_info *row)
{
    const bool has_category = row->category != RC_CATEGORY_NONE;
    rc_buf_push(&grid->text, RC_STR("  "));
    add_cell(grid, RC_TONE_PLAIN, row->name);
    add_cell(grid, has_category ? RC_TONE_PLAIN : RC_TONE_FAINT,
             has_category ? rc_category_name(row->category) : "-");
    add_cell(grid, RC_TONE_PLAIN, rc_domain_name(row->domain));
    add_cell(grid, row->is_retryable ? RC_TONE_GOOD : RC_TONE_FAINT,
             row->is_retryable ? "yes" : "no");
    add_number(grid, row->http_status);
    add_number(grid, row->exit_status);
    add_cell(grid, RC_TONE_PLAIN, rc_run_event_name(row->run_event));
    add_cell(grid, RC_TONE_PLAIN, rc_user_action_name(row->action));
}

static void add_class(rc_grid *grid, const rc_class_info *info)
{
    add_cell(grid, RC_TONE_STRONG, info->name);
    for (size_t i = 0; i < COLUMN_COUNT - 1; i++)
        add_cell(grid, RC_TONE_FAINT, titles[i]);
    for (size_t i = 0; i < rc_code_count(); i++)
        if (rc_code_at(i)->error_class == info->error_class)
            add_code(grid, rc_code_at(i));
    rc_grid_line(grid, RC_TONE_PLAIN);
}

/* Appends the table of codes. `only`: the class to show; NULL: all classes. */
static rc_status push_table(rc_buf *buf, const rc_class_info *only, const rc_panel_style *style,
                            const rc_alloc *alloc)
{
    rc_grid grid;
    rc_grid_init(&grid, columns, COLUMN_COUNT, style, alloc);
    for (size_t i = 0; i < rc_class_count(); i++)
        if (only == NULL || only == rc_class_at(i))
            add_class(&grid, rc_class_at(i));
    const rc_status status = rc_grid_push(&grid, buf);
    rc_grid_done(&grid);
    return status;
}

/* ---- one code or one class ---- */

static void push_fact(rc_pen *pen, const char *label, rc_str text)
{
    const bool is_beside = pen->width >= VALUE_AT + RC_VISIBLE_CHAR_WIDTH_MAX;
    rc_pen_to(pen, LABEL_AT);
    rc_pen_text(pen, RC_TONE_FAINT, rc_str_c(label));
    if (!is_beside)
        rc_pen_end_line(pen);
    rc_pen_to(pen, is_beside ? VALUE_AT : 2 * LABEL_AT);
    rc_pen_wrap(pen, RC_TONE_PLAIN, is_beside ? VALUE_AT : 2 * LABEL_AT, text);
}

static void push_field(rc_panel *panel, const char *label, const char *text)
{
    rc_panel_field(panel, rc_str_c(label), RC_TONE_PLAIN, rc_str_c(text));
}

static void push_number_field(rc_panel *panel, const char *label, int number)
{
    char scratch[NUMBER_BYTES];
    rc_buf digits;
    rc_buf_init_fixed(&digits, scratch, sizeof(scratch));
    rc_buf_push_i64(&digits, number);
    rc_panel_field(panel, rc_str_c(label), RC_TONE_PLAIN, rc_buf_get(&digits));
}

/* Appends the panel of a code, with the frame and the labels that the panel of a report has. */
static void push_code_panel(rc_buf *buf, const rc_panel_style *style, const rc_code_info *row)
{
    const rc_class_info *info = rc_class_get(row->error_class);
    rc_panel panel;
    const rc_panel_block strong = {.tone = RC_TONE_STRONG};
    rc_panel_init(&panel, style, RC_TONE_ACCENT, buf);
    rc_panel_open(&panel, rc_str_c(row->name), rc_str_c(info->name));
    rc_panel_text(&panel, &strong, rc_str_c(row->message));
    rc_panel_blank(&panel);
    push_field(&panel, "Retry", row->is_retryable ? "yes" : "no");
    push_field(&panel, "Next", rc_user_action_title(row->action));
    push_field(&panel, "", row->action_detail);
    rc_panel_blank(&panel);
    push_field(&panel, "Category", rc_category_name(row->category));
    push_field(&panel, "Domain", rc_domain_name(row->domain));
    push_field(&panel, "Action", rc_user_action_name(row->action));
    push_field(&panel, "Event", rc_run_event_name(row->run_event));
    push_number_field(&panel, "HTTP", row->http_status);
    push_number_field(&panel, "Exit", row->exit_status);
    push_number_field(&panel, "Number", (int)row->code);
    rc_panel_section(&panel, rc_str_c(info->name));
    push_field(&panel, "Recovery", info->recoverable);
    push_field(&panel, "Handling", info->handler);
    rc_panel_close(&panel);
}

static void push_class_facts(rc_pen *pen, const rc_class_info *info)
{
    char scratch[NUMBER_BYTES];
    rc_buf number;
    rc_buf_init_fixed(&number, scratch, sizeof(scratch));
    rc_buf_push_i64(&number, (int)info->error_class);
    push_fact(pen, "recoverable", rc_str_c(info->recoverable));
    push_fact(pen, "handling", rc_str_c(info->handler));
    push_fact(pen, "error type", rc_str_c(info->error_type));
    push_fact(pen, "number", rc_buf_get(&number));
}

rc_status rc_errors_human(rc_buf *buf, const rc_errors_choice *choice, const rc_panel_style *style,
                          const rc_alloc *alloc)
{
    rc_pen pen;
    if (choice->code != NULL) {
        push_code_panel(buf, style, choice->code);
        return RC_OK;
    }
    const rc_status status = push_table(buf, choice->error_class, style, alloc);
    if (status != RC_OK)
        return status;
    rc_pen_init(&pen, style, buf);
    if (choice->error_class != NULL)
        push_class_facts(&pen, choice->error_class);
    else
        rc_pen_wrap(&pen, RC_TONE_PLAIN, 0,
                    RC_STR("Run 'recourse errors CODE' for the details of a code."));
    return RC_OK;
}
