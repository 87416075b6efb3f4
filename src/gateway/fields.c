#include "gateway/fields.h"

#include "base/lanes.h"
#include "base/str.h"

typedef enum sent {
    SENT_PASS,
    SENT_DROP,
    SENT_OPENAI,
    SENT_ANTHROPIC,
    SENT_GEMINI
} sent;

typedef enum returned {
    RETURNED_PASS,
    RETURNED_DROP
} returned;

typedef struct row {
    const char *name;
    uint8_t len;
    uint8_t sent;
    uint8_t returned;
} row;

/* In the order of rc_gate_field. */
static const row rows[] = {
    {"", 0, SENT_PASS, RETURNED_PASS},
    {"", 0, SENT_DROP, RETURNED_DROP},
#define RC_FIELD(ID, name, REQUEST, RESPONSE) \
    {name, sizeof(name) - 1, SENT_##REQUEST, RETURNED_##RESPONSE},
#define RC_FIELD_PREFIX RC_FIELD
#include "../../spec/fields.def"
};

/* A byte a row, in vectors: every header of every request is looked up. No name begins with NUL,
 * and none of the table is as long as what stands for a prefix. */
#define ROOM 64u
#define ANY_LEN 0xff
_Static_assert(RC_FIELD_COUNT <= ROOM, "the table has outgrown its vectors");

static const char firsts[ROOM] = {
    '\0',
    '\0',
#define RC_FIELD(ID, name, REQUEST, RESPONSE) name[0],
#define RC_FIELD_PREFIX RC_FIELD
#include "../../spec/fields.def"
};

static const char lens[ROOM] = {
    0,
    0,
#define RC_FIELD(ID, name, REQUEST, RESPONSE) sizeof(name) - 1,
#define RC_FIELD_PREFIX(ID, name, REQUEST, RESPONSE) (char)ANY_LEN,
#include "../../spec/fields.def"
};

/* The rows that a name with this first letter and length could be, a bit each. */
static uint64_t rows_like(char first, size_t len)
{
    uint64_t found = 0;
    uint8_t near = len < ANY_LEN ? (uint8_t)len : ANY_LEN;
    for (unsigned at = 0; at < ROOM; at += (unsigned)RC_LANES) {
        rc_lanes length = rc_lanes_load(lens + at);
        rc_lanes fits = (rc_lanes)(rc_lanes_load(firsts + at) == (uint8_t)first) &
                        ((rc_lanes)(length == near) | (rc_lanes)(length == ANY_LEN));
        found |= (uint64_t)rc_lanes_bits(fits) << at;
    }
    return found;
}

rc_gate_field rc_gate_field_of(rc_str name)
{
    if (name.len == 0)
        return RC_FIELD_OTHER;
    uint64_t found = rows_like(rc_ascii_lower(name.ptr[0]), name.len);
    for (; found != 0; found &= found - 1) {
        unsigned i = (unsigned)__builtin_ctzll(found);
        if (name.len >= rows[i].len && rc_http1_is_same(name.ptr, rows[i].name, rows[i].len))
            return (rc_gate_field)i;
    }
    return RC_FIELD_OTHER;
}

const char *rc_gate_field_name(rc_gate_field field)
{
    return rows[field].name;
}

/* What Connection names belongs to the connection (RFC 9110, section 7.6.1). What is dropped anyway
 * keeps its row: nobody can hide a credential that way. */
static void drop_listed(rc_gate_fields *fields, const rc_http1 *reader, const char *head,
                        rc_str list)
{
    for (size_t at = 0; at < list.len;) {
        size_t end = rc_str_find_byte(list, ',', at);
        end = end == RC_STR_NPOS ? list.len : end;
        rc_str name = rc_str_trim(rc_str_slice(list, at, end));
        at = end + 1;
        /* Nearly always the one or the other, and no header, or dropped by its row. */
        if (rc_str_eq_nocase(name, RC_STR("keep-alive")) || rc_str_eq_nocase(name, RC_STR("close")))
            continue;
        for (uint32_t i = 0; i < fields->count; i++) {
            const row *r = &rows[fields->ids[i]];
            bool is_dropped = r->sent == SENT_DROP && r->returned == RETURNED_DROP;
            if (!is_dropped && rc_str_eq_nocase(name, rc_http1_name(reader, head, i)))
                fields->ids[i] = RC_FIELD_LISTED;
        }
    }
}

void rc_gate_fields_read(rc_gate_fields *fields, const rc_http1 *reader, const char *head)
{
    fields->count = reader->field_count;
    for (uint32_t i = 0; i < reader->field_count; i++)
        fields->ids[i] = (uint8_t)rc_gate_field_of(rc_http1_name(reader, head, i));
    for (uint32_t i = 0; i < reader->field_count; i++)
        if (fields->ids[i] == RC_FIELD_CONNECTION)
            drop_listed(fields, reader, head, rc_http1_value(reader, head, i));
}

bool rc_gate_field_is_sent(rc_gate_field field, rc_dialect provider)
{
    switch ((sent)rows[field].sent) {
    case SENT_PASS:
        return true;
    case SENT_DROP:
        return false;
    case SENT_OPENAI:
        return provider == RC_DIALECT_OPENAI_CHAT || provider == RC_DIALECT_OPENAI_RESPONSES;
    case SENT_ANTHROPIC:
        return provider == RC_DIALECT_ANTHROPIC;
    case SENT_GEMINI:
        return provider == RC_DIALECT_GEMINI;
    }
    return false;
}

bool rc_gate_field_is_returned(rc_gate_field field)
{
    return rows[field].returned == RETURNED_PASS;
}

bool rc_gate_is_value(rc_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

void rc_gate_push_field(rc_buf *buf, rc_str name, rc_str value)
{
    if (!rc_gate_is_value(value))
        return;
    rc_buf_push(buf, name);
    rc_buf_push(buf, RC_STR(": "));
    rc_buf_push(buf, value);
    rc_buf_push(buf, RC_STR("\r\n"));
}

/* One that is empty has no place for its value; its colon is the end. */
static size_t end_of(const rc_http1_field *field)
{
    return field->value_len > 0 ? field->value_at + field->value_len
                                : (size_t)field->name_at + field->name_len + 1;
}

void rc_gate_push_lines(rc_buf *buf, const rc_http1 *reader, const char *head, uint32_t from,
                        uint32_t to)
{
    if (from >= to)
        return;
    size_t at = reader->fields[from].name_at;
    rc_buf_push(buf, rc_str_make(head + at, end_of(&reader->fields[to - 1]) - at));
    rc_buf_push(buf, RC_STR("\r\n"));
}
