/* Renders the table of policies. Called by recourse simulate. */
#include "sim/output/table.h"

#include "render/wrap.h"

/* Spaces before every column but the first. */
#define GAP 2u

#define SGR_BOLD "1"
#define SGR_FAINT "2"
#define SGR_BEST "1;32"

struct sheet {
    rc_buf *buf;
    const rc_sim_result *result;
    const rc_table_style *style;
    unsigned name_width;
    /* Pending spaces, written before the next text so that no line ends in spaces. */
    unsigned spaces;
};

static void push_gap(struct sheet *s, unsigned count)
{
    s->spaces += count;
}

static void flush_spaces(struct sheet *s)
{
    for (; s->spaces > 0; s->spaces--)
        rc_buf_push_byte(s->buf, ' ');
}

static void end_line(struct sheet *s)
{
    s->spaces = 0;
    rc_buf_push_byte(s->buf, '\n');
}

static void push_sgr(const struct sheet *s, const char *sgr)
{
    if (!s->style->has_colour)
        return;
    rc_buf_push(s->buf, RC_STR("\033["));
    rc_buf_push(s->buf, rc_str_c(sgr));
    rc_buf_push_byte(s->buf, 'm');
}

static void push_styled(struct sheet *s, const char *sgr, rc_str text)
{
    const bool is_styled = sgr[0] != '\0';
    if (text.len == 0)
        return;
    flush_spaces(s);
    if (is_styled)
        push_sgr(s, sgr);
    rc_buf_push(s->buf, text);
    if (is_styled)
        push_sgr(s, "0");
}

/* The text of a cell, a view of buffer. */
static rc_str cell_text(const rc_measure *measure, int64_t value, char buffer[RC_MEASURE_TEXT_MAX])
{
    rc_buf text;
    rc_buf_init_fixed(&text, buffer, RC_MEASURE_TEXT_MAX);
    rc_measure_push(&text, measure, value);
    return rc_buf_get(&text);
}

static unsigned column_width(const struct sheet *s, const rc_measure *measure)
{
    unsigned width = (unsigned)rc_str_c(measure->title).len;
    const unsigned over = (unsigned)rc_str_c(measure->title_above).len;
    width = over > width ? over : width;
    for (uint32_t i = 0; i < s->result->policy_count; i++) {
        char scratch[RC_MEASURE_TEXT_MAX];
        const int64_t value = measure->get(&s->result->policies[i]);
        const unsigned len = (unsigned)cell_text(measure, value, scratch).len;
        width = len > width ? len : width;
    }
    return width + 1; /* One more for the asterisk. */
}

/* Whether a column has only zeros and missing values; such a column is left out. */
static bool is_empty(const struct sheet *s, const rc_measure *measure)
{
    for (uint32_t i = 0; i < s->result->policy_count; i++) {
        const int64_t value = measure->get(&s->result->policies[i]);
        if (value != 0 && value != RC_MEASURE_NONE)
            return false;
    }
    return true;
}

/* Appends a right-aligned cell; its last character is reserved for the asterisk. */
static void push_cell(struct sheet *s, unsigned width, const char *sgr, rc_str text, bool is_best)
{
    push_gap(s, GAP + (width - 1 - (unsigned)text.len));
    push_styled(s, sgr, text);
    if (is_best)
        push_styled(s, SGR_BEST, RC_STR("*"));
    else
        push_gap(s, 1);
}

/* A block: the measures that fit side by side. */
struct block {
    const rc_measure *measures[16];
    unsigned widths[16];
    size_t count;
};

static void push_titles(struct sheet *s, const struct block *block, bool is_over)
{
    push_styled(s, SGR_FAINT, is_over ? RC_STR("") : RC_STR("policy"));
    push_gap(s, s->name_width - (is_over ? 0 : 6));
    for (size_t i = 0; i < block->count; i++) {
        const char *text = is_over ? block->measures[i]->title_above : block->measures[i]->title;
        push_cell(s, block->widths[i], SGR_FAINT, rc_str_c(text), false);
    }
    end_line(s);
}

static void push_row(struct sheet *s, const struct block *block, uint32_t index)
{
    const rc_sim_policy_result *policy = &s->result->policies[index];
    if (policy->is_ours)
        push_sgr(s, SGR_BOLD);
    const unsigned used =
        rc_visible_push_cut(s->buf, rc_str_c(policy->name), s->name_width, s->style->has_utf8);
    if (policy->is_ours)
        push_sgr(s, "0");
    push_gap(s, s->name_width - used);
    for (size_t i = 0; i < block->count; i++) {
        char scratch[RC_MEASURE_TEXT_MAX];
        const rc_measure *measure = block->measures[i];
        const int64_t value = measure->get(policy);
        const int64_t best = rc_measure_best(measure, s->result);
        const bool is_best = best != RC_MEASURE_NONE && rc_measure_is_same(measure, value, best);
        push_cell(s, block->widths[i], is_best ? SGR_BEST : "", cell_text(measure, value, scratch),
                  is_best);
    }
    end_line(s);
}

static unsigned find_name_width(const struct sheet *s)
{
    unsigned width = 6; /* Width of "policy". */
    for (uint32_t i = 0; i < s->result->policy_count; i++) {
        const rc_str name = rc_str_c(s->result->policies[i].name);
        const unsigned len = rc_visible_width(name, s->style->has_utf8);
        width = len > width ? len : width;
    }
    /* At most a third of the width, so that a column fits beside it. */
    const unsigned most = s->style->width / 3;
    return width < most ? width : most > 6 ? most : 6;
}

/* The next block: as many measures from *at on as fit, at least one. */
static struct block next_block(const struct sheet *s, size_t *at)
{
    struct block block = {.count = 0};
    unsigned used = s->name_width;
    for (; rc_measure_at(*at) != NULL; (*at)++) {
        const rc_measure *measure = rc_measure_at(*at);
        if (is_empty(s, measure))
            continue;
        const unsigned width = column_width(s, measure);
        if (block.count > 0 && used + GAP + width > s->style->width)
            return block;
        block.measures[block.count] = measure;
        block.widths[block.count++] = width;
        used += GAP + width;
    }
    return block;
}

void rc_table_push(rc_buf *buf, const rc_sim_result *result, const rc_table_style *style)
{
    struct sheet s = {.buf = buf, .result = result, .style = style};
    s.name_width = find_name_width(&s);
    size_t at = 0;
    bool is_first = true;
    for (;;) {
        const struct block block = next_block(&s, &at);
        if (block.count == 0)
            return;
        if (!is_first)
            rc_buf_push_byte(buf, '\n');
        is_first = false;
        push_titles(&s, &block, true);
        push_titles(&s, &block, false);
        for (uint32_t i = 0; i < result->policy_count; i++)
            push_row(&s, &block, i);
    }
}
