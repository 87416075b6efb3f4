/* The tables of spec/stream_events.def and spec/finish.def as C arrays. Called by stream.c,
 * stream_walk.c, translate/output.c and lib/exchange/response_judge.c. */
#include "dialect/stream_table.h"

#include "base/str.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define RC_STREAM_FIELD(key, ACTION, SHAPE) \
    {RC_STR_INIT(key), RC_STREAM_DO_##ACTION, RC_STREAM_SHAPE_##SHAPE},
#define RC_STREAM_SHAPE(ID, FIELDS) static const rc_stream_field FIELDS_##ID[] = {FIELDS};
#include "spec/stream_events.def"

const rc_stream_shape rc_stream_shapes[] = {
#define RC_STREAM_SHAPE(ID, FIELDS) {FIELDS_##ID, COUNT(FIELDS_##ID)},
#include "spec/stream_events.def"
};

/* The constants that the tables use. */
#define IS_TYPED true
#define IS_UNTYPED false
#define BY_FINISH true
#define BY_TERMINATOR false

enum {
    PREAMBLE = RC_STREAM_PREAMBLE,
    FINISH = RC_STREAM_FINISH,
    TERMINATOR = RC_STREAM_TERMINATOR,
    ERROR = RC_STREAM_ERROR,
    KEEPALIVE = RC_STREAM_KEEPALIVE,
    OTHER = RC_STREAM_OTHER,
    REPEAT = RC_STREAM_REPEAT | RC_STREAM_OTHER
};

const rc_stream_traits rc_stream_dialects[] = {
#define RC_STREAM_DIALECT(ID, name, ROOT, TYPED, done, finish, ENDS) \
    {name, RC_STREAM_SHAPE_##ROOT, IS_##TYPED, RC_STR_INIT(done), RC_STR_INIT(finish), BY_##ENDS},
#include "spec/stream_events.def"
};

static const rc_stream_type TYPES[] = {
#define RC_STREAM_TYPE(DIALECT, type, KINDS, SHAPE) \
    {RC_STR_INIT(type), RC_STREAM_##DIALECT, (KINDS), RC_STREAM_SHAPE_##SHAPE},
#include "spec/stream_events.def"
};

typedef struct finish_row {
    rc_str name;
    rc_stream_finish finish;
} finish_row;

static const finish_row FINISHES[] = {
#define RC_FINISH(name, MEANING) {RC_STR_INIT(name), RC_STREAM_FINISH_##MEANING},
#include "spec/finish.def"
};

static bool is_match(rc_str pattern, rc_str text)
{
    size_t star = rc_str_find_byte(pattern, '*', 0);
    if (star == RC_STR_NPOS)
        return rc_str_eq(pattern, text);
    return text.len + 1 >= pattern.len &&
           rc_str_starts_with(text, rc_str_slice(pattern, 0, star)) &&
           rc_str_ends_with(text, rc_str_slice(pattern, star + 1, pattern.len));
}

const rc_stream_type *rc_stream_type_find(rc_stream_dialect dialect, rc_str type)
{
    for (size_t i = 0; i < COUNT(TYPES); i++) {
        if (TYPES[i].dialect == dialect && is_match(TYPES[i].type, type))
            return &TYPES[i];
    }
    return NULL;
}

rc_stream_finish rc_stream_finish_parse(rc_str text)
{
    for (size_t i = 0; i < COUNT(FINISHES); i++) {
        if (rc_str_eq_nocase(text, FINISHES[i].name))
            return FINISHES[i].finish;
    }
    return RC_STREAM_FINISH_UNKNOWN;
}

/* Returns how bad a finish reason is for the response, from 0 (usable) to 3 (no response). */
static int severity_of(rc_stream_finish finish)
{
    switch (finish) {
    case RC_STREAM_FINISH_NONE:
    case RC_STREAM_FINISH_UNKNOWN:
    case RC_STREAM_FINISH_GOOD:
        return 0;
    case RC_STREAM_FINISH_LENGTH:
        return 1;
    case RC_STREAM_FINISH_FILTER:
    case RC_STREAM_FINISH_REFUSAL:
    case RC_STREAM_FINISH_CONTEXT:
        return 2;
    case RC_STREAM_FINISH_TOOL:
    case RC_STREAM_FINISH_ERROR:
        return 3;
    }
    return 0;
}

/* If several finish reasons are equally bad, the first one counts; if several are usable, the last
 * one counts. */
bool rc_stream_finish_counts(rc_stream_finish before, rc_stream_finish candidate)
{
    return severity_of(before) == 0 || severity_of(candidate) > severity_of(before);
}

const char *rc_stream_dialect_name(rc_stream_dialect dialect)
{
    return dialect < RC_STREAM_DIALECT_COUNT ? rc_stream_dialects[dialect].name : "unknown";
}

rc_stream_dialect rc_stream_dialect_parse(rc_str name)
{
    for (unsigned i = 0; i < RC_STREAM_DIALECT_COUNT; i++) {
        if (rc_str_eq(name, rc_str_c(rc_stream_dialects[i].name)))
            return (rc_stream_dialect)i;
    }
    return RC_STREAM_DIALECT_COUNT;
}
