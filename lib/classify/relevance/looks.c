/* Recognises the form ("look") of a text: compiler output, a patch, source code and others
 * (spec/looks.def). Called by relevance.c and classify.c. */
#include "base/str.h"
#include "classify/relevance/relevance.h"

/* Number of points from which a look is recognised. */
#define POINTS_MIN 6u
/* Number of lines at the beginning of a text that are compared with all looks; in later lines only
 * source code is counted. */
#define LINES_MAX 400u

typedef enum sign_place {
    PLACE_BEGINS,
    PLACE_AT_0,
    PLACE_HAS,
    PLACE_ENDS
} sign_place;

typedef struct look_sign {
    rc_look look;
    sign_place place;
    rc_str text;
    unsigned weight;
} look_sign;

static const look_sign SIGNS[] = {
#define RC_LOOK_SIGN(ID, WHERE, text, WEIGHT) \
    {RC_LOOK_##ID, PLACE_##WHERE, RC_STR_INIT(text), WEIGHT},
#include "spec/looks.def"
};

static const rc_str NAMES[] = {
    [RC_LOOK_NONE] = RC_STR_INIT(""),
#define RC_LOOK(ID, KIND, name) [RC_LOOK_##ID] = RC_STR_INIT(name),
#include "spec/looks.def"
};

static const rc_str REASONS[] = {
    [RC_LOOK_NONE] = RC_STR_INIT(""),
#define RC_LOOK(ID, KIND, name)                                                           \
    [RC_LOOK_##ID] = RC_STR_INIT("the text looks like " name                              \
                                 " and has no sign of a failed call: no status line, no " \
                                 "error field, no error of an SDK"),
#include "spec/looks.def"
};

#define LOOK_KIND_DOCUMENT true
#define LOOK_KIND_OUTPUT false
static const bool DOCUMENTS[] = {
    [RC_LOOK_NONE] = false,
#define RC_LOOK(ID, KIND, name) [RC_LOOK_##ID] = LOOK_KIND_##KIND,
#include "spec/looks.def"
};

rc_str rc_look_name(rc_look look)
{
    return look < RC_LOOK_END ? NAMES[look] : NAMES[RC_LOOK_NONE];
}

rc_str rc_look_reason(rc_look look)
{
    return look < RC_LOOK_END ? REASONS[look] : REASONS[RC_LOOK_NONE];
}

bool rc_look_is_document(rc_look look)
{
    return look < RC_LOOK_END && DOCUMENTS[look];
}

static bool is_at(rc_str line, rc_str trimmed, const look_sign *sign)
{
    switch (sign->place) {
    case PLACE_BEGINS:
        return rc_str_starts_with(trimmed, sign->text);
    case PLACE_AT_0:
        return rc_str_starts_with(line, sign->text);
    case PLACE_HAS:
        return rc_str_find(line, sign->text, 0) != RC_STR_NPOS;
    case PLACE_ENDS:
    default:
        return rc_str_ends_with(trimmed, sign->text);
    }
}

/* Returns whether the line ends like a message of Perl: "... at app.pl line 12." */
static bool is_perl(rc_str text)
{
    const size_t line = rc_str_find(text, RC_STR(" line "), 0);
    return line != RC_STR_NPOS && text.ptr[text.len - 1] == '.' &&
           rc_ascii_is_digit(text.ptr[text.len - 2]) &&
           rc_str_find(rc_str_slice(text, 0, line), RC_STR(" at "), 0) != RC_STR_NPOS;
}

typedef struct tally {
    unsigned points[RC_LOOK_END];
    unsigned lines;
    unsigned source;
    unsigned markdown;
} tally;

static void count_line(tally *t, rc_str line)
{
    const rc_str trimmed = rc_str_trim(line);
    /* Lone brackets are in source code and in JSON. */
    if (trimmed.len == 0 || (trimmed.len <= 3 && memchr("{}[]()", trimmed.ptr[0], 6) != NULL))
        return;
    t->lines++;
    if (rc_line_is_diagnostic(line))
        t->points[RC_LOOK_COMPILER] += POINTS_MIN;
    if (rc_line_is_option(line))
        t->points[RC_LOOK_SHELL] += POINTS_MIN;
    if (trimmed.len > 12 && is_perl(trimmed))
        t->points[RC_LOOK_STACK] += POINTS_MIN;
    if (rc_line_is_source(line))
        t->source++;
    if (rc_line_is_markdown(line))
        t->markdown++;
    for (size_t i = 0; i < sizeof(SIGNS) / sizeof(SIGNS[0]); i++) {
        if (is_at(line, trimmed, &SIGNS[i]))
            t->points[SIGNS[i].look] += SIGNS[i].weight;
    }
}

rc_look rc_look_of(rc_str text)
{
    tally t = {{0}, 0, 0, 0};
    for (size_t at = 0; at < text.len && t.lines < LINES_MAX;) {
        const size_t end = rc_str_find_byte(text, '\n', at);
        const size_t to = end == RC_STR_NPOS ? text.len : end;
        count_line(&t, rc_str_slice(text, at, to));
        at = to + 1;
    }
    const bool is_source = t.source * 5 >= t.lines * 2 && t.source > 0;
    const bool is_long_source = t.lines >= 10 && t.source * 4 >= t.lines;
    rc_look best = RC_LOOK_NONE;
    for (rc_look look = RC_LOOK_NONE + 1; look < RC_LOOK_END; look++) {
        if (t.points[look] >= POINTS_MIN && t.points[look] > t.points[best])
            best = look;
    }
    if (best == RC_LOOK_NONE && (is_source || is_long_source))
        return RC_LOOK_SOURCE;
    if (best == RC_LOOK_NONE && t.markdown * (t.markdown > 1 ? 4 : 2) >= t.lines && t.markdown > 0)
        return RC_LOOK_MARKDOWN;
    return best;
}
