/* `recourse errors` in the human format. Called by command.c. */
#include "cli/errors/errors.h"

#include "render/panel.h"
#include "render/wrap.h"

/* Spaces before every column, including the first. */
#define GAP 2u
/* Column at which the values of a class's facts begin. */
#define LABEL_WIDTH 14u

/* Few styles: bold for names, faint for titles and less important values, one colour. */
#define SGR_NONE ""
#define SGR_BOLD "1"
#define SGR_FAINT "2"
#define SGR_GOOD "32"

struct sheet {
    rc_buf *buf;
    unsigned width;
    bool has_colour;
    bool has_utf8;
};

static void push_c(const struct sheet *sheet, const char *text)
{
    rc_buf_push(sheet->buf, rc_str_c(text));
}

static void push_gap(const struct sheet *sheet, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        rc_buf_push_byte(sheet->buf, ' ');
}

static void push_styled(const struct sheet *sheet, const char *sgr, const char *text)
{
    const bool is_styled = sheet->has_colour && sgr[0] != '\0' && text[0] != '\0';
    if (is_styled) {
        push_c(sheet, "\033[");
        push_c(sheet, sgr);
        push_c(sheet, "m");
    }
    push_c(sheet, text);
    if (is_styled)
        push_c(sheet, "\033[0m");
}

/* ---- table of codes ---- */

struct cell {
    char scratch[24];
    const char *text;
    const char *sgr;
};

static void set_number(struct cell *cell, int number)
{
    rc_buf digits;
    rc_buf_init_fixed(&digits, cell->scratch, sizeof(cell->scratch));
    rc_buf_push_i64(&digits, number);
    rc_buf_push_byte(&digits, '\0');
    cell->text = cell->scratch;
}

static void set_name(struct cell *cell, const char *name)
{
    cell->text = name;
}

static void set_code(struct cell *cell, const rc_code_info *row)
{
    set_name(cell, row->name);
}

static void set_category(struct cell *cell, const rc_code_info *row)
{
    const bool has_own = row->category != RC_CATEGORY_NONE;
    set_name(cell, has_own ? rc_category_name(row->category) : "-");
    cell->sgr = has_own ? SGR_NONE : SGR_FAINT;
}

static void set_domain(struct cell *cell, const rc_code_info *row)
{
    set_name(cell, rc_domain_name(row->domain));
}

static void set_retry(struct cell *cell, const rc_code_info *row)
{
    set_name(cell, row->is_retryable ? "yes" : "no");
    cell->sgr = row->is_retryable ? SGR_GOOD : SGR_FAINT;
}

static void set_http(struct cell *cell, const rc_code_info *row)
{
    set_number(cell, row->http_status);
}

static void set_exit(struct cell *cell, const rc_code_info *row)
{
    set_number(cell, row->exit_status);
}

static void set_event(struct cell *cell, const rc_code_info *row)
{
    set_name(cell, rc_run_event_name(row->run_event));
}

static void set_action(struct cell *cell, const rc_code_info *row)
{
    set_name(cell, rc_user_action_name(row->action));
}

struct column {
    const char *title;
    void (*set)(struct cell *cell, const rc_code_info *row);
    unsigned rank; /* A narrow terminal shows the columns of the lowest ranks. */
    bool is_right;
};

static const struct column columns[] = {
    {"code", set_code, 0, false},     {"category", set_category, 4, false},
    {"domain", set_domain, 6, false}, {"retry", set_retry, 1, false},
    {"HTTP", set_http, 2, true},      {"exit", set_exit, 3, true},
    {"event", set_event, 7, false},   {"action", set_action, 5, false},
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

/* Width of each column; 0: hidden. */
struct layout {
    unsigned widths[COLUMN_COUNT];
};

static unsigned column_width(const struct column *column)
{
    unsigned width = (unsigned)rc_str_c(column->title).len;
    for (size_t i = 0; i < rc_code_count(); i++) {
        struct cell cell = {.sgr = SGR_NONE};
        column->set(&cell, rc_code_at(i));
        unsigned len = (unsigned)rc_str_c(cell.text).len;
        width = len > width ? len : width;
    }
    return width;
}

static struct layout make_layout(unsigned width)
{
    struct layout layout = {{0}};
    unsigned used = 0;
    for (unsigned rank = 0; rank < COLUMN_COUNT; rank++) {
        for (size_t i = 0; i < COLUMN_COUNT; i++) {
            if (columns[i].rank != rank)
                continue;
            unsigned needed = column_width(&columns[i]) + GAP;
            if (rank > 0 && used + needed > width)
                return layout;
            layout.widths[i] = column_width(&columns[i]);
            used += needed;
        }
    }
    return layout;
}

static void push_cell(const struct sheet *sheet, unsigned width, bool is_right, const char *sgr,
                      const char *text)
{
    unsigned len = (unsigned)rc_str_c(text).len;
    unsigned padding = width > len ? width - len : 0;
    push_gap(sheet, is_right ? padding : 0);
    push_styled(sheet, sgr, text);
    push_gap(sheet, is_right ? 0 : padding);
}

/* Returns the last visible column, which is not padded: no line ends in spaces. */
static size_t last_column(const struct layout *layout)
{
    size_t last = 0;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        last = layout->widths[i] > 0 ? i : last;
    return last;
}

static void push_row(const struct sheet *sheet, const struct layout *layout,
                     const rc_code_info *row)
{
    const size_t last = last_column(layout);
    for (size_t i = 0; i <= last; i++) {
        if (layout->widths[i] == 0)
            continue;
        struct cell cell = {.sgr = SGR_NONE};
        columns[i].set(&cell, row);
        push_gap(sheet, GAP);
        push_cell(sheet, i == last && !columns[i].is_right ? 0 : layout->widths[i],
                  columns[i].is_right, cell.sgr, cell.text);
    }
    push_c(sheet, "\n");
}

/* Prints the name of the class above its codes, followed by the titles of the other columns. */
static void push_class_head(const struct sheet *sheet, const struct layout *layout,
                            const rc_class_info *info)
{
    const size_t last = last_column(layout);
    push_styled(sheet, SGR_BOLD, info->name);
    push_gap(sheet, last > 0 ? GAP + layout->widths[0] - (unsigned)rc_str_c(info->name).len : 0);
    for (size_t i = 1; i <= last; i++) {
        if (layout->widths[i] == 0)
            continue;
        push_gap(sheet, GAP);
        push_cell(sheet, i == last && !columns[i].is_right ? 0 : layout->widths[i],
                  columns[i].is_right, SGR_FAINT, columns[i].title);
    }
    push_c(sheet, "\n");
}

static void push_wrapped(const struct sheet *sheet, unsigned indent, bool is_begun,
                         const char *text)
{
    rc_wrap wrap;
    rc_wrap_line line;
    rc_wrap_init(&wrap, rc_str_c(text), sheet->has_utf8);
    while (rc_wrap_next(&wrap, sheet->width - indent, &line)) {
        push_gap(sheet, is_begun ? 0 : indent);
        rc_visible_push(sheet->buf, line.text, sheet->has_utf8);
        push_c(sheet, "\n");
        is_begun = false;
    }
}

static void push_class_table(const struct sheet *sheet, const struct layout *layout,
                             const rc_class_info *info)
{
    push_class_head(sheet, layout, info);
    for (size_t i = 0; i < rc_code_count(); i++)
        if (rc_code_at(i)->error_class == info->error_class)
            push_row(sheet, layout, rc_code_at(i));
}

static void push_table(const struct sheet *sheet)
{
    struct layout layout = make_layout(sheet->width);
    for (size_t i = 0; i < rc_class_count(); i++) {
        push_class_table(sheet, &layout, rc_class_at(i));
        push_c(sheet, "\n");
    }
    push_wrapped(sheet, 0, false, "Run 'recourse errors CODE' for all that is known of one.");
}

/* ---- one code or one class ---- */

static void push_fact(const struct sheet *sheet, const char *label, const char *text)
{
    push_gap(sheet, GAP);
    push_styled(sheet, SGR_FAINT, label);
    if (sheet->width < GAP + LABEL_WIDTH + RC_VISIBLE_CHAR_WIDTH_MAX) {
        push_c(sheet, "\n");
        push_wrapped(sheet, 2 * GAP, false, text);
        return;
    }
    push_gap(sheet, LABEL_WIDTH - (unsigned)rc_str_c(label).len);
    push_wrapped(sheet, GAP + LABEL_WIDTH, true, text);
}

static void push_number_fact(const struct sheet *sheet, const char *label, int number)
{
    struct cell cell;
    set_number(&cell, number);
    push_fact(sheet, label, cell.text);
}

static void push_field(rc_panel *panel, const char *label, const char *text)
{
    rc_panel_field(panel, rc_str_c(label), RC_TONE_PLAIN, rc_str_c(text));
}

/* Uses the same box as a report's panel, and the same labels for the same things. */
static void push_code_panel(rc_buf *buf, const rc_panel_style *style, const rc_code_info *row)
{
    const rc_class_info *info = rc_class_get(row->error_class);
    struct cell http, status, number;
    set_number(&http, row->http_status);
    set_number(&status, row->exit_status);
    set_number(&number, (int)row->code);

    rc_panel panel;
    const rc_panel_block strong = {.tone = RC_TONE_STRONG};
    rc_panel_init(&panel, style, RC_PANEL_NEUTRAL, buf);
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
    push_field(&panel, "HTTP", http.text);
    push_field(&panel, "Exit", status.text);
    push_field(&panel, "Number", number.text);
    rc_panel_section(&panel, rc_str_c(info->name));
    push_field(&panel, "Recovery", info->recoverable);
    push_field(&panel, "Handling", info->handler);
    rc_panel_close(&panel);
}

static void push_class_panel(const struct sheet *sheet, const rc_class_info *info)
{
    struct layout layout = make_layout(sheet->width);
    push_class_table(sheet, &layout, info);
    push_c(sheet, "\n");
    push_fact(sheet, "recoverable", info->recoverable);
    push_fact(sheet, "handling", info->handler);
    push_fact(sheet, "error type", info->error_type);
    push_number_fact(sheet, "number", (int)info->error_class);
}

void rc_errors_human(rc_buf *buf, const rc_errors_choice *choice, const rc_panel_style *style)
{
    struct sheet sheet = {buf, style->width, style->has_colour, style->has_utf8};
    if (sheet.width < RC_PANEL_WIDTH_MIN)
        sheet.width = RC_PANEL_WIDTH_MIN;
    if (sheet.width > RC_PANEL_WIDTH_MAX)
        sheet.width = RC_PANEL_WIDTH_MAX;

    if (choice->code != NULL)
        push_code_panel(buf, style, choice->code);
    else if (choice->error_class != NULL)
        push_class_panel(&sheet, choice->error_class);
    else
        push_table(&sheet);
}
