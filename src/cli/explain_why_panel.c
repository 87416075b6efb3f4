/* The trace for a person: read from top to bottom it is the way from the input to the verdict. */
#include <recourse/rules.h>

#include "base/str.h"
#include "cli/explain_why.h"
#include "codec/duration.h"
#include "core/render_panel.h"
#include "core/render_wrap.h"

/* Room for a subject with what stands around it. */
#define LINE_ROOM 1024
#define TEXT_LINES 4u
/* Layers beyond are not shown any deeper. */
#define DEPTH_MAX 16u
/* A column of names is no wider than this, and never more than half of the panel. */
#define NAMES_MAX 36u
/* The narrowest panel in which names stand beside their texts. */
#define TABLE_WIDTH_MIN 60u

typedef struct sheet {
    const rc_reasoning *why;
    rc_panel panel;
    unsigned names; /* columns of the names in this section */
} sheet;

static const rc_reasoning_note *note_at(const sheet *s, size_t i)
{
    return &s->why->notes[i];
}

static size_t count_steps(const sheet *s, rc_step step)
{
    size_t count = 0;
    for (size_t i = 0; i < s->why->count; i++)
        count += note_at(s, i)->step == step;
    return count;
}

/* ---- a name and its text ---- */

static void put_entry(sheet *s, rc_tone tone, rc_str name, rc_str text, rc_tone text_tone)
{
    rc_panel_block block = {.tone = text_tone, .max_lines = TEXT_LINES};
    unsigned width = rc_visible_width(name, s->panel.has_utf8);
    bool is_beside = s->panel.width >= TABLE_WIDTH_MIN && width <= s->names;
    if (!is_beside || text.len == 0) {
        rc_panel_text(&s->panel, &(rc_panel_block){.tone = tone, .max_lines = TEXT_LINES}, name);
        block.indent = s->panel.width >= TABLE_WIDTH_MIN ? s->names + RC_PANEL_GAP : 2;
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
    unsigned width = rc_visible_width(name, s->panel.has_utf8);
    unsigned most = s->panel.inner / 2;
    if (most > NAMES_MAX)
        most = NAMES_MAX;
    if (width > most)
        width = most;
    if (width > s->names)
        s->names = width;
}

static void widen_for(sheet *s, rc_step step)
{
    for (size_t i = 0; i < s->why->count; i++) {
        if (note_at(s, i)->step == step)
            widen(s, rc_reasoning_subject(s->why, note_at(s, i)));
    }
}

/* ---- what came, and what was in it ---- */

/* Each layer lies in the one above it. */
static void put_layers(sheet *s)
{
    unsigned depth = 0;
    for (size_t i = 0; i < s->why->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        char room[LINE_ROOM];
        char mark_room[LINE_ROOM / 8];
        rc_buf line;
        rc_buf mark;
        if (note->step != RC_STEP_LAYER)
            continue;
        rc_buf_init_fixed(&line, room, sizeof room);
        rc_buf_push(&line, rc_reasoning_subject(s->why, note));
        if (note->text_len > 0)
            rc_buf_push(&line, RC_STR(": "));
        rc_buf_push(&line, rc_reasoning_text(s->why, note));
        rc_buf_init_fixed(&mark, mark_room, sizeof mark_room);
        for (unsigned j = 0; j < depth; j++)
            rc_buf_push(&mark, RC_STR("  "));
        rc_buf_push(&mark, s->panel.has_utf8 ? RC_STR("└ ") : RC_STR("- "));
        rc_panel_block block = {
            .indent = 2 * depth + 2, .first = rc_buf_get(&mark), .max_lines = TEXT_LINES};
        rc_panel_text(&s->panel, &block, rc_buf_get(&line));
        if (2 * depth < s->panel.inner / 3 && depth < DEPTH_MAX)
            depth++;
    }
}

static void put_steps(sheet *s, rc_step step)
{
    for (size_t i = 0; i < s->why->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        if (note->step == step)
            put_entry(s, RC_TONE_STRONG, rc_reasoning_subject(s->why, note),
                      rc_reasoning_text(s->why, note), RC_TONE_PLAIN);
    }
}

static void put_came(sheet *s, rc_str came)
{
    rc_panel_text(&s->panel, &(rc_panel_block){.max_lines = TEXT_LINES}, came);
    put_layers(s);
}

static void put_section(sheet *s, rc_step step, rc_str heading)
{
    if (count_steps(s, step) == 0)
        return;
    rc_panel_section(&s->panel, heading);
    s->names = 0;
    widen_for(s, step);
    put_steps(s, step);
}

/* ---- waits ---- */

/* "578 (9m 38s)"; the words themselves may say it already. */
static void push_wait(rc_buf *line, const rc_reasoning_note *note, rc_str value)
{
    char room[64];
    rc_buf wait;
    rc_buf_init_fixed(&wait, room, sizeof room);
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
    if (count_steps(s, RC_STEP_HINT) + count_steps(s, RC_STEP_IGNORED) == 0)
        return;
    rc_panel_section(&s->panel, RC_STR("What it says of waiting"));
    s->names = 0;
    widen_for(s, RC_STEP_HINT);
    widen_for(s, RC_STEP_IGNORED);
    for (size_t i = 0; i < s->why->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        bool is_ignored = note->step == RC_STEP_IGNORED;
        char room[LINE_ROOM];
        rc_buf line;
        if (note->step != RC_STEP_HINT && !is_ignored)
            continue;
        rc_buf_init_fixed(&line, room, sizeof room);
        if (is_ignored)
            rc_buf_push(&line, RC_STR("ignored: "));
        push_wait(&line, note, rc_reasoning_text(s->why, note));
        rc_tone tone = is_ignored ? RC_TONE_DIM : RC_TONE_STRONG;
        put_entry(s, tone, rc_reasoning_subject(s->why, note), rc_buf_get(&line),
                  is_ignored ? RC_TONE_DIM : RC_TONE_PLAIN);
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

/* The condition's first term, as in "no says:quota". */
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

/* A rule of the user's own always is worth showing; a built-in one when some condition of it held:
 * those in front of the one that did not. */
static bool came_near(const sheet *s, const rc_reasoning_note *note)
{
    rc_rule_info rule;
    if (!find_rule(rc_reasoning_subject(s->why, note), &rule))
        return true;
    rc_str term = first_term(rc_reasoning_text(s->why, note));
    size_t at = term.len > 0 ? rc_str_find(rule.when, term, 0) : RC_STR_NPOS;
    if (at == RC_STR_NPOS)
        return false;
    return rc_str_find(rc_str_slice(rule.when, 0, at), RC_STR(" and "), 0) != RC_STR_NPOS;
}

static void widen_for_rules(sheet *s)
{
    s->names = 0;
    for (size_t i = 0; i < s->why->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        if (note->step == RC_STEP_RULE_MATCHED ||
            (note->step == RC_STEP_RULE_TRIED && came_near(s, note)))
            widen(s, rc_reasoning_subject(s->why, note));
    }
}

static void put_others(sheet *s, size_t count, bool is_all)
{
    char room[96];
    rc_buf line;
    if (count == 0)
        return;
    rc_buf_init_fixed(&line, room, sizeof room);
    rc_buf_push_u64(&line, count);
    if (!is_all)
        rc_buf_push(&line, count == 1 ? RC_STR(" other") : RC_STR(" others"));
    rc_buf_push(&line, RC_STR(" before it did not apply"));
    rc_panel_text(&s->panel, &(rc_panel_block){.tone = RC_TONE_DIM}, rc_buf_get(&line));
}

static void put_matched(sheet *s)
{
    for (size_t i = 0; i < s->why->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        char room[LINE_ROOM];
        rc_buf line;
        if (note->step != RC_STEP_RULE_MATCHED)
            continue;
        rc_buf_init_fixed(&line, room, sizeof room);
        rc_buf_push(&line, RC_STR("matched: "));
        rc_buf_push(&line, rc_reasoning_text(s->why, note));
        put_entry(s, RC_TONE_STRONG, rc_reasoning_subject(s->why, note), rc_buf_get(&line),
                  RC_TONE_STRONG);
    }
}

static void put_rules(sheet *s)
{
    size_t others = 0;
    if (count_steps(s, RC_STEP_RULE_TRIED) + count_steps(s, RC_STEP_RULE_MATCHED) == 0)
        return;
    rc_panel_section(&s->panel, RC_STR("The rules, in order"));
    widen_for_rules(s);
    for (size_t i = 0; i < s->why->count; i++) {
        const rc_reasoning_note *note = note_at(s, i);
        if (note->step != RC_STEP_RULE_TRIED)
            continue;
        if (came_near(s, note))
            put_entry(s, RC_TONE_DIM, rc_reasoning_subject(s->why, note),
                      rc_reasoning_text(s->why, note), RC_TONE_DIM);
        else
            others++;
    }
    put_others(s, others, others == count_steps(s, RC_STEP_RULE_TRIED));
    put_matched(s);
}

void rc_reasoning_panel(const rc_reasoning *why, rc_str came, const rc_panel_style *style,
                        rc_buf *buf)
{
    sheet s = {.why = why};
    rc_panel_init(&s.panel, style, RC_MOOD_CALM, buf);
    rc_panel_open(&s.panel, RC_STR("Why"), RC_STR(""));
    put_came(&s, came);
    put_section(&s, RC_STEP_FIELD, RC_STR("What its fields say"));
    put_section(&s, RC_STEP_PROVIDER, RC_STR("The provider"));
    put_section(&s, RC_STEP_FACT, RC_STR("What it means"));
    put_waits(&s);
    put_rules(&s);
    if (why->left_out > 0)
        rc_panel_more(&s.panel, 0, why->left_out, RC_STR(" more steps"));
    rc_panel_close(&s.panel);
}
