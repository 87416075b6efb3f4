/* Panel of --why: the steps from the input to the verdict, from top to bottom. Called by
 * explain.c. */
#include <recourse/rules.h>

#include "base/str.h"
#include "cli/explain/reasoning.h"
#include "codec/duration.h"
#include "render/panel.h"
#include "render/wrap.h"

/* Size of a line: a subject and the text around it. */
#define LINE_BYTES 1024
#define TEXT_LINES 4u
/* Layers below this depth are not indented further. */
#define DEPTH_MAX 16u
/* Limit of the width of the column of names, which is also at most half of the panel. */
#define NAMES_MAX 36u
/* In a narrower panel each text is below its name instead of beside it. */
#define TABLE_WIDTH_MIN 60u

typedef struct sheet {
    const rc_reasoning *reasoning;
    rc_panel panel;
    unsigned names; /* Width of the column of names in this section. */
} sheet;

static const rc_reasoning_note *note_at(const sheet *s, size_t i)
{
    return &s->reasoning->notes[i];
}

static size_t count_steps(const sheet *s, rc_trace_step step)
{
    size_t count = 0;
    for (size_t i = 0; i < s->reasoning->count; i++)
        count += note_at(s, i)->step == step;
    return count;
}

/* ---- name and text ---- */

static void put_entry(sheet *s, rc_tone tone, rc_str name, rc_str text, rc_tone text_tone)
{
    rc_panel_block block = {.tone = text_tone, .max_lines = TEXT_LINES};
    unsigned width = rc_visible_width(name, s->panel.pen.has_utf8);
    bool is_beside = s->panel.pen.width >= TABLE_WIDTH_MIN && width <= s->names;
    if (!is_beside || text.len == 0) {
        rc_panel_text(&s->panel, &(rc_panel_block){.tone = tone, .max_lines = TEXT_LINES}, name);
        block.indent = s->panel.pen.width >= TABLE_WIDTH_MIN ? s->names + RC_PANEL_GAP : 2;
    } else {
        block.indent = s->names + RC_PANEL_GAP;
        block.first = name;
        block.first_tone = tone;
    }
    if (text.len > 0)
        rc_panel_text(&s->panel, &block, text);
}

static void widen(sheet *s, rc_str name)
{
    unsigned width = rc_visible_width(name, s->panel.pen.has_utf8);
    unsigned most = s->panel.inner / 2;
    if (most > NAMES_MAX)
        most = NAMES_MAX;
    if (width > most)
        width = most;
    if (width > s->names)
        s->names = width;
}

static void widen_for(sheet *s, rc_trace_step step)
{
    for (size_t i = 0; i < s->reasoning->count; i++) {
        if (note_at(s, i)->step == step)
            widen(s, rc_reasoning_subject(s->reasoning, note_at(s, i)));
    }
}

/* ---- input and layers ---- */

/* Prints the layers as a tree: each layer was inside the previous one. */
static void put_layers(sheet *s)
{
    unsigned depth = 0;
    for (size_t i = 0; i < s->reasoning->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        char scratch[LINE_BYTES];
        char mark_scratch[LINE_BYTES / 8];
        rc_buf line;
        rc_buf branch;
        if (note->step != RC_TRACE_LAYER)
            continue;
        rc_buf_init_fixed(&line, scratch, sizeof scratch);
        rc_buf_push(&line, rc_reasoning_subject(s->reasoning, note));
        if (note->text_len > 0)
            rc_buf_push(&line, RC_STR(": "));
        rc_buf_push(&line, rc_reasoning_text(s->reasoning, note));
        rc_buf_init_fixed(&branch, mark_scratch, sizeof mark_scratch);
        for (unsigned j = 0; j < depth; j++)
            rc_buf_push(&branch, RC_STR("  "));
        rc_buf_push(&branch, rc_symbol_text(RC_SYMBOL_TWIG, s->panel.pen.has_utf8));
        rc_panel_block block = {
            .indent = 2 * depth + 2, .first = rc_buf_get(&branch), .max_lines = TEXT_LINES};
        rc_panel_text(&s->panel, &block, rc_buf_get(&line));
        if (2 * depth < s->panel.inner / 3 && depth < DEPTH_MAX)
            depth++;
    }
}

static void put_steps(sheet *s, rc_trace_step step)
{
    for (size_t i = 0; i < s->reasoning->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        if (note->step == step)
            put_entry(s, RC_TONE_STRONG, rc_reasoning_subject(s->reasoning, note),
                      rc_reasoning_text(s->reasoning, note), RC_TONE_PLAIN);
    }
}

static void put_input(sheet *s, rc_str input)
{
    rc_panel_text(&s->panel, &(rc_panel_block){.max_lines = TEXT_LINES}, input);
    put_layers(s);
}

static void put_section(sheet *s, rc_trace_step step, rc_str heading)
{
    if (count_steps(s, step) == 0)
        return;
    rc_panel_section(&s->panel, heading);
    s->names = 0;
    widen_for(s, step);
    put_steps(s, step);
}

/* ---- waits ---- */

/* Appends a value with its duration, such as "578 (9m 38s)", or only the value if it is already
 * written as a duration. */
static void push_wait(rc_buf *line, const rc_reasoning_note *note, rc_str value)
{
    char scratch[64];
    rc_buf wait;
    rc_buf_init_fixed(&wait, scratch, sizeof scratch);
    rc_buf_push(line, value);
    if (note->wait_ms < 0)
        return;
    if (note->wait_ms == 0)
        rc_buf_push(&wait, RC_STR("now"));
    else
        rc_duration_push(&wait, note->wait_ms);
    if (rc_str_eq(value, rc_buf_get(&wait)))
        return;
    rc_buf_push(line, value.len > 0 ? RC_STR(" (") : RC_STR("("));
    rc_buf_push(line, rc_buf_get(&wait));
    rc_buf_push_byte(line, ')');
}

static void put_waits(sheet *s)
{
    if (count_steps(s, RC_TRACE_HINT) + count_steps(s, RC_TRACE_IGNORED) == 0)
        return;
    rc_panel_section(&s->panel, RC_STR("Waits"));
    s->names = 0;
    widen_for(s, RC_TRACE_HINT);
    widen_for(s, RC_TRACE_IGNORED);
    for (size_t i = 0; i < s->reasoning->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        bool is_ignored = note->step == RC_TRACE_IGNORED;
        char scratch[LINE_BYTES];
        rc_buf line;
        if (note->step != RC_TRACE_HINT && !is_ignored)
            continue;
        rc_buf_init_fixed(&line, scratch, sizeof scratch);
        if (is_ignored)
            rc_buf_push(&line, RC_STR("ignored: "));
        push_wait(&line, note, rc_reasoning_text(s->reasoning, note));
        rc_tone tone = is_ignored ? RC_TONE_FAINT : RC_TONE_STRONG;
        put_entry(s, tone, rc_reasoning_subject(s->reasoning, note), rc_buf_get(&line),
                  is_ignored ? RC_TONE_FAINT : RC_TONE_PLAIN);
    }
}

/* ---- rules ---- */

static bool find_rule(rc_str id, rc_rule_info *ret_info)
{
    for (size_t i = 0; rc_rule_at(i, ret_info); i++) {
        if (rc_str_eq(ret_info->id, id))
            return true;
    }
    return false;
}

/* Returns the first term of a condition, such as "says:quota" for the condition "no says:quota". */
static rc_str first_term(rc_str condition)
{
    size_t colon = rc_str_find_byte(condition, ':', 0);
    if (colon == RC_STR_NPOS)
        return rc_str_make(NULL, 0);
    size_t start = colon;
    size_t end = colon;
    while (start > 0 && !rc_ascii_is_space(condition.ptr[start - 1]) &&
           condition.ptr[start - 1] != '(')
        start--;
    while (end < condition.len && !rc_ascii_is_space(condition.ptr[end]) &&
           condition.ptr[end] != ')' && condition.ptr[end] != ',')
        end++;
    return rc_str_slice(condition, start, end);
}

/* Returns whether a rule that did not match is shown. A rule of the user's file is always shown. A
 * built-in rule is shown only if at least one of its conditions was true before the first false
 * condition. */
static bool is_near_match(const sheet *s, const rc_reasoning_note *note)
{
    rc_rule_info rule;
    if (!find_rule(rc_reasoning_subject(s->reasoning, note), &rule))
        return true;
    rc_str term = first_term(rc_reasoning_text(s->reasoning, note));
    size_t at = term.len > 0 ? rc_str_find(rule.when, term, 0) : RC_STR_NPOS;
    if (at == RC_STR_NPOS)
        return false;
    return rc_str_find(rc_str_slice(rule.when, 0, at), RC_STR(" and "), 0) != RC_STR_NPOS;
}

static void widen_for_rules(sheet *s)
{
    s->names = 0;
    for (size_t i = 0; i < s->reasoning->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        if (note->step == RC_TRACE_RULE_MATCHED ||
            (note->step == RC_TRACE_RULE_TRIED && is_near_match(s, note)))
            widen(s, rc_reasoning_subject(s->reasoning, note));
    }
}

static void put_others(sheet *s, size_t count, bool is_all)
{
    char scratch[96];
    rc_buf line;
    if (count == 0)
        return;
    rc_buf_init_fixed(&line, scratch, sizeof scratch);
    rc_buf_push_u64(&line, count);
    if (!is_all)
        rc_buf_push(&line, count == 1 ? RC_STR(" other") : RC_STR(" others"));
    rc_buf_push(&line, RC_STR(" before it did not match"));
    rc_panel_text(&s->panel, &(rc_panel_block){.tone = RC_TONE_FAINT}, rc_buf_get(&line));
}

static void put_matched(sheet *s)
{
    for (size_t i = 0; i < s->reasoning->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        char scratch[LINE_BYTES];
        rc_buf line;
        if (note->step != RC_TRACE_RULE_MATCHED)
            continue;
        rc_buf_init_fixed(&line, scratch, sizeof scratch);
        rc_buf_push(&line, RC_STR("matched: "));
        rc_buf_push(&line, rc_reasoning_text(s->reasoning, note));
        put_entry(s, RC_TONE_STRONG, rc_reasoning_subject(s->reasoning, note), rc_buf_get(&line),
                  RC_TONE_STRONG);
    }
}

static void put_rules(sheet *s)
{
    size_t others = 0;
    if (count_steps(s, RC_TRACE_RULE_TRIED) + count_steps(s, RC_TRACE_RULE_MATCHED) == 0)
        return;
    rc_panel_section(&s->panel, RC_STR("Rules, in order"));
    widen_for_rules(s);
    for (size_t i = 0; i < s->reasoning->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        if (note->step != RC_TRACE_RULE_TRIED)
            continue;
        if (is_near_match(s, note))
            put_entry(s, RC_TONE_FAINT, rc_reasoning_subject(s->reasoning, note),
                      rc_reasoning_text(s->reasoning, note), RC_TONE_FAINT);
        else
            others++;
    }
    put_others(s, others, others == count_steps(s, RC_TRACE_RULE_TRIED));
    put_matched(s);
}

void rc_reasoning_panel(const rc_reasoning *reasoning, rc_str input, const rc_panel_style *style,
                        rc_buf *buf)
{
    sheet s = {.reasoning = reasoning};
    rc_panel_init(&s.panel, style, RC_TONE_ACCENT, buf);
    rc_panel_open(&s.panel, RC_STR("Why"), RC_STR(""));
    put_input(&s, input);
    put_section(&s, RC_TRACE_FIELD, RC_STR("Fields"));
    put_section(&s, RC_TRACE_PROVIDER, RC_STR("Provider"));
    put_section(&s, RC_TRACE_FACT, RC_STR("Meaning"));
    put_waits(&s);
    put_rules(&s);
    if (reasoning->left_out > 0)
        rc_panel_more(&s.panel, 0, reasoning->left_out, RC_STR(" more steps"));
    rc_panel_close(&s.panel);
}
