/* The header table: finds a header's row and applies it. Called by the other files of this
 * folder. */
#include "gateway/request/fields.h"

#include "base/buf_add.h"
#include "base/str.h"
#include "base/vec16.h"

typedef enum sent {
    SENT_PASS,
    SENT_DROP,
    SENT_OPENAI,
    SENT_ANTHROPIC,
    SENT_GEMINI
} sent;

typedef enum returned {
    RETURNED_PASS,
    RETURNED_DROP,
    RETURNED_COMPRESSED
} returned;

typedef struct row {
    const char *name;
    uint8_t len;
    uint8_t sent;
    uint8_t returned;
} row;

/* Rows in the order of rc_field_id. */
static const row rows[] = {
    {"", 0, SENT_PASS, RETURNED_PASS},
    {"", 0, SENT_DROP, RETURNED_DROP},
#define RC_FIELD(ID, name, REQUEST, RESPONSE) \
    {name, sizeof(name) - 1, SENT_##REQUEST, RETURNED_##RESPONSE},
#define RC_FIELD_PREFIX RC_FIELD
#include "spec/fields.def"
};

/* KEY is the hash of a header name. The lookup must be fast, because the gateway looks up every
 * header of every request. Three letters of a name and its length select one candidate row;
 * compilers turn the comparisons into one table. If the candidate does not match, all rows are
 * searched, so a collision of two names costs only time. */
#define KEY(first, third, last, len) \
    (((unsigned)(first) + (unsigned)(third) + (unsigned)(last)*4u + (unsigned)(len)*38u) & 1023u)
#define PREFIX_KEY(first, third) (((unsigned)(first) + (unsigned)(third)*5u) & 1023u)

static inline unsigned likely_row(unsigned key)
{
#define RC_FIELD(ID, name, REQUEST, RESPONSE)                                         \
    if (key == KEY((name)[0], (name)[2], (name)[sizeof(name) - 2], sizeof(name) - 1)) \
        return RC_FIELD_##ID;
#include "spec/fields.def"
    return RC_FIELD_OTHER;
}

static inline unsigned likely_prefix(unsigned key)
{
#define RC_FIELD_PREFIX(ID, name, REQUEST, RESPONSE) \
    if (key == PREFIX_KEY((name)[0], (name)[2]))     \
        return RC_FIELD_ANY_##ID;
#include "spec/fields.def"
    return RC_FIELD_OTHER;
}

static inline bool begins_as(rc_str name, unsigned i)
{
    return name.len >= rows[i].len && rc_http1_is_same(name.ptr, rows[i].name, rows[i].len);
}

static inline bool is_row(rc_str name, unsigned i)
{
    return name.len == rows[i].len && begins_as(name, i);
}

static rc_field_id find_prefix(rc_str name)
{
#define RC_FIELD_PREFIX(ID, text, REQUEST, RESPONSE) \
    if (begins_as(name, RC_FIELD_ANY_##ID))          \
        return RC_FIELD_ANY_##ID;
#include "spec/fields.def"
    return RC_FIELD_OTHER;
}

static rc_field_id find_row(rc_str name)
{
#define RC_FIELD(ID, text, REQUEST, RESPONSE) \
    if (is_row(name, RC_FIELD_##ID))          \
        return RC_FIELD_##ID;
#include "spec/fields.def"
    return find_prefix(name);
}

rc_field_id rc_field_find(rc_str name)
{
    if (name.len < 2)
        return RC_FIELD_OTHER;
    const int first = name.ptr[0] | 0x20;
    const int third = name.len > 2 ? name.ptr[2] | 0x20 : '\0';
    const int last = name.ptr[name.len - 1] | 0x20;
    const unsigned whole = likely_row(KEY(first, third, last, name.len));
    if (whole != RC_FIELD_OTHER)
        return is_row(name, whole) ? (rc_field_id)whole : find_row(name);
    const unsigned prefix = likely_prefix(PREFIX_KEY(first, third));
    if (prefix != RC_FIELD_OTHER)
        return begins_as(name, prefix) ? (rc_field_id)prefix : find_prefix(name);
    return RC_FIELD_OTHER;
}

const char *rc_field_name(rc_field_id field)
{
    return rows[field].name;
}

/* Drops the headers that Connection names (RFC 9110, section 7.6.1). A header that is never passed
 * on keeps its own table row even if Connection names it, so that a client cannot hide a credential
 * from the gateway by naming its header in Connection. */
static void drop_listed(rc_field_list *fields, const rc_http1 *reader, const char *head,
                        rc_str list)
{
    /* The value of Connection is nearly always "keep-alive" or "close". With these values no
     * further header must be dropped, because the header keep-alive is never passed on. */
    if (rc_http1_is_name(list, RC_STR("keep-alive")) || rc_http1_is_name(list, RC_STR("close")))
        return;
    for (size_t at = 0; at < list.len;) {
        size_t end = rc_str_find_byte(list, ',', at);
        end = end == RC_STR_NPOS ? list.len : end;
        rc_str name = rc_str_trim(rc_str_slice(list, at, end));
        at = end + 1;
        for (uint32_t i = 0; i < fields->count; i++) {
            const row *r = &rows[fields->ids[i]];
            bool is_dropped = r->sent == SENT_DROP && r->returned == RETURNED_DROP;
            if (!is_dropped && rc_str_eq_nocase(name, rc_http1_name(reader, head, i)))
                fields->ids[i] = RC_FIELD_LISTED;
        }
    }
}

void rc_field_list_read(rc_field_list *fields, const rc_http1 *reader, const char *head)
{
    bool has_connection = false;
    fields->count = reader->field_count;
    for (uint32_t i = 0; i < reader->field_count; i++) {
        fields->ids[i] = (uint8_t)rc_field_find(rc_http1_name(reader, head, i));
        has_connection |= fields->ids[i] == RC_FIELD_CONNECTION;
    }
    for (uint32_t i = 0; has_connection && i < reader->field_count; i++)
        if (fields->ids[i] == RC_FIELD_CONNECTION)
            drop_listed(fields, reader, head, rc_http1_value(reader, head, i));
}

bool rc_field_is_sent(rc_field_id field, rc_dialect provider)
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

bool rc_field_is_returned(rc_field_id field, bool is_decoded)
{
    return rows[field].returned == RETURNED_PASS ||
           (rows[field].returned == RETURNED_COMPRESSED && !is_decoded);
}

bool rc_field_is_value(rc_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

void rc_field_push(rc_buf *buf, rc_str name, rc_str value)
{
    if (!rc_field_is_value(value))
        return;
    rc_buf_add(buf, name);
    rc_buf_add(buf, RC_STR(": "));
    rc_buf_add(buf, value);
    rc_buf_add(buf, RC_STR("\r\n"));
}

/* Returns the end of a header line. An empty value has no position, so the line ends with the
 * colon. */
static size_t end_of(const rc_http1_field *field)
{
    return field->value_len > 0 ? rc_http1_value_at(field) + field->value_len
                                : (size_t)field->name_at + field->name_len + 1;
}

void rc_field_push_lines(rc_buf *buf, const rc_http1 *reader, const char *head, uint32_t from,
                         uint32_t to)
{
    if (from >= to)
        return;
    size_t at = reader->fields[from].name_at;
    rc_buf_add(buf, rc_str_make(head + at, end_of(&reader->fields[to - 1]) - at));
    rc_buf_add(buf, RC_STR("\r\n"));
}
